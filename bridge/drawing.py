"""Drawings by matplotlib as SVG elements that take their colours from the page they stand in.

They are drawn with stand-in colours, which the page's style sheet sets by custom properties: ``--ink`` and ``--line``
for what frames a plot, ``--s0`` to ``--s7`` for systems, ``--m0`` to ``--m8`` for failure modes and the letters on
them. So one drawing serves light, dark and paper. The same drawing gives the same bytes. Drawings are narrow: their
letters stay readable on a phone.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Stand-ins: the colours of letters and of lines; those of systems and modes want a digit more.
INK, LINE = "#0b0b0b", "#0c0c0c"
SYSTEM, MODE = "#0a0a0", "#0d0d0"
_WIDTH: Final = 4.9  # inches; a phone shows an inch as about 75 pixels
_STYLE: Final[Mapping[str, Any]] = {
    "svg.fonttype": "none",  # letters stay letters: smaller, and a reader can search and select them
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib, so every machine measures alike
    "font.size": 10,
    "axes.edgecolor": LINE,
    "axes.labelcolor": INK,
    "axes.titlesize": 10,
    "axes.titlecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": LINE,
    "grid.linewidth": 0.5,
    "grid.alpha": 0.5,
    "text.color": INK,
    "xtick.color": LINE,
    "ytick.color": LINE,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "lines.markersize": 6,
    "lines.linewidth": 1.4,
}


def drawn_svg(key: str, draw: Callable[[Figure], None], height: float) -> str:
    """What ``draw`` draws on a figure of this height in inches; ``key`` sets its names apart from others of a page."""
    with _settings(key):
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure)
        buffer = io.StringIO()
        none = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(buffer, format="svg", transparent=True, metadata=none)
    return _embedded(buffer.getvalue(), key)


@contextmanager
def _settings(key: str) -> Iterator[None]:
    """The settings that matplotlib brings, for one drawing, whatever the user's are, and these again afterwards."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        settings: Any = {**_STYLE, "svg.hashsalt": key}
        matplotlib.rcParams.update(settings)
        yield


def _embedded(file: str, key: str) -> str:
    """The ``<svg>`` of a file: names of its own, no size, the style sheet's colours and font."""
    svg = file[file.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    # Names that nothing refers to only cost; the others must differ between the drawings of a page.
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    svg = re.sub(r' id="([^"]+)"', lambda found: f' id="{key}-{found[1]}"' if found[1] in used else "", svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{key}-", svg)
    svg = svg.replace("xlink:href", "href")
    svg = (
        re.sub(r' (?:xmlns(?::xlink)?|width|height|version)="[^"]*"', "", svg.partition(">")[0]) + svg[svg.index(">") :]
    )
    svg = re.sub(r"font-family: [^;\"]*;? ?", "", svg)
    svg = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", svg, flags=re.DOTALL)  # would hold for the whole page
    svg = svg.replace(INK, "var(--ink)").replace(LINE, "var(--line)")
    svg = re.sub(rf"{SYSTEM}(\d)", r"var(--s\1)", svg)
    svg = re.sub(rf"{MODE}(\d)", r"var(--m\1)", svg)
    return re.sub(r">\s+<", "><", svg).strip()
