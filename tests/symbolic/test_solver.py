"""The solver: which conflicts, by which proof, at what cost."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import clingo
import pytest

from disproof.neural.fake import FakeTagger
from disproof.symbolic.errors import RuleError
from disproof.symbolic.facts import story_facts
from disproof.symbolic.parse import Event, Mention, Parse
from disproof.symbolic.proof import Conflict, ProofNode
from disproof.symbolic.rulebook import load
from disproof.symbolic.solver import Solver, fill
from disproof.symbolic.vocabulary import Side

States = Mapping[str, Mapping[tuple[Side, str, str], int | tuple[int, float]]]
Solve = Callable[..., tuple[Conflict, ...]]
TWO = Parse(
    ("a", "b"),
    ("lamp",),
    (Event(0, 0, "unplug", (("object", "lamp"),)), Event(1, 0, "use", (("object", "lamp"),))),
    (Mention(0, 0, 1, "lamp"), Mention(1, 0, 1, "lamp")),
)
# Inertia in the smallest form, with the priced absence.
INERTIA = """
effect(T,E,A,V) :- label(eff,T,E,A,V,_).
precondition(T,E,A,V) :- label(pre,T,E,A,V,_).
changed(T,E,A) :- label(eff,T,E,A,_,C), C <= 693.
%!rule begins
holds(T,E,A,V,T) :- effect(T,E,A,V).
%!rule persists
%!trace_rule {"nothing in sentence % changes the %'s %", T, E, A}.
holds(T,E,A,V,S) :- holds(P,E,A,V,S), previous(T,E,P), not changed(T,E,A).
before(T,E,A,V,S) :- holds(P,E,A,V,S), previous(T,E,P).
%!rule clash
%!trace_rule {"the % of the % is lost in sentence % and needed in sentence %", A, E, S, T}.
conflict(S,T,clash,E,A) :- before(T,E,A,false,S), precondition(T,E,A,true).
"""


@pytest.fixture
def solve(tmp_path: Path) -> Solve:
    """``solve(rules, parse, states)``: the conflicts of one story under rules given as text."""

    def run(text: str, parse: Parse = TWO, states: States | None = None) -> tuple[Conflict, ...]:
        path = tmp_path / "some.lp"
        path.write_text(text, "utf-8")
        tagging = FakeTagger(states).tag(parse.sentences, parse.entities)
        return Solver(load([path])).solve_story(parse, tagging).conflicts

    return run


def only(conflicts: Sequence[Conflict]) -> Conflict:
    assert len(conflicts) == 1, conflicts
    return conflicts[0]


def by_atom(proof: ProofNode, start: str) -> ProofNode:
    return next(node for node in proof.walk() if node.atom.startswith(start))


# ---- Which conflicts


def test_a_conflict_names_its_sentences_rule_reason_entity_and_attribute(solve: Solve) -> None:
    text = "%!rule used_up\nconflict(I,J,gone(I),E,exist) :- verb(I,V), arg(J,_,object,E), I < J.\n"
    found = only(solve(text))
    assert (found.evidence, found.breakpoint, found.rule, found.reason) == (0, 1, "used_up", "gone(0)")
    assert (found.entity, found.attribute) == ("lamp", "exist")


@pytest.mark.parametrize("pair", ["1,0", "0,0", "0,2", "-1,1", "0,9", "a,1", '0,"b"', "0,(0,1)"])
def test_a_conflict_that_names_no_two_sentences_in_order_is_dropped(pair: str, solve: Solve) -> None:
    assert solve(f"conflict({pair},r,E,power) :- entity(E).\n") == ()


def test_a_conflict_that_is_written_as_a_fact_has_a_proof(solve: Solve) -> None:
    found = only(solve('%!rule always\nconflict(0,1,always,"lamp",power).\n'))
    assert (found.rule, found.proof.basis, found.proof.children) == ("always", "rule", ())


def test_entities_and_attributes_may_be_any_term(solve: Solve) -> None:
    found = only(solve('conflict(0,1,r,pair("lamp",1),on_the("desk")) :- sentence(1).\n'))
    assert (found.entity, found.attribute) == ('pair("lamp",1)', 'on_the("desk")')


def test_a_story_without_sentences_in_conflict_has_none(solve: Solve) -> None:
    assert solve(INERTIA) == ()
    assert solve(INERTIA, Parse((), ())) == ()


def test_names_come_back_as_they_went_in(solve: Solve) -> None:
    name = 'the "big"\nlamp \\ лампа'
    parse = Parse(("a", "b"), (name,))
    found = only(solve('%!trace_rule {"the % (%)", E, 1}.\nconflict(0,1,r,E,power) :- entity(E).\n', parse))
    assert found.entity == name
    assert found.proof.wording == f"the {name} (2)"


# ---- Which proof


def test_the_cheapest_proof_is_told(solve: Solve) -> None:
    text = """
    conflict(0,1,r,E,power) :- way(E).
    %!rule dear
    way(E) :- label(eff,0,E,power,false,_).
    %!rule cheap
    way(E) :- label(eff,0,E,running,false,_), label(eff,0,E,wet,true,_).
    """
    states: States = {
        "a": {
            ("effect", "lamp", "power"): (1, 0.5),
            ("effect", "lamp", "running"): (1, 0.8),
            ("effect", "lamp", "wet"): (2, 0.9),
        }
    }
    found = only(solve(text, states=states))
    assert by_atom(found.proof, "way").rule == "cheap"
    assert found.cost == pytest.approx(-math.log(0.8 * 0.9), abs=2e-3)


def test_a_step_that_is_used_twice_by_one_rule_is_paid_once(solve: Solve) -> None:
    text = "conflict(0,1,r,E,power) :- p(E), p(F).\np(E) :- label(eff,0,E,power,false,_).\n"
    found = only(solve(text, states={"a": {("effect", "lamp", "power"): (1, 0.5)}}))
    assert found.cost == pytest.approx(math.log(2), abs=1e-3)


def test_equal_proofs_are_told_by_the_order_of_their_rules(solve: Solve) -> None:
    text = "conflict(0,1,r,E,power) :- p(E).\n" + "".join(f"%!rule p{k}\np(E) :- entity(E).\n" for k in range(5))
    assert by_atom(only(solve(text)).proof, "p(").rule == "p0"


def test_a_proof_never_goes_in_a_circle(solve: Solve) -> None:
    text = """
    conflict(0,1,r,E,power) :- p(E).
    p(E) :- q(E).
    q(E) :- p(E).
    q(E) :- label(eff,0,E,power,false,_).
    lonely(E) :- lonely(E), entity(E).
    conflict(0,1,lonely,E,power) :- lonely(E).
    """
    found = only(solve(text, states={"a": {("effect", "lamp", "power"): (1, 0.5)}}))
    assert [node.atom.split("(")[0] for node in found.proof.walk()] == ["conflict", "p", "q", "label"]


def test_rules_may_rest_on_their_own_absence_in_an_earlier_sentence(solve: Solve) -> None:
    """Grounding alone does not settle these; the answer is that of the one stable model."""
    text = """
    there(T,E) :- mention(T,E), not gone(T,E).
    gone(T,E) :- there(S,E), mention(T,E), S < T.
    conflict(I,J,r,E,power) :- there(I,E), gone(J,E), I < J.
    """
    parse = Parse(("a", "b", "c"), ("lamp",), mentions=tuple(Mention(t, 0, 1, "lamp") for t in range(3)))
    assert {(c.evidence, c.breakpoint) for c in solve(text, parse)} == {(0, 1), (0, 2)}


def test_conflicts_come_cheapest_first(solve: Solve) -> None:
    states: States = {
        "a": {("effect", "lamp", "power"): (1, 0.5), ("effect", "lamp", "open"): (1, 0.9)},
        "b": {("precondition", "lamp", "power"): 2, ("precondition", "lamp", "open"): 2},
    }
    assert [c.attribute for c in solve(INERTIA, states=states)] == ["open", "power"]


# ---- What a proof says


STATES: States = {
    "a": {("effect", "lamp", "power"): (1, 0.9)},
    "b": {("effect", "lamp", "power"): (2, 0.25)},
    "c": {("precondition", "lamp", "power"): (2, 0.8)},
}
THREE = Parse(("a", "b", "c"), ("lamp",), mentions=tuple(Mention(t, 0, 1, "lamp") for t in range(3)))


def test_an_absence_that_a_proof_relies_on_is_told_and_priced(solve: Solve) -> None:
    found = only(solve(INERTIA, THREE, STATES))
    kept = by_atom(found.proof, "holds(1")
    assert kept.absent == ('changed(1,"lamp",power)',)
    assert kept.cost == pytest.approx(-math.log(0.9 * 0.75), abs=2e-3)
    assert found.cost == pytest.approx(-math.log(0.9 * 0.75 * 0.8), abs=3e-3)


def test_other_absences_are_told_and_cost_nothing(solve: Solve) -> None:
    text = (
        "conflict(0,1,r,E,power) :- entity(E), not human(E), not arg(_,_,agent,E), not held(E).\n"
        "held(a) :- sentence(9).\n"
    )
    found = only(solve(text))
    assert found.proof.absent == ('human("lamp")', 'arg(any,any,agent,"lamp")', 'held("lamp")')
    assert found.cost == 0


def test_wordings_count_sentences_from_one(solve: Solve) -> None:
    found = only(solve(INERTIA, THREE, STATES))
    assert found.proof.wording == "the power of the lamp is lost in sentence 1 and needed in sentence 3"
    assert by_atom(found.proof, "holds(1").wording == "nothing in sentence 2 changes the lamp's power"


def test_a_wording_may_have_terms_of_any_kind(solve: Solve) -> None:
    text = """%!trace_rule {"% % % % %", J-1, E, cup_board, "a % \\"b\\" J", E+1}.
    conflict(0,J,r,E,power) :- entity(E), sentence(J), 0 < J."""
    assert only(solve(text)).proof.wording == '1 lamp cup board a % "b" J ("lamp"+1)'


def test_a_pool_may_leave_a_wording_without_a_value(solve: Solve) -> None:
    text = '%!trace_rule {"by %", X}.\nconflict(0,1,r,E,power) :- entity(E), p(X,1;none).\np(none) :- sentence(1).\n'
    assert only(solve(text)).proof.wording == "by X"


def test_the_states_that_rules_assert_are_read_back_with_their_probability(solve: Solve) -> None:
    found = only(solve(INERTIA, THREE, STATES))
    cited = {(s.side, s.sentence, s.entity, s.attribute, s.value): s.probability for s in found.states()}
    assert cited == {
        ("effect", 0, "lamp", "power", 1): pytest.approx(0.9),
        ("precondition", 2, "lamp", "power", 2): pytest.approx(0.8),
    }


def test_each_step_says_what_it_rests_on_and_where_it_is_written(solve: Solve) -> None:
    text = (
        '%!rule lost\nconflict(0,J,r,E,power) :- verb(0,V), loses(V), arg(J,_,object,E), 0 < J.\n\nloses("unplug").\n'
    )
    proof = only(solve(text)).proof
    assert (proof.basis, proof.rule, proof.line, Path(proof.file or "").name) == ("rule", "lost", 2, "some.lp")
    assert [(n.basis, n.atom, n.line) for n in proof.children] == [
        ("text", 'verb(0,"unplug")', None),
        ("lexicon", 'loses("unplug")', 4),
        ("text", 'arg(1,"use",object,"lamp")', None),
    ]
    states = only(solve(INERTIA, THREE, STATES)).proof
    assert by_atom(states, "label(").basis == "state"


def test_an_interval_in_a_condition_is_told_as_what_it_matched(solve: Solve) -> None:
    found = only(solve("conflict(0,1,r,E,power) :- entity(E), q(1..3), not q(3..4).\nq(2) :- sentence(1).\n"))
    assert [child.atom for child in found.proof.children] == ['entity("lamp")', "q(2)"]
    assert found.proof.absent in (("q(3)",), ("q(4)",))


def test_holes_are_filled_in_order() -> None:
    words = [clingo.Number(0), clingo.String("a_b c"), clingo.Function("put_in"), clingo.String("50%")]
    assert fill("% then % is % at %!", words) == "1 then a b c is put in at 50%!"
    amount = clingo.Function("amount", [clingo.Number(35)])
    assert fill("at % degrees in sentence %", [amount, clingo.Number(0)]) == "at 35 degrees in sentence 1"
    assert fill("no holes", []) == "no holes"
    assert fill(None, []) is None


# ---- Long stories, threads, errors


def test_a_state_that_persists_through_200_sentences_is_proved(solve: Solve) -> None:
    sentences = tuple(f"s{t}" for t in range(200))
    parse = Parse(sentences, ("lamp",), mentions=tuple(Mention(t, 0, 1, "lamp") for t in range(200)))
    states: States = {
        "s0": {("effect", "lamp", "power"): 1},
        "s199": {("precondition", "lamp", "power"): 2},
    }
    found = only(solve(INERTIA, parse, states))
    assert (found.evidence, found.breakpoint, found.cost) == (0, 199, 0)
    assert sum(node.rule == "persists" for node in found.proof.walk()) == 198
    assert len(found.states()) == 2


def test_a_chain_of_thousands_of_steps_is_no_recursion(solve: Solve) -> None:
    text = "p(0).\np(N+1) :- p(N), N < 3000.\nconflict(0,1,r,E,power) :- entity(E), p(3000).\n"
    assert sum(1 for _ in only(solve(text)).proof.walk()) > 3000


def test_solving_again_and_in_threads_gives_the_same(tmp_path: Path) -> None:
    path = tmp_path / "some.lp"
    path.write_text(INERTIA + "conflict(I,J,any,E,A) :- holds(I,E,A,_,_), mention(J,F), I < J, entity(E), E != F.\n")
    solver = Solver(load([path]))
    names = [f"thing {k}" for k in range(6)]
    parse = Parse(tuple("abcd"), tuple(names), mentions=tuple(Mention(t, 0, 1, n) for t in range(4) for n in names))
    states: States = {s: {("effect", n, "power"): (1 + k % 2, 0.3 + k / 10) for k, n in enumerate(names)} for s in "ab"}
    facts = story_facts(parse, FakeTagger(states).tag(parse.sentences, parse.entities))
    first = solver.solve(facts)
    assert len(first) > 20
    with ThreadPoolExecutor(4) as pool:
        assert all(again == first for again in pool.map(solver.solve, [facts] * 12))


ONE_STORY = """
import sys
from disproof.neural.fake import FakeTagger
from disproof.symbolic.parse import Event, Mention, Parse
from disproof.symbolic.rulebook import load
from disproof.symbolic.solver import Solver
sentences = tuple("abcd"); names = ("lamp", "desk lamp", "Ann", "cup")
verbs = enumerate(["unplug", "take", "use", "eat"])
parse = Parse(sentences, names,
    tuple(Event(t, 0, v, (("agent", "Ann"), ("object", "lamp"))) for t, v in verbs),
    tuple(Mention(t, 0, 1, n) for t in range(4) for n in names), (), (("lamp", "desk lamp"),))
