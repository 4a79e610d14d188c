"""Conditions that are not met, in words: a rule's own first, then those of facts, then the pattern as it stands."""

from __future__ import annotations

import pytest

from disproof.bridge.near_words import condition_words, held_words, lacking_words
from disproof.symbolic.gaps import Gap
from disproof.symbolic.proof import ProofNode
from disproof.symbolic.story import State

LABEL = ProofNode('label(pre,2,"lamp",power,true,105)', "state")


@pytest.mark.parametrize(
    ("atom", "words"),
    [
        ('verb(0,"read")', "sentence 1 has no verb “read”"),
        ('arg(2,"read",object,"book")', "sentence 3 does not “read” the book"),
        ('arg(2,"read",agent,"Ann")', "it is not Ann that does “read” in sentence 3"),
        ('arg(2,"read",by,"lamp")', "sentence 3 does not “read” by the lamp"),
        ('mention(1,"lamp")', "sentence 2 does not name the lamp"),
        ('property(0,"lamp","dead")', "sentence 1 does not call the lamp “dead”"),
        ('previous(4,"lamp",1)', "sentence 2 is not the last before sentence 5 that touches the lamp"),
        ('alias("lamp","light")', "“lamp” and “light” are two things"),
        ('human("lamp")', "the lamp is no person"),
        ('verb_class("read",takes)', "“read” is not of the class “takes”"),
        ('causes("read",object,power,false)', "no rule file says that “read” makes its object unpowered"),
        ('label(pre,2,"lamp",power,true,_)', "the tagger does not see that before sentence 3 the lamp is powered"),
        ("verb(0,_)", "there is nothing like verb(0,_)"),
        ('odd("a,_,b")', 'there is no odd("a,_,b")'),
        ('label(pre,_,"lamp",power,true,_)', 'there is nothing like label(pre,_,"lamp",power,true,_)'),
    ],
)
def test_what_is_lacking_is_said(atom: str, words: str) -> None:
    assert lacking_words(Gap("missing", atom)) == words


def test_the_taggers_belief_in_a_missing_label_is_told() -> None:
    gap = Gap("missing", 'label(eff,0,"lamp",power,false,_)', probability=0.034)
    assert lacking_words(gap) == "the tagger does not see that after sentence 1 the lamp is unpowered (3%)"


def test_a_comparison_that_is_false_is_shown_as_it_stands() -> None:
    assert lacking_words(Gap("comparison", "1204 <= 693")) == "not so: 1204 <= 693"


def test_a_condition_has_its_rules_wording_with_the_values_in_words() -> None:
    gap = Gap("missing", 'before(2,"lamp",power,false,0)', "just before sentence 3 the lamp's power is still false")
    assert condition_words(gap, {}) == "just before sentence 3 the lamp is still unpowered"


def test_a_condition_without_a_wording_is_said_by_predicate_or_as_it_stands() -> None:
    assert condition_words(Gap("blocked", 'changed(1,"lamp",power)'), {}) == "sentence 2 changes the lamp’s power"
    assert condition_words(Gap("missing", 'happens(0,"read")'), {}) == "“read” happens in sentence 1"
    assert condition_words(Gap("missing", 'away(0,"lamp",_)'), {}) == 'away(0,"lamp",_)'


def test_what_is_in_the_way_is_said_by_its_proof() -> None:
    proof = ProofNode('mended(1,"lamp")', "rule", "mended", "x.lp", 1, "sentence 2 mends the lamp")
    assert condition_words(Gap("blocked", proof.atom), {proof.atom: proof}) == "sentence 2 mends the lamp"


def test_a_state_that_holds_is_told_with_its_probability() -> None:
    state = State("precondition", 2, "lamp", "power", 2, 0.9)
    read = ProofNode('precondition(2,"lamp",power,true)', "rule", "r", "x.lp", 1, "w", (LABEL,), state=state)
    assert held_words(read) == ["before sentence 3 the lamp is powered (90%)"]


def test_what_holds_without_words_is_told_by_what_it_rests_on() -> None:
    finds = ProofNode('finds(2,"lamp",power,true)', "rule", "x:1", "x.lp", 1, None, (LABEL,))
    assert held_words(finds) == ["before sentence 3 the lamp is powered (90%)"]


@pytest.mark.parametrize("atom", ["opposite(false,true)", 'same("lamp","lamp")', "tool_role(with)", 'brings("find")'])
def test_turns_of_the_rules_own_are_no_news(atom: str) -> None:
    assert held_words(ProofNode(atom, "lexicon", "r", "x.lp", 1)) == []
