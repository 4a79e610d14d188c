"""The official metrics, level by level, on a story whose gold is evident; the published predictions' scores."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from disproof.bridge.metrics import (
    PairOutcome,
    PairPrediction,
    SingleMetrics,
    StoryPrediction,
    distinct_stories,
    judge_pair,
    score_pairs,
    score_piqa,
    score_single,
)
from disproof.bridge.predictions import match_predictions, read_predictions
from disproof.bridge.readers import read_pairs
from disproof.symbolic.errors import StoryError
from disproof.symbolic.story import Gold, State, StateTable, Story, StoryPair
from disproof.symbolic.vocabulary import ATTRIBUTE, N_ATTRIBUTES, SIDES

SENTENCES = ("Ann fills the cup.", "Ann breaks the cup.", "Ann rests.", "Ann drinks from the cup.")
BROKEN = State("effect", 1, "cup", "functional", 1)
PIECES = State("effect", 1, "cup", "pieces", 2)
NEEDED = State("precondition", 3, "cup", "contain", 2)
MEANT = State("precondition", 3, "cup", "functional", 2)  # a default: says nothing
GOLD_STATES = (BROKEN, PIECES, NEEDED, MEANT, State("precondition", 1, "cup", "pieces", 1))


def table(*states: State, entities: tuple[str, ...] = ("cup", "Ann")) -> StateTable:
    values = np.zeros((len(entities), len(SENTENCES), 2, N_ATTRIBUTES), np.int8)
    for s in states:
        values[entities.index(s.entity), s.sentence, SIDES.index(s.side), ATTRIBUTE[s.attribute].index] = s.value
    return StateTable(entities, values)


def pair(identifier: str = "1-C0") -> StoryPair:
    implausible = Story(SENTENCES, ("cup", "Ann"), "a", Gold(False, (1, 3), table(*GOLD_STATES)))
    plausible = Story((*SENTENCES[:3], "Ann leaves."), ("cup", "Ann"), "b", Gold(True, None, table()))
    return StoryPair((implausible, plausible), 1, identifier)


def said(
    choice: int = 1,
    conflict: tuple[int, ...] | None = (1, 3),
    states: tuple[State, ...] | None = (),
    proof: tuple[State, ...] | None = None,
) -> PairPrediction:
    whole = None if states is None else table(*states, entities=("cup", "Ann", "mug"))
    return PairPrediction(choice, (StoryPrediction(conflict, whole, proof), StoryPrediction()))


def levels(prediction: PairPrediction) -> str:
    """The levels reached, a letter each: accurate, consistent, states, proof, both sides."""
    outcome = judge_pair(pair(), prediction)
    assert isinstance(outcome, PairOutcome)
    reached = (outcome.accurate, outcome.consistent, outcome.all_states, outcome.proof, outcome.proof_both_sides)
    return "".join(letter for letter, has in zip("acspb", reached, strict=True) if has)


def test_a_level_needs_the_level_before_it() -> None:
    everything = (BROKEN, NEEDED)
    assert levels(said(1, (1, 3), everything, everything)) == "acspb"
    assert levels(said(0, (1, 3), everything, everything)) == ""
    assert levels(said(1, (1, 2), everything, everything)) == "a"


@pytest.mark.parametrize("conflict", [None, (), (1,), (1, 2, 3), (0, 3), (1, 1), (3, 3)])
def test_only_exactly_the_gold_pair_is_consistent(conflict: tuple[int, ...] | None) -> None:
    assert levels(said(1, conflict, (BROKEN,), (BROKEN,))) == "a"


@pytest.mark.parametrize(
    ("states", "right"),
    [
        ((BROKEN,), True),
        ((NEEDED,), True),
        ((BROKEN, PIECES, NEEDED), True),
        ((), False),
        ((MEANT,), False),
        ((BROKEN, MEANT), True),
        ((BROKEN, replace(PIECES, value=1)), False),
        ((BROKEN, replace(NEEDED, value=1)), False),
        ((BROKEN, replace(NEEDED, attribute="open")), False),  # gold says nothing of it
        ((BROKEN, replace(NEEDED, entity="Ann")), False),
        ((BROKEN, replace(NEEDED, entity="mug")), False),  # gold has no such thing
        ((BROKEN, replace(MEANT, value=1)), False),
        # Elsewhere nothing is checked, and nothing counts.
        ((BROKEN, replace(PIECES, sentence=2, value=1)), True),
        ((BROKEN, State("effect", 3, "cup", "wet", 1)), True),
        ((BROKEN, State("precondition", 1, "cup", "wet", 1)), True),
        ((State("precondition", 1, "cup", "pieces", 1),), False),
    ],
)
def test_every_non_trivial_state_asserted_must_be_golds_and_one_must_be(states: tuple[State, ...], right: bool) -> None:
    assert levels(said(states=states)) == ("acs" if right else "ac")
    assert ("p" in levels(said(states=None, proof=states))) == right


def test_the_proof_is_checked_on_what_it_cites_whatever_the_table_says() -> None:
    wrong = replace(NEEDED, value=1)
    assert levels(said(states=(BROKEN, wrong), proof=(BROKEN,))) == "acp"
    assert levels(said(states=(BROKEN,), proof=(BROKEN, wrong))) == "acs"
    assert levels(said(states=(BROKEN,), proof=())) == "acs"
    assert levels(said(states=(BROKEN,), proof=None)) == "acs"


def test_both_sides_wants_a_non_trivial_state_on_each() -> None:
    assert levels(said(states=None, proof=(BROKEN, PIECES))) == "acp"
    assert levels(said(states=None, proof=(BROKEN, MEANT))) == "acp"
    assert levels(said(states=None, proof=(NEEDED,))) == "acp"
    assert levels(said(states=None, proof=(BROKEN, NEEDED))) == "acpb"


def test_the_order_of_a_conflicts_sentences_does_not_matter() -> None:
    assert levels(said(1, (3, 1))) == "ac"


def test_figures_are_fractions_over_all_pairs() -> None:
    predictions = [
        said(1, (1, 3), (BROKEN, NEEDED), (BROKEN, NEEDED)),
        said(1, (1, 3), (), (BROKEN,)),
        said(1, (0, 3), ()),
        said(0, None, ()),
    ]
    metrics = score_pairs([pair()] * 4, predictions, system="x", seconds=2.5)
    assert (metrics.n, metrics.accuracy, metrics.consistency) == (4, 0.75, 0.5)
    assert (metrics.all_states, metrics.proof, metrics.proof_both_sides) == (0.25, 0.5, 0.25)
    # Of the stories called implausible three are the first, two of them with a proof; the last is the other story.
    assert metrics.proof_coverage == 0.5
    # 16 sentences, 8 in conflict; claimed 6, of which 5 are.
    assert metrics.conflict_f1 == pytest.approx((2 * 5 / (8 + 6) + 2 * 7 / (8 + 10)) / 2)


def test_state_f1_is_one_when_every_table_is_golds_and_absent_without_tables() -> None:
    metrics = score_pairs([pair()], [said(states=GOLD_STATES)])
    assert (metrics.precondition_f1, metrics.effect_f1) == (1.0, 1.0)
    metrics = score_pairs([pair()], [said(states=None)])
    assert (metrics.precondition_f1, metrics.effect_f1) == (None, None)


def test_the_json_has_the_fields_of_evaluate_and_is_json() -> None:
    single = SingleMetrics(3, 0.5, None)
    value = score_pairs([pair()], [said()], single, "rules", 0.5).to_json()
    assert json.loads(json.dumps(value, allow_nan=False)) == value
    assert value == {
        "system": "rules",
        "n": 1,
        "accuracy": 1.0,
        "consistency": 1.0,
        "verifiability": {"all_states": 0.0, "proof": 0.0, "proof_both_sides": 0.0},
        # 12 cells; two attributes, one cell each missed: F1 of "nothing said" 2*11/(11+12), of the value 0.
        "precondition_f1": pytest.approx(11 / 23),
        "effect_f1": pytest.approx(11 / 23),
        "conflict_f1": 1.0,
        "proof_coverage": 0.0,
        "single": {"n": 3, "auroc": 0.5, "balanced_accuracy": None},
        "seconds": 0.5,
    }


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("label", 'the pair "1-C0" has no gold label'),
        ("conflict", 'the pair "1-C0" has no gold conflict'),
        ("states", 'the pair "1-C0" has no gold states'),
        ("gold", 'the pair "1-C0" has no gold conflict'),
    ],
)
def test_a_pair_without_gold_cannot_be_measured_on(change: str, expected: str) -> None:
    whole = pair()
    first, second = whole.stories
    assert first.gold is not None
    changed = {
        "label": replace(whole, label=None),
        "conflict": replace(whole, stories=(replace(first, gold=replace(first.gold, conflict=None)), second)),
        "states": replace(whole, stories=(replace(first, gold=replace(first.gold, states=None)), second)),
        "gold": replace(whole, stories=(replace(first, gold=None), second)),
    }[change]
    with pytest.raises(StoryError, match=expected):
        score_pairs([changed], [said()])


def test_nothing_to_measure_is_refused() -> None:
    with pytest.raises(StoryError, match="no story pairs to measure on"):
        score_pairs([], [])
    with pytest.raises(StoryError, match="no labelled items to measure on"):
        score_piqa([], [], [])
    with pytest.raises(ValueError, match="shorter"):
        score_pairs([pair()], [])


def test_single_stories_are_scored_by_rank_and_by_verdict() -> None:
    single = score_single([True, True, False, False], [0.9, 0.4, 0.4, 0.1], [True, False, False, False])
    assert single == SingleMetrics(4, 0.875, 0.75)


def test_piqa_accuracy_is_also_given_for_what_has_a_proof() -> None:
    metrics = score_piqa([0, 1, 1, 0], [0, 1, 0, 1], [True, False, True, False], "x", 1.0)
    assert metrics.to_json() == {
        "system": "x",
        "n": 4,
        "accuracy": 0.5,
        "proof_coverage": 0.5,
        "accuracy_with_proof": 0.5,
        "seconds": 1.0,
    }
    assert score_piqa([0], [0], [False]).accuracy_with_proof is None


def test_a_plausible_story_of_several_pairs_is_judged_once() -> None:
    stories = distinct_stories([pair("1-C0"), pair("1-C1")])
    assert [story.id for story in stories] == ["a", "b"]


def test_the_published_predictions_score_237_72_and_34_and_agree_with_their_authors_on_every_pair(
    data_dir: Path,
) -> None:
    pairs = list(read_pairs(data_dir / "trip" / "dev.jsonl.gz"))
    items = list(read_predictions(data_dir / "trip" / "roberta_dev_predictions.json.gz"))
    assert len(pairs) == len(items) == 322
    predictions = match_predictions(pairs, items)
    metrics = score_pairs(pairs, predictions)
    assert metrics.accuracy * 322 == pytest.approx(237)
    assert metrics.consistency * 322 == pytest.approx(72)
    assert metrics.all_states * 322 == pytest.approx(34)
    assert (metrics.proof, metrics.proof_coverage) == (0, 0)
    by_id = {item.example_id: item.valid_explanation for item in items}
    ours = {pair.id: judge_pair(pair, said).all_states for pair, said in zip(pairs, predictions, strict=True)}
    assert ours == by_id


def test_gold_scores_one_everywhere(data_dir: Path) -> None:
    pairs = list(read_pairs(data_dir / "trip" / "dev.jsonl.gz"))
    predictions = []
    for whole in pairs:
        assert whole.label is not None
        first, second = (
            StoryPrediction(
                story.gold.conflict,
                story.gold.states,
                None
                if story.gold.conflict is None
                else (
                    *story.gold.states.nontrivial(story.gold.conflict[0], 1),
                    *story.gold.states.nontrivial(story.gold.conflict[1], 0),
                ),
            )
            for story in whole.stories
            if story.gold is not None and story.gold.states is not None
        )
        predictions.append(PairPrediction(whole.label, (first, second)))
    metrics = score_pairs(pairs, predictions)
    figures = (metrics.accuracy, metrics.consistency, metrics.precondition_f1, metrics.effect_f1, metrics.conflict_f1)
    assert figures == (1, 1, 1, 1, 1)
    assert metrics.proof_coverage == 1
    assert (metrics.all_states, metrics.proof) == (1, 1)
    # Not every gold pair has a non-trivial state on both sides: 36 pairs can never reach the strictest protocol.
    assert metrics.proof_both_sides * 322 == pytest.approx(286)
