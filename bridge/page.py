"""A comparison as one page of HTML that needs nothing else: no network, no fonts, no images, no other files.

Here is what the pages of all tasks share. ``page.html`` is the frame around a task's own template, ``page_macros.html``
has its tables, legends and proofs; the style sheet and the script lie beside them. They escape all that comes from data
and systems; only the style sheet, the script and the plots go in as they are. A policy in the page forbids every other
script, and every request.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ..symbolic.proof import ProofNode
from .drawing import MARKERS, Plot
from .outline import Step, outline, pruned
from .tables import Cell, Table
from .wording import percent, printable

_FOLDER: Final = Path(__file__).parent
# Levels of a proof below its root: those of TRIP have fewer, and a page of hundreds has to end somewhere.
_DEPTH: Final = 12
# The shapes of ``MARKERS`` in a square of 16.
_SHAPES: Final = (
    "M8 1a7 7 0 1 0 0 14a7 7 0 1 0 0-14z",
    "M2 2h12v12h-12z",
    "M8 .5l7 7.5-7 7.5-7-7.5z",
    "M8 1l7 13.5h-14z",
    "M8 15l7-13.5h-14z",
    "M5.5 1h5v4.5h4.5v5h-4.5v4.5h-5v-4.5h-4.5v-5h4.5z",
    "M4.5 1l3.5 3.5 3.5-3.5 3.5 3.5-3.5 3.5 3.5 3.5-3.5 3.5-3.5-3.5-3.5 3.5-3.5-3.5 3.5-3.5-3.5-3.5z",
    "M8 .5l2 5.2 5.5.3-4.3 3.5 1.4 5.5-4.6-3-4.6 3 1.4-5.5-4.3-3.5 5.5-.3z",
)


@dataclass(frozen=True)
class Section:
    """A part of the page: some tables, with a plot beside them."""

    key: str
    title: str
    tables: tuple[Table, ...]
    plot: Plot | None = None

    @property
    def svg(self) -> Markup:
        """The plot, with its name for those who do not see it."""
        if self.plot is None:
            return Markup("")
        start, _, rest = self.plot.svg.partition(" ")
        return Markup('%s role="img" aria-label="%s" %s') % (Markup(start), self.plot.alt, Markup(rest))


@dataclass(frozen=True)
class Said:
    """What one system says in a disagreement: ``grade`` is seen before it is unfolded, ``verdict`` after.

    ``place`` is the system's among all of the comparison. A task adds its own fields, for its own template.
    """

    place: int
    name: str
    grade: str
    verdict: str


@dataclass(frozen=True)
class Shown:
    """A disagreement: the name of what it is about and, if it has one, its heading; and what each system says.

    ``right`` has a letter for each system, 1 where it is right. A task adds its own fields, for its own template.
    """

    id: str
    heading: str
    right: str
    systems: tuple[Said, ...]


def page(
    template: str,
    title: str,
    summary: str,
    notes: Sequence[str],
    sections: Sequence[Section],
    names: Sequence[str],
    disagreeing: Sequence[int],
    disagreements: Sequence[Shown],
    total: int,
) -> str:
    """The page by a task's template; ``notes`` are shown first.

    ``names`` are those of all systems, ``disagreeing`` the places of those that say something in each of the
    ``disagreements``, which were found among ``total``. The same arguments give the same text.
    """
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["percent"] = percent
    environment.globals.update(markers=len(MARKERS), sorted_by=_sorted_by)
    script = (_FOLDER / "page.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    systems = [(place, printable(name)) for place, name in enumerate(names)]
    return environment.get_template(template).render(
        title=printable(title),
        summary=summary,
        notes=[printable(note) for note in notes],
        sections=sections,
        systems=systems,
        disagreeing=[systems[place] for place in disagreeing],
        disagreements=disagreements,
        total=total,
        shapes=_SHAPES,
        style=Markup((_FOLDER / "page.css").read_text("utf-8")),
        script=Markup(script),
        script_hash=Markup(f"sha256-{digest}"),
    )


def sections(
    parts: Iterable[tuple[str, str, Sequence[str], str]], tables: Iterable[Table], plots: Mapping[str, Plot]
) -> list[Section]:
    """The sections of which there is something to show; ``parts`` are their keys, titles, tables and plots."""
    table = {each.key: each for each in tables if each.rows}
    found = [
        Section(key, title, tuple(table[name] for name in shown if name in table), plots.get(drawn))
        for key, title, shown, drawn in parts
    ]
    return [section for section in found if section.tables]


def shown_proof(proof: ProofNode) -> Step:
    """A proof as far as a page shows it."""
    return pruned(outline(proof), _DEPTH)


def _sorted_by(cell: Cell) -> Markup:
    """The attribute that the page's script sorts by."""
    if cell.value is None:
        return Markup("")
    value = f"{cell.value:.6g}" if isinstance(cell.value, float) else str(cell.value)
    return Markup(' data-v="%s"') % value
