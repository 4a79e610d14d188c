"""Drawings by matplotlib as SVG elements that take their colours from the page they stand in.

They are drawn with stand-in colours, which the page's style sheet sets by custom properties: ``--ink`` and ``--line``
for what frames a plot, ``--s0`` to ``--s7`` for systems, ``--m0`` to ``--m8`` for the parts of bars and the letters on
them. So one drawing serves light, dark and paper. The same drawing gives the same bytes. Drawings are narrow: their
letters stay readable on a phone.

A system is told by its colour and by its marker, for those who do not see the colour.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Stand-ins: the colours of letters and of lines; those of systems and shades want a digit more.
INK, LINE = "#0b0b0b", "#0c0c0c"
_SYSTEM, _SHADE = "#0a0a0", "#0d0d0"
_ON_SHADES: Final = f"{_SHADE}8"
# Markers of the systems, in matplotlib's letters; the page's legend draws the same shapes.
MARKERS: Final = "osD^vPX*"
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
_LONGEST: Final = 44  # letters of a system's name in a plot
# Stands for a name while it is drawn: matplotlib would read its dollar signs and miss letters of some scripts.
_NAME: Final = "name-{}-"


@dataclass(frozen=True)
class Plot:
    """A drawing: ``svg`` is an ``<svg>`` element, ``alt`` says what is to be seen in it.

    ``shades`` are the parts of its bars in words, by number of shade; without any, its colours are those of systems.
    """

    key: str
    title: str
    svg: str
    alt: str
    shades: Mapping[int, str] = field(default_factory=dict)


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
    svg = re.sub(rf"{_SYSTEM}(\d)", r"var(--s\1)", svg)
    svg = re.sub(rf"{_SHADE}(\d)", r"var(--m\1)", svg)
    return re.sub(r">\s+<", "><", svg).strip()


def bars_svg(key: str, names: Sequence[str], bars: Sequence[Mapping[int, int]], what: str) -> str:
    """A bar for each name, in parts of 100%: ``bars`` have how many of ``what`` are in each shade."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for row, bar in enumerate(bars):
            total, start = max(1, sum(bar.values())), 0.0
            for shade, count in bar.items():
                if not count:
                    continue
                width = 100 * count / total
                axes.barh(row, width, 0.62, start, color=f"{_SHADE}{shade}", edgecolor=INK, linewidth=0.5)
                if width >= 5:
                    axes.text(start + width / 2, row, str(count), ha="center", va="center", color=_ON_SHADES)
                start += width
        # Names stand above their bars: beside them, long ones would leave no room on a phone.
        for row in range(len(bars)):
            axes.text(0, row - 0.38, _NAME.format(row), va="bottom", ha="left")
        axes.set_yticks([])
        axes.set_ylim(len(bars) - 0.55, -0.85)
        axes.grid(False)
        axes.spines["left"].set_visible(False)
        percent_axis(axes, "x", f"% of {what}, their number in the bars")

    svg = drawn_svg(key, draw, 0.9 + 0.6 * len(bars))
    for row, name in enumerate(names):
        shown = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
        svg = svg.replace(f">{_NAME.format(row)}<", f">{html.escape(shown)}<")
    return svg


def look(index: int, size: float = 6) -> dict[str, Any]:
    """A system's colour and marker."""
    return {"color": f"{_SYSTEM}{index % len(MARKERS)}", "marker": MARKERS[index % len(MARKERS)], "markersize": size}


def error_bars(
    axes: Axes, index: int, of: int, values: Sequence[float | None], intervals: Sequence[Sequence[float] | None]
) -> None:
    """One of several systems' fractions, each in a row of its own, in percent and with its interval."""
    known = [
        (100 * value, [100 * bound for bound in interval], place)
        for value, interval, place in zip(values, intervals, dodged(len(values), index, of), strict=True)
        if value is not None and interval is not None
    ]
    errors = [
        [max(0.0, value - low) for value, (low, _), _ in known],
        [max(0.0, high - value) for value, (_, high), _ in known],
    ]
    xs, ys = [value for value, _, _ in known], [place for _, _, place in known]
    axes.errorbar(xs, ys, xerr=errors, capsize=2, linestyle="none", **look(index))


def group_lines(axes: Axes, groups: Mapping[str, int], systems: Sequence[Sequence[float | None]]) -> None:
    """A line for each system over groups in a row, which are named with their sizes; fractions in percent."""
    for index, values in enumerate(systems):
        known = [(place, 100 * value) for place, value in enumerate(values) if value is not None]
        axes.plot([place for place, _ in known], [value for _, value in known], **look(index))
    axes.set_xticks(range(len(groups)), [f"{group}\n({count})" for group, count in groups.items()])


def dodged(count: int, index: int, of: int) -> list[float]:
    """The places of one of several systems in ``count`` rows, side by side within 0.7 of a row."""
    step = min(0.22, 0.7 / of)
    return [row + (index - (of - 1) / 2) * step for row in range(count)]


def row_names(axes: Axes, names: Sequence[str]) -> None:
    """Rows instead of a scale, the first above."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)


def percent_axis(axes: Axes, axis: str, name: str) -> None:
    """The axis "x" or "y" from 0 to 100."""
    if axis == "x":
        axes.set_xlim(-2, 102)
        axes.set_xticks(range(0, 101, 25))
        axes.set_xlabel(name)
    else:
        axes.set_ylim(-2, 102)
        axes.set_yticks(range(0, 101, 25))
        axes.set_ylabel(name)
