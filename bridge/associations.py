"""Which words keep company in right and in wrong solutions: counts over documents, and what they say of a choice.

A document is a goal with one of its solutions. Two words that occur together in more right documents than they would by
chance (positive pointwise mutual information; Church and Hanks, 1990) speak for a solution that puts them together; so
a wine opener has a cork, and a nail file no lighter. The words that tell two solutions apart are looked at beside the
goal's, beside those that both solutions have, and beside their neighbours.
"""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from ..symbolic.errors import Location, ModelError
from .difference import Difference, words
from .files import write_atomic
from .piqa_data import PiqaItem

# Words of a goal that say nothing of what it is about.
EMPTY: Final = frozenset(
    "a an and are as at be by can could do does for from get have how i if in into is it make me my of on or so some "
    "that the this to up use want way what when where which will with without would you your".split()
)
WINDOW: Final = 3
_SMOOTHING: Final = 0.3
PLACES: Final = ("goal", "shared", "near")
_OF_A_PLACE: Final = (
    "together, right",
    "together, wrong",
    "most, right",
    "most, wrong",
    "apart, right",
    "apart, wrong",
)
FEATURES: Final = (
    *(f"{place}: {name}" for place in PLACES for name in _OF_A_PLACE),
    "common, right",
    "common, wrong",
    "words",
    "any",
    "length",
)

Array = np.ndarray[Any, Any]
Bag = frozenset[str]
NOTHING: Final[tuple[Bag, Bag]] = (frozenset(), frozenset())


@dataclass(frozen=True)
class Company:
    """Two words, in how many right and wrong documents they occur together, and in how many right ones by chance."""

    words: tuple[str, str]
    right: int
    wrong: int
    expected: float


def bag(text: str) -> Bag:
    """The words of a text, without marks."""
    return frozenset(word.text for word in words(text) if word.text[0].isalnum())


def documents(item: PiqaItem) -> tuple[Bag, Bag]:
    """The words of a labelled item's right and wrong document."""
    right = item.label or 0
    goal = bag(item.goal)
    return goal | bag(item.solutions[right]), goal | bag(item.solutions[1 - right])


class Associations:
    """Counts of words and of pairs of words over right and wrong documents.

    Pairs are kept by the rarer word: ``neighbours[starts[w]:starts[w + 1]]`` are the words more common than ``w``
    (those of lower number) with which it occurs, in ascending order, and ``pairs`` (2, ...) in how many documents of
    each kind; ``singles`` (2, words) are those of words by themselves.
    """

    def __init__(
        self, vocabulary: Sequence[str], singles: Array, starts: Array, neighbours: Array, pairs: Array, total: int
    ) -> None:
        self._vocabulary = tuple(vocabulary)
        self._singles = singles
        self._starts = starts
        self._neighbours = neighbours
        self._pairs = pairs
        self.total = total

    def __repr__(self) -> str:
        return f"Associations({len(self._vocabulary)} words, {len(self._neighbours)} pairs)"

    @cached_property
    def _number(self) -> Mapping[str, int]:
        return {word: k for k, word in enumerate(self._vocabulary)}

    def singles(self, word: str) -> tuple[int, int]:
        """In how many right and wrong documents a word occurs."""
        k = self._number.get(word)
        return (0, 0) if k is None else (int(self._singles[0, k]), int(self._singles[1, k]))

    def pairs(self, first: str, second: str) -> tuple[int, int]:
        """In how many right and wrong documents two words occur together."""
        a, b = self._number.get(first), self._number.get(second)
        if a is None or b is None or a == b:
            return 0, 0
        rarer, other = max(a, b), min(a, b)
        start, end = int(self._starts[rarer]), int(self._starts[rarer + 1])
        place = start + int(np.searchsorted(self._neighbours[start:end], other))
        if place == end or self._neighbours[place] != other:
            return 0, 0
        return int(self._pairs[0, place]), int(self._pairs[1, place])

    def company(self, first: str, second: str) -> Company:
        """What is known of two words."""
        right, wrong = self.pairs(first, second)
        expected = self.singles(first)[0] * self.singles(second)[0] / max(1, self.total)
        return Company((first, second), right, wrong, expected)

    def save(self, path: Path) -> None:
        """Write the counts; the same counts give the same bytes."""
        gaps = np.diff(self._neighbours.astype(np.int64), prepend=0)
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            vocabulary=np.frombuffer("\n".join(self._vocabulary).encode("utf-8"), np.uint8),
            singles=self._singles.astype(np.uint16),
            starts=self._starts.astype(np.uint32),
            gaps=gaps.astype(np.int16 if np.abs(gaps).max(initial=0) < 2**15 else np.int32),
            pairs=self._pairs.astype(np.uint8 if self._pairs.max(initial=0) < 2**8 else np.uint16),
            total=np.array(self.total, np.uint32),
        )
        write_atomic(path, buffer.getvalue())

    @classmethod
    def load(cls, path: Path) -> Associations:
        """Read what ``save`` wrote.

        Raises:
            ModelError: the file is missing or damaged.
        """
        try:
            with np.load(path, allow_pickle=False) as stored:
                table = {name: stored[name] for name in stored.files}
            neighbours = np.cumsum(table["gaps"].astype(np.int64)).astype(np.int32)
            vocabulary = table["vocabulary"].tobytes().decode("utf-8").split()
            starts = table["starts"].astype(np.int64)
            fit = len(starts) == len(vocabulary) + 1 and starts[-1] == len(neighbours) == table["pairs"].shape[1]
            if not fit or table["singles"].shape != (2, len(vocabulary)):
                raise ValueError("its parts do not fit together")
            return cls(vocabulary, table["singles"], starts, neighbours, table["pairs"], int(table["total"]))
        except FileNotFoundError:
            raise ModelError(
                "there are no such counts; make them with 'disproof train piqa'", Location(str(path))
            ) from None
        except Exception as error:  # a damaged archive raises from zipfile, zlib, struct and numpy
            raise ModelError(f"this is no file of counts ({error})", Location(str(path))) from None


