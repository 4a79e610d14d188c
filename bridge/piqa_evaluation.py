"""Measuring choices between solutions: how many are right, on what basis, and how it depends on what differs."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final, get_args

from ..symbolic.errors import StoryError
from .difference import difference
from .evaluation import Progress
from .metrics import score_piqa
from .piqa import PiqaBasis, PiqaChoice, PiqaEngine, PiqaReasons, Signals
from .piqa_data import PiqaItem
from .resampling import share_interval

# Words in which the solutions differ: the spans of the paper's figure 6, roughly.
# A word is shown if the solutions of so many items differ in it.
WORD_ITEMS: Final = 10
DISTANCES: Final = ((0, 1), (2, 2), (3, 5), (6, 10), (11, None))


def evaluate_piqa(engine: PiqaEngine, items: Sequence[PiqaItem], progress: Progress | None = None) -> dict[str, Any]:
    """Choose for every item, and measure.

    Raises:
        StoryError: an item has no label, or there are none.
    """
    require_labels(items)
    began = time.perf_counter()
    choices = []
    for number, item in enumerate(items, 1):
        choices.append(engine.choose(item))
        if progress is not None:
            progress(number, len(items))
    return measure(choices, engine.system, time.perf_counter() - began)


def tossed(items: Sequence[PiqaItem], seed: int = 0) -> list[PiqaChoice]:
    """The floor: a coin for every item, which has no reasons."""
    rng = random.Random(seed)
    return [
        PiqaChoice(
            item,
            rng.randrange(2),
            (0.5, 0.5),
            "neural preference",
            PiqaReasons(difference(*item.solutions), None, ()),
            Signals(),
        )
        for item in items
    ]


def evaluate_random(items: Sequence[PiqaItem], seed: int = 0) -> dict[str, Any]:
    """What the floor measures."""
    require_labels(items)
    return measure(tossed(items, seed), "random")


def require_labels(items: Sequence[PiqaItem]) -> None:
    """Refuse items that cannot be measured.

    Raises:
        StoryError: one has no label, or there are none.
    """
    if not items:
        raise StoryError("there are no items to measure: give a file that has some, or a higher --limit")
    for item in items:
        if item.label is None:
            raise StoryError(f"item {item.index} has no label; give labels inside, or a -labels.lst beside the file")


def measure(choices: Sequence[PiqaChoice], system: str, seconds: float = 0.0) -> dict[str, Any]:
    """The output of ``evaluate piqa``: the figures, 95% intervals, and shares by basis and by distance.

    "Proof coverage" counts choices that rest on a proof or on evidence; "decided" are those on which any of what the
    system listens to said something.
    """
    labels = [choice.item.label or 0 for choice in choices]
    based = [choice.basis != "neural preference" for choice in choices]
    figures = score_piqa(labels, [choice.choice for choice in choices], based, system, seconds).to_json()
    hits = [choice.choice == label for choice, label in zip(choices, labels, strict=True)]
    decided = [hit for choice, hit in zip(choices, hits, strict=True) if choice.probabilities[0] != 0.5]
    return {
        **figures,
        "interval": _interval(hits),
        "decided": {**_share(decided), "interval": _interval(decided)},
        "accuracy_without_proof": _share(hit for hit, has in zip(hits, based, strict=True) if not has)["accuracy"],
        "by_basis": {
            basis: _share(hit for choice, hit in zip(choices, hits, strict=True) if choice.basis == basis)
            for basis in get_args(PiqaBasis)
        },
        "by_distance": {
            _span(low, high): _share(
                hit
                for choice, hit in zip(choices, hits, strict=True)
                if low <= choice.reasons.difference.distance <= (high or choice.reasons.difference.distance)
            )
            for low, high in DISTANCES
        },
        "by_word": _by_word(choices, hits),
    }


def _by_word(choices: Sequence[PiqaChoice], hits: Sequence[bool]) -> dict[str, dict[str, Any]]:
    """The shares on items whose solutions differ in a word, for those words that are on many, the commonest first."""
    found: defaultdict[str, list[bool]] = defaultdict(list)
    for choice, hit in zip(choices, hits, strict=True):
        between = choice.reasons.difference
        edited = {between.words[side][k].text for side in (0, 1) for k in between.changed(side)}
        for word in edited:
            if any(letter.isalnum() for letter in word):
                found[word].append(hit)
    common = sorted((word for word in found if len(found[word]) >= WORD_ITEMS), key=lambda w: (-len(found[w]), w))
    return {word: _share(found[word]) for word in common}


def _share(hits: Iterable[bool]) -> dict[str, Any]:
    told = list(hits)
    return {"n": len(told), "accuracy": sum(told) / len(told) if told else None}


def _interval(hits: Sequence[bool]) -> list[float] | None:
    if not hits:
        return None
    found = share_interval(hits, [str(k) for k in range(len(hits))])
    return [found.low, found.high]


def _span(low: int, high: int | None) -> str:
    return f"{low} or more" if high is None else (str(high) if low in (0, high) else f"{low} to {high}")
