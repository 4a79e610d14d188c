"""What a comparison says of four pairs whose answers are evident."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from disproof.bridge.comparison import NO_KIND, Comparison, compare, conflict_kinds, distance, failure_modes
from disproof.symbolic.errors import StoryError
from disproof.symbolic.story import State, StateTable, StoryPair
from disproof.symbolic.vocabulary import ATTRIBUTE, N_ATTRIBUTES, SIDES

Compared = Callable[..., Comparison]
PIECES = State("effect", 1, "cup", "pieces", 2)
WHOLE = State("precondition", 3, "cup", "pieces", 1)


def with_gold(pair: StoryPair, *states: State) -> StoryPair:
    """The pair, whose conflict is of sentences 1 and 3, with these states as gold's only ones."""
    broken, twin = pair.stories
    assert broken.gold is not None
    values = np.zeros((2, 4, 2, N_ATTRIBUTES), np.int8)
    for s in states:
        values[("cup", "Ann").index(s.entity), s.sentence, SIDES.index(s.side), ATTRIBUTE[s.attribute].index] = s.value
    gold = replace(broken.gold, states=StateTable(("cup", "Ann"), values))
    return replace(pair, stories=(replace(broken, gold=gold), twin))


def test_the_kind_of_a_conflict_is_what_gold_has_opposite_at_its_ends(compared: Compared) -> None:
    kinds = [conflict_kinds(one) for one in compared().pairs]
    assert kinds == [("pieces",), ("contain",), (NO_KIND,), ("pieces",)]


def test_a_pair_may_be_of_several_kinds_but_not_of_a_location(compared: Compared) -> None:
    hot = State("effect", 1, "cup", "temperature", 2)
    cold = State("precondition", 3, "cup", "temperature", 1)
    moved = (State("effect", 1, "cup", "location", 1), State("precondition", 3, "cup", "location", 2))
    assert set(conflict_kinds(with_gold(compared().pairs[0], PIECES, WHOLE, hot, cold))) == {"pieces", "temperature"}
    assert conflict_kinds(with_gold(compared().pairs[0], *moved)) == (NO_KIND,)


def test_the_same_state_at_both_ends_or_of_two_things_is_of_no_kind(compared: Compared) -> None:
    same = State("precondition", 3, "cup", "pieces", 2)
    another = State("precondition", 3, "Ann", "pieces", 1)
    assert conflict_kinds(with_gold(compared().pairs[0], PIECES, same)) == (NO_KIND,)
    assert conflict_kinds(with_gold(compared().pairs[0], PIECES, another)) == (NO_KIND,)


def test_the_distance_is_counted_in_sentences(compared: Compared) -> None:
    assert [distance(one) for one in compared().pairs] == [2, 1, 2, 2]


def test_failure_modes_take_each_part_by_itself(compared: Compared) -> None:
    found = compared()
    none = dict.fromkeys(failure_modes([], []), 0)
    # Three choices right, of which the third has another pair of sentences; the wrong choice has all the rest right.
    assert failure_modes(found.pairs, found.runs[0].predictions) == {
        **none,
        "right right right": 2,
        "right wrong right": 1,
        "wrong right right": 1,
    }
    # FULL is not gold's in the first pair; asserting nothing is not right either.
    assert failure_modes(found.pairs, found.runs[1].predictions) == {
        **none,
        "right right wrong": 1,
        "right wrong right": 1,
        "wrong right wrong": 1,
        "wrong wrong wrong": 1,
    }
    assert len(none) == 8


def test_the_tiers_within_groups_are_those_of_their_pairs(compared: Compared) -> None:
    rules = compared().systems[0]
    pieces = {"n": 2, "accuracy": 0.5, "consistency": 0.5, "all_states": 0.5, "proof": 0.5, "proof_both_sides": 0.5}
    assert list(rules["by_kind"]) == ["pieces", "contain", NO_KIND]
    assert rules["by_kind"]["pieces"] == pieces
    assert rules["by_kind"]["contain"] == {**dict.fromkeys(pieces, 1.0), "n": 1, "proof_both_sides": 0.0}
    assert {group: shares["n"] for group, shares in rules["by_distance"].items()} == {"2": 3, "1": 1}
    assert rules["by_distance"]["2"]["accuracy"] == pytest.approx(2 / 3)
    assert rules["by_distance"]["2"]["consistency"] == pytest.approx(1 / 3)


