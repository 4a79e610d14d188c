"""Tables of states hold what their shapes say, and pairs know the story they come from."""

from __future__ import annotations

import numpy as np
import pytest

from disproof.symbolic.story import State, StateTable, Story, StoryPair, Tagging
from disproof.symbolic.vocabulary import ATTRIBUTE, EFFECT, PRECONDITION

POWER, EXIST = ATTRIBUTE["power"].index, ATTRIBUTE["exist"].index


def test_nontrivial_states_leave_out_the_unknown_and_the_default() -> None:
    values = np.zeros((2, 3, 2, 20), np.int8)
    values[0, 1, EFFECT, POWER] = 1
    values[0, 1, EFFECT, EXIST] = 2  # the default
    values[1, 1, EFFECT, EXIST] = 1
    values[1, 1, PRECONDITION, POWER] = 2  # the other side
    table = StateTable(("lamp", "cup"), values)
    assert list(table.nontrivial(1, EFFECT)) == [
        State("effect", 1, "lamp", "power", 1),
        State("effect", 1, "cup", "exist", 1),
    ]


def test_the_likeliest_value_of_a_tagging_is_its_argmax() -> None:
    probabilities = np.zeros((1, 1, 2, 20, 9), np.float32)
    probabilities[..., 0] = 0.4
    probabilities[0, 0, EFFECT, POWER, 1] = 0.6
    table = Tagging(("lamp",), probabilities).argmax()
    assert np.argwhere(table.values).tolist() == [[0, 0, EFFECT, POWER]]
    assert table.values[0, 0, EFFECT, POWER] == 1


@pytest.mark.parametrize("shape", [(1, 4, 2, 20), (2, 4, 2, 19), (2, 4, 20, 2)])
def test_a_table_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="for 2 entities"):
        StateTable(("a", "b"), np.zeros(shape, np.int8))
    with pytest.raises(ValueError, match="for 2 entities"):
        Tagging(("a", "b"), np.zeros((*shape, 9), np.float32))


@pytest.mark.parametrize(
    ("identifier", "base"), [("train-3-C0", "train-3"), ("dev-12-O2", "dev-12"), ("other", "other"), ("", "")]
)
def test_a_pair_knows_the_story_that_it_was_made_from(identifier: str, base: str) -> None:
    story = Story(("a", "b"))
    assert StoryPair((story, story), id=identifier).base == base


def test_states_are_the_same_state_whatever_their_probability() -> None:
    assert State("effect", 0, "cup", "wet", 2, 0.3) == State("effect", 0, "cup", "wet", 2, 0.9)
