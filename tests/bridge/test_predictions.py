"""Predictions in the official shape: read, checked, and matched to their pairs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disproof.bridge.predictions import match_predictions, read_predictions
from disproof.symbolic.errors import StoryError
from disproof.symbolic.story import Gold, State, StateTable, Story, StoryPair
from disproof.symbolic.vocabulary import N_ATTRIBUTES

BAD, GOOD = ("Ann breaks the cup.", "Ann rests.", "Ann uses it."), ("Ann breaks the cup.", "Ann rests.", "Ann goes.")


def pair(label: int = 1, identifier: str = "1-C0") -> StoryPair:
    states = StateTable(("cup",), np.zeros((1, 3, 2, N_ATTRIBUTES), np.int8))
    bad = Story(BAD, ("cup",), "a", Gold(False, (0, 2), states))
    good = Story(GOOD, ("cup",), "b", Gold(True, None, states))
    return StoryPair((bad, good) if label == 1 else (good, bad), label, identifier)


def item(**changes: Any) -> dict[str, Any]:
    return {
        "example_id": "1-C0",
        "story_label": 1,
        "story_pred": 0,
        "conflict_pred": [0, 2],
        "preconditions_pred": {"cup": {"0": {}, "1": {"wet": 1}}},
        "effects_pred": {"cup": {"0": {"functional": 1}}, "mug": {"0": {}}},
        **changes,
    }


def write(tmp_path: Path, text: str | object) -> Path:
    path = tmp_path / "predictions.json"
    path.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
    return path


@pytest.mark.parametrize("text", [json.dumps([item()]), json.dumps(item()), json.dumps([item()], indent=1)])
def test_a_list_and_lines_are_read_alike(tmp_path: Path, text: str) -> None:
    [prediction] = read_predictions(write(tmp_path, text))
    assert (prediction.example_id, prediction.story_pred, prediction.conflict_pred) == ("1-C0", 0, (0, 2))
    assert prediction.states.entities == ("cup", "mug")
    assert list(prediction.states.nontrivial(0, 1)) == [State("effect", 0, "cup", "functional", 1)]
    assert list(prediction.states.nontrivial(1, 0)) == [State("precondition", 1, "cup", "wet", 1)]
    assert (prediction.valid_explanation, prediction.texts) == (None, None)


@pytest.mark.parametrize("label", [0, 1])
def test_conflict_and_states_go_to_the_gold_implausible_story(tmp_path: Path, label: int) -> None:
    items = list(read_predictions(write(tmp_path, [item(story_label=label, story_pred=label)])))
    [prediction] = match_predictions([pair(label)], items)
    assert prediction.choice == label
    implausible, other = prediction.stories[1 - label], prediction.stories[label]
    assert (implausible.conflict, other.conflict, other.states) == ((0, 2), None, None)
    assert implausible.states is not None
    assert implausible.states.values.shape == (2, 3, 2, N_ATTRIBUTES)


@pytest.mark.parametrize(("predicted", "choice"), [(0, 1), (1, 0)])
def test_stories_the_other_way_round_are_turned(tmp_path: Path, predicted: int, choice: int) -> None:
    items = list(read_predictions(write(tmp_path, [item(story_label=0, story_pred=predicted)])))
    assert match_predictions([pair(1)], items)[0].choice == choice


def test_further_predictions_are_left_aside(tmp_path: Path) -> None:
    items = list(read_predictions(write(tmp_path, [item(example_id="2-C0"), item()])))
    assert len(match_predictions([pair()], items)) == 1


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([item(example_id="2-C0")], 'no prediction for pair "1-C0": give predictions of the same file'),
        ([item(), item()], '"1-C0" is predicted twice'),
        ([item(story0="x", story1="y")], 'the prediction "1-C0" is of other stories'),
        ([item(conflict_pred=[0, 3])], "names sentences that its story of 3 does not have"),
        ([item(effects_pred={"cup": {"3": {}}})], "names sentences that its story of 3 does not have"),
    ],
)
def test_predictions_of_other_pairs_are_refused(tmp_path: Path, items: list[Any], expected: str) -> None:
    path = write(tmp_path, items)
    with pytest.raises(StoryError) as caught:
        match_predictions([pair()], list(read_predictions(path)))
    assert str(caught.value).startswith(str(path))
    assert expected in str(caught.value)


def test_texts_of_the_same_stories_are_accepted_in_either_order(tmp_path: Path) -> None:
    texts = {"story0": "\n".join(GOOD), "story1": "\n".join(BAD)}
    items = list(read_predictions(write(tmp_path, [item(**texts)])))
    assert match_predictions([pair()], items)[0].choice == 0


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", "the file is empty"),
        ("[]", "no predictions; expected an item"),
        ("[{", "not valid JSON"),
        ([3], "item 1: this must be an object, not a number"),
        ([item(), item(story_pred=2)], 'item 2: "story_pred" is wrong'),
        ([item(story_pred=None)], '"story_pred" must be a whole number, not null'),
        ([item(conflict_pred=[-1])], '"conflict_pred[0]" is wrong'),
        ([{"example_id": "x"}], '"story_pred" is missing'),
        ([item(effects_pred={"cup": {"x": {}}})], '"x" is not a sentence number'),
        ([item(effects_pred={"cup": {"9" * 30: {}}})], "is not a sentence number"),
        ([item(effects_pred={"cup": {"0": {"colour": 1}}})], '"cup", sentence 0: "colour" is not an attribute'),
        ([item(effects_pred={"cup": {"0": {"wet": 3}}})], "3 is not a value of wet (0 to 2)"),
        ([item(effects_pred={"cup": {"0": {"wet": "2"}}})], "must be a whole number, not a string"),
        ([item(effects_pred={"": {}})], "the name of entity 2 is empty"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(tmp_path: Path, value: str | object, expected: str) -> None:
    path = write(tmp_path, value)
    with pytest.raises(StoryError) as caught:
        list(read_predictions(path))
    assert str(caught.value).startswith(str(path))
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)
