"""Examples as pages: a rule's own, one that failed, and how many passed."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Group

from disproof.bridge.example_views import failure_view, rule_examples, summary_view
from disproof.bridge.examples import Outcome
from disproof.bridge.output import rendered
from disproof.symbolic.rulebook import RuleBook, load

TEXT = """%!rule clash
%!trace_rule {"%", E}.
%!silent Ann sat down.
%!fires Ann unplugged the lamp. Ann read. {after 1 lamp power false}
conflict(S,T,clash,E,power) :- helps(S,E), helps(T,E), S < T.
%!rule helps
helps(S,E) :- mention(S,E).
%!rule bare
bare("x").
"""


@pytest.fixture
def book(tmp_path: Path) -> RuleBook:
    path = tmp_path / "mine.lp"
    path.write_text(TEXT)
    return load([path])


def lines(page: object) -> list[str]:
    return [" ".join(line.split()) for line in rendered(page, 300).splitlines()]  # type: ignore[arg-type]


def outcome(book: RuleBook, number: int, *fired: str, problem: str = "") -> Outcome:
    (rule,) = book.named("clash")
    example = rule.examples[number]
    return Outcome(rule, example, ("Ann unplugged the lamp.", "Ann read."), frozenset(fired), problem)


def test_a_rules_examples_are_shown_those_that_fire_first(book: RuleBook) -> None:
    assert lines(Group(*rule_examples(book.named("clash")))) == [
        "",
        "fires in: Ann unplugged the lamp. Ann read.",
        "given: after sentence 1 the lamp is unpowered",
        "silent in: Ann sat down.",
    ]
    assert rule_examples(book.named("helps")) == []


def test_a_failure_shows_the_story_as_it_was_cut_and_the_other_rules_that_fired(book: RuleBook) -> None:
    place = book.named("clash")[0].file
    assert lines(failure_view(outcome(book, 1, "helps"), book)) == [
        "clash: should fire, but is silent",
        f"{place}:4",
        "1 Ann unplugged the lamp.",
        "2 Ann read.",
        "given: after sentence 1 the lamp is unpowered",
        "conflicts found by: no rule",
        "other rules that fire: helps",
    ]
    silent = lines(failure_view(outcome(book, 0, "clash"), book))
    assert silent[:2] == ["clash: should be silent, but fires", f"{place}:3"]
    assert silent[-1] == "other rules that fire: none"


def test_a_failure_that_could_not_be_run_says_why(book: RuleBook) -> None:
    shown = lines(failure_view(outcome(book, 1, problem="the story does not name 'lamp'"), book))
    assert shown[0] == "clash: the story does not name 'lamp'"
    assert not any("fire:" in line for line in shown)


def test_the_summary_counts_examples_and_names_the_rules_that_lack_them(book: RuleBook) -> None:
    outcomes = [outcome(book, 0), outcome(book, 1)]
    assert lines(summary_view(book, outcomes)) == [
        "2 examples: 1 passed, 1 failed",
        "1 named rule with examples, 2 without",
        "without an example in which it fires (2): helps, bare",
        "without an example in which it is silent (2): helps, bare",
    ]


def test_a_story_cannot_steer_the_page(tmp_path: Path) -> None:
    path = tmp_path / "mine.lp"
    path.write_text("%!rule a\n%!fires Ann [bold]sat\x1b[31m.\na(X) :- sentence(X).\n")
    shown = rendered(Group(*rule_examples(load([path]).named("a"))))
    assert "Ann [bold]sat\\x1b[31m." in shown
