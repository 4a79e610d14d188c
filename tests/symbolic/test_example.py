"""Examples of rules: what their braces state, and what is wrong with those that cannot be read."""

from __future__ import annotations

import numpy as np
import pytest

from disproof.symbolic.example import Example, read_example
from disproof.symbolic.story import State
from disproof.symbolic.vocabulary import ATTRIBUTE, EFFECT, FALSE, PRECONDITION, TRUE, UNKNOWN

STORY = "Ann unplugged the lamp. Ann read by the lamp."


def test_braces_state_a_side_a_sentence_from_one_an_entity_an_attribute_and_a_value() -> None:
    text = f"{STORY} {{after 1 lamp power false; before 2 old table lamp location put_in}}"
    assert read_example(text, True, 7) == Example(
        STORY,
        (
            State("effect", 0, "lamp", "power", FALSE),
            State("precondition", 1, "old table lamp", "location", 6),
        ),
        True,
        7,
    )


def test_a_story_needs_no_braces_and_its_spaces_are_evened_out() -> None:
    assert read_example("  Ann  sat. \t Ann stood up. ", False, 3) == Example("Ann sat. Ann stood up.", (), False, 3)


def test_an_arrow_sets_apart_what_is_to_be_reached() -> None:
    example = read_example("Cut the rope with a sponge.  =>  Cut a rope. {before 2 rope pieces false}", True, 1)
    assert (example.story, example.goal) == ("Cut the rope with a sponge.", "Cut a rope.")
    assert example.text == "Cut the rope with a sponge. => Cut a rope."
    assert read_example(STORY, True, 1).text == STORY


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no story"),
        ("=> Cut a rope.", "has no story"),
        ("Cut a rope. =>", "no goal after the arrow"),
        ("...", "has no story"),
        ("{after 1 lamp power false}", "has no story"),
        (f"{STORY} {{after 1 lamp power", "braces must stand once"),
        ("Ann sat. {after 1 lamp power false} Ann stood up.", "braces must stand once"),
        (f"{STORY} {{after 1 power false}}", "'after 1 power false' cannot be read"),
        (f"{STORY} {{aftr 1 lamp power false}}", "'aftr' is no side of a sentence: did you mean 'after'?"),
        (f"{STORY} {{during 1 lamp power false}}", "'during' is no side of a sentence: write before or after"),
        (f"{STORY} {{after lamp 1 power false}}", "'lamp' is no sentence: count from 1"),
        (f"{STORY} {{after 0 lamp power false}}", "'0' is no sentence: count from 1"),
        (f"{STORY} {{after 1 lamp powr false}}", "'powr' is no attribute: did you mean 'power'?"),
        (f"{STORY} {{after 1 lamp power flase}}", "'flase' is no value of power: did you mean 'false'?"),
        (f"{STORY} {{after 1 lamp power put_in}}", "'put_in' is no value of power: use one of false, true"),
        (f"{STORY} {{after 1 lamp location puton}}", "'puton' is no value of location: did you mean 'put_on'?"),
        (f"{STORY} {{after 3 lamp power false}}", "name sentence 3, but the story has at most 2 sentences"),
        ("Ann sat {after 2 Ann wearing true}", "name sentence 2, but the story has 1 sentence"),
        (f"{STORY} {{after 1 lamp power false; after 1 lamp power true}}", "power of 'lamp' is given twice"),
    ],
)
def test_what_is_wrong_with_an_example_is_told_with_what_to_write(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as caught:
        read_example(text, True, 1)
    assert says in str(caught.value)


def test_its_tagging_is_sure_of_what_is_given_and_knows_nothing_else() -> None:
    example = read_example(f"{STORY} {{after 1 lamp power false; before 2 lamp functional true}}", True, 1)
    tagging = example.tagging(("Ann", "lamp"), 2)
    best = tagging.probabilities.argmax(-1)
    assert tagging.entities == ("Ann", "lamp")
    assert tagging.probabilities.shape == (2, 2, 2, 20, 9)
    assert best[1, 0, EFFECT, ATTRIBUTE["power"].index] == FALSE
    assert best[1, 1, PRECONDITION, ATTRIBUTE["functional"].index] == TRUE
    assert np.count_nonzero(best != UNKNOWN) == 2
    assert (tagging.probabilities.max(-1) == 1).all()


@pytest.mark.parametrize(
    ("entities", "sentences", "says"),
    [
        (("Ann", "lamps"), 2, "the story has no 'lamp': did you mean 'lamps'?"),
        (("lamp",), 1, "the braces name sentence 2, but the story has 1 sentence"),
    ],
)
def test_a_state_of_what_the_story_does_not_have_is_told(entities: tuple[str, ...], sentences: int, says: str) -> None:
    example = read_example(f"{STORY} {{after 2 lamp power false}}", True, 1)
    with pytest.raises(ValueError, match=r"\w") as caught:
        example.tagging(entities, sentences)
    assert str(caught.value) == says
