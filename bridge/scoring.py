"""From conflicts to choices: a score for every two sentences of a story, and what the scores say.

The score of a candidate (i, j) is log-linear: the learned weight of each rule that proves it, times the probability
of the states its likeliest proof cites, plus the weighted score of the neural pair prior. A story's candidates compete
with "no conflict" when it stands alone, and with the other story's when there are two. Changing how a verdict is
reached means changing this module; which numbers it uses is in the weights file (``rules/weights/``).
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..symbolic.errors import Location, ModelError
from ..symbolic.proof import Conflict
from ..symbolic.vocabulary import ATTRIBUTE

# Added to the score of two sentences that both twins share: stories that are told as twins seldom conflict there. Of
# 113 twins that mend the trouble in between, 0, -2 and -3 choose 88, 81 and 75% rightly; of TRIP's dev and of 480
# pairs that nobody had read, all of which conflict where they differ, 97.5 and 92.3, 97.2 and 94.2, 96.9 and 94.2%.
SHARED: Final = -2.0

PRIOR = "neural prior"
ANY_RULE = "any rule"
RESOLVED = "resolved"
Features = dict[str, float]


@dataclass(frozen=True, eq=False)
class Candidate:
    """Two sentences that may conflict: what speaks for it (``features``) and the proofs, cheapest first."""

    evidence: int
    breakpoint: int
    features: Features
    conflicts: tuple[Conflict, ...]

    def __repr__(self) -> str:
        return f"Candidate({self.evidence} -> {self.breakpoint}, {len(self.conflicts)} proofs)"


@dataclass(frozen=True)
class Weights:
    """Learned numbers of one system.

    ``features`` maps a feature's name to its weight; a rule that training never saw counts ``default``.
    ``no_conflict`` is the score of "this story has no conflict" per candidate. A single story is called implausible
    above ``threshold`` (on the log-odds), and ``slope`` calibrates the log-odds beyond it; ``pair_slope`` those
    of a choice between two stories.
    """

    features: Mapping[str, float] = field(default_factory=dict)
    default: float = 1.0
    no_conflict: float = 0.0
    threshold: float = 0.0
    slope: float = 1.0
    pair_slope: float = 1.0

    def score(self, candidate: Candidate) -> float:
        """The candidate's score; a rule without a learned weight counts the default, once."""
        total = 0.0
        for name, value in candidate.features.items():
            known = self.features.get(name)
            if known is None:
                known = self.default if name.startswith("rule ") else 0.0
            total += known * value
        return total

    def to_json(self) -> dict[str, Any]:
        """As it is written to a weights file."""
        return {
            "no_conflict": self.no_conflict,
            "threshold": self.threshold,
            "slope": self.slope,
            "pair_slope": self.pair_slope,
            "default": self.default,
            "features": dict(sorted(self.features.items())),
        }


def load_weights(path: Path, system: str) -> Weights:
    """One system's weights from a weights file.

    Raises:
        ModelError: the file is missing or damaged, or has no weights for the system.
    """
    with _weights_file(path, f"this is no weights file for the system {system!r}") as file:
        stored = file["systems"][system]
        numbers = {k: float(stored[k]) for k in Weights().to_json() if k != "features"}
        features = {str(k): float(v) for k, v in stored["features"].items()}
        if not all(map(math.isfinite, (*numbers.values(), *features.values()))):
            raise ValueError("a number in it is not finite")
        return Weights(features=features, **numbers)


def load_temperatures(path: Path) -> dict[str, float]:
    """The temperatures of a tagger's states (``calibration``) that a weights file brings; older ones bring none.

    Raises:
        ModelError: the file is missing or damaged.
    """
    with _weights_file(path, "this is no weights file") as file:
        found = {str(k): float(v) for k, v in file.get("temperatures", {}).items()}
        unknown = found.keys() - ATTRIBUTE.keys()
        if unknown or not all(0 < temperature < math.inf for temperature in found.values()):
            raise ValueError(f"no attribute: {min(unknown)}" if unknown else "a temperature in it is not positive")
        return found


@contextmanager
def _weights_file(path: Path, refusal: str) -> Iterator[Any]:
    """The content of a weights file; whatever is wrong with it, or found wrong while it is read, is told in a line."""
    try:
        yield json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ModelError(
            "there is no such weights file; make one with 'disproof train weights'", Location(str(path))
        ) from None
    except OSError as error:
        raise ModelError(f"cannot be read: {error.strerror or error}", Location(str(path))) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"{refusal} ({error})", Location(str(path))) from None


def rule_features(conflict: Conflict) -> Iterable[str]:
    """The features a proof adds to: its rule, and its case (reason and attribute) for what is special about it."""
    yield f"rule {conflict.rule}"
    yield f"case {conflict.reason}/{conflict.attribute}"


