"""What a change of rules does: which stories change, whether for the better, and that states are read once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pytest

from disproof.bridge.engine import Engine
from disproof.bridge.output import rendered
from disproof.bridge.rule_diff import Outcome, RuleDiff, diff_pairs, diff_stories, diff_twins
from disproof.bridge.rule_views import diff_document, diff_view
from disproof.bridge.scoring import Weights
from disproof.bridge.twins import Twins
from disproof.neural.fake import FakeTagger
from disproof.symbolic.errors import StoryError
from disproof.symbolic.parse import Mention, Parse
from disproof.symbolic.proof import Conflict, ProofNode
from disproof.symbolic.rulebook import RuleBook
from disproof.symbolic.solver import Solution
from disproof.symbolic.story import Gold, StateTable, Story, StoryPair, Tagging

BAD, GOOD, OTHER = ("off.", "sit.", "use."), ("on.", "sit.", "use."), ("off.", "sit.", "nap.")


class Names:
    """A parser that sees no more than the sentences; it counts the stories."""

    parsed = 0

    def parse(self, sentences: Sequence[str], entities: Sequence[str] | None = None) -> Parse:
        self.parsed += 1
        return Parse(tuple(sentences), (), mentions=tuple[Mention, ...]())


Conflicts = dict[tuple[str, ...], list[tuple[int, int, str]]]


class Told:
    """A solver whose rules are said by the test: by story, the conflicts that they prove."""

    book = RuleBook(())

    def __init__(self, conflicts: Conflicts) -> None:
        self._conflicts = conflicts

    def solve_story(self, parse: Parse, tagging: Tagging) -> Solution:
        proof = ProofNode("c", "rule", "r", "x.lp", 1, "said")
        found = self._conflicts.get(parse.sentences, [])
        return Solution(tuple(Conflict(i, j, rule, rule, "lamp", "power", proof) for i, j, rule in found))


def engine(parser: Names, conflicts: Conflicts) -> Engine:
    made = Engine(system="symbolic", tagger=FakeTagger(), parser=cast(Any, parser), weights=Weights(default=3.0))
    made.__dict__["solver"] = Told(conflicts)
    return made


def story(sentences: tuple[str, ...], conflict: tuple[int, int] | None) -> Story:
    states = StateTable((), np.zeros((0, len(sentences), 2, 20), np.int8))
    return Story(sentences, (), "-".join(sentences), Gold(conflict is None, conflict, states))


PAIR = StoryPair((story(GOOD, None), story(BAD, (0, 2))), 0, "p1")
SHARED = StoryPair((story(OTHER, (0, 2)), story(GOOD, None)), 1, "p2")


def diff(
    before: Conflicts,
    after: Conflicts,
    pairs: Sequence[StoryPair] = (PAIR, SHARED),
) -> RuleDiff:
    return diff_pairs(engine(Names(), before), engine(Names(), after), pairs)


def test_nothing_changes_where_the_rules_say_the_same() -> None:
    told: Conflicts = {BAD: [(0, 2, "clash")]}
    found = diff(told, told)
    assert (found.stories, found.changes, found.choices) == (3, (), ())
    assert found.before is not None
    assert {k: v for k, v in found.before.items() if k != "seconds"} == {
        k: v for k, v in (found.after or {}).items() if k != "seconds"
    }


@pytest.mark.parametrize(
    ("before", "after", "judgement"),
    [
        ([], [(0, 2, "clash")], "better"),
        ([(0, 2, "clash")], [], "worse"),
        ([(0, 1, "clash")], [(0, 2, "clash")], "better"),
        ([(0, 2, "clash")], [(1, 2, "clash")], "worse"),
        ([], [(0, 1, "clash")], "better"),
        ([(0, 1, "clash")], [(1, 2, "clash")], "same"),
        ([(0, 2, "clash")], [(0, 2, "other")], "same"),
    ],
)
def test_a_change_is_for_the_better_where_it_is_nearer_to_the_gold(
    before: list[tuple[int, int, str]], after: list[tuple[int, int, str]], judgement: str
) -> None:
    (change,) = diff({BAD: before}, {BAD: after}, [PAIR]).changes
    assert change.judgement == judgement
    assert (change.id, change.place, change.story.sentences) == ("p1", 1, BAD)


def test_a_false_alarm_is_for_the_worse() -> None:
    (change,) = diff({}, {GOOD: [(0, 1, "clash")]}).changes
    assert (change.before, change.after) == (Outcome(True), Outcome(False, (0, 1), "clash"))
    assert (change.judgement, change.id) == ("worse", "p1")  # once, though both pairs have the story


def test_a_choice_that_changes_is_told_by_its_pair_with_the_figures() -> None:
    found = diff({}, {GOOD: [(0, 2, "clash")]}, [PAIR])
    (choice,) = found.choices
    assert (choice.id, choice.before, choice.after, choice.judgement) == ("p1", 0, 1, "worse")
    assert found.before is not None
    assert found.after is not None
    assert (found.before["accuracy"], found.after["accuracy"]) == (1.0, 0.0)


def test_every_story_is_read_once_and_by_the_first_engine() -> None:
    first, second = Names(), Names()
    diff_pairs(engine(first, {}), engine(second, {}), [PAIR, SHARED])
    assert (first.parsed, second.parsed) == (3, 0)


def test_stories_without_a_gold_are_compared_without_figures() -> None:
    stories = [Story(BAD, (), "a"), Story(GOOD, (), "b")]
    found = diff_stories(engine(Names(), {}), engine(Names(), {BAD: [(0, 2, "clash")]}), stories)
    assert (found.stories, found.before, found.after, found.choices) == (2, None, None, ())
    (change,) = found.changes
    assert (change.id, change.place, change.judgement) == ("a", 0, None)


def test_twins_have_figures_of_their_own() -> None:
    pair = StoryPair((Story(GOOD, (), "", Gold(True)), Story(BAD, (), "", Gold(False, (0, 2)))), 0, "t")
    found = diff_twins(engine(Names(), {}), engine(Names(), {BAD: [(0, 2, "clash")]}), [Twins(pair, "lamp")])
    assert found.before is not None
    assert found.after is not None
    assert (found.before["right_pair"], found.after["right_pair"]) == (0.0, 1.0)
    assert [change.judgement for change in found.changes] == ["better"]


def test_no_pairs_have_no_figures() -> None:
    with pytest.raises(StoryError):
        diff({}, {}, [])


# ---- Views


CHANGED = diff({BAD: [(0, 1, "clash")]}, {BAD: [(0, 2, "clash")], GOOD: [(0, 2, "clash")], OTHER: [(0, 1, "clash")]})


def test_the_document_has_a_change_a_story_and_a_choice_with_its_story_null() -> None:
    document = diff_document(CHANGED)
    assert list(document) == ["stories", "before", "after", "changed"]
    first, second, third, *choices = document["changed"]
    assert first == {
        "id": "p1",
        "story": 0,
        "judgement": "worse",
        "before": {"plausible": True, "evidence": None, "breakpoint": None, "rule": None},
        "after": {"plausible": False, "evidence": 0, "breakpoint": 2, "rule": "clash"},
    }
    assert (second["id"], second["story"], third["id"], third["story"]) == ("p1", 1, "p2", 0)
    assert all(choice["story"] is None for choice in choices)


def test_the_page_shows_before_and_after_the_mark_and_the_difference() -> None:
    page = rendered(diff_view(CHANGED))
    assert "p1  + better\n> 1 off.\n> 2 sit.\n> 3 use.\n" in page
    assert "  before: implausible, sentences 1 and 2, by clash\n" in page
    assert "  after:  implausible, sentences 1 and 3, by clash\n" in page
    assert "3 of 3 stories changed: 2 for the better, 1 for the worse" in page
    line = next(line for line in page.splitlines() if line.startswith("single: balanced accuracy"))
    assert line.split() == ["single:", "balanced", "accuracy", "75.0", "%", "50.0", "%", "-25.0"]
