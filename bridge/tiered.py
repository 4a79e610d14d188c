"""Measuring the tiered baseline by the metrics of every other system.

It looks at each story by itself and compares sums, so it has no use for the twin's cue: its figures with and without it
are the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..neural.beliefs import CONFLICTS, THRESHOLD, Beliefs, Conflicts, PairBeliefs, choose, conflicting
from ..symbolic.errors import ModelError
from ..symbolic.story import StoryPair
from .evaluation import Evaluation, Progress, trained_on
from .metrics import Metrics, PairPrediction, SingleMetrics, StoryPrediction, score_pairs, score_single

if TYPE_CHECKING:
    from ..neural.tiered import Tiered

SYSTEM = "tiered"


def load_tiered(model: str) -> Tiered:
    """The trained baseline in a folder.

    Raises:
        ModelError: there is none; its weights do not ship.
    """
    if not Path(model).is_dir():
        raise ModelError(
            "the tiered baseline's weights do not ship: train them with 'disproof train tiered FILE --out DIR' "
            "and give --model DIR"
        )
    from ..neural.tiered import Tiered

    return Tiered.load(Path(model))


def seen_by(tiered: Tiered, pairs: Sequence[StoryPair]) -> bool:
    """Whether the baseline was trained on exactly these stories (their figures then say little)."""
    return trained_on(tiered.config, pairs)


def evaluate_tiered(
    tiered: Tiered, pairs: Sequence[StoryPair], how: Conflicts = "top-two", progress: Progress | None = None
) -> Evaluation:
    """Measure a trained baseline on annotated pairs.

    Raises:
        StoryError: there are none, or one lacks its annotation.
    """
    from ..neural.tiered_training import read_pair

    started = time.perf_counter()
    beliefs = []
    for count, pair in enumerate(pairs, 1):
        beliefs.append(read_pair(tiered, pair))
        if progress is not None:
            progress(count, len(pairs))
    metrics = measure_tiered(pairs, beliefs, how, time.perf_counter() - started)
    return Evaluation(metrics, metrics)


def measure_tiered(
    pairs: Sequence[StoryPair], beliefs: Sequence[PairBeliefs], how: Conflicts = "top-two", seconds: float = 0.0
) -> Metrics:
    """All figures of what the baseline says of some pairs."""
    predictions = [predict_pair(both, how) for both in beliefs]
    return score_pairs(pairs, predictions, _single(pairs, beliefs), SYSTEM, seconds)


def predict_pair(both: PairBeliefs, how: Conflicts = "top-two") -> PairPrediction:
    """Choose between two stories, and say of each which sentences would conflict. There are no proofs."""
    first, second = (StoryPrediction(conflicting(both, k, how), one.table, None) for k, one in enumerate(both))
    return PairPrediction(choose(both)[0], (first, second))


def judge_by(how: Conflicts) -> Callable[[Sequence[StoryPair], Sequence[PairBeliefs]], Mapping[str, float | None]]:
    """The figures by which training chooses its epoch, and those that are of interest beside them."""

    def judge(pairs: Sequence[StoryPair], beliefs: Sequence[PairBeliefs]) -> Mapping[str, float | None]:
        return main_figures(measure_tiered(pairs, beliefs, how))

    return judge


def main_figures(metrics: Metrics) -> dict[str, float | None]:
    """What the paper's table reports, and the F1 of each part."""
    return {
        "accuracy": metrics.accuracy,
        "consistency": metrics.consistency,
        "verifiability": metrics.all_states,
        "precondition_f1": metrics.precondition_f1,
        "effect_f1": metrics.effect_f1,
        "conflict_f1": metrics.conflict_f1,
    }


def measure_each_way(pairs: Sequence[StoryPair], beliefs: Sequence[PairBeliefs]) -> dict[str, dict[str, object]]:
    """All figures for each way to read conflicting sentences off the beliefs."""
    return {how: measure_tiered(pairs, beliefs, how).to_json() for how in CONFLICTS}


def _single(pairs: Sequence[StoryPair], beliefs: Sequence[PairBeliefs]) -> SingleMetrics:
    """Each distinct story without its twin: the sum of beliefs; implausible where any belief reaches .5."""
    seen: dict[tuple[str, ...], tuple[bool, Beliefs]] = {}
    for pair, both in zip(pairs, beliefs, strict=True):
        for k, (story, said) in enumerate(zip(pair.stories, both, strict=True)):
            seen.setdefault(story.sentences, (k != pair.label, said))
    said_of = list(seen.values())
    return score_single(
        [implausible for implausible, _ in said_of],
        [said.total for _, said in said_of],
        [bool((said.conflict >= THRESHOLD).any()) for _, said in said_of],
    )