def candidates(
    conflicts: Iterable[Conflict],
    sentences: int,
    pair_scores: npt.NDArray[np.float32] | None = None,
    resolved: Collection[tuple[int, int]] = (),
) -> list[Candidate]:
    """Every two sentences of a story that a rule or the prior could speak for, in order.

    ``pair_scores`` is the prior's (sentences, sentences); ``resolved`` are the pairs whose trouble is over by then.
    """
    proofs: dict[tuple[int, int], list[Conflict]] = {}
    for conflict in conflicts:
        proofs.setdefault((conflict.evidence, conflict.breakpoint), []).append(conflict)
    found: list[Candidate] = []
    for j in range(sentences):
        for i in range(j):
            proved = sorted(proofs.get((i, j), ()), key=lambda c: c.cost)
            features: Features = {}
            for conflict in proved:
                for name in rule_features(conflict):
                    features[name] = max(features.get(name, 0.0), math.exp(-conflict.cost))
                features[ANY_RULE] = max(features.get(ANY_RULE, 0.0), math.exp(-conflict.cost))
            if pair_scores is not None:
                features[PRIOR] = float(pair_scores[i, j])
                if (i, j) in resolved:
                    features[RESOLVED] = 1.0
            if features:
                found.append(Candidate(i, j, features, tuple(proved)))
    return found


@dataclass(frozen=True, eq=False)
class Judged:
    """A story's candidates with their scores; ``log_odds`` that it has a conflict at all, calibrated."""

    candidates: tuple[Candidate, ...]
    scores: tuple[float, ...]
    log_odds: float
    plausible: bool

    @property
    def best(self) -> Candidate | None:
        """The likeliest candidate."""
        if not self.candidates:
            return None
        return self.candidates[max(range(len(self.scores)), key=lambda k: self.scores[k])]

    @property
    def total(self) -> float:
        """Log of the summed weight of all candidates: how implausible the story is beside another."""
        return log_sum_exp(self.scores)


def judge(found: Sequence[Candidate], weights: Weights, sentences: int) -> Judged:
    """Score a story's candidates and decide whether it has a conflict."""
    return _judged(found, tuple(weights.score(c) for c in found), weights, sentences)


def judge_beside(
    found: Sequence[Candidate], twin: Sequence[Candidate], weights: Weights, sentences: int, differing: int
) -> Judged:
    """Score a story's candidates beside those of its twin, which differs in one sentence.

    What both have in common tells them apart no more: two sentences that they share count by what they weigh more here
    than there, as where the twin mends the trouble in between, and are believed less (``SHARED``).
    """
    there = {(c.evidence, c.breakpoint): _weight(weights.score(c)) for c in twin}
    kept: list[Candidate] = []
    scores: list[float] = []
    for candidate in found:
        pair, score = (candidate.evidence, candidate.breakpoint), weights.score(candidate)
        if differing not in pair:
            more = _weight(score) - there.get(pair, 0.0)
            if more <= 0:
                continue
            score = math.log(more) + SHARED
        kept.append(candidate)
        scores.append(score)
    return _judged(kept, tuple(scores), weights, sentences)


def _weight(score: float) -> float:
    return math.exp(min(score, 500.0))  # far from where it overflows


def _judged(found: Sequence[Candidate], scores: tuple[float, ...], weights: Weights, sentences: int) -> Judged:
    raw = raw_log_odds(log_sum_exp(scores), weights.no_conflict, sentences)
    odds = weights.slope * (raw - weights.threshold)
    return Judged(tuple(found), scores, odds, odds <= 0)


def raw_log_odds(total: float, no_conflict: float, sentences: int) -> float:
    """Log-odds of a conflict: the candidates' total against "none", which counts once for each pair of sentences.

    Counting it per pair keeps a long story from looking implausible by its length alone.
    """
    pairs = max(1, sentences * (sentences - 1) // 2)
    return max(-50.0, min(50.0, total - no_conflict - math.log(pairs)))


def log_sum_exp(values: Sequence[float]) -> float:
    """log(sum(exp(values))), -inf of nothing."""
    if not values:
        return -math.inf
    top = max(values)
    return top + math.log(sum(math.exp(v - top) for v in values)) if top > -math.inf else top


def sigmoid(x: float) -> float:
    """The logistic function, safe at both ends."""
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    return math.exp(x) / (1.0 + math.exp(x))


def choose(first: Judged, second: Judged, weights: Weights) -> tuple[float, float]:
    """The calibrated probabilities that the first and the second story are the plausible one."""
    difference = weights.pair_slope * max(-50.0, min(50.0, _finite(second.total) - _finite(first.total)))
    return sigmoid(difference), sigmoid(-difference)


def _finite(total: float) -> float:
    # A story without any candidate is as plausible as one whose candidates weigh next to nothing.
    return max(total, -20.0)
