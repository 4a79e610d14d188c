"""The vocabulary is TRIP's: order, spelling, defaults and labels of change."""

from __future__ import annotations

import pytest

from disproof.symbolic.vocabulary import (
    ATTRIBUTE,
    ATTRIBUTES,
    LOCATION_ATTRIBUTES,
    N_HUMAN,
    change_to_states,
    is_human,
)


def test_the_attributes_are_trips_in_trips_order() -> None:
    assert [a.name for a in ATTRIBUTES] == (
        "h_location conscious wearing h_wet hygiene location exist clean power functional pieces wet open temperature "
        "solid contain running moveable mixed edible"
    ).split()
    assert [a.index for a in ATTRIBUTES] == list(range(20))
    assert [a.name for a in ATTRIBUTES if a.human] == [a.name for a in ATTRIBUTES[:N_HUMAN]]


def test_only_four_attributes_are_assumed_of_everything() -> None:
    assert {a.name for a in ATTRIBUTES if a.default} == {"conscious", "exist", "functional", "moveable"}


def test_what_is_unknown_or_assumed_says_nothing() -> None:
    assert [ATTRIBUTE["exist"].is_trivial(v) for v in (0, 1, 2)] == [True, False, True]
    assert [ATTRIBUTE["power"].is_trivial(v) for v in (0, 1, 2)] == [True, False, False]


@pytest.mark.parametrize(
    ("label", "states"),
    [
        (0, (0, 0)),
        (1, (1, 1)),
        (2, (2, 2)),
        (3, (2, 1)),
        (4, (1, 2)),
        (5, (0, 1)),
        (6, (0, 2)),
        (7, (1, 0)),
        (8, (2, 0)),
    ],
)
def test_a_label_of_change_is_a_state_before_and_one_after(label: int, states: tuple[int, int]) -> None:
    assert change_to_states(ATTRIBUTE["wet"], label) == states


@pytest.mark.parametrize(("name", "highest"), [("location", 8), ("h_location", 2)])
def test_a_location_is_the_same_before_and_after(name: str, highest: int) -> None:
    assert name in LOCATION_ATTRIBUTES
    assert [change_to_states(ATTRIBUTE[name], v) for v in range(highest + 1)] == [(v, v) for v in range(highest + 1)]


@pytest.mark.parametrize(("name", "label"), [("location", 9), ("h_location", 3), ("wet", 9), ("wet", -1)])
def test_a_label_that_an_attribute_does_not_have_is_refused(name: str, label: int) -> None:
    with pytest.raises(ValueError, match=f"{label} is not a label of {name}"):
        change_to_states(ATTRIBUTE[name], label)


def test_humans_have_an_initial_capital_except_the_tv() -> None:
    assert [is_human(name) for name in ("Ann", "Étienne", "lamp", "TV", "TVs", "")] == [
        True,
        True,
        False,
        False,
        True,
        False,
    ]
