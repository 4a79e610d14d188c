"""What the rules are told of a story's text and states."""

from __future__ import annotations

import math
from collections.abc import Set

import clingo
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from disproof.neural.fake import FakeTagger
from disproof.symbolic.facts import (
    PROBABILITY_FLOOR,
    absence_cost,
    certain,
    constant_value,
    story_facts,
    value_constant,
)
from disproof.symbolic.parse import Direction, Event, Mention, Parse, Property, Quantity
from disproof.symbolic.story import StateTable, Tagging
from disproof.symbolic.vocabulary import ATTRIBUTES, EFFECT, Side

States = dict[str, dict[tuple[Side, str, str], int | tuple[int, float]]]


def nothing(parse: Parse) -> Tagging:
    return Tagging((), np.zeros((0, len(parse.sentences), 2, 20, 9), np.float32))


def facts(parse: Parse, tagging: Tagging | None = None, synonyms: Set[tuple[str, str]] = frozenset()) -> set[str]:
    return {str(symbol) for symbol in story_facts(parse, tagging or nothing(parse), synonyms).symbols}


def labels(states: States, parse: Parse) -> set[str]:
    told = facts(parse, FakeTagger(states).tag(parse.sentences, parse.entities))
    return {fact for fact in told if fact.startswith("label(")}


def test_a_result_becomes_so_and_a_description_is_so() -> None:
    said = (
        Property(0, "soup", "cold", predicative=True, result=True),
        Property(0, "bowl", "clean"),
        Property(0, "milk", "sour", predicative=True, negated=True, result=True),
    )
    found = facts(Parse(("The soup in the clean bowl turned cold, but the milk did not turn sour.",), (), (), (), said))
    assert {'becomes(0,"soup","cold")', 'property(0,"bowl","clean")', 'not_property(0,"milk","sour")'} <= found
    assert not {'property(0,"soup","cold")', 'becomes(0,"milk","sour")'} & found


def test_a_goal_amounts_and_directions_are_told() -> None:
    parse = Parse(
        ("Turn it upside down for 10 minutes.", "Bake a cake."),
        (),
        quantities=(Quantity(0, "time", 600),),
        directions=(Direction(0, "upside down"),),
        goal=1,
    )
    assert {"goal(1)", "quantity(0,time,600)", 'direction(0,"upside down")'} <= facts(parse)
    assert not any(fact.startswith("goal(") for fact in facts(Parse(("Bake a cake.",), ())))


def test_a_return_is_told_of_the_verb() -> None:
    events = (Event(0, 0, "put on", (("object", "hat"),), again=True), Event(0, 1, "leave"))
    found = facts(Parse(("Tom put the hat on again and left.",), (), events))
    assert 'again(0,"put on")' in found
    assert 'again(0,"leave")' not in found


def test_verbs_are_told_with_their_roles_and_whether_they_happened() -> None:
    events = (
        Event(0, 0, "cut", (("agent", "Ann"), ("object", "cake"), ("with", "knife"))),
        Event(1, 0, "eat", (("object", "cake"),), negated=True),
        Event(1, 1, "leave", irrealis=True),
    )
    found = facts(Parse(("Ann cut it.", "She did not eat it and wanted to leave."), ("Ann", "cake"), events))
    assert {
        'verb(0,"cut")',
        'arg(0,"cut",agent,"Ann")',
        'arg(0,"cut",object,"cake")',
        'arg(0,"cut",with,"knife")',
        'negated(1,"eat")',
        'irrealis(1,"leave")',
    } <= found
    assert {f for f in found if f.startswith(("entity", "human", "sentence"))} == {
        'entity("Ann")',
        'entity("cake")',
        'human("Ann")',
        "sentence(0)",
        "sentence(1)",
    }
    assert 'name("knife","knife")' in found  # no entity of the story, but a thing in it


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12))
@example('a "quoted" cup')
@example("back\\slash")
@example("line\nend")
@example("чашка ☕ 茶碗")
@example('"). conflict(0,1,x,y,z). p("')
def test_a_name_survives_whatever_it_is_made_of(name: str) -> None:
    told = story_facts(Parse(("a", "b"), (name,)), FakeTagger().tag(("a", "b"), (name,)))
    assert clingo.Function("entity", [clingo.String(name)]) in told.symbols
    assert [tuple(map(str, of)) for of in told.arguments] == list(told.texts)
    # Printed, as "disproof facts" does, it is read by clingo as the same atom.
    control = clingo.Control()
    control.add("base", [], "".join(f"{symbol}.\n" for symbol in told.symbols))
    control.ground([("base", [])])
    assert {a.symbol for a in control.symbolic_atoms} == set(told.symbols)


