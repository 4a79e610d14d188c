"""Rules that can ground for ever are named, and rules that cannot are not."""

from __future__ import annotations

from pathlib import Path

import clingo
import pytest

from disproof.symbolic.growth import blame, near_overflow, suspects
from disproof.symbolic.rulebook import Rule, load


def read(tmp_path: Path, text: str) -> tuple[Rule, ...]:
    path = tmp_path / "x.lp"
    path.write_text(text)
    return load([path]).rules


@pytest.mark.parametrize(
    "text",
    [
        "f(N+1) :- f(N).",
        "f(s(N)) :- f(N).",
        "f(N) :- f(M), N = M*2.",
        "f(N+1,E) :- g(N,E), entity(E).\ng(N,E) :- f(N,E).",
        "f(1..1000000000).",
        "f(-N-1) :- f(N), entity(E), mention(T,E).",
    ],
)
def test_unbounded_growth_is_suspected(tmp_path: Path, text: str) -> None:
    assert [rule.line for rule in suspects(read(tmp_path, text))] == [1]


@pytest.mark.parametrize(
    "text",
    [
        "f(N+1) :- f(N), N < 10.",
        "f(N+1) :- f(N), sentence(N+1).",
        "f(T,E,T) :- f(T-1,E,S), sentence(T).",
        "f(N) :- f(M), N = M+1, sentence(N).",
        "f(N+1) :- sentence(N).",
        "f(X,Z) :- f(X,Y), f(Y,Z).",
        "f(1..100).",
        'f("1..1000000000").',
    ],
)
def test_bounded_rules_are_not_suspected(tmp_path: Path, text: str) -> None:
    assert suspects(read(tmp_path, text)) == ()


def test_the_blame_names_rule_file_and_line(tmp_path: Path) -> None:
    rules = read(tmp_path, "f(0).\n%!rule counts\nf(N+1) :- f(N).\n")
    assert f"'counts' ({tmp_path / 'x.lp'}:3)" in blame(rules)
    assert blame(rules[:1]) == ""


MANY = "n(1..2000).\n"


@pytest.mark.parametrize(
    "rule",
    ["p(X,Y) :- n(X), n(Y).", "p(X,Y) :- n(X), n(Y), X != Y, mention(T,_).", "p(X) :- n(X), n(Y), n(Z), X = Z."],
)
def test_facts_put_together_by_the_million_are_blamed_on_the_rule_that_does_it(tmp_path: Path, rule: str) -> None:
    told = blame(read(tmp_path, f"{MANY}q(X) :- n(X).\n%!rule pairs\n{rule}\n"))
    assert f"'pairs' ({tmp_path / 'x.lp'}:4)" in told
    assert "share no variable" in told


@pytest.mark.parametrize(
    "rule",
    [
        "p(X,Y) :- n(X), n(Y), w(X,Y).",
        "p(X) :- n(X), not n(X+1).",
        "p(X,Y) :- m(X), m(Y).",
        'p(X,Y) :- n(X), verb_class(Y,"n(1..9)").',
    ],
)
def test_conditions_that_are_joined_or_small_are_not_blamed(tmp_path: Path, rule: str) -> None:
    text = f"{MANY}m(1..20).\nw(1,2).\n{rule}\n"
    assert blame(read(tmp_path, text)) == ""


def test_numbers_near_the_end_of_the_32_bits_are_noticed() -> None:
    atoms = [clingo.parse_term("p(1,f(3))"), clingo.parse_term("p(f(-1073741825))")]
    assert near_overflow(atoms[:1]) is None
    assert near_overflow(atoms) == atoms[1]
