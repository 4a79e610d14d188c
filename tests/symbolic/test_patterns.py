"""Conditions of rules outside clingo: what they match, compare and bind is what clingo would."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import clingo
import pytest

from disproof.symbolic.patterns import (
    Absence,
    Atom,
    Comparison,
    Pattern,
    Unchecked,
    World,
    assigned,
    compares,
    match,
    patterns,
    value,
)
from disproof.symbolic.rulebook import load


@pytest.fixture
def read(tmp_path: Path) -> Any:
    """``read(rule)``: the patterns of the last rule of a text."""

    def one(text: str) -> list[Pattern]:
        path = tmp_path / "some.lp"
        path.write_text(text, "utf-8")
        return patterns(load([path]).rules[-1])

    return one


def atom(read: Any, text: str) -> Atom:
    """The first condition of a rule that uses every variable of it, so that it is safe."""
    literal = read(f"p :- {text}.\n")[0].body[0]
    assert isinstance(literal, Atom)
    return literal


def test_conditions_are_read_in_order_and_by_kind(read: Any) -> None:
    (pattern,) = read("h(X) :- p(X,_,1), not q(X,_), X != a, not not r(X), 1 < #count { Y : s(X,Y) }, t(Z) : s(X,Z).\n")
    kinds = [type(literal) for literal in pattern.body]
    assert kinds == [Atom, Absence, Comparison, Absence, Unchecked, Unchecked]
    assert [literal.doubled for literal in pattern.body if isinstance(literal, Absence)] == [False, True]
    assert pattern.body[0].signature == ("p", 3)
    assert pattern.body[1].variables == {"X"}
    assert "#count" in pattern.body[4].text


def test_a_pool_is_a_case_each(read: Any) -> None:
    cases = read('h(X) :- p(X,("a";"b")).\n')
    assert [value(case.body[0].arguments[1], {}) for case in cases] == ['"a"', '"b"']


@pytest.mark.parametrize(
    ("term", "given", "binding"),
    [
        ("X", "3", {"X": "3"}),
        ("3", "3", {}),
        ("3", "4", None),
        ("f(X,b)", 'f("a",b)', {"X": '"a"'}),
        ("f(X,b)", "f(1,c)", None),
        ("f(X)", "g(1)", None),
        ("(X,Y)", "(1,2)", {"X": "1", "Y": "2"}),
        ("(X,)", "(1,)", {"X": "1"}),
        ("X+1", "3", {"X": "2"}),
        ("1+X", "3", {"X": "2"}),
        ("X-2", "3", {"X": "5"}),
        ("5-X", "3", {"X": "2"}),
        ("X+1", "a", None),
        ("f(X,X)", "f(1,1)", {"X": "1"}),
        ("f(X,X)", "f(1,2)", None),
        ("_", "anything", {}),
    ],
)
def test_a_term_matches_what_clingo_would_match(
    term: str, given: str, binding: dict[str, str] | None, read: Any
) -> None:
    found: dict[str, str] = {}
    matched = match(atom(read, f"p({term})").arguments[0], given, found)
    assert (found if matched else None) == binding
    control = clingo.Control(["--warn=none"])
    control.add("base", [], f"p({given}). hit :- p({term}).")
    control.ground([("base", [])])
    assert matched == bool(control.symbolic_atoms[clingo.Function("hit")])


@pytest.mark.parametrize(
    ("sum_", "known"), [("X*2", "6"), ("X/2", "1"), ("-X", "-3"), ("|0-X|", "3"), ("X\\2", "1"), ("X**2", "9")]
)
def test_arithmetic_has_clingos_values(sum_: str, known: str, read: Any) -> None:
    (pattern,) = read(f"h(Y) :- p(X), Y = {sum_}.\n")
    comparison = pattern.body[1]
    assert value(comparison.terms[1], {"X": "3"}) == known
    assert value(comparison.terms[1], {"X": '"a"'}) is None
    assert value(comparison.terms[1], {}) is None


@pytest.mark.parametrize(
    ("text", "binding", "holds"),
    [
        ("X < Y", {"X": "2", "Y": "10"}, True),
        ("X < Y", {"X": "10", "Y": "2"}, False),
        ("X <= Y", {"X": "2", "Y": "2"}, True),
        ("X != Y", {"X": "a", "Y": "b"}, True),
        ("X > Y", {"X": '"b"', "Y": '"a"'}, True),
        ("1 < X < Y", {"X": "2", "Y": "3"}, True),
        ("1 < X < Y", {"X": "2", "Y": "2"}, False),
        ("not X = Y", {"X": "1", "Y": "1"}, False),
        ("X+1 = Y", {"X": "1", "Y": "2"}, True),
        ("X+1 = Y", {"X": "a", "Y": "2"}, False),
    ],
)
def test_comparisons_are_those_of_clingo(text: str, binding: dict[str, str], holds: bool, read: Any) -> None:
    (pattern,) = read(f"h :- p(X), p(Y), {text}.\n")
    assert compares(cast(Comparison, pattern.body[2]), binding) is holds


def test_an_equation_binds_what_it_gives_a_value(read: Any) -> None:
    (pattern,) = read("h(Y,Z) :- p(X), Y = X+1, f(Z) = X.\n")
    binding = {"X": "f(2)"}
    assert assigned(pattern.body[2], binding)
    assert binding["Z"] == "2"
    assert not assigned(pattern.body[1], binding)
    assert "Y" not in binding


ROWS: dict[tuple[str, int], list[tuple[str, ...]]] = {
    ("p", 2): [("1", '"a"'), ("1", '"b"'), ("2", '"a"')],
    ("word", 1): [(f'"w{k}"',) for k in range(9)],
}


def test_atoms_are_found_by_any_of_their_arguments(read: Any) -> None:
    world = World(ROWS)
    asked = atom(read, "p(X,Y)")
    assert len(world.candidates(asked, {})) == 3
    assert world.candidates(asked, {"Y": '"a"'}) == [("1", '"a"'), ("2", '"a"')]
    assert [row for row, _ in world.matches(asked, {"X": "1", "Y": '"b"'})] == [("1", '"b"')]
    assert list(world.matches(atom(read, "q(X)"), {})) == []


def test_few_words_stand_for_all_where_none_is_asked_for(read: Any) -> None:
    world = World(ROWS, lexicon=[("word", 1)])
    asked = atom(read, "word(X)")
    assert len(world.candidates(asked, {})) == World.few
    assert world.candidates(asked, {"X": '"w8"'}) == [('"w8"',)]
