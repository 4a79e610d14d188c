"""What an engine says of things it named itself, put under the annotation's names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from disproof.bridge.alignment import align, aligned, nameless
from disproof.bridge.metrics import PairPrediction, StoryPrediction
from disproof.symbolic.story import State, StateTable, Story, StoryPair
from disproof.symbolic.vocabulary import N_ATTRIBUTES


@pytest.mark.parametrize(
    ("own", "annotated", "expected"),
    [
        (("Tom", "cup"), ("cup", "Tom"), {"Tom": ("Tom",), "cup": ("cup",)}),
        (("tv",), ("TV",), {"tv": ("TV",)}),
        (("stove top", "coffee cup"), ("cup", "stove"), {"coffee cup": ("cup",)}),
        (("red cup", "blue cup"), ("cup",), {}),  # which of the two is meant?
        (("red cup", "blue cup"), ("blue cup", "cup"), {"blue cup": ("blue cup",), "red cup": ("cup",)}),
        (("cups",), ("cup",), {"cups": ("cup",)}),
        (
            ("desktop computer",),
            ("computer", "desktop computer"),
            {"desktop computer": ("desktop computer", "computer")},
        ),
        (("old computer",), ("computer", "desktop computer"), {"old computer": ("computer", "desktop computer")}),
        ((), ("cup",), {}),
    ],
)
def test_names_are_matched_as_far_as_they_are_clear(
    own: tuple[str, ...], annotated: tuple[str, ...], expected: dict[str, tuple[str, ...]]
) -> None:
    assert align(own, annotated) == expected


def said(entities: tuple[str, ...]) -> StoryPrediction:
    values = np.zeros((len(entities), 2, 2, N_ATTRIBUTES), np.int8)
    for row in range(len(entities)):
        values[row, 0, 1, 8] = row + 1
    cited = tuple(State("effect", 0, entity, "power", 1) for entity in entities)
    return StoryPrediction((0, 1), StateTable(entities, values), cited)


def test_what_is_said_is_put_under_the_annotations_names() -> None:
    story = Story(("Tom unplugged the desk lamp.", "Tom read."), ("lamp", "Tom"), "s")
    pair = StoryPair((story, story), 0, "p")
    assert [one.entities for one in nameless(pair).stories] == [None, None]
    assert nameless(pair).stories[0].sentences == story.sentences
    found = aligned(pair, PairPrediction(0, (said(("desk lamp", "book")), said(("lamp", "Tom")))))
    first, second = found.stories
    assert first.states is not None
    assert first.states.entities == ("lamp", "Tom")
    assert first.states.values[:, 0, 1, 8].tolist() == [1, 0]
    assert first.proof_states == (State("effect", 0, "lamp", "power", 1),)
    assert first.conflict == (0, 1)
    assert second.states is not None
    assert second.states.entities == ("lamp", "Tom")


def test_a_proof_of_what_is_not_annotated_stays_a_proof() -> None:
    story = Story(("Tom read.", "Tom slept."), ("Tom",), "s")
    found = aligned(StoryPair((story, story), 0), PairPrediction(0, (said(("book",)), StoryPrediction(None))))
    assert found.stories[0].proof_states == ()
    assert found.stories[1].states is None


def test_a_thing_of_two_annotated_names_is_called_as_the_sentence_calls_it() -> None:
    story = Story(("Tom lit the desk lamp.", "The lamp went out."), ("lamp", "desk lamp"), "s")
    prediction = said(("desk lamp",))
    assert prediction.states is not None
    prediction.states.values[0, 1, 1, 8] = 2
    prediction = replace(
        prediction, proof_states=(*(prediction.proof_states or ()), State("effect", 1, "desk lamp", "power", 2))
    )
    first, _ = aligned(StoryPair((story, story), 0), PairPrediction(0, (prediction, prediction))).stories
    assert first.states is not None
    assert first.states.values[:, :, 1, 8].tolist() == [[0, 2], [1, 0]]
    assert [state.entity for state in first.proof_states or ()] == ["desk lamp", "lamp"]