def test_facts_are_sorted_and_each_is_told_once() -> None:
    parse = Parse(("a", "b"), ("cup",), mentions=(Mention(0, 0, 1, "cup"), Mention(0, 3, 4, "cup", pronoun=True)))
    symbols = story_facts(parse, nothing(parse)).symbols
    assert list(symbols) == sorted(set(symbols))


def test_a_fact_comes_with_its_arguments_and_all_strings_are_known() -> None:
    parse = Parse(("a",), ("cup",), (Event(0, 0, "wash", (("object", "cup"),)),))
    told = story_facts(parse, nothing(parse))
    atoms = [clingo.Function(n, of) for n, of in zip(told.predicates, told.arguments, strict=True)]
    assert sorted(atoms) == list(told.symbols)
    assert told.strings == {"cup", "wash"}


def test_the_words_beside_a_head_noun_are_told() -> None:
    assert {'noun("apple pie","pie")', 'modifier("apple pie","apple")'} <= facts(Parse(("a",), ("apple pie",)))


# ---- Labels

PARSE = Parse(("a", "b"), ("lamp", "Ann"))


def test_a_label_costs_a_thousand_times_minus_the_log_of_its_probability() -> None:
    states: States = {"a": {("effect", "lamp", "power"): (1, 0.5), ("precondition", "lamp", "open"): (2, 1.0)}}
    assert labels(states, PARSE) == {
        f'label(eff,0,"lamp",power,false,{round(-1000 * math.log(0.5))})',
        'label(pre,0,"lamp",open,true,0)',
    }


def test_what_is_less_likely_than_the_floor_is_no_candidate() -> None:
    below: States = {"a": {("effect", "lamp", "power"): (1, PROBABILITY_FLOOR - 0.001)}}
    above: States = {"a": {("effect", "lamp", "power"): (1, PROBABILITY_FLOOR + 0.001)}}
    assert labels(below, PARSE) == set()
    assert len(labels(above, PARSE)) == 1


def test_the_unknown_is_never_told() -> None:
    assert labels({}, PARSE) == set()


def test_every_candidate_of_one_state_is_told() -> None:
    probabilities = np.zeros((1, 1, 2, 20, 9), np.float32)
    probabilities[0, 0, EFFECT, 8, :3] = (0.2, 0.3, 0.5)
    told = facts(Parse(("a",), ("lamp",)), Tagging(("lamp",), probabilities))
    assert {f for f in told if f.startswith("label")} == {
        f'label(eff,0,"lamp",power,false,{round(-1000 * math.log(0.3))})',
        f'label(eff,0,"lamp",power,true,{round(-1000 * math.log(0.5))})',
    }


def test_locations_go_by_words_of_their_own() -> None:
    states: States = {"a": {("effect", "lamp", "location"): 6, ("effect", "Ann", "h_location"): 1}}
    assert labels(states, PARSE) == {
        'label(eff,0,"lamp",location,put_in,0)',
        'label(eff,0,"Ann",h_location,gone,0)',
    }


def test_every_value_has_one_constant_that_leads_back_to_it() -> None:
    for attribute in ATTRIBUTES:
        for value in range(len(attribute.values)):
            assert constant_value(attribute.name, value_constant(attribute.name, value)) == value
    with pytest.raises(ValueError, match="power has no value 'moved'"):
        constant_value("power", "moved")