def count(items: Iterable[PiqaItem]) -> Associations:
    """Count the words and pairs of words of labelled items; those without a label are left out."""
    docs = [documents(item) for item in items if item.label is not None]
    singles = [Counter(word for doc in docs for word in doc[kind]) for kind in (0, 1)]
    vocabulary = sorted(singles[0] | singles[1], key=lambda word: (-singles[0][word] - singles[1][word], word))
    number = {word: k for k, word in enumerate(vocabulary)}
    size = len(vocabulary)
    codes: list[Array] = []
    for kind in (0, 1):
        parts = []
        for doc in docs:
            known = np.sort(np.array([number[word] for word in doc[kind]], np.int64))
            lower, upper = np.triu_indices(len(known), 1)
            parts.append(known[upper] * size + known[lower])
        codes.append(np.concatenate(parts) if parts else np.zeros(0, np.int64))
    found, place = np.unique(np.concatenate(codes), return_inverse=True)  # sorted: by the rarer word, then the other
    pairs = np.stack(
        [
            np.bincount(place[: len(codes[0])], minlength=len(found)),
            np.bincount(place[len(codes[0]) :], minlength=len(found)),
        ]
    )
    starts = np.searchsorted(found // max(1, size), np.arange(size + 1))
    table = np.array([[one[word] for word in vocabulary] for one in singles]).reshape(2, size)
    return Associations(vocabulary, table, starts, (found % max(1, size)).astype(np.int32), pairs, len(docs))


class Compared:
    """The words that tell two solutions of a goal apart, and the words beside which they are looked at.

    Args:
        goal: the goal.
        found: how its solutions differ.
    """

    def __init__(self, goal: str, found: Difference) -> None:
        texts = [[word.text for word in side] for side in found.words]
        changed = [set(found.changed(side)) for side in (0, 1)]
        new = [{texts[side][k] for k in changed[side] if texts[side][k][0].isalnum()} for side in (0, 1)]
        about = bag(goal) - EMPTY
        shared = {word for word in set(texts[0]) & set(texts[1]) if word[0].isalnum()} - about - EMPTY
        self.lengths = (len(texts[0]), len(texts[1]))
        self.words = (sorted(new[0] - new[1]), sorted(new[1] - new[0]))
        self.beside = tuple(
            (sorted(about), sorted(shared), sorted(_near(texts[side], changed[side]))) for side in (0, 1)
        )


def _near(texts: Sequence[str], changed: set[int]) -> set[str]:
    """The unchanged words within ``WINDOW`` of a changed one."""
    places = {k + step for k in changed for step in range(-WINDOW, WINDOW + 1)} - changed
    return {texts[k] for k in places if 0 <= k < len(texts) and texts[k][0].isalnum()}


def features(counts: Associations, compared: Compared, own: tuple[Bag, Bag] = NOTHING) -> Array:
    """``FEATURES`` of the first solution less those of the second.

    ``own`` are the documents of the item itself where it was counted: what is learned must not have seen it.
    """
    each = [_side(counts, compared, side, own) for side in (0, 1)]
    return each[0] - each[1]


def _side(counts: Associations, compared: Compared, side: int, own: tuple[Bag, Bag]) -> Array:
    here = compared.words[side]
    found: list[float] = []
    for others in compared.beside[side]:
        if not here or not others:
            found += [0.0] * len(_OF_A_PLACE)
            continue
        table = np.array([[information(counts, word, other, own) for other in others] for word in here])
        together, apart = table.sum(1).mean(0), np.minimum(table, 0).sum(1).mean(0)
        most = table.max((0, 1))
        found += [*together, *most, *apart]
    for kind in (0, 1):
        common = [math.log1p(counts.singles(word)[kind] - (word in own[kind])) for word in here]
        found.append(sum(common) / max(1, len(here)))
    return np.array([*found, len(here), bool(here), compared.lengths[side]], float)


def information(counts: Associations, first: str, second: str, own: tuple[Bag, Bag] = NOTHING) -> tuple[float, float]:
    """The smoothed pointwise mutual information of two words over right and over wrong documents, in nats.

    Of a word and itself there is none.
    """
    if first == second:
        return 0.0, 0.0
    together = counts.pairs(first, second)
    alone = counts.singles(first), counts.singles(second)
    told = []
    for kind in (0, 1):
        mine = first in own[kind], second in own[kind]
        seen = together[kind] - all(mine)
        expected = (alone[0][kind] - mine[0]) * (alone[1][kind] - mine[1]) / max(1, counts.total)
        told.append(math.log((seen + _SMOOTHING) / (expected + _SMOOTHING)))
    return told[0], told[1]
