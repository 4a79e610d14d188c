"""Goals and solutions as stories."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from disproof.bridge.procedures import goal_sentence, read, steps


def split(text: str) -> Sequence[str]:
    """Sentences end with a full stop and a blank."""
    return [part.strip() for part in text.replace(". ", ".\n").split("\n") if part.strip()]


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("How do I open a jar?", "Open a jar."),
        ("how do you order takeout?", "Order takeout."),
        ("How to cut open the top of a helium bottle?", "Cut open the top of a helium bottle."),
        ("To dry soaking wet shoes.", "Dry soaking wet shoes."),
        ("To prevent dust from harming your eyes, you can", "Prevent dust from harming your eyes."),
        ("What is the best way to remove a stain?", "Remove a stain."),
        ("Clean a desk top.", "Clean a desk top."),
        ("ladder", "Ladder."),
        ("", ""),
        ("How to?", "How to."),
    ],
)
def test_a_goal_is_said_as_what_is_to_happen(goal: str, said: str) -> None:
    assert goal_sentence(goal) == said


@pytest.mark.parametrize(
    ("solution", "found"),
    [
        ("Wash it. Dry it.", ("Wash it.", "Dry it.")),
        ("wash it; dry it", ("Wash it.", "Dry it.")),
        ("Wash it, then dry it and then fold it.", ("Wash it.", "Dry it.", "Fold it.")),
        ("1. Wash it\n2. Dry it", ("Wash it.", "Dry it.")),
        ("- Wash it!\n- Dry it?", ("Wash it!", "Dry it?")),
        ("Better then than now", ("Better then than now.",)),
        (" . ", ()),
    ],
)
def test_a_solution_has_steps(solution: str, found: tuple[str, ...]) -> None:
    assert steps(solution, split) == found


def test_the_goal_is_the_last_sentence() -> None:
    found = read("To dry wet shoes, you can", "Stuff them with newspaper. Wait a day.", split)
    assert found.sentences == ("Stuff them with newspaper.", "Wait a day.", "Dry wet shoes.")
    assert found.goal == 2


@pytest.mark.parametrize("solution", ["can reach the roof", "holds books together", "is used to climb"])
def test_a_thing_is_the_subject_of_what_is_said_of_it(solution: str) -> None:
    found = read("a ladder", solution, split)
    assert found.sentences == (f"The ladder {solution}",)
    assert found.goal is None


def test_a_short_goal_that_is_done_is_no_thing() -> None:
    assert read("Wash dishes", "Fill the sink. Scrub.", split).goal == 2
    assert read("", "Fill the sink.", split).goal is None


@pytest.mark.parametrize(
    ("solution", "found"),
    [
        ("Before you glue the wood, sand it.", ("Sand it.", "You glue the wood.")),
        ("Sand the wood before gluing it.", ("Sand the wood.", "You are gluing it.")),
        ("Glue the wood after sanding it.", ("You are sanding it.", "Glue the wood.")),
        ("After washing the shirt, hang it up.", ("You are washing the shirt.", "Hang it up.")),
        ("Once the water boils, add the pasta.", ("The water boils.", "Add the pasta.")),
        ("Remove it after 10 minutes.", ("Remove it after 10 minutes.",)),
        ("Bake it the day before the party.", ("Bake it the day before the party.",)),
        ("Clean up afterwards.", ("Clean up afterwards.",)),
    ],
)
def test_steps_stand_in_the_order_in_which_they_are_done(solution: str, found: tuple[str, ...]) -> None:
    assert steps(solution, split) == found
