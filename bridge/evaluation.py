"""Running a system over annotated pairs and measuring it.

Every story is parsed, tagged and solved once; pair choices (with and without the twin's cue) and single verdicts are
then read off the same candidates.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..symbolic.errors import UsageError
from ..symbolic.story import StateTable, Story, StoryPair
from ..symbolic.vocabulary import ATTRIBUTES, N_ATTRIBUTES
from .alignment import aligned, nameless
from .assertions import asserted_states, asserted_table
from .engine import AnalysedPair, Analysis, ranked_proofs, weigh
from .metrics import Metrics, PairPrediction, SingleMetrics, StoryPrediction, score_pairs, score_single
from .scoring import Weights

if TYPE_CHECKING:
    from .engine import Engine

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Evaluation:
    """A system's figures.

    ``metrics`` choose with the twin's cue (the one sentence in which the stories differ), ``uncued`` without it.
    """

    metrics: Metrics
    uncued: Metrics

    def to_json(self) -> dict[str, object]:
        """The output of ``evaluate trip``: the figures, and what they are without the twin's cue."""
        uncued = self.uncued.to_json()
        return {
            **self.metrics.to_json(),
            "without_twin_cue": {k: uncued[k] for k in ("accuracy", "consistency", "verifiability", "proof_coverage")},
        }


def analyse_pairs(engine: Engine, pairs: Sequence[StoryPair], progress: Progress | None = None) -> list[AnalysedPair]:
    """Parse, tag and solve both stories of every pair; a story that several pairs share is analysed once."""
    done: dict[tuple[str, ...], Analysis] = {}
    analysed: list[AnalysedPair] = []
    for count, pair in enumerate(pairs, 1):
        for story in pair.stories:
            if story.sentences not in done:
                done[story.sentences] = engine.analyse(story)
        analysed.append((done[pair.stories[0].sentences], done[pair.stories[1].sentences]))
        if progress is not None:
            progress(count, len(pairs))
    return analysed


def predict_pair(both: AnalysedPair, weights: Weights, twin: bool = True) -> PairPrediction:
    """Choose between two stories, and say of each what its likeliest conflict would be."""
    judgements, probabilities = weigh(both, weights, twin)
    said = []
    for analysis, judged in zip(both, judgements, strict=True):
        best = judged.best
        proofs = ranked_proofs(best, weights) if best is not None else []
        said.append(
            StoryPrediction(
                (best.evidence, best.breakpoint) if best is not None else None,
                asserted_table(analysis.tagging),
                asserted_states(proofs[0], analysis.tagging) if proofs else None,
            )
        )
    return PairPrediction(0 if probabilities[0] >= probabilities[1] else 1, (said[0], said[1]))


def measure(
    pairs: Sequence[StoryPair],
    analysed: Sequence[AnalysedPair],
    weights: Sequence[Weights],
    system: str,
    seconds: float = 0.0,
) -> Evaluation:
    """All figures, with the weights to use for each pair (cross-validation has several)."""
    single = _single(pairs, analysed, weights)
    cued, uncued = (
        score_pairs(
            pairs,
            [aligned(p, predict_pair(s, w, twin)) for p, s, w in zip(pairs, analysed, weights, strict=True)],
            single,
            system,
            seconds,
        )
        for twin in (True, False)
    )
    return Evaluation(cued, uncued)


def evaluate(
    engine: Engine, pairs: Iterable[StoryPair], progress: Progress | None = None, own_entities: bool = False
) -> Evaluation:
    """Measure an engine on annotated pairs; ``own_entities`` are those it finds in the text, not the annotation's.

    Raises:
        StoryError: there are none, or one lacks its annotation.
        UsageError: annotated states, which are of annotated entities, were to be measured with others.
    """
    if own_entities and engine.states == "gold":
        raise UsageError("annotated states are of annotated entities: leave out --entities own, or --states gold")
    listed = list(pairs)
    started = time.perf_counter()
    analysed = analyse_pairs(engine, [nameless(pair) for pair in listed] if own_entities else listed, progress)
    return measure(listed, analysed, [engine.weights] * len(listed), engine.system, time.perf_counter() - started)


