"""The outline of a proof: short, and without loss of what a reader needs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from disproof.bridge.outline import Step, outline, pruned
from disproof.symbolic.proof import ProofNode
from disproof.symbolic.story import State


def rule(
    atom: str, wording: str | None, *children: ProofNode, name: str = "r", absent: tuple[str, ...] = ()
) -> ProofNode:
    return ProofNode(atom, "rule", name, "x.lp", 7, wording, children, absent)


def fact(atom: str) -> ProofNode:
    return ProofNode(atom, "text")


def texts(step: Step) -> Iterator[str]:
    yield step.text
    for child in step.children:
        yield from texts(child)


def test_bookkeeping_is_left_out() -> None:
    proof = rule(
        "conflict(0,1,r,a,power)", "told", fact("previous(1,a,0)"), fact('name("a","a")'), fact("sentence(1)"), name="c"
    )
    assert list(texts(outline(proof))) == ["told"]


def test_a_rule_without_wording_gives_way_to_what_it_rests_on() -> None:
    hidden = rule('happens(1,"cut")', None, fact('verb(1,"cut")'))
    proof = rule("c", "told", rule("u", "sentence 2 uses it", hidden, name="u"), name="c")
    assert list(texts(outline(proof))) == ["told", "sentence 2 uses it", "sentence 2: cut"]


def test_a_verb_and_its_arguments_are_one_line() -> None:
    hidden = rule('happens(1,"cut")', None, fact('verb(1,"cut")'))
    proof = rule("c", "told", hidden, fact('arg(1,"cut",agent,"Tom")'), fact('arg(1,"cut",with,"knife")'), name="c")
    assert list(texts(outline(proof))) == ["told", "sentence 2: cut, agent Tom, with knife"]


def test_a_state_and_its_label_are_one_line_with_the_probability() -> None:
    state = State("effect", 1, "phone", "power", 1, 0.97)
    label = ProofNode('label(eff,1,"phone",power,false,30)', "state")
    effect = ProofNode("effect(1,phone,power,false)", "rule", "e", "s.lp", 1, "ignored", (label,), state=state)
    (step,) = outline(rule("c", "told", effect, name="c")).children
    assert step == Step("after sentence 2 the phone is unpowered", "state", "", 0.97)


def test_a_label_that_a_rule_cites_itself_has_its_probability_too() -> None:
    (step,) = outline(rule("c", "told", ProofNode('label(pre,0,"ice",solid,true,693)', "state"))).children
    assert (step.text, step.kind) == ("before sentence 1 the ice is solid", "state")
    assert step.probability is not None
    assert abs(step.probability - 0.5) < 0.001


def test_inertia_over_many_sentences_is_told_once_from_its_end() -> None:
    start = rule("h", "from sentence 1 on it is off", fact('verb(0,"unplug")'), name="starts")
    chain = start
    for sentence in (2, 3, 4):
        wording = f"nothing up to sentence {sentence} changes it"
        chain = rule(f"h{sentence}", wording, chain, name="persists", absent=(f'changed({sentence},"p",power)',))
    assert list(texts(outline(rule("c", "told", chain, name="c")))) == [
        "told",
        "nothing up to sentence 4 changes it",
        "from sentence 1 on it is off",
        "sentence 1: unplug",
    ]


def test_a_fact_of_a_rule_file_is_told_where_it_speaks_of_words() -> None:
    lexicon = [ProofNode(atom, "lexicon", "x:3", "x.lp", 3) for atom in ("place_role(into)", 'kind("cup",dish)')]
    (step,) = outline(rule("c", "told", *lexicon)).children
    assert step == Step("“cup” is of the kind “dish”", "lexicon", "x.lp:3")


def test_what_was_told_is_not_told_again() -> None:
    used = rule("u", "sentence 2 uses it", fact('verb(1,"cut")'), name="u")
    assert list(texts(outline(rule("c", "told", used, used, name="c")))) == [
        "told",
        "sentence 2 uses it",
        "sentence 2: cut",
    ]


def test_an_absence_that_matters_is_told_and_one_that_keeps_books_is_not() -> None:
    proof = rule(
        "c", "told", absent=('takes_out(3,"cup")', 'negated(3,"take")', 'glows(3,"cup")', 'kind_of("cup",food)')
    )
    steps = outline(proof).children
    assert [(step.text, step.kind) for step in steps] == [
        ("sentence 4 does not take the cup out", "absence"),
        ("not glows: sentence 4, the cup", "absence"),
    ]


def test_a_gap_between_two_sentences_is_told_and_neighbours_are_not() -> None:
    assert [s.text for s in outline(rule("c", "told", fact('previous(4,"cup",1)'))).children] == [
        "nothing between sentences 2 and 5 touches the cup"
    ]
    assert outline(rule("c", "told", fact('previous(2,"cup",1)'))).children == ()


# ---- Cut off


DEEP = Step("a", "rule", children=(Step("b", "rule", children=(Step("c", "rule", children=(Step("d", "text"),)),)),))


@pytest.mark.parametrize(
    ("depth", "left"),
    [
        (None, ["a", "b", "c", "d"]),
        (3, ["a", "b", "c", "d"]),
        (2, ["a", "b", "c", "..."]),
        (1, ["a", "b", "..."]),
        (0, ["a", "..."]),
    ],
)
def test_an_outline_is_cut_off_below_a_depth_and_says_where(depth: int | None, left: list[str]) -> None:
    assert list(texts(pruned(DEEP, depth))) == left


def test_a_step_that_rests_on_nothing_is_not_marked_as_cut_off() -> None:
    assert pruned(Step("a", "rule"), 0).children == ()