def test_annotated_states_are_certain() -> None:
    values = np.zeros((1, 1, 2, 20), np.int8)
    values[0, 0, EFFECT, 8] = 2
    tagging = certain(StateTable(("lamp",), values))
    assert facts(Parse(("a",), ("lamp",)), tagging) >= {'label(eff,0,"lamp",power,true,0)'}
    assert tagging.probabilities.sum(-1).min() == tagging.probabilities.sum(-1).max() == 1


def test_relying_on_no_change_costs_what_the_tagger_gives_to_a_change() -> None:
    states: States = {"a": {("effect", "lamp", "power"): (1, 0.25), ("effect", "lamp", "exist"): (2, 0.9)}}
    told = story_facts(PARSE, FakeTagger(states).tag(PARSE.sentences, PARSE.entities))
    assert absence_cost(told, 0, "lamp", "power") == pytest.approx(-math.log(0.75))
    assert absence_cost(told, 0, "lamp", "exist") == 0  # the default is no change
    assert absence_cost(told, 1, "lamp", "power") == 0
    assert absence_cost(told, 0, "no entity", "power") == 0


# ---- Names and the sentences that touch a thing


def test_an_alias_holds_both_ways() -> None:
    told = facts(Parse(("a",), ("lamp", "desk lamp"), aliases=(("desk lamp", "lamp"), ("lamp", "lamp"))))
    assert {f for f in told if f.startswith("alias")} == {'alias("desk lamp","lamp")', 'alias("lamp","desk lamp")'}


def test_synonyms_are_aliases_by_the_name_in_the_singular() -> None:
    told = facts(Parse(("a",), ("couches", "lamp")), None, {("couch", "sofa")})
    assert not [f for f in told if f.startswith("alias")]
    parse = Parse(("a",), ("the couch",), (Event(0, 0, "move", (("object", "Sofas"),)),))
    assert 'alias("the couch","Sofas")' in facts(parse, None, {("couch", "sofa")})


def previous(told: set[str]) -> set[str]:
    return {fact for fact in told if fact.startswith("previous")}


def test_what_touched_a_thing_last_is_told_over_mentions_events_and_words() -> None:
    parse = Parse(
        tuple("abcde"),
        ("cup",),
        (Event(1, 0, "wash", (("object", "cup"),)),),
        (Mention(0, 0, 1, "cup"), Mention(4, 0, 1, "cup", pronoun=True)),
        (Property(3, "cup", "dirty"),),
    )
    assert previous(facts(parse)) == {'previous(1,"cup",0)', 'previous(3,"cup",1)', 'previous(4,"cup",3)'}


def test_a_thing_is_touched_under_all_its_names() -> None:
    parse = Parse(
        tuple("abc"),
        ("lamp", "desk lamp"),
        mentions=(Mention(0, 0, 1, "lamp"), Mention(1, 0, 1, "desk lamp"), Mention(2, 0, 1, "lamp")),
        aliases=(("desk lamp", "lamp"),),
    )
    assert previous(facts(parse)) == {
        f'previous({t},"{name}",{t - 1})' for t in (1, 2) for name in ("lamp", "desk lamp")
    }


def test_a_likely_state_that_says_something_touches_too() -> None:
    parse = Parse(tuple("abc"), ("cup",), mentions=(Mention(0, 0, 1, "cup"),))
    says: States = {"b": {("effect", "cup", "wet"): (2, 0.6)}, "c": {("effect", "cup", "wet"): (2, 0.4)}}
    assert previous(facts(parse, FakeTagger(says).tag(parse.sentences, parse.entities))) == {'previous(1,"cup",0)'}
    default: States = {"b": {("effect", "cup", "exist"): 2}}
    assert previous(facts(parse, FakeTagger(default).tag(parse.sentences, parse.entities))) == set()
