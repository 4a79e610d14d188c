"""What atoms of a proof say in English."""

from __future__ import annotations

import pytest

from disproof.bridge.wording import absence_words, fact_words, listed, percent, printable, said, source, state_words
from disproof.symbolic.proof import ProofNode
from disproof.symbolic.story import State


@pytest.mark.parametrize(
    ("atom", "words"),
    [
        ('label(eff,1,"phone",power,false,30)', "after sentence 2 the phone is unpowered"),
        ('label(pre,4,"Maria",conscious,true,0)', "before sentence 5 Maria is conscious"),
        ('label(eff,0,"mug",location,put_in,5)', "in sentence 1 the mug is put in a container"),
        ('previous(4,"phone",1)', "nothing between sentences 2 and 5 touches the phone"),
        ('property(0,"soup","cold")', "sentence 1 calls the soup “cold”"),
        ('causes("unplug",object,power,false)', "“unplug” makes its object unpowered"),
        ('requires("call",on,power,true)', "“call” needs what comes after “on” to be powered"),
        ('verb_class("throw away",discards)', "“throw away” is of the class “discards”"),
        ('kind("pan",heat_proof)', "“pan” is of the kind “heat proof”"),
    ],
)
def test_a_fact_is_told_in_words_with_sentences_counted_from_one(atom: str, words: str) -> None:
    assert fact_words(atom) == words


@pytest.mark.parametrize("atom", ['glows(3,"lamp",red)', "no atom at all (", 'label(eff,1,"x",nonsense,false,1)'])
def test_a_fact_that_nothing_is_known_of_is_shown_as_it_stands(atom: str) -> None:
    assert fact_words(atom) == atom


def test_an_absence_is_told_as_what_does_not_happen() -> None:
    assert absence_words('changed(3,"phone",power)') == "sentence 4 does not change the phone’s power"
    assert absence_words('awake(2,"Tom")') == "Tom does not wake up in sentence 3"


def test_an_absence_without_words_of_its_own_tells_its_name_and_arguments() -> None:
    assert absence_words('glows_again(3,"lamp",red_hot)') == "not glows again: sentence 4, the lamp, red hot"
    assert absence_words("raining") == "not raining"
    assert absence_words("no atom (") == "not: no atom ("


def test_proofs_about_several_things_read_in_the_plural() -> None:
    broken = State("effect", 0, "scissors", "functional", 1, 1.0)
    assert state_words(broken) == "after sentence 1 the scissors are broken"
    assert absence_words('changed(3,"scissors",power)') == "sentence 4 does not change the scissors’ power"
    used = ProofNode(
        'conflict(0,2,broken_then_used,"wool socks",functional)',
        "rule",
        wording="the wool socks is broken in sentence 1, but sentence 3 uses it",
    )
    assert said(used) == "the wool socks are broken in sentence 1, but sentence 3 uses them"


@pytest.mark.parametrize(
    ("atom", "wording", "told"),
    [
        (
            'conflict(1,4,state_clash,"phone",power)',
            "sentence 2 leaves the phone's power false, but sentence 5 needs it to be true",
            "sentence 2 leaves the phone unpowered, but sentence 5 needs it to be powered",
        ),
        (
            'holds(2,"ice",solid,false,1)',
            "nothing up to sentence 3 changes the ice's solid: it is still false",
            "nothing up to sentence 3 changes the ice's solid: it is still fluid",
        ),
        ('caused(1,"mug",location,put_in)', "in sentence 2 the mug's location is put in", None),
        ('uses(1,"true story")', "sentence 2 uses the true story", "sentence 2 uses the true story"),
    ],
)
def test_a_rules_wording_tells_values_by_the_words_of_the_attribute(atom: str, wording: str, told: str | None) -> None:
    node = ProofNode(atom, "rule", "some_rule", "x.lp", 1, wording)
    assert said(node) == (told or "in sentence 2 the mug is put in a container")


def test_a_state_is_told_by_its_own_words_whatever_the_rule_says() -> None:
    state = State("effect", 0, "cup", "pieces", 2, 0.9)
    assert said(ProofNode("effect(0,cup,pieces,true)", "rule", "r", "x.lp", 3, "other words", state=state)) == (
        "after sentence 1 the cup is in pieces"
    )
    assert state_words(state) == "after sentence 1 the cup is in pieces"


def test_a_rule_without_a_name_is_called_by_its_place_alone() -> None:
    assert source(ProofNode("a", "rule", "acts:12", "acts.lp", 12)) == "acts.lp:12"
    assert source(ProofNode("a", "rule", "uses", "acts.lp", 21)) == "uses, acts.lp:21"
    assert source(ProofNode("a", "text")) == ""


def test_text_for_a_terminal_has_no_control_characters_and_one_line() -> None:
    assert printable("a\x1b[31mb\n c\td\u202ee") == "a\\x1b[31mb c d\\u202ee"
    assert printable("naïve 料理 می\u200cخواهم") == "naïve 料理 می\u200cخواهم"


@pytest.mark.parametrize(
    ("probability", "shown"), [(0.0, "0%"), (0.001, "<1%"), (0.5, "50%"), (0.997, ">99%"), (1.0, "100%")]
)
def test_only_what_is_certain_is_called_so(probability: float, shown: str) -> None:
    assert percent(probability) == shown


def test_a_list_reads_as_a_sentence() -> None:
    assert [listed(items) for items in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
