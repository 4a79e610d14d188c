"""Which states are asserted beside a proof: the surest at an end of which it says nothing, of what it is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from disproof.bridge.assertions import SURE, asserted_states, asserted_table, supporting_states
from disproof.symbolic.proof import Conflict, ProofNode
from disproof.symbolic.story import State, Tagging
from disproof.symbolic.vocabulary import ATTRIBUTE, N_ATTRIBUTES, N_VALUES, SIDES

THINGS = ("lamp", "table", "Ann")
TEXT = (ProofNode('arg(0,"break",object,"lamp")', "text"), ProofNode('arg(2,"switch",agent,"Ann")', "text"))
PROOF = ProofNode('conflict(0,2,broken,"lamp",functional)', "rule", "broken", "a.lp", 1, "w", TEXT)
CONFLICT = Conflict(0, 2, "broken", "broken", "lamp", "functional", PROOF)
BROKEN = State("effect", 0, "lamp", "functional", 1)
LIT = State("precondition", 2, "lamp", "running", 1)


def tagging(states: Mapping[State, float]) -> Tagging:
    """What is told of some states, the rest being unknown or another value, and the unknown of all others."""
    values = np.zeros((len(THINGS), 3, 2, N_ATTRIBUTES, N_VALUES), np.float32)
    values[..., 0] = 1.0
    for state, probability in states.items():
        place = values[
            THINGS.index(state.entity), state.sentence, SIDES.index(state.side), ATTRIBUTE[state.attribute].index
        ]
        other = 2 if state.value == 1 else 1
        place[0], place[state.value], place[other] = (1 - probability) / 2, probability, (1 - probability) / 2
    return Tagging(THINGS, values)


def citing(state: State) -> Conflict:
    """The same conflict with a proof that cites a state."""
    leaf = ProofNode("effect(...)", "rule", "begins", "a.lp", 2, "w", (ProofNode("label(...)", "state"),), state=state)
    return replace(CONFLICT, proof=replace(PROOF, children=(*TEXT, leaf)))


def test_the_surest_state_of_each_end_is_asserted_beside_a_proof_by_the_text() -> None:
    off = replace(BROKEN, attribute="power")
    found = supporting_states(CONFLICT, tagging({BROKEN: 0.9, off: 0.95, LIT: 0.85}))
    assert found == (off, LIT)
    assert [round(state.probability, 2) for state in found] == [0.95, 0.85]


def test_what_the_proof_does_not_name_and_other_sentences_say_nothing_for_it() -> None:
    elsewhere = [replace(BROKEN, entity="table"), replace(BROKEN, sentence=1), replace(BROKEN, side="precondition")]
    assert supporting_states(CONFLICT, tagging(dict.fromkeys(elsewhere, 0.99))) == ()
    agent = State("precondition", 2, "Ann", "h_location", 2)
    assert supporting_states(CONFLICT, tagging({agent: 0.9})) == (agent,)


def test_trivial_states_are_never_asserted() -> None:
    there = State("precondition", 2, "lamp", "exist", ATTRIBUTE["exist"].default)
    assert supporting_states(CONFLICT, tagging({there: 0.99})) == ()


@pytest.mark.parametrize(
    ("broken", "lit", "expected"),
    [
        (SURE + 0.1, SURE - 0.1, (BROKEN,)),
        (SURE - 0.05, SURE - 0.1, (BROKEN,)),  # there must be one
        (SURE - 0.1, SURE - 0.05, (LIT,)),
        (0.3, 0.3, ()),  # unknown is likelier
    ],
)
def test_a_state_that_the_tagger_doubts_is_asserted_only_where_there_is_no_other(
    broken: float, lit: float, expected: tuple[State, ...]
) -> None:
    assert supporting_states(CONFLICT, tagging({BROKEN: broken, LIT: lit})) == expected


def test_an_end_that_the_proof_speaks_of_itself_needs_no_other_state() -> None:
    off = replace(BROKEN, attribute="power")
    told = tagging({BROKEN: 0.6, off: 0.99, LIT: SURE - 0.1})
    assert supporting_states(citing(BROKEN), told) == ()
    assert asserted_states(citing(BROKEN), told) == (BROKEN,)
    assert asserted_states(citing(BROKEN), tagging({BROKEN: 0.6, LIT: 0.9})) == (BROKEN, LIT)


def test_no_state_is_asserted_against_what_the_proof_derives() -> None:
    broken_before = State("precondition", 2, "lamp", "functional", 1)
    told = tagging({broken_before: 0.9})
    assert supporting_states(CONFLICT, told) == (broken_before,)
    needs_it_whole = replace(broken_before, value=ATTRIBUTE["functional"].default)
    assert supporting_states(citing(needs_it_whole), told) == ()


def test_the_whole_table_leaves_open_what_the_tagger_doubts() -> None:
    there = State("precondition", 2, "lamp", "exist", ATTRIBUTE["exist"].default)
    table = asserted_table(tagging({BROKEN: SURE - 0.1, LIT: SURE, there: SURE - 0.1}))
    assert table.entities == THINGS
    assert list(table.nontrivial(0, SIDES.index("effect"))) == []
    assert list(table.nontrivial(2, SIDES.index("precondition"))) == [LIT]
    # The default is no claim, so that it may stand where it is but the likeliest.
    assert table.values[0, 2, SIDES.index("precondition"), ATTRIBUTE["exist"].index] == there.value
