"""Measures against cases that can be worked out by hand."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest

from disproof.bridge.measures import (
    FScores,
    ReliabilityBin,
    area_under_roc,
    balanced_accuracy,
    binary_macro_f1,
    expected_calibration_error,
    reliability_table,
)
from disproof.symbolic.story import StateTable
from disproof.symbolic.vocabulary import ATTRIBUTE, EFFECT, N_ATTRIBUTES, PRECONDITION


def table(
    states: dict[tuple[str, int, int, str], int], entities: tuple[str, ...] = ("cup",), sentences: int = 2
) -> StateTable:
    values = np.zeros((len(entities), sentences, 2, N_ATTRIBUTES), np.int8)
    for (entity, sentence, side, attribute), value in states.items():
        values[entities.index(entity), sentence, side, ATTRIBUTE[attribute].index] = value
    return StateTable(entities, values)


def test_state_f1_averages_over_classes_and_then_over_attributes_that_occur() -> None:
    scores = FScores()
    assert scores.macro(EFFECT) is None
    scores.add(
        table({("cup", 0, EFFECT, "wet"): 2, ("cup", 1, EFFECT, "wet"): 2, ("cup", 0, EFFECT, "open"): 1}),
        table({("cup", 0, EFFECT, "wet"): 2, ("cup", 0, EFFECT, "open"): 1}),
    )
    # wet: "wet" 2*1/(2+1), nothing said 2*1/... = 0 right of 0 gold and 1 said -> 0; open: both classes right.
    assert scores.macro(EFFECT) == pytest.approx(((2 / 3 + 0) / 2 + 1) / 2)
    assert scores.macro(PRECONDITION) is None


def test_state_f1_does_not_tell_a_default_from_unknown() -> None:
    scores = FScores()
    scores.add(
        table({("cup", 0, EFFECT, "exist"): 2, ("cup", 1, EFFECT, "exist"): 1}), table({("cup", 1, 1, "exist"): 1})
    )
    assert scores.macro(EFFECT) == 1


def test_state_f1_counts_entities_that_only_one_table_has() -> None:
    scores = FScores()
    gold = table({("cup", 0, EFFECT, "wet"): 2}, sentences=1)
    scores.add(gold, table({("mat", 0, EFFECT, "wet"): 2}, ("mat",), sentences=1))
    assert scores.macro(EFFECT) == 0
    assert repr(scores) == "FScores(2 entities in sentences)"


def test_tables_of_different_stories_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="tables of 2 and 3 sentences"):
        FScores().add(table({}), table({}, sentences=3))


def test_binary_f1_averages_both_classes() -> None:
    gold, said = [True, True, False, False], [True, False, False, False]
    assert binary_macro_f1(gold, said) == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert binary_macro_f1([False], [False]) == 1


@pytest.mark.parametrize(
    ("positive", "scores", "area"),
    [
        ([True, False], [2.0, 1.0], 1.0),
        ([True, False], [1.0, 2.0], 0.0),
        ([True, False], [1.0, 1.0], 0.5),
        ([True, True, False, False], [3.0, 1.0, 2.0, 1.0], 0.625),  # 1 + 1 + 0 + 0.5 of 4
        ([True, False], [math.inf, math.inf], 0.5),
        ([True, True], [1.0, 2.0], None),
        ([], [], None),
    ],
)
def test_area_under_roc_counts_ties_half(positive: list[bool], scores: list[float], area: float | None) -> None:
    assert area_under_roc(positive, scores) == area


def test_area_under_roc_is_the_share_of_ordered_couples() -> None:
    generator = random.Random(1)
    positive = [generator.random() < 0.4 for _ in range(60)]
    scores = [float(generator.randrange(8)) for _ in positive]
    couples = itertools.product(
        (s for s, p in zip(scores, positive, strict=True) if p),
        (s for s, p in zip(scores, positive, strict=True) if not p),
    )
    wins = [1.0 if high > low else 0.5 if high == low else 0.0 for high, low in couples]
    assert area_under_roc(positive, scores) == pytest.approx(sum(wins) / len(wins))


def test_scores_that_are_no_numbers_or_too_few_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="not a number"):
        area_under_roc([True], [math.nan])
    with pytest.raises(ValueError, match="2 labels and 1 scores"):
        area_under_roc([True, False], [1.0])


def test_balanced_accuracy_is_the_mean_of_both_recalls() -> None:
    assert balanced_accuracy([True, True, True, False], [True, True, False, False]) == pytest.approx((2 / 3 + 1) / 2)
    assert balanced_accuracy([True], [True]) is None


def test_reliability_gathers_by_confidence_and_weighs_by_count() -> None:
    rows = reliability_table([0.9, 1.0, 0.95, 0.6, 0.0], [True, True, False, True, False], bins=2)
    assert [(row.low, row.high, row.count) for row in rows] == [(0.0, 0.5, 1), (0.5, 1.0, 4)]
    assert rows[1].confidence == pytest.approx(0.8625)
    assert rows[1].accuracy == 0.75
    assert expected_calibration_error(rows) == pytest.approx((1 * 0 + 4 * 0.1125) / 5)


def test_a_confidence_on_an_edge_belongs_to_the_bin_below() -> None:
    rows = reliability_table([k / 10 for k in range(1, 11)], [True] * 10)
    assert [row.count for row in rows] == [1] * 10
    assert all(row.high == pytest.approx(row.confidence) for row in rows)


def test_perfect_calibration_has_no_error() -> None:
    assert expected_calibration_error(reliability_table([0.75] * 4, [True, True, True, False])) == 0
    assert expected_calibration_error((ReliabilityBin(0.5, 1.0, 2, 1.0, 0.0),)) == 1


def test_calibration_refuses_what_is_no_probability() -> None:
    with pytest.raises(ValueError, match="not between 0 and 1"):
        reliability_table([1.5], [True])
    with pytest.raises(ValueError, match="1 confidences and 2 verdicts"):
        reliability_table([1.0], [True, False])
    with pytest.raises(ValueError, match="no verdicts"):
        expected_calibration_error(())
