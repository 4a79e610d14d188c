"""Atoms read from text are those of clingo's syntax trees."""

from __future__ import annotations

from typing import Any

import pytest
from clingo.ast import ASTType, Sign, parse_string

from disproof.symbolic.atoms import Atom, read_atom, read_literal, says_unnamed
from disproof.symbolic.rulebook import load


def kinds(text: str) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(term.text, term.kind, term.variables) for term in read_atom(text).terms]


def test_an_atom_has_its_terms() -> None:
    assert kinds('p(X,_,"a, (b)",power,-3,T+1,f(X,Y),1..N,__Z)') == [
        ("X", "variable", ("X",)),
        ("_", "anonymous", ()),
        ('"a, (b)"', "string", ()),
        ("power", "constant", ()),
        ("-3", "constant", ()),
        ("T+1", "other", ("T",)),
        ("f(X,Y)", "other", ("X", "Y")),
        ("1..N", "other", ("N",)),
        ("__Z", "variable", ("__Z",)),
    ]
    assert read_atom("rains") == Atom("rains", ())


@pytest.mark.parametrize(
    "text", ["X < Y", "p(X) < q(Y)", "p(1;2)", "X = #count { Y: p(Y) }", "p(X): q(X)", "#true", "-p(X)"]
)
def test_what_is_no_plain_atom_is_left_to_the_syntax_tree(text: str) -> None:
    assert read_literal(text) is None


def test_what_stands_in_a_string_is_no_syntax() -> None:
    read = read_literal('not p("a < (b; c")')
    assert read is not None
    assert (read[0], read[1].signature, read[1].terms[0].kind) == (1, ("p", 1), "string")


@pytest.mark.parametrize(("text", "said"), [("p(X,_)", True), ('p("_")', False), ("p(_X)", False), ("p(1..3)", True)])
def test_unnamed_variables_and_intervals_are_seen(text: str, said: bool) -> None:
    assert says_unnamed(text) is said


def test_every_literal_of_the_shipped_rules_is_read_as_clingo_reads_it() -> None:
    signs = (Sign.NoSign, Sign.Negation, Sign.DoubleNegation)
    seen = 0
    for rule in load().rules:
        if not rule.uses:
            continue
        for literal in rule.body:
            plain = literal.ast_type == ASTType.Literal and literal.atom.ast_type == ASTType.SymbolicAtom
            read = read_literal(str(literal))
            assert (read is not None) == (plain and literal.atom.symbol.ast_type == ASTType.Function), str(literal)
            if read is None:
                continue
            seen += 1
            symbol: Any = literal.atom.symbol
            assert read[1].signature == (symbol.name, len(symbol.arguments))
            assert literal.sign == signs[read[0]]
            assert [term.text for term in read[1].terms] == [str(argument) for argument in symbol.arguments]
    assert seen > 1000


def test_text_that_clingo_prints_is_read_back() -> None:
    nodes: list[Any] = []
    parse_string('a :- b(X , "q\\"(", not_c , X+ 1 ), not  c.', nodes.append)
    texts = [str(literal) for literal in nodes[-1].body]
    reads = [read_literal(text) for text in texts]
    assert [read and (read[0], read[1].signature) for read in reads] == [(0, ("b", 4)), (1, ("c", 0))]
