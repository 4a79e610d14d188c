"""Learning the weights of rules and of the neural prior by maximum likelihood.

Two listwise terms share one set of weights: the gold pair among all candidates of both stories, and, for each story by
itself, its pair against "no conflict". L2 regularised, convex, and deterministic. Thresholds and calibration are fitted
on scores that the weights did not see (cross-validation by base story).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .scoring import PRIOR, RESOLVED, Candidate, Weights, judge, raw_log_odds

if TYPE_CHECKING:
    import torch

# On few examples a fitted slope can come out negative; a higher score must never speak for the other side.
_FLATTEST = 0.001


@dataclass(frozen=True, eq=False)
class Example:
    """A pair of stories for learning: candidates and length of each, and the gold (story, evidence, breakpoint).

    ``gold`` names no candidate where none of the stories' candidates is the gold pair; such an example only teaches
    which story is which.
    """

    candidates: tuple[tuple[Candidate, ...], tuple[Candidate, ...]]
    sentences: tuple[int, int]
    gold: tuple[int, int, int]
    group: str


@dataclass(frozen=True)
class LearningConfig:
    """``l2`` on all weights, ``single`` the weight of the one-story term, ``minimum`` firings for a case's own weight.

    A rule is written because it is true, so its weight is drawn towards ``belief``, which is also what a rule counts
    that training never saw; all other weights are drawn towards 0. The pair prior is overconfident on stories like
    those it was trained on, so its weight is held at ``prior`` (None: learned too). ``resolved`` is what the weight of
    a pair whose trouble is over is drawn towards: annotated stories show few of them.
    """

    l2: float = 4.0
    belief: float = 1.0
    prior: float | None = 0.1
    resolved: float = -2.0
    single: float = 2.0
    minimum: int = 2
    steps: int = 200


class _Problem:
    """The examples as arrays: a row a candidate, a column a feature."""

    def __init__(self, examples: Sequence[Example], config: LearningConfig) -> None:
        counts: dict[str, int] = {}
        for example in examples:
            for story in example.candidates:
                for candidate in story:
                    for name in candidate.features:
                        counts[name] = counts.get(name, 0) + 1
        self.names = sorted(n for n, c in counts.items() if not n.startswith("case ") or c >= config.minimum)
        column = {n: k for k, n in enumerate(self.names)}
        rows: list[np.ndarray[Any, Any]] = []
        story_of: list[int] = []
        offsets: list[float] = []
        self.gold = np.zeros(len(examples), dtype=np.int64)
        self.story_gold: list[int] = []
        for e, example in enumerate(examples):
            target = -1
            for s, story in enumerate(example.candidates):
                story_target = -1
                for candidate in story:
                    row = np.zeros(len(self.names))
                    for name, value in candidate.features.items():
                        if name in column:
                            row[column[name]] = value
                    if (s, candidate.evidence, candidate.breakpoint) == example.gold:
                        target = story_target = len(rows)
                    rows.append(row)
                    story_of.append(2 * e + s)
                self.story_gold.append(story_target)
                offsets.append(math.log(max(1, example.sentences[s] * (example.sentences[s] - 1) // 2)))
            self.gold[e] = target
        self.rows = np.array(rows) if rows else np.zeros((0, len(self.names)))
        self.story_of = np.array(story_of, dtype=np.int64)
        self.offsets = np.array(offsets)
        self.implausible = np.array([2 * e + ex.gold[0] for e, ex in enumerate(examples)], dtype=np.int64)


def learn(examples: Sequence[Example], config: LearningConfig | None = None) -> Weights:
    """Maximum-likelihood weights, uncalibrated (threshold 0, slope 1)."""
    import torch

    config = config or LearningConfig()
    problem = _Problem(examples, config)
    rows = torch.from_numpy(problem.rows)
    story_of = torch.from_numpy(problem.story_of)
    n = len(examples)
    weights = torch.zeros(len(problem.names), dtype=torch.float64, requires_grad=True)
    believed = torch.tensor([_believed(n, config) for n in problem.names]).double()
    none = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    gold = torch.from_numpy(problem.gold)
    story_gold = torch.tensor(problem.story_gold)
    offsets = torch.from_numpy(problem.offsets)
    conflicted = torch.zeros(2 * n, dtype=torch.bool)
    conflicted[torch.from_numpy(problem.implausible)] = True
    optimizer = torch.optim.LBFGS([weights, none], max_iter=config.steps, line_search_fn="strong_wolfe")

    held = torch.tensor([n == PRIOR and config.prior is not None for n in problem.names], dtype=torch.bool)

    nowhere = torch.zeros(1, dtype=torch.float64)  # what -1 points at; there may be no candidates at all

    def loss() -> torch.Tensor:
        scores = rows @ torch.where(held, config.prior or 0.0, weights)
        per_story = _segment_logsumexp(scores, story_of, 2 * n)
        per_pair = torch.logaddexp(per_story[0::2], per_story[1::2])
        wrong = per_story[conflicted]
        # Where the gold pair is no candidate, the example still says which story is the implausible one.
        target = torch.where(gold >= 0, torch.cat([scores, nowhere])[gold], wrong)
        pair_loss = (per_pair - target).clamp(max=60).sum()
        nothing = none + offsets
        whole = torch.logaddexp(per_story, nothing)
        story_target = torch.where(story_gold >= 0, torch.cat([scores, nowhere])[story_gold], per_story)
        story_target = torch.where(conflicted, story_target, nothing.expand_as(per_story))
        single_loss = (whole - story_target).clamp(max=60).sum()
        return pair_loss + config.single * single_loss + config.l2 * ((weights - believed) ** 2).sum()

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        value = loss()
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimizer.step(closure)  # type: ignore[no-untyped-call]
    final = torch.where(held, config.prior or 0.0, weights.detach())
    learned = {name: round(float(w), 4) for name, w in zip(problem.names, final, strict=True)}
    return Weights(learned, default=config.belief, no_conflict=round(float(none.detach()), 4))


def _believed(name: str, config: LearningConfig) -> float:
    """The weight that a feature is drawn towards."""
    if name == RESOLVED:
        return config.resolved
    return config.belief if name.startswith("rule ") else 0.0


def _segment_logsumexp(scores: torch.Tensor, segment: torch.Tensor, n: int) -> torch.Tensor:
    """Log of the summed exponentials of each segment; a segment without any is worth exp(-20), next to nothing."""
    import torch

    floor = torch.full((n,), -20.0, dtype=scores.dtype)
    top = floor.scatter_reduce(0, segment, scores.detach(), "amax", include_self=True)
    summed = torch.exp(floor - top).scatter_add(0, segment, torch.exp(scores - top[segment]))
    return top + summed.log()


def learn_calibrated(examples: Sequence[Example], config: LearningConfig | None = None, parts: int = 5) -> Weights:
    """Weights from all examples, with threshold and calibration fitted on scores of examples left out in turn."""
    groups = sorted({e.group for e in examples})
    odds: list[float] = []
    truths: list[bool] = []
    margins: list[float] = []
    for part in range(parts):
        outside = {g for k, g in enumerate(groups) if k % parts == part}
        inside = [e for e in examples if e.group not in outside]
        if not inside or len(inside) == len(examples):
            continue
        weights = learn(inside, config)
        for example in examples:
            if example.group not in outside:
                continue
            totals = []
            for s, story in enumerate(example.candidates):
                total = judge(story, weights, example.sentences[s]).total
                totals.append(max(total, -20.0))
                odds.append(raw_log_odds(total, weights.no_conflict, example.sentences[s]))
                truths.append(example.gold[0] == s)
            margins.append(totals[example.gold[0]] - totals[1 - example.gold[0]])
    weights = learn(examples, config)
    if not odds:
        return weights
    raw, implausible = np.array(odds), np.array(truths)
    threshold = _balanced_threshold(raw, implausible)
    # Users' stories are as likely broken as not; TRIP's are not, so the two kinds are made to weigh the same.
    balance = np.where(implausible, 0.5 / max(1, implausible.sum()), 0.5 / max(1, (~implausible).sum())) * len(raw)
    differences = np.array(margins)
    return replace(
        weights,
        threshold=round(threshold, 4),
        slope=max(_FLATTEST, round(_slope(raw - threshold, implausible, balance), 4)),
        pair_slope=max(_FLATTEST, round(_slope(differences, np.ones(len(differences), dtype=bool)), 4)),
    )


def _balanced_threshold(odds: np.ndarray[Any, Any], truths: np.ndarray[Any, Any]) -> float:
    """The threshold with the best balanced accuracy, halfway between two scores."""
    order = np.unique(odds)
    cuts = (order[:-1] + order[1:]) / 2
    if not len(cuts):
        return 0.0
    right = [((odds > c) & truths).sum() / truths.sum() + ((odds <= c) & ~truths).sum() / (~truths).sum() for c in cuts]
    return float(cuts[int(np.argmax(right))])


def _slope(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any], weight: np.ndarray[Any, Any] | None = None) -> float:
    """The slope of a logistic regression of ``y`` on ``x`` through 0 (Platt scaling), by Newton's method."""
    x = np.clip(x, -50, 50)
    importance = np.ones_like(x) if weight is None else weight
    slope = 0.0
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(slope * x, -30, 30)))
        gradient = (importance * (p - y) * x).sum() + 1e-3 * slope
        curvature = (importance * p * (1 - p) * x * x).sum() + 1e-3
        step = float(np.clip(gradient / curvature, -1.0, 1.0))
        slope -= step
        if abs(step) < 1e-9:
            break
    return slope
