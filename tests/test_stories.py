"""The shipped model and rules on stories nobody trained on: five kinds of broken physics, and five stories in order."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from disproof.bridge.engine import Engine
from disproof.bridge.verdict import Verdict
from disproof.symbolic.story import Story


@dataclass(frozen=True)
class Broken:
    """A story, its conflicting sentences, and what a right proof names."""

    sentences: tuple[str, ...]
    pair: tuple[int, int]
    entity: str
    attribute: str
    rules: frozenset[str]


BROKEN = {
    "power": Broken(
        (
            "Maria walked into the kitchen.",
            "Maria unplugged the toaster.",
            "Maria put a plate on the table.",
            "Maria toasted two slices of bread in the toaster.",
            "Maria ate the toast.",
        ),
        (1, 3),
        "toaster",
        "power",
        frozenset({"off_then_used", "tool_off", "state_clash", "need_clash", "verb_clash"}),
    ),
    "a container that went away": Broken(
        (
            "Ben put his wallet in the box.",
            "Ben closed the box.",
            "Ben threw the box away.",
            "Ben washed his hands.",
            "Ben took a bill out of his wallet.",
        ),
        (2, 4),
        "wallet",
        "exist",
        frozenset({"gone_with_its_container"}),
    ),
    "a thing destroyed and then used": Broken(
        (
            "Ann wrote a letter to her aunt.",
            "Ann burned the letter in the fireplace.",
            "Ann made some tea.",
            "Ann mailed the letter to her aunt.",
            "Ann drank the tea.",
        ),
        (1, 3),
        "letter",
        "exist",
        frozenset({"gone_then_used", "state_clash", "verb_clash", "need_clash"}),
    ),
    "a closed container": Broken(
        (
            "Tom put the cookies in the jar.",
            "Tom closed the jar.",
            "Tom washed the dishes.",
            "Tom took a cookie out of the jar.",
            "Tom sat down on the couch.",
        ),
        (1, 3),
        "jar",
        "open",
        frozenset({"closed_then_reached_into", "state_clash", "verb_clash", "need_clash"}),
    ),
    "eaten food": Broken(
        (
            "Sara bought a sandwich at the store.",
            "Sara sat down on a bench.",
            "Sara ate the sandwich.",
            "Sara read a magazine.",
            "Sara gave the sandwich to her brother.",
        ),
        (2, 4),
        "sandwich",
        "exist",
        frozenset({"gone_then_used", "state_clash", "verb_clash", "need_clash"}),
    ),
}

IN_ORDER = {
    "cooking": (
        "Laura took a pan out of the cabinet.",
        "Laura put the pan on the stove.",
        "Laura turned on the stove.",
        "Laura fried two eggs in the pan.",
        "Laura ate the eggs.",
    ),
    "laundry": (
        "Paul picked up his dirty shirt.",
        "Paul put the shirt in the washing machine.",
        "Paul turned on the washing machine.",
        "Paul hung the clean shirt on the line.",
        "Paul read a book.",
    ),
    "plugged in again": (
        "Maria walked into the kitchen.",
        "Maria plugged in the toaster.",
        "Maria put a plate on the table.",
        "Maria toasted two slices of bread in the toaster.",
        "Maria ate the toast.",
    ),
    "another one": (
        "Ann dropped her cup on the floor.",
        "The cup broke.",
        "Ann swept up the pieces.",
        "Ann bought a new cup at the store.",
        "Ann drank coffee from the new cup.",
    ),
    "a walk": (
        "Joe put on his coat.",
        "Joe went to the park.",
        "Joe sat down on a bench.",
        "Joe read the newspaper.",
        "Joe walked home.",
    ),
}


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine()


def explain(engine: Engine, sentences: tuple[str, ...]) -> Verdict:
    return engine.explain(Story(sentences))


@pytest.mark.parametrize("kind", BROKEN)
def test_a_story_that_cannot_happen_is_disproved_by_the_right_sentences_thing_and_rule(
    engine: Engine, kind: str
) -> None:
    story = BROKEN[kind]
    verdict = explain(engine, story.sentences)
    assert not verdict.plausible
    assert verdict.pair == story.pair
    assert verdict.basis == "proof"
    conflict = verdict.conflict
    assert conflict is not None
    assert (conflict.evidence, conflict.breakpoint) == story.pair
    assert (conflict.entity, conflict.attribute) == (story.entity, story.attribute)
    assert conflict.rule in story.rules
    root = conflict.proof
    assert root.file is not None
    assert root.file.endswith(".lp")
    assert root.line is not None
    assert root.wording


@pytest.mark.parametrize("kind", IN_ORDER)
def test_a_story_that_can_happen_is_called_plausible(engine: Engine, kind: str) -> None:
    verdict = explain(engine, IN_ORDER[kind])
    assert verdict.plausible
    assert (verdict.pair, verdict.conflict, verdict.basis) == (None, None, "no conflict")


def test_the_proof_of_the_unplugged_toaster_cites_its_power_after_the_sentence_that_unplugs_it(engine: Engine) -> None:
    story = BROKEN["power"]
    conflict = explain(engine, story.sentences).conflict
    assert conflict is not None
    cited = {(s.side, s.sentence, s.entity, s.attribute, s.value) for s in conflict.states()}
    assert ("effect", 1, "toaster", "power", 1) in cited
