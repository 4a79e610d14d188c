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


def test_numbers_near_the_end_of_the_32_bits_are_noticed() -> None:
    atoms = [clingo.parse_term("p(1,f(3))"), clingo.parse_term("p(f(-1073741825))")]
    assert near_overflow(atoms[:1]) is None
    assert near_overflow(atoms) == atoms[1]
