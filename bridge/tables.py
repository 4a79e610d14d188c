"""Tables of figures as data, for every view: a cell has the text that is read and what it is sorted by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .wording import printable

NONE: Final = "–"


@dataclass(frozen=True)
class Cell:
    """What is read, and what it is sorted by (None: after all others)."""

    text: str
    value: float | str | None


@dataclass(frozen=True)
class Row:
    """The cells of one row, the first of which names it; ``published`` rows are of another file."""

    cells: tuple[Cell, ...]
    published: bool = False


@dataclass(frozen=True)
class Table:
    """A table: ``key`` is its name in links and files, ``note`` what must be known to read it."""

    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    note: str = ""

    def is_worded(self, column: int) -> bool:
        """Whether a column holds words, not figures."""
        return any(row.cells[column].text[:1].isalpha() for row in self.rows)


def label(text: str) -> Cell:
    """A cell of words."""
    return Cell(printable(text), printable(text).casefold())


def percentage(value: float | None) -> Cell:
    """A fraction in percent."""
    return Cell(NONE if value is None else f"{100 * value:.1f}", value)


def number(value: float | None, form: str = "d") -> Cell:
    """A number as it is."""
    return Cell(NONE if value is None else format(value, form), value)
