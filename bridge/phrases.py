"""Which words follow each other in right and in wrong solutions: counts of runs of two and three words.

"Nail file" is a thing and "nail lighter" is none, and "upside down" has an order. Where two solutions differ, the runs
that one of them has there and the other has not are looked up; a run that was seen is evidence that people say and do
such things, and how much more often it was seen than its words would meet by chance says how strong.
"""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from ..symbolic.errors import Location, ModelError
from .difference import Difference, words
from .files import write_atomic
from .piqa_data import PiqaItem

START, END = "^", "$"
LENGTHS: Final = (1, 2, 3)
_SMOOTHING: Final = 0.3
FEATURES: Final = tuple(
    f"phrase: {name}, {kind}"
    for kind in ("right", "wrong")
    for name in ("pairs", "least pair", "most pair", "triples seen", "sum of pairs")
)

Array = np.ndarray[Any, Any]
Run = tuple[str, ...]
Runs = tuple["Counter[Run]", "Counter[Run]"]


def sequence(text: str) -> list[str]:
    """The words and marks of a text, between a start and an end."""
    return [START, *(word.text for word in words(text)), END]


def runs(text: str) -> Counter[Run]:
    """How often a text has each run of one, two and three words."""
    said = sequence(text)
    return Counter(tuple(said[k : k + n]) for n in LENGTHS for k in range(len(said) - n + 1))


def own_runs(item: PiqaItem) -> Runs:
    """The runs of a labelled item's right and wrong solution."""
    right = item.label or 0
    return runs(item.solutions[right]), runs(item.solutions[1 - right])


class Phrases:
    """Counts of runs over right and wrong solutions.

    ``codes`` are the runs in ascending order, each a number with a digit a word (from 1, in base ``words`` + 1), and
    ``counts`` (2, runs) how often each occurs.
    """

    def __init__(self, vocabulary: Sequence[str], codes: Array, counts: Array) -> None:
        self._vocabulary = tuple(vocabulary)
        self._number = {word: k for k, word in enumerate(self._vocabulary, 1)}
        self._codes = codes
        self._counts = counts
        single = codes <= len(self._vocabulary)
        self.totals: tuple[int, int] = tuple(counts[:, single].sum(1).tolist()) if len(codes) else (0, 0)

    def __repr__(self) -> str:
        return f"Phrases({len(self._vocabulary)} words, {len(self._codes)} runs)"

    def seen(self, run: Run) -> tuple[int, int]:
        """How often a run occurs in right and in wrong solutions."""
        code = 0
        for word in run:
            number = self._number.get(word)
            if number is None:
                return 0, 0
            code = code * (len(self._vocabulary) + 1) + number
        place = int(np.searchsorted(self._codes, code))
        if place == len(self._codes) or self._codes[place] != code:
            return 0, 0
        return int(self._counts[0, place]), int(self._counts[1, place])

    def save(self, path: Path) -> None:
        """Write the counts; the same counts give the same bytes."""
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            vocabulary=np.frombuffer("\n".join(self._vocabulary).encode("utf-8"), np.uint8),
            gaps=np.diff(self._codes, prepend=0).astype(np.uint64),
            counts=self._counts.astype(np.uint16 if self._counts.max(initial=0) < 2**16 else np.uint32),
        )
        write_atomic(path, buffer.getvalue())

    @classmethod
    def load(cls, path: Path) -> Phrases:
        """Read what ``save`` wrote.

        Raises:
            ModelError: the file is missing or damaged.
        """
        try:
            with np.load(path, allow_pickle=False) as stored:
                vocabulary = stored["vocabulary"].tobytes().decode("utf-8").split("\n")
                codes = np.cumsum(stored["gaps"].astype(np.int64))
                counts = stored["counts"].astype(np.int64)
            if counts.shape != (2, len(codes)):
                raise ValueError("its parts do not fit together")
            return cls(vocabulary, codes, counts)
        except FileNotFoundError:
            raise ModelError(
                "there are no such counts; make them with 'disproof train piqa'", Location(str(path))
            ) from None
        except Exception as error:  # a damaged archive raises from zipfile, zlib, struct and numpy
            raise ModelError(f"this is no file of counts ({error})", Location(str(path))) from None


def count(items: Iterable[PiqaItem]) -> Phrases:
    """Count the runs of labelled items; those without a label are left out."""
    totals: Runs = (Counter(), Counter())
    for item in items:
        if item.label is not None:
            for total, own in zip(totals, own_runs(item), strict=True):
                total.update(own)
    every = totals[0].keys() | totals[1].keys()
    singles = [run[0] for run in every if len(run) == 1]
    vocabulary = sorted(singles, key=lambda word: (-totals[0][(word,)] - totals[1][(word,)], word))
    number = {word: k for k, word in enumerate(vocabulary, 1)}
    coded = {}
    for run in every:
        code = 0
        for word in run:
            code = code * (len(vocabulary) + 1) + number[word]
        coded[code] = run
    codes = sorted(coded)
    counts = [[total[coded[code]] for code in codes] for total in totals]
    return Phrases(vocabulary, np.array(codes, np.int64), np.array(counts, np.int64).reshape(2, len(codes)))


def new_runs(found: Difference, side: int) -> Iterator[tuple[Run, Run | None]]:
    """Each two neighbours of a text of which the other lacks one there, and the three words that end with them."""
    said = [START, *(word.text for word in found.words[side]), END]
    ends = {k + step for k in found.changed(side) for step in (1, 2)}
    # Where the other has words and this has none, the words around the gap are neighbours only here.
    ends |= {start + 1 for start, end in (edit.span(side) for edit in found.edits) if start == end}
    for k in sorted(ends):
        yield (said[k - 1], said[k]), tuple(said[k - 2 : k + 1]) if k >= 2 else None


def surprise(counts: Phrases, pair: Run, own: Runs | None = None) -> tuple[float, float]:
    """The smoothed pointwise mutual information of two neighbours, over right and over wrong solutions, in nats."""
    told = []
    first, second = counts.seen(pair[:1]), counts.seen(pair[1:])
    together = counts.seen(pair)
    for kind in (0, 1):
        mine = own[kind] if own is not None else {}
        alone = (first[kind] - mine.get(pair[:1], 0)) * (second[kind] - mine.get(pair[1:], 0))
        expected = alone / max(1, counts.totals[kind])
        told.append(math.log((together[kind] - mine.get(pair, 0) + _SMOOTHING) / (expected + _SMOOTHING)))
    return told[0], told[1]


def features(counts: Phrases, found: Difference, own: Runs | None = None) -> Array:
    """``FEATURES`` of the first solution less those of the second; ``own`` are the item's own runs, if counted."""
    each = [_side(counts, found, side, own) for side in (0, 1)]
    return each[0] - each[1]


def _side(counts: Phrases, found: Difference, side: int, own: Runs | None) -> Array:
    here = list(new_runs(found, side))
    pairs = [surprise(counts, pair, own) for pair, _ in here]
    told: list[float] = []
    for kind in (0, 1):
        mine = own[kind] if own is not None else {}
        values = [pair[kind] for pair in pairs]
        triples = [math.log1p(counts.seen(run)[kind] - mine.get(run, 0)) for _, run in here if run is not None]
        told += [
            sum(values) / max(1, len(values)),
            min(values, default=0.0),
            max(values, default=0.0),
            sum(triples) / max(1, len(triples)),
            sum(values),
        ]
    return np.array(told)
