"""PIQA's files: goals with two solutions, the labels inside or in a ``-labels.lst`` beside them.

Source: PIQA (Bisk et al., 2020); its own distribution keeps ``train.jsonl`` and ``train-labels.lst`` apart.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field

from ..symbolic.errors import Location, StoryError
from .files import STANDARD_INPUT, PathLike, display_name, json_values, read_text
from .schema import Strict, check_text, shorten, validated

_SHAPE: Final = 'a line with "goal", "sol1", "sol2" and, where known, "label" (0 for sol1, 1 for sol2)'
_UNKNOWN: Final = -1  # what a file without public labels holds


@dataclass(frozen=True)
class PiqaItem:
    """A goal and two ways to reach it; ``label`` is the right one's index, None where it is not known."""

    index: int
    goal: str
    solutions: tuple[str, str]
    label: int | None = None


def sampled_digests(items: Iterable[PiqaItem]) -> frozenset[str]:
    """Fingerprints of about a sixteenth of the items, always the same ones: enough to tell what a model has seen."""
    found = (hashlib.sha256(repr((item.goal, item.solutions)).encode()).hexdigest()[:8] for item in items)
    return frozenset(digest for digest in found if digest.startswith("0"))


class _Row(Strict):
    goal: str
    sol1: str
    sol2: str
    index: int | None = None
    label: Annotated[int, Field(ge=-1, le=1)] | None = None


def read_piqa(path: PathLike, labels: PathLike | None = None) -> Iterator[PiqaItem]:
    """The items of a PIQA file, one at a time; ``index`` is the file's own, else the item's number from 0.

    Labels come from the rows; where the first row has none, from ``labels`` or the ``-labels.lst`` beside the file.

    Raises:
        StoryError: names the file and line; also where the labels are fewer or more than the items.
    """
    if labels is not None:
        yield from _join(path, labels)
        return
    rows = _rows(path)
    first = next(rows)
    beside = labels_beside(path) if first[1].label is None else None
    if beside is not None:
        rows.close()
        yield from _join(path, beside)
        return
    for number, (_, row) in enumerate(itertools.chain([first], rows)):
        yield _item(number, row, row.label)


def labels_beside(path: PathLike) -> Path | None:
    """The label file that PIQA's distribution puts beside ``NAME.jsonl``: ``NAME-labels.lst``, plain or ``.gz``."""
    if os.fspath(path) == STANDARD_INPUT:
        return None
    file = Path(path)
    stem = file.name.removesuffix(".gz").removesuffix(".jsonl")
    candidates = (file.with_name(f"{stem}-labels.lst"), file.with_name(f"{stem}-labels.lst.gz"))
    return next((candidate for candidate in candidates if candidate.exists()), None)


def _rows(path: PathLike) -> Generator[tuple[Location, _Row], None, None]:
    for location, value in json_values(path):
        row = validated(_Row, value, location, _SHAPE)
        for field, text in (("goal", row.goal), ("sol1", row.sol1), ("sol2", row.sol2)):
            check_text(text, f'"{field}"', location)
        yield location, row


def _join(path: PathLike, labels: PathLike) -> Iterator[PiqaItem]:
    """Items with labels of another file, which must be as many as the items."""
    answers = _read_labels(labels)
    end = Location(display_name(labels))
    number = -1
    for number, (location, row) in enumerate(_rows(path)):
        label = next(answers, None)
        if label is None:
            raise StoryError(
                f"has {number} labels, and {display_name(path)} has more items: give the label file that belongs to it",
                end,
            )
        if row.label not in (None, _UNKNOWN, label):
            raise StoryError(f"the label {row.label} contradicts {display_name(labels)}, which has {label}", location)
        yield _item(number, row, label)
    if next(answers, None) is not None:
        raise StoryError(
            f"has more labels than the {number + 1} items of {display_name(path)}: "
            "give the label file that belongs to it",
            end,
        )


def _read_labels(path: PathLike) -> Iterator[int]:
    for line, text in read_text(path):
        if text.strip() not in ("0", "1", "-1"):
            raise StoryError(
                f'"{shorten(text.strip())}" is not a label: expected 0 or 1 on a line',
                Location(display_name(path), line),
            )
        yield int(text)


def _item(number: int, row: _Row, label: int | None) -> PiqaItem:
    known = None if label == _UNKNOWN else label
    return PiqaItem(number if row.index is None else row.index, row.goal, (row.sol1, row.sol2), known)
