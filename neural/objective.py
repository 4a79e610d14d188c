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
    of the implausible story within the pair, evidence, breakpoint.
    """

    states: torch.Tensor
    conflict: torch.Tensor


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
    states = functional.cross_entropy(
        output.state_logits.reshape(-1, N_VALUES), targets.states.reshape(-1), ignore_index=NO_LABEL
    )
    if not (targets.states != NO_LABEL).any():
        states = scores.new_zeros(())  # stories that name no entities: the mean over nothing is no number
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


def state_targets(tables: Sequence[torch.Tensor], entities: int, sentences: int) -> torch.Tensor:
    """Pad state tables of shape (entities, sentences, 2, 20) together, with ``NO_LABEL`` where there is none."""
    padded = torch.full((len(tables), entities, sentences, 2, tables[0].shape[-1]), NO_LABEL, dtype=torch.long)
    for k, table in enumerate(tables):
        padded[k, : table.shape[0], : table.shape[1]] = table
    return padded