def test_an_interval_holds_its_share_and_is_a_point_where_all_pairs_are_alike(compared: Compared) -> None:
    rules, prior, _ = compared().systems
    low, high = rules["intervals"]["accuracy"]
    # Of three base stories one is wrong: what is drawn goes from none of them (1/27) to all right.
    assert (low, high) == (0.0, 1.0)
    assert prior["intervals"]["proof"] == [0.0, 0.0]
    for system in compared().systems:
        for tier in ("accuracy", "consistency"):
            assert system["intervals"][tier][0] <= system[tier] <= system["intervals"][tier][1]


def test_every_two_systems_are_tested_at_every_tier(compared: Compared) -> None:
    found = {(*test["systems"], test["tier"]): test for test in compared().paired}
    assert len(found) == len(compared().paired) == 3 * 5
    accuracy = found["rules", "prior", "accuracy"]
    assert (accuracy["only_first"], accuracy["only_second"], accuracy["p"]) == (1, 0, 1.0)
    states = found["rules", "prior", "all_states"]
    assert (states["only_first"], states["only_second"], states["p"]) == (2, 0, 0.5)
    assert found["prior", "people’s own", "consistency"]["p"] == 1.0


def test_verdicts_with_and_without_a_proof_are_told_apart(compared: Compared) -> None:
    rules, prior, _ = compared().systems
    # The fourth choice is wrong, and the story that it calls impossible has no proof.
    assert {part: (f["n"], f["accuracy"]) for part, f in rules["by_proof"].items()} == {
        "proven": (3, 1.0),
        "unproven": (1, 0.0),
    }
    assert rules["by_proof"]["proven"]["consistency"] == pytest.approx(2 / 3)
    assert prior["by_proof"]["proven"] == {"n": 0}


def test_calibration_is_the_gap_between_how_sure_and_how_right(compared: Compared) -> None:
    rules, prior, other = compared().systems
    # Bins: 0.6 (wrong), twice 0.8 (right), 1.0 (right).
    assert rules["calibration"]["expected_calibration_error"] == pytest.approx((0.6 + 2 * 0.2 + 0) / 4)
    assert [(row["count"], row["accuracy"]) for row in rules["calibration"]["reliability"]] == [(1, 0), (2, 1), (1, 1)]
    assert prior["calibration"]["expected_calibration_error"] == pytest.approx(0.95 - 0.5)
    assert other["calibration"] is None


def test_attributes_are_those_of_which_something_is_said(compared: Compared) -> None:
    rules = compared().systems[0]["attributes"]
    assert rules == {
        "pieces": {"precondition_f1": 1.0, "effect_f1": 1.0},
        "temperature": {"precondition_f1": None, "effect_f1": 1.0},
        "contain": {"precondition_f1": 1.0, "effect_f1": 1.0},
    }


def test_systems_disagree_where_they_differ_in_the_story_or_the_sentences(compared: Compared) -> None:
    found = compared()
    # On the third and the fourth pair all are right, or wrong, alike; on the first only the states differ.
    assert [found.pairs[each.pair].id for each in found.disagreements] == ["1-C1"]
    (each,) = found.disagreements
    assert each.choices == {"rules": 1, "prior": 0, "people’s own": 0}
    assert (each.outcomes["rules"].consistent, each.outcomes["prior"].accurate) == (True, False)


def test_the_output_is_json_with_everything_but_the_predictions(compared: Compared) -> None:
    found = compared().to_json()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert list(found) == ["task", "systems", "paired", "disagreements"]
    assert found["systems"][0]["cost"] == {"tagging": 0.02, "solving": 0.01, "total": 0.03, "model_bytes": 2}
    assert found["disagreements"][0]["systems"]["rules"] == {
        "choice": 1,
        "accuracy": True,
        "consistency": True,
        "all_states": True,
        "proof": True,
        "proof_both_sides": False,
    }


def test_the_seed_is_the_bootstraps_alone(compared: Compared) -> None:
    found = compared()
    run = found.runs[0]
    stories = [replace(pair, id=f"{k}-{pair.id}") for k in range(5) for pair in found.pairs]
    many = replace(run, predictions=list(run.predictions) * 5, confidences=None)
    first, same, other = (compare(stories, [many], seed) for seed in (0, 0, 1))
    assert first.to_json() == same.to_json()
    assert first.systems[0]["failure_modes"] == other.systems[0]["failure_modes"]
    assert first.systems[0]["intervals"] != other.systems[0]["intervals"]


def test_a_comparison_needs_pairs_and_as_many_predictions(compared: Compared) -> None:
    found = compared()
    with pytest.raises(ValueError, match="longer"):
        compare(found.pairs[:2], found.runs)
    broken, twin = found.pairs[0].stories
    unlabelled = replace(found.pairs[0], stories=(replace(broken, gold=None), twin))
    with pytest.raises(StoryError, match="no gold conflict"):
        compare([unlabelled, *found.pairs[1:]], found.runs)
