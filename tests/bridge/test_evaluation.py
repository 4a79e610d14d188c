"""Evaluation: figures of hand-made pairs that can be told from the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from disproof.bridge.engine import Engine
from disproof.bridge.evaluation import analyse_pairs, evaluate, evaluate_random
from disproof.bridge.scoring import Weights
from disproof.neural.fake import FakeTagger
from disproof.neural.parser import Parser
from disproof.symbolic.errors import StoryError, UsageError
from disproof.symbolic.parse import Mention, Parse
from disproof.symbolic.rulebook import SHIPPED
from disproof.symbolic.story import Gold, StateTable, Story, StoryPair
from disproof.symbolic.vocabulary import ATTRIBUTE, EFFECT, PRECONDITION

NAMES = ("Ann", "lamp")
POWER = ATTRIBUTE["power"].index
OFF, ON, SIT, READ = "Ann unplugged the lamp.", "Ann plugged in the lamp.", "Ann sat down.", "Ann read by the lamp."


class Names:
    """A parser that sees nothing in a text but the names it is given; it counts the stories."""

    def __init__(self) -> None:
        self.parsed = 0

    def parse(self, sentences: Sequence[str], entities: Sequence[str] | None = None) -> Parse:
        self.parsed += 1
        names = tuple(entities or ())
        found = [Mention(t, 0, 1, name) for t, text in enumerate(sentences) for name in names if name in text]
        return Parse(tuple(sentences), names, mentions=tuple(found))


def story(sentences: Sequence[str], conflict: tuple[int, int] | None) -> Story:
    values = np.zeros((len(NAMES), len(sentences), 2, 20), np.int8)
    for t, sentence in enumerate(sentences):
        if sentence in (OFF, ON):
            values[1, t, EFFECT, POWER] = 1 if sentence == OFF else 2
        if sentence == READ:
            values[1, t, PRECONDITION, POWER] = 2
    return Story(tuple(sentences), NAMES, "", Gold(conflict is None, conflict, StateTable(NAMES, values)))


def pair(bad: Sequence[str], good: Sequence[str], conflict: tuple[int, int], identifier: str) -> StoryPair:
    return StoryPair((story(good, None), story(bad, conflict)), 0, identifier)


RIGHT = pair((OFF, SIT, READ), (ON, SIT, READ), (0, 2), "right-C0")
# Annotated as if the first two sentences clashed: the choice is right, the pair is not.
OTHER = pair((SIT, OFF, READ), (SIT, ON, READ), (0, 1), "other-C0")


def engine(parser: Names, **options: Any) -> Engine:
    given: dict[str, Any] = {"system": "symbolic", "states": "gold", "weights": Weights(default=3.0)} | options
    return Engine(parser=cast(Any, parser), **given)


def test_what_is_right_counts_and_what_is_not_does_not() -> None:
    found = evaluate(engine(Names()), [RIGHT, OTHER]).metrics
    assert (found.n, found.accuracy, found.consistency) == (2, 1.0, 0.5)
    assert (found.proof, found.proof_both_sides, found.all_states) == (0.5, 0.5, 0.5)
    assert found.proof_coverage == 1.0
    assert (found.single.n, found.single.auroc) == (4, 1.0)


def test_a_tagger_that_sees_nothing_has_no_proofs() -> None:
    blind = engine(Names(), states="predicted", tagger=FakeTagger())
    found = evaluate(blind, [RIGHT, OTHER]).metrics
    assert (found.consistency, found.proof, found.proof_coverage) == (0.0, 0.0, 0.0)
    assert found.single.auroc == 0.5


# A prior that would take what both stories share for the conflict.
MISLED = FakeTagger({}, {(SIT, READ): 9.0, (OFF, READ): 2.0}, other_pairs=-9.0)


def test_figures_without_the_twins_cue_are_reported_apart() -> None:
    prior = Weights(features={"neural prior": 1.0})
    found = evaluate(engine(Names(), states="predicted", system="neurosymbolic", tagger=MISLED, weights=prior), [RIGHT])
    assert (found.metrics.accuracy, found.metrics.consistency) == (1.0, 1.0)
    assert (found.uncued.accuracy, found.uncued.consistency) == (1.0, 0.0)
    told = cast(dict[str, Any], found.to_json())
    assert (told["consistency"], told["without_twin_cue"]["consistency"]) == (1.0, 0.0)


def test_a_story_that_several_pairs_share_is_analysed_once() -> None:
    parser = Names()
    seen: list[tuple[int, int]] = []
    again = StoryPair(RIGHT.stories, 0, "again-C0")
    analysed = analyse_pairs(engine(parser), [RIGHT, again, OTHER], lambda done, total: seen.append((done, total)))
    assert parser.parsed == 4
    assert analysed[0][0] is analysed[1][0]
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_things_that_the_engine_names_itself_are_measured_by_the_annotations_names() -> None:
    off, on, read = (sentence.replace("the lamp", "the desk lamp") for sentence in (OFF, ON, READ))
    plain, named = RIGHT.stories[1], story((off, SIT, read), (0, 2))
    named = replace(named, gold=plain.gold)  # annotated as "lamp"
    both = StoryPair((story((on, SIT, read), None), named), 0, "right-C0")
    states: Any = {
        off: {("effect", "desk lamp", "power"): (1, 0.97)},
        read: {("precondition", "desk lamp", "power"): (2, 0.9)},
    }
    weights = Weights(default=3.0)
    own = Engine(tagger=FakeTagger(states, {}), parser=Parser(), weights=weights)
    figures = evaluate(own, [both], own_entities=True).metrics
    assert (figures.consistency, figures.all_states, figures.proof) == (1.0, 1.0, 1.0)
    blind = evaluate(own, [both]).metrics  # of a "lamp" the tagger knows nothing
    assert blind.all_states == 0.0


def test_annotated_states_are_not_those_of_other_things() -> None:
    with pytest.raises(UsageError, match="--entities own"):
        evaluate(engine(Names()), [RIGHT], own_entities=True)


def test_no_pairs_are_no_evaluation() -> None:
    with pytest.raises(StoryError):
        evaluate(engine(Names()), [])
    with pytest.raises(StoryError):
        evaluate_random([])


def pairs(count: int) -> list[StoryPair]:
    return [pair((f"Ann had {k}.", OFF, READ), (f"Ann had {k}.", ON, READ), (1, 2), f"p{k}-C0") for k in range(count)]


def without_time(document: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in document.items() if key != "seconds"}


def test_chance_is_the_same_for_the_same_seed_and_near_one_half() -> None:
    many = pairs(200)
    first, again, other = (without_time(evaluate_random(many, seed).to_json()) for seed in (0, 0, 1))
    assert first == again != other
    figures = evaluate_random(many).metrics
    assert 0.4 < figures.accuracy < 0.6
    assert 0.1 < figures.consistency < 0.25  # one of two stories, one of three pairs
    assert figures.proof_coverage == 0.0
    assert figures.system == "random"


def test_chance_does_not_depend_on_the_order_of_the_pairs() -> None:
    many = pairs(20)
    forwards, backwards = evaluate_random(many).metrics, evaluate_random(many[::-1]).metrics
    assert without_time(forwards.to_json()) == without_time(backwards.to_json())


def test_the_shipped_rules_are_what_is_evaluated() -> None:
    found = engine(Names()).solver.book
    assert {file.path.parent for file in found.files} == {SHIPPED}
