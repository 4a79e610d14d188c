"""Intervals and tests behave as their definitions say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disproof.bridge.resampling import Interval, Paired, mcnemar, share_interval


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [(0, 0, 1.0), (1, 0, 1.0), (0, 5, 0.0625), (3, 3, 1.0), (1, 9, 2 * 11 / 1024)],
)
def test_the_exact_test_equals_the_binomial_by_hand(only_first: int, only_second: int, p: float) -> None:
    first = [True] * only_first + [False] * only_second + [True, False]
    second = [False] * only_first + [True] * only_second + [True, False]
    found = mcnemar(first, second)
    assert found == Paired(only_first, only_second, found.p)
    assert found.p == pytest.approx(p)


def test_systems_are_compared_on_the_same_items() -> None:
    with pytest.raises(ValueError, match="argument 2"):
        mcnemar([True], [True, False])


def test_an_interval_holds_the_share_and_narrows_with_more_groups() -> None:
    few = share_interval([True, False] * 10, [str(k) for k in range(20)])
    many = share_interval([True, False] * 200, [str(k) for k in range(400)])
    assert few.low < many.low < 0.5 < many.high < few.high


def test_items_of_one_group_are_drawn_together() -> None:
    hits = [True] * 40 + [False] * 40
    alone = share_interval(hits, [str(k) for k in range(80)])
    together = share_interval(hits, ["a"] * 40 + ["b"] * 40)
    assert together == Interval(0.0, 1.0)
    assert alone.low > 0.3


def test_the_same_seed_gives_the_same_interval() -> None:
    hits, groups = [True, False, True, True], ["a", "b", "c", "d"]
    assert share_interval(hits, groups, seed=3) == share_interval(hits, groups, seed=3)


def test_there_must_be_as_many_groups_as_items() -> None:
    with pytest.raises(ValueError, match="2 items in 1 groups"):
        share_interval([True, False], ["a"])


@given(st.lists(st.booleans(), min_size=1, max_size=30))
def test_intervals_are_ordered_shares(hits: list[bool]) -> None:
    found = share_interval(hits, [str(k) for k in range(len(hits))], draws=50)
    assert 0 <= found.low <= found.high <= 1
