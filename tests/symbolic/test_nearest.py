"""What is nearest to a conflict: which conditions hold, which are missing, and what is in the way."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path

import pytest

from disproof.bridge.readers import read_pairs
from disproof.neural.fake import FakeTagger
from disproof.neural.parser import Parser
from disproof.symbolic.confined import ConfinedSolver
from disproof.symbolic.errors import RuleError, UsageError
from disproof.symbolic.facts import certain, story_facts
from disproof.symbolic.gaps import Gap, Nearest
from disproof.symbolic.nearest import Search, nearest
from disproof.symbolic.parse import Event, Mention, Parse
from disproof.symbolic.program import CONFLICT
from disproof.symbolic.rulebook import load
from disproof.symbolic.solver import Solver
from disproof.symbolic.vocabulary import Side

States = Mapping[str, Mapping[tuple[Side, str, str], int | tuple[int, float]]]
Near = Callable[..., Nearest]
THREE = Parse(
    ("a", "b", "c"),
    ("lamp",),
    (Event(0, 0, "unplug", (("object", "lamp"),)), Event(2, 0, "use", (("object", "lamp"),))),
    tuple(Mention(t, 0, 1, "lamp") for t in range(3)),
)
CLASH = """
%!rule label_effect
%!trace_rule {"after sentence % the %'s % is %", T, E, A, V}.
effect(T,E,A,V) :- label(eff,T,E,A,V,_).
precondition(T,E,A,V) :- label(pre,T,E,A,V,_).
changed(T,E,A) :- label(eff,T,E,A,_,C), C <= 693.
holds(T,E,A,V,T) :- effect(T,E,A,V).
holds(T,E,A,V,S) :- holds(P,E,A,V,S), previous(T,E,P), not changed(T,E,A).
%!rule still
%!trace_rule {"just before sentence % the %'s % is still %, since sentence %", T, E, A, V, S}.
before(T,E,A,V,S) :- holds(P,E,A,V,S), previous(T,E,P).
opposite(false,true). opposite(true,false).
%!rule clash
%!trace_rule {"the % of the % is % in sentence % and % in sentence %", A, E, V, S, W, T}.
conflict(S,T,clash,E,A) :- before(T,E,A,V,S), precondition(T,E,A,W), opposite(V,W).
"""
OFF: States = {"a": {("effect", "lamp", "power"): (1, 0.9)}}
NEEDED: States = {"c": {("precondition", "lamp", "power"): (2, 0.8)}}


@pytest.fixture
def near(tmp_path: Path) -> Near:
    """``near(rules, pair, states)``: what is nearest in one story, under rules given as text."""

    def run(
        text: str, pair: tuple[int, int] = (0, 2), states: States | None = None, parse: Parse = THREE, **options: object
    ) -> Nearest:
        path = tmp_path / "some.lp"
        path.write_text(text, "utf-8")
        tagging = FakeTagger(states).tag(parse.sentences, parse.entities)
        return Solver(load([path])).nearest(parse, tagging, pair, **options)  # type: ignore[arg-type]

    return run


def leaves(found: Nearest) -> list[Gap]:
    return [leaf for gap in found.near[0].gaps for leaf in gap.leaves]


# ---- What is missing


def test_a_missing_state_is_followed_to_its_label_and_what_the_tagger_gives_it(near: Near) -> None:
    states = {**OFF, "c": {("precondition", "lamp", "power"): (2, 0.03)}}
    (found,) = near(CLASH, states=states).near
    assert (found.rule, found.conditions, found.met) == ("clash", 3, 2)
    assert set(found.holds) == {'before(2,"lamp",power,false,0)', "opposite(false,true)"}
    (gap,) = found.gaps
    assert (gap.kind, gap.atom) == ("missing", 'precondition(2,"lamp",power,true)')
    (leaf,) = gap.because
    assert leaf.atom == 'label(pre,2,"lamp",power,true,_)'
    assert leaf.probability == pytest.approx(0.03)


def test_the_likelier_label_is_the_nearer_one(near: Near) -> None:
    likely: States = {"a": {("effect", "lamp", "power"): (1, 0.04)}, "c": {("precondition", "lamp", "power"): 2}}
    other: States = {"a": {("effect", "lamp", "open"): (1, 0.01)}, "c": {("precondition", "lamp", "open"): 2}}
    both: States = {
        "a": {**likely["a"], **other["a"]},
        "c": {("precondition", "lamp", "power"): 2, ("precondition", "lamp", "open"): 2},
    }
    assert near(CLASH, states=both).near[0].atom == 'conflict(0,2,clash,"lamp",power)'


def test_a_fact_of_the_text_that_is_missing_is_named(near: Near) -> None:
    text = 'conflict(S,T,r,E,power) :- verb(S,"unplug"), arg(S,"unplug",object,E), arg(T,"read",by,E), mention(T,E).\n'
    (leaf,) = leaves(near(text))
    assert (leaf.kind, leaf.atom) == ("missing", 'arg(2,"read",by,"lamp")')


def test_what_a_lexicon_does_not_know_is_named(near: Near) -> None:
    text = """
    conflict(S,T,r,E,power) :- drops(S,E), arg(T,_,object,E).
    drops(S,E) :- arg(S,V,object,E), loses(V).
    loses("drop").
    """
    (gap,) = near(text).near[0].gaps
    assert gap.atom == 'drops(0,"lamp")'
    assert [leaf.atom for leaf in gap.leaves] == ['loses("unplug")']


def test_two_conditions_that_come_down_to_one_fact_are_one_fact_away(near: Near) -> None:
    text = """
    conflict(S,T,once,E,power) :- told(S,E), seen(S,E), mention(T,E).
    told(S,E) :- label(eff,S,E,power,false,_).
    seen(S,E) :- label(eff,S,E,power,false,_).
    conflict(S,T,twice,E,power) :- told(S,E), wished(T,E).
    wished(T,E) :- label(pre,T,E,power,true,_).
    """
    assert [found.rule for found in near(text).near] == ["some:2", "some:5"]


def test_what_is_missing_is_worded_where_all_of_it_is_known(near: Near) -> None:
    (found,) = near(CLASH, states=NEEDED).near
    assert found.wording == "the power of the lamp is false in sentence 1 and true in sentence 3"
    (gap,) = found.gaps
    assert gap.wording == "just before sentence 3 the lamp's power is still false, since sentence 1"
    assert (gap.rule, gap.line) == ("still", 11)


def test_what_has_no_value_is_left_open(near: Near) -> None:
    text = (
        '%!trace_rule {"% by %", E, W}.\nconflict(S,T,r(W),E,power) :- lost(S,E,W), mention(T,E).\n#defined lost/3.\n'
    )
    (found,) = near(text).near
    assert found.atom == 'conflict(0,2,_,"lamp",power)'
    assert found.wording == "lamp by …"
    assert found.gaps[0].atom == 'lost(0,"lamp",_)'


# ---- What is in the way


def test_a_not_that_does_not_hold_is_shown_with_why(near: Near) -> None:
    text = """
    conflict(S,T,r,E,power) :- mention(S,E), mention(T,E), S < T, not mended(T,E).
    %!rule mended
    %!trace_rule {"sentence % mends the %", T, E}.
    mended(T,E) :- arg(T,"use",object,E).
    """
    found = near(text)
    (gap,) = found.near[0].gaps
    assert (gap.kind, gap.atom) == ("blocked", 'mended(2,"lamp")')
    proof = found.proofs[gap.atom]
    assert proof.wording == "sentence 3 mends the lamp"
    assert [child.atom for child in proof.children] == ['arg(2,"use",object,"lamp")']
    assert found.near[0].met == 3


def test_a_state_that_does_not_last_is_blamed_on_the_sentence_that_ends_it(near: Near) -> None:
    states: States = {**OFF, "b": {("effect", "lamp", "power"): (2, 0.9)}, **NEEDED}
    found = near(CLASH, states=states)
    (leaf,) = leaves(found)
    assert (leaf.kind, leaf.atom) == ("blocked", 'changed(1,"lamp",power)')
    assert found.near[0].gaps[0].atom == 'before(2,"lamp",power,false,0)'


def test_a_long_inertia_is_told_by_its_end(near: Near) -> None:
    count = 40
    parse = Parse(
        tuple(f"s{k}" for k in range(count)), ("lamp",), mentions=tuple(Mention(k, 0, 1, "lamp") for k in range(count))
    )
    states: States = {
        "s0": {("effect", "lamp", "power"): 1},
        "s5": {("effect", "lamp", "power"): 2},
        f"s{count - 1}": {("precondition", "lamp", "power"): 2},
    }
    found = near(CLASH, (0, count - 1), states, parse)
    assert [leaf.atom for leaf in leaves(found)] == ['changed(5,"lamp",power)']
    assert sum(1 for gap in found.near[0].gaps for _ in gap.walk()) < 6


def test_a_comparison_that_is_false_is_shown_with_its_numbers(near: Near) -> None:
    text = "conflict(S,T,r,E,power) :- label(eff,S,E,power,false,C), C <= 50, mention(T,E), S < T.\n"
    (gap,) = near(text, states=OFF).near[0].gaps
    assert (gap.kind, gap.atom) == ("comparison", "105 <= 50")


def test_what_cannot_be_looked_at_alone_is_said_not_to_be(near: Near) -> None:
    text = "conflict(S,T,r,E,power) :- verb(S,V), lost(S,E,V), T > #count { X : mention(X,E) }, mention(T,E).\n"
    (found,) = near(f"{text}#defined lost/3.\n").near
    assert found.unchecked == ("T > #count { X: mention(X,E) }",)
    assert (found.conditions, found.met) == (4, 2)


# ---- Which rules


def test_a_rule_that_fires_is_not_a_near_miss(near: Near) -> None:
    found = near(CLASH, states={**OFF, **NEEDED})
    assert (found.near, found.fired) == ((), ("clash",))


def test_the_rule_that_lacks_least_comes_first_and_so_many_are_given(near: Near) -> None:
    lacking = [", ".join(f'lost{k}("x")' for k in range(number)) for number in (3, 1, 2)]
    text = "".join(
        f"%!rule r{number}\nconflict(S,T,r{number},E,power) :- mention(S,E), mention(T,E), S < T, {body}.\n"
        for number, body in zip((3, 1, 2), lacking, strict=True)
    ) + "".join(f"#defined lost{k}/1.\n" for k in range(3))
    assert [found.rule for found in near(text).near] == ["r1", "r2", "r3"]
    assert [found.rule for found in near(text, limit=2).near] == ["r1", "r2"]
    assert [found.rule for found in near(text, name="r3").near] == ["r3"]


def test_only_the_nearest_statement_of_a_name_is_given(near: Near) -> None:
    text = """
    %!rule r
    conflict(S,T,r,E,power) :- mention(S,E), mention(T,E), S < T, far("x"), further("x").
    %!rule r
    conflict(S,T,r,E,power) :- mention(S,E), mention(T,E), S < T, far("x").
    #defined far/1. #defined further/1.
    """
    (found,) = near(text).near
    assert (found.line, len(found.gaps)) == (5, 1)


def test_a_head_may_say_its_sentences_by_a_sum(near: Near) -> None:
    text = "conflict(T-2,T,r,E,power) :- mention(T,E), lost(T,E).\nconflict(T-1,T,q,E,power) :- mention(T,E).\n"
    found = near(f"{text}#defined lost/2.\n")
    assert [one.rule for one in found.near] == ["some:1"]
    assert found.near[0].atom == 'conflict(0,2,r,"lamp",power)'


def test_a_name_that_is_wrong_is_refused(near: Near) -> None:
    with pytest.raises(RuleError, match="did you mean 'clash'"):
        near(CLASH, name="clahs")
    with pytest.raises(RuleError, match="'still' derives no conflict"):
        near(CLASH, name="still")


@pytest.mark.parametrize("pair", [(2, 0), (1, 1), (0, 3), (-1, 2)])
def test_sentences_that_are_no_pair_are_refused(pair: tuple[int, int], near: Near) -> None:
    with pytest.raises(UsageError, match="no pair of this story"):
        near(CLASH, pair)


# ---- On the shipped rules


def test_the_search_finds_the_rules_that_the_solver_finds(data_dir: Path) -> None:
    """What leaves no condition unmet is what fires: on every two sentences of some annotated stories."""
    parser = Parser()
    solver = Solver(load())
    names = tuple(rule.name for rule in solver.book.rules if CONFLICT in rule.derives)
    found = 0
    for pair in islice(read_pairs(data_dir / "trip" / "dev.jsonl.gz"), 4):
        for story in pair.stories:
            assert story.gold is not None
            assert story.gold.states is not None
            facts = story_facts(
                parser.parse(story.sentences, story.entities), certain(story.gold.states), solver.synonyms
            )
            fired = {(c.evidence, c.breakpoint, c.rule) for c in solver.solve(facts)}
            search = Search(solver.book, solver.true_atoms(facts), facts)
            for j in range(facts.sentences):
                for i in range(j):
                    expected = {rule for first, second, rule in fired if (first, second) == (i, j)}
                    assert set(search.fired((i, j), names)) == expected
            found += len(fired)
    assert found > 5


SEVEN = (
    "Maria walked into the kitchen and turned on the light.",
    "Maria put the dirty dishes and the cups into the dishwasher.",
    "Maria unplugged the phone and closed the drawer.",
    "Maria washed the pan in the sink with hot water.",
    "Tom opened the fridge and took out the milk and the cheese.",
    "Tom broke the blue cup and threw it in the trash.",
    "Maria called her sister on the phone and drank coffee from the blue cup.",
)


def test_seven_sentences_take_less_than_two_seconds_and_give_the_same_twice() -> None:
    solver = Solver(load())
    parse = Parser().parse(SEVEN)
    facts = story_facts(parse, FakeTagger().tag(parse.sentences, parse.entities), solver.synonyms)
    spent = []
    found = []
    for _ in range(2):  # the better of two: other processes may be busy
        began = time.process_time()
        found.append(nearest(solver, facts, (2, 5)))
        spent.append(time.process_time() - began)
    assert len(found[0].near) == 3
    assert found[0] == found[1]
    assert min(spent) < 2


@pytest.mark.slow
def test_rules_of_strangers_are_searched_in_their_own_process(tmp_path: Path) -> None:
    path = tmp_path / "theirs.lp"
    path.write_text(
        "%!rule lazy\nconflict(I,J,lazy,E,wet) :- mention(I,E), mention(J,E), I < J, not changed(J,E,power).\n"
    )
    states: States = {"c": {("effect", "lamp", "power"): 2}}
    tagging = FakeTagger(states).tag(THREE.sentences, THREE.entities)
    confined = ConfinedSolver([path])
    try:
        found = confined.nearest(THREE, tagging, (0, 2), "lazy")
        assert found == Solver(load(overlays=[path])).nearest(THREE, tagging, (0, 2), "lazy")
        assert found.near[0].gaps[0].atom in found.proofs
        with pytest.raises(RuleError, match="no rule named 'lasy'"):
            confined.nearest(THREE, tagging, (0, 2), "lasy")
    finally:
        confined.close()
