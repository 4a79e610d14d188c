"""The losses, on cases small enough to work out by hand."""

from __future__ import annotations

import math

import pytest
import torch

from disproof.neural.model import ModelOutput, value_mask
from disproof.neural.objective import LossWeights, Targets, losses, state_targets, taught_targets
from disproof.symbolic.vocabulary import N_ATTRIBUTES, N_VALUES

NONE = torch.zeros(1)


def output(first: float, second: float, states: torch.Tensor | None = None) -> ModelOutput:
    """Two stories of two sentences and one entity, whose only pair scores ``first`` and ``second``."""
    pairs = torch.full((2, 2, 2), -math.inf)
    pairs[0, 0, 1], pairs[1, 0, 1] = first, second
    logits = torch.zeros(2, 1, 2, 2, N_ATTRIBUTES, N_VALUES) if states is None else states
    return ModelOutput(logits, pairs)


def targets(story: int, value: int = 0) -> Targets:
    return Targets(torch.full((2, 1, 2, 2, N_ATTRIBUTES), value), torch.tensor([[story, 0, 1]]))


def test_nine_equal_values_cost_the_logarithm_of_nine() -> None:
    assert float(losses(output(0, 0), targets(0, 4), NONE).states) == pytest.approx(math.log(9))


def test_what_has_no_label_costs_nothing() -> None:
    gold = targets(0)
    gold.states[0] = -100
    logits = torch.zeros(2, 1, 2, 2, N_ATTRIBUTES, N_VALUES)
    logits[0, ..., 5] = 100  # wrong if it counted
    assert float(losses(output(0, 0, logits), gold, NONE).states) == pytest.approx(math.log(9))


def test_a_batch_without_any_label_still_has_a_loss() -> None:
    parts = losses(output(0, 0), targets(0, -100), NONE)
    assert float(parts.states) == 0
    assert math.isfinite(float(parts.total))


def test_the_gold_pair_competes_with_the_pairs_of_both_stories() -> None:
    assert float(losses(output(0, math.log(3)), targets(1), NONE).pair) == pytest.approx(math.log(4 / 3))
    assert float(losses(output(0, math.log(3)), targets(0), NONE).pair) == pytest.approx(math.log(4))


def test_a_story_by_itself_is_weighed_against_no_conflict() -> None:
    # Odds of a conflict 1 and 3, against the truth: none in the first, one in the second.
    right = losses(output(0, math.log(3)), targets(1), NONE).single
    assert float(right) == pytest.approx((math.log(2) + math.log(4 / 3)) / 2)
    # "No conflict" counts 3: odds of 1/3 and 1.
    shifted = losses(output(0, math.log(3)), targets(1), torch.tensor([math.log(3)])).single
    assert float(shifted) == pytest.approx((math.log(4 / 3) + math.log(2)) / 2)


def test_the_total_is_the_weighted_sum() -> None:
    parts = losses(output(1, 2), targets(1), NONE, LossWeights(states=2.0, pair=3.0, single=5.0))
    assert float(parts.total) == pytest.approx(
        2 * float(parts.states) + 3 * float(parts.pair) + 5 * float(parts.single)
    )


def test_evidence_and_breakpoint_point_at_their_own_pair() -> None:
    pairs = torch.full((2, 3, 3), -math.inf)
    pairs[:, 0, 1], pairs[:, 0, 2], pairs[:, 1, 2] = 0.0, 0.0, 0.0
    pairs[1, 1, 2] = 50.0
    gold = Targets(torch.zeros(2, 1, 3, 2, N_ATTRIBUTES, dtype=torch.long), torch.tensor([[1, 1, 2]]))
    logits = torch.zeros(2, 1, 3, 2, N_ATTRIBUTES, N_VALUES)
    assert float(losses(ModelOutput(logits, pairs), gold, NONE).pair) == pytest.approx(0, abs=1e-6)


def test_tables_are_padded_with_no_label() -> None:
    padded = state_targets([torch.ones(1, 2, 2, 20).long(), torch.zeros(2, 1, 2, 20).long()], 2, 2)
    assert padded[:, :, :, 0, 0].tolist() == [[[1, 1], [-100, -100]], [[0, -100], [0, -100]]]


def taught(story: int, *values: float) -> torch.Tensor:
    """Of one of two stories a teacher tells that the first values of every attribute are so likely."""
    told = torch.zeros(2, 1, 2, 2, N_ATTRIBUTES, N_VALUES)
    told[story, ..., : len(values)] = torch.tensor(values)
    return told


def test_a_teacher_is_followed_where_there_is_no_label() -> None:
    gold = targets(0, 1)
    gold.states[1] = -100
    logits = torch.zeros(2, 1, 2, 2, N_ATTRIBUTES, N_VALUES).masked_fill(~value_mask(), -math.inf)
    logits[0, ..., 1] = 100  # the label, for certain: only the taught story costs anything
    logits[1, ..., 0] = math.log(3)
    parts = losses(output(0, 0, logits), Targets(gold.states, gold.conflict, taught(1, 0.25, 0.75)), NONE)
    known = value_mask().sum(-1)
    costs = (math.log(3) * 0.75 + (known + 2).log() - math.log(3)).mean()  # -.25 ln(3/(n+2)) - .75 ln(1/(n+2))
    assert float(parts.states) == pytest.approx(float(costs) / 2)


def test_a_teacher_who_tells_nothing_changes_nothing() -> None:
    logits = torch.randn(2, 1, 2, 2, N_ATTRIBUTES, N_VALUES, generator=torch.Generator().manual_seed(0))
    gold = targets(0, 1)
    silent = Targets(gold.states, gold.conflict, taught(1))
    assert torch.equal(losses(output(0, 0, logits), silent, NONE).total, losses(output(0, 0, logits), gold, NONE).total)


def test_what_is_taught_is_padded_with_nothing() -> None:
    padded = taught_targets([torch.ones(1, 2, 2, 20, 9).half(), torch.ones(2, 1, 2, 20, 9).half()], 2, 2)
    assert padded[..., 0, 0, 0].tolist() == [[[1, 1], [0, 0]], [[1, 0], [1, 0]]]
