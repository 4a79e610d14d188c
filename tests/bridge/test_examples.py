"""Examples are run by the parser and the rules alone, and each says what came of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from disproof.bridge.examples import Outcome, examples_of, outcome_document, run_examples
from disproof.neural.parser import Parser
from disproof.symbolic.rulebook import RuleBook, load
from disproof.symbolic.solver import Solver

RULES = """
%!rule clash
%!trace_rule {"%", E}.
"""
CONFLICT = """conflict(S,T,clash,E,power) :- gone(S,E), arg(T,_,object,E), S < T.
%!rule gone
%!fires Ann pulled the cord. {after 1 cord power false}
%!silent Ann pulled the cord. {before 1 cord power false}
gone(S,E) :- label(eff,S,E,power,false,_).
"""


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser()


def run(tmp_path: Path, parser: Parser, annotations: str) -> list[Outcome]:
    book = load([write(tmp_path, annotations)])
    return list(run_examples(book, parser, Solver(book)))


def write(tmp_path: Path, annotations: str) -> Path:
    path = tmp_path / "mine.lp"
    path.write_text(RULES + annotations + "\n" + CONFLICT)
    return path


def test_an_example_passes_where_the_rule_does_what_it_says(tmp_path: Path, parser: Parser) -> None:
    fires = "%!fires Ann unplugged the lamp. Ann used the lamp. {after 1 lamp power false}"
    silent = "%!silent Ann used the lamp. Ann unplugged the lamp. {after 2 lamp power false}"
    outcomes = run(tmp_path, parser, f"{fires}\n{silent}")
    assert [o.passed for o in outcomes] == [True, True, True, True]
    assert [o.rule.name for o in outcomes] == ["clash", "clash", "gone", "gone"]
    assert outcomes[0].sentences == ("Ann unplugged the lamp.", "Ann used the lamp.")
    assert [o.fired for o in outcomes] == [{"clash", "gone"}, {"gone"}, {"gone"}, set()]


def test_an_examples_goal_is_its_last_sentence_and_a_fact(tmp_path: Path, parser: Parser) -> None:
    rule = """%!rule soft_saw
%!trace_rule {"%", E}.
%!fires Cut the rope with a sponge. => Cut a rope.
%!silent Cut the rope with a sponge. Cut a rope.
conflict(S,G,soft_saw,E,functional) :- goal(G), arg(S,_,with,E), S < G.
"""
    path = tmp_path / "mine.lp"
    path.write_text(rule)
    book = load([path])
    outcomes = list(run_examples(book, parser, Solver(book)))
    assert [(o.passed, o.sentences) for o in outcomes] == [(True, ("Cut the rope with a sponge.", "Cut a rope."))] * 2


def test_an_example_fails_where_the_rule_does_the_other_thing(tmp_path: Path, parser: Parser) -> None:
    fires = "%!fires Ann unplugged the lamp. Ann used the lamp."
    silent = "%!silent Ann unplugged the lamp. Ann used the lamp. {after 1 lamp power false}"
    outcomes = run(tmp_path, parser, f"{fires}\n{silent}")[:2]
    assert [(o.passed, o.problem) for o in outcomes] == [(False, ""), (False, "")]
    assert outcome_document(outcomes[0]) == {
        "rule": "clash",
        "file": str(tmp_path / "mine.lp"),
        "line": 4,
        "story": "Ann unplugged the lamp. Ann used the lamp.",
        "expected": "fires",
        "passed": False,
    }


def test_states_of_a_thing_that_the_parser_does_not_find_by_itself_count(tmp_path: Path, parser: Parser) -> None:
    story = "Ann unplugged the lamp at six. Ann used the lamp of six."
    assert "six" not in parser.parse(parser.split(story)).entities
    outcome = run(tmp_path, parser, f"%!fires {story} {{after 1 six power false; after 1 lamp power false}}")[0]
    assert (outcome.problem, outcome.passed) == ("", True)


@pytest.mark.parametrize(
    ("annotation", "problem"),
    [
        ("Ann used the lamp. {after 1 lmap power false}", "the story does not name 'lmap': did you mean 'lamp'?"),
        (
            "Ann saw Mr. Brown. Ann sat. {after 3 Ann wearing true}",
            "the braces name sentence 3, but the story has 2 sentences",
        ),
        ("x" * 20_001 + ".", "sentence 1 has 20002 characters"),
    ],
)
def test_an_example_that_cannot_be_run_fails_and_says_why(
    annotation: str, problem: str, tmp_path: Path, parser: Parser
) -> None:
    for kind in ("fires", "silent"):
        outcome = run(tmp_path, parser, f"%!{kind} {annotation}")[0]
        assert outcome.problem.startswith(problem)
        assert not outcome.passed


def test_examples_come_in_the_order_of_the_files_with_their_rules(tmp_path: Path) -> None:
    book = load([write(tmp_path, "%!silent Ann sat.\n%!fires Ann stood up.")])
    assert [(rule.name, example.line) for rule, example in examples_of(book)] == [
        ("clash", 4),
        ("clash", 5),
        ("gone", 8),
        ("gone", 9),
    ]
    assert examples_of(RuleBook(())) == []


def test_two_rules_may_share_a_story(tmp_path: Path, parser: Parser) -> None:
    outcomes = run(tmp_path, parser, "%!silent Ann pulled the cord. {after 1 cord power false}")
    assert [(o.rule.name, o.passed) for o in outcomes] == [("clash", True), ("gone", True), ("gone", True)]