def seen_in_training(engine: Engine, pairs: Sequence[StoryPair]) -> bool:
    """Whether the engine's tagger was trained on exactly these stories (their figures then say little)."""
    return engine.states == "predicted" and trained_on(getattr(engine.tagger, "config", {}), pairs)


def trained_on(config: Mapping[str, Any], pairs: Sequence[StoryPair]) -> bool:
    """Whether a model of this configuration was trained on exactly these stories."""
    return data_digest(pairs) in (config.get("data"), *config.get("sources", ()))


def data_digest(pairs: Sequence[StoryPair]) -> str:
    """A fingerprint of the stories of some pairs, whatever their order."""
    stories = sorted({"\n".join(story.sentences) for pair in pairs for story in pair.stories})
    return hashlib.sha256("\n\n".join(stories).encode()).hexdigest()[:16]


def evaluate_random(pairs: Iterable[StoryPair], seed: int = 0) -> Evaluation:
    """The floor: choices, pairs and states at random, the same for the same story and seed."""
    listed = list(pairs)
    started = time.perf_counter()
    drawn = [(_random(pair.stories[0], seed), _random(pair.stories[1], seed)) for pair in listed]
    truths = [k != pair.label for pair in listed for k in (0, 1)]
    scores = [score for both in drawn for _, score in both]
    single = score_single(truths, scores, [s > 0.5 for s in scores])
    metrics = score_pairs(listed, _chosen(drawn), single, "random", time.perf_counter() - started)
    return Evaluation(metrics, metrics)


def predict_random(pairs: Iterable[StoryPair], seed: int = 0) -> list[PairPrediction]:
    """What the floor says of each pair."""
    return _chosen([(_random(pair.stories[0], seed), _random(pair.stories[1], seed)) for pair in pairs])


_Drawn = tuple[StoryPrediction, float]


def _random(story: Story, seed: int) -> _Drawn:
    """A prediction drawn for a story, and how implausible it is said to be."""
    rng = _rng(story, seed)
    count = len(story.sentences)
    two = tuple(sorted(rng.sample(range(count), 2))) if count > 1 else None
    return StoryPrediction(two, _random_states(story, rng), None), rng.random()


def _chosen(drawn: Iterable[tuple[_Drawn, _Drawn]]) -> list[PairPrediction]:
    return [PairPrediction(0 if a[1] < b[1] else 1, (a[0], b[0])) for a, b in drawn]


def _single(pairs: Sequence[StoryPair], analysed: Sequence[AnalysedPair], weights: Sequence[Weights]) -> SingleMetrics:
    """Each distinct story judged without its twin."""
    seen: set[tuple[str, ...]] = set()
    truths: list[bool] = []
    odds: list[float] = []
    verdicts: list[bool] = []
    for pair, both, weight in zip(pairs, analysed, weights, strict=True):
        for k, one in enumerate(both):
            if one.story.sentences in seen:
                continue
            seen.add(one.story.sentences)
            judged = one.judged(weight)
            truths.append(k != pair.label)
            odds.append(judged.log_odds)
            verdicts.append(not judged.plausible)
    return score_single(truths, odds, verdicts)


def _rng(story: Story, seed: int) -> random.Random:
    digest = hashlib.sha256("\n".join((str(seed), *story.sentences)).encode()).digest()
    return random.Random(digest)


def _random_states(story: Story, rng: random.Random) -> StateTable:
    entities = story.entities or ()
    shape = (len(entities), len(story.sentences), 2, N_ATTRIBUTES)
    below = [len(attribute.values) for attribute in ATTRIBUTES]
    return StateTable(entities, np.random.default_rng(rng.getrandbits(64)).integers(below, size=shape, dtype=np.int8))