states = {s: {("effect", "lamp", "power"): (1, 0.9), ("precondition", "desk lamp", "power"): (2, 0.8),
              ("effect", "cup", "exist"): (1, 0.6)} for s in sentences}
for c in Solver(load()).solve_story(parse, FakeTagger(states).tag(sentences, names)).conflicts:
    print(c, [(n.atom, n.rule, n.wording, n.absent, n.cost) for n in c.proof.walk()])
"""


@pytest.mark.slow
def test_every_process_gives_the_same_bytes_with_the_shipped_rules() -> None:
    said = [
        subprocess.run(
            [sys.executable, "-c", ONE_STORY],
            env={**os.environ, "PYTHONHASHSEED": seed, "OMP_NUM_THREADS": threads},
            capture_output=True,
            check=True,
        ).stdout
        for seed, threads in (("1", "1"), ("2", "2"))
    ]
    assert said[0] == said[1]
    assert b"Conflict(" in said[0]


def test_rules_that_cannot_be_grounded_are_an_error_of_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "some.lp"
    path.write_text(INERTIA)
    solver = Solver(load([path]))
    monkeypatch.setattr("disproof.symbolic.solver.program_text", lambda *_: "p(X) :- not q(X).")
    with pytest.raises(RuleError, match="the rules cannot be grounded") as caught:
        solver.solve_story(TWO, FakeTagger().tag(TWO.sentences, TWO.entities))
    assert "\n" not in str(caught.value)


def test_a_solver_says_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "some.lp"
    path.write_text('conflict(0,1,r,E,power) :- lex(E).\nlex("a"). lex("b").\n')
    assert repr(Solver(load([path]))) == "Solver(1 rules, 2 facts)"


def test_what_a_rule_resolves_is_told_beside_the_conflicts_and_only_in_order(tmp_path: Path) -> None:
    path = tmp_path / "some.lp"
    path.write_text('resolved(0,1,"lamp") :- sentence(1).\nresolved(1,0,"lamp").\nresolved(0,7,"lamp").\n', "utf-8")
    solution = Solver(load([path])).solve_story(TWO, FakeTagger().tag(TWO.sentences, TWO.entities))
    assert solution.resolved == {(0, 1)}
    assert solution.conflicts == ()


# ---- Which rules fire


FIRING = """
%!rule touched
touched(T,E) :- arg(T,_,object,E).
%!rule unplugged
unplugged(T,E) :- arg(T,"unplug",object,E).
%!rule plugged
plugged(T,E) :- arg(T,"plug in",object,E).
%!rule lone
%!trace_rule {"% alone", T}.
lone(T) :- touched(T,_), not plugged(T,_).
%!rule listed
listed("unplug").
%!rule clash
conflict(S,T,clash,E,power) :- unplugged(S,E), touched(T,E), S < T, listed("unplug"), lone(S).
%!rule backwards
conflict(T,S,backwards,E,power) :- unplugged(S,E), touched(T,E), S < T.
%!rule mended
resolved(S,T,E) :- unplugged(S,E), plugged(T,E).
%!rule undone
resolved(S,T,E) :- unplugged(S,E), touched(T,E), S < T.
%!rule serves_nothing
serves_nothing(E) :- entity(E).
"""


def fired(path: Path, text: str, parse: Parse) -> frozenset[str]:
    path.write_text(text, "utf-8")
    return Solver(load([path])).fired(parse, FakeTagger().tag(parse.sentences, parse.entities))


def test_rules_of_conflicts_and_rules_that_serve_them_fire_by_name(tmp_path: Path) -> None:
    assert fired(tmp_path / "a.lp", FIRING, TWO) == {"touched", "unplugged", "lone", "clash", "undone"}


def test_a_rule_that_serves_conflicts_fires_also_where_there_is_none(tmp_path: Path) -> None:
    alone = Parse(("a",), ("lamp",), TWO.events[:1], TWO.mentions[:1])
    assert fired(tmp_path / "a.lp", FIRING, alone) == {"touched", "unplugged", "lone"}


def test_a_rule_whose_order_of_sentences_clingo_must_search_fires_where_it_holds(tmp_path: Path) -> None:
    text = """
    %!rule open
    open(T) :- verb(T,"unplug").
    %!rule stays
    open(T+1) :- open(T), sentence(T+1), not shut(T+1).
    %!rule shut
    shut(T+1) :- open(T), verb(T+1,"close").
    conflict(S,T,r,E,open) :- open(S), open(T), S < T, entity(E).
    """
    assert fired(tmp_path / "a.lp", text, TWO) == {"open", "stays"}
