"""Words that went with right or with wrong solutions where two solutions of a goal differed, counted.

A fact is a word that one solution has where the other does not: by itself, beside its neighbour, or for a goal that has
some other word. In training pairs it is counted how often the solution with it was the right one, and a logistic
regression weighs the facts against each other. What is said of a choice are facts with their counts: nothing here
knows why feet blend no dough, only that solutions that used them were wrong. Facts are of PIQA's training pairs (Bisk
et al., 2020); they are no proof, and are never called one.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

from ..symbolic.errors import Location, ModelError
from . import logistic
from .associations import EMPTY, bag
from .difference import Difference, difference
from .files import write_atomic
from .phrases import END, START
from .piqa_data import PiqaItem

Kind = Literal["word", "goal", "next"]

_MINIMUM: Final = 2
# Facts that weigh less than this (in log-odds) change no choice.
_LEAST: Final = 0.02
_L2: Final = 2.5
_DECIMALS: Final = 3


@dataclass(frozen=True, order=True)
class Fact:
    """What one solution has: ``words`` are (word), (goal's word, word) or (word, next word) by ``kind``."""

    kind: Kind
    words: tuple[str, ...]


@dataclass(frozen=True)
class Count:
    """In how many training pairs the solution with a fact was the right one and the wrong one, and what that weighs."""

    weight: float
    right: int
    wrong: int


@dataclass(frozen=True)
class Found:
    """A fact that one of two solutions (``side`` 0 or 1) has, and its counts; ``log_odds`` speak for the first."""

    fact: Fact
    side: int
    count: Count

    @property
    def log_odds(self) -> float:
        """How much it speaks for the first solution."""
        return -self.count.weight if self.side else self.count.weight


def facts(goal: str, found: Difference) -> dict[Fact, int]:
    """The facts that tell two solutions apart: 1 for those of the first, -1 for those of the second."""
    about = bag(goal) - EMPTY
    each = [Counter(set(_facts(about, found, side))) for side in (0, 1)]
    return {fact: each[0][fact] - each[1][fact] for fact in sorted(each[0] | each[1]) if each[0][fact] != each[1][fact]}


def _facts(about: frozenset[str], found: Difference, side: int) -> Iterator[Fact]:
    texts = [word.text for word in found.words[side]]
    for k in found.changed(side):
        word = texts[k]
        if not word[0].isalnum():
            continue
        yield Fact("word", (word,))
        for other in about:
            yield Fact("goal", (other, word))
        yield Fact("next", (texts[k - 1] if k else START, word))
        yield Fact("next", (word, texts[k + 1] if k + 1 < len(texts) else END))


class Contrasts:
    """Counted facts, by which two solutions are compared."""

    def __init__(self, counts: Mapping[Fact, Count]) -> None:
        self._counts = dict(counts)

    def __len__(self) -> int:
        return len(self._counts)

    def __repr__(self) -> str:
        return f"Contrasts({len(self)} facts)"

    def find(self, goal: str, found: Difference) -> list[Found]:
        """The counted facts that tell two solutions apart, those that weigh most first."""
        known = ((fact, side) for fact, side in facts(goal, found).items() if fact in self._counts)
        told = [Found(fact, 0 if side > 0 else 1, self._counts[fact]) for fact, side in known]
        return sorted(told, key=lambda one: (-abs(one.count.weight), one.fact))

    def save(self, path: Path, about: Mapping[str, Any]) -> None:
        """Write the facts, with what is known ``about`` them; the same facts give the same bytes."""
        table: dict[str, dict[str, list[float]]] = {kind: {} for kind in get_args(Kind)}
        for fact, count in sorted(self._counts.items()):
            table[fact.kind][" ".join(fact.words)] = [count.weight, count.right, count.wrong]
        text = json.dumps({"about": about, "facts": table}, ensure_ascii=False, separators=(",", ":"))
        write_atomic(path, gzip.compress(text.encode("utf-8"), mtime=0))

    @classmethod
    def load(cls, path: Path) -> Contrasts:
        """Read what ``save`` wrote.

        Raises:
            ModelError: the file is missing or damaged.
        """
        try:
            table = json.loads(gzip.decompress(path.read_bytes()))["facts"]
            return cls(
                {
                    Fact(kind, tuple(words.split(" "))): Count(float(weight), int(right), int(wrong))
                    for kind in get_args(Kind)
                    for words, (weight, right, wrong) in table[kind].items()
                }
            )
        except FileNotFoundError:
            raise ModelError(
                "there are no such facts; make them with 'disproof train piqa'", Location(str(path))
            ) from None
        except (OSError, EOFError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise ModelError(f"this is no file of facts ({error})", Location(str(path))) from None


def learn(items: Sequence[PiqaItem], minimum: int = _MINIMUM) -> Contrasts:
    """Count and weigh the facts of labelled items; those in fewer than ``minimum`` of them are left out.

    The weights are those of an L2 regularised logistic regression, which is convex: the same items, the same weights.
    """
    told = [(facts(item.goal, difference(*item.solutions)), item.label) for item in items if item.label is not None]
    right, wrong = Counter[Fact](), Counter[Fact]()
    for found, label in told:
        for fact, sign in found.items():
            (right if (sign > 0) == (label == 0) else wrong)[fact] += 1
    kept = sorted(fact for fact in right | wrong if right[fact] + wrong[fact] >= minimum)
    column = {fact: k for k, fact in enumerate(kept)}
    rows = [{column[fact]: sign for fact, sign in found.items() if fact in column} for found, _ in told]
    weights = logistic.fit(rows, [label == 0 for _, label in told], len(kept), _L2)
    return Contrasts(
        {
            fact: Count(round(weight, _DECIMALS), right[fact], wrong[fact])
            for fact, weight in zip(kept, weights, strict=True)
            if abs(weight) >= _LEAST
        }
    )
