"""What the tagger is trained to do: states, the conflicting pair among both stories, and one story by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch.nn import functional

from ..symbolic.vocabulary import N_VALUES
from .model import ModelOutput

NO_LABEL = -100


@dataclass(frozen=True)
class LossWeights:
    """Weights of the three parts; the mean over state labels is small, hence its large weight."""

    states: float = 10.0
    pair: float = 1.0
    single: float = 0.3


@dataclass(frozen=True, eq=False)
class Targets:
    """Gold labels of a batch of pairs, stories 2k and 2k+1 being a pair.

    ``states`` (stories, entities, sentences, 2, 20), ``NO_LABEL`` where there is none; ``conflict`` (pairs, 3): index
    of the implausible story within the pair, evidence, breakpoint. ``taught`` (stories, entities, sentences, 2, 20, 9)
    are a teacher's probabilities of values, all 0 where it tells nothing.
    """

    states: torch.Tensor
    conflict: torch.Tensor
    taught: torch.Tensor | None = None


@dataclass(frozen=True, eq=False)
class Losses:
    """The three parts, each a scalar, and their weighted sum."""

    states: torch.Tensor
    pair: torch.Tensor
    single: torch.Tensor
    total: torch.Tensor


def losses(
    output: ModelOutput, targets: Targets, no_conflict: torch.Tensor, weights: LossWeights | None = None
) -> Losses:
    """Cross-entropies of a batch; see the module's docstring."""
    weights = weights or LossWeights()
    scores = output.pair_scores
    states = _state_loss(output.state_logits, targets)
    n, length = scores.shape[0], scores.shape[1]
    flat = scores.reshape(n // 2, 2 * length * length)
    story, evidence, breakpoint_ = targets.conflict.unbind(-1)
    gold = story * length * length + evidence * length + breakpoint_
    pair = functional.cross_entropy(flat, gold)
    implausible = functional.one_hot(story, 2).reshape(-1).to(scores.dtype)
    odds = scores.reshape(n, -1).logsumexp(-1) - no_conflict
    single = functional.binary_cross_entropy_with_logits(odds, implausible)
    total = weights.states * states + weights.pair * pair + weights.single * single
    return Losses(states, pair, single, total)


def _state_loss(logits: torch.Tensor, targets: Targets) -> torch.Tensor:
    """The mean cross-entropy over all states that have a label or are taught."""
    labels = targets.states.reshape(-1)
    total = functional.cross_entropy(logits.reshape(-1, N_VALUES), labels, ignore_index=NO_LABEL, reduction="sum")
    count = (labels != NO_LABEL).sum()
    if targets.taught is not None:
        # Values that an attribute does not have are impossible, not unlikely: they must not meet a probability of 0.
        known = logits.log_softmax(-1).masked_fill(logits.isinf(), 0.0)
        total = total - (targets.taught * known).sum()
        count = count + (targets.taught.sum(-1) > 0).sum()
    return total / count.clamp(min=1)  # stories that name no entities have none


def state_targets(tables: Sequence[torch.Tensor], entities: int, sentences: int) -> torch.Tensor:
    """Pad state tables of shape (entities, sentences, 2, 20) together, with ``NO_LABEL`` where there is none."""
    return _padded(tables, entities, sentences, NO_LABEL)


def taught_targets(tables: Sequence[torch.Tensor], entities: int, sentences: int) -> torch.Tensor:
    """Pad taught states of shape (entities, sentences, 2, 20, 9) together, with 0 where there is none."""
    return _padded(tables, entities, sentences, 0).float()


def _padded(tables: Sequence[torch.Tensor], entities: int, sentences: int, filling: int) -> torch.Tensor:
    padded = tables[0].new_full((len(tables), entities, sentences, *tables[0].shape[2:]), filling)
    for k, table in enumerate(tables):
        padded[k, : table.shape[0], : table.shape[1]] = table
    return padded
