"""Annotations of a rule file: the examples of its rules, and what would keep them silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from disproof.symbolic.pack import read_pack
from disproof.symbolic.rulebook import load
from disproof.symbolic.vocabulary import FALSE

RULE = "p(X) :- sentence(X).\n"
TEXT = (
    """% Lamps need power.
%!rule dark
%!trace_rule {"%", X}.
%!fires Ann unplugged the lamp.
% Ann read by the lamp. {after 1 lamp power false}
%!silent Ann sat down. Ann read a book.
%!fires Ann cut the cord of the lamp. Ann read by the lamp.
%!unless it is plugged in
%        again in between
"""
    + RULE
)


def test_a_rule_has_the_examples_that_stand_above_it() -> None:
    pack = read_pack("lamps.lp", "lamps", TEXT.encode())
    assert (pack.problems, pack.remarks) == ((), ())
    (entry,) = pack.entries
    assert [(e.line, e.fires, e.story) for e in entry.examples] == [
        (4, True, "Ann unplugged the lamp. Ann read by the lamp."),
        (6, False, "Ann sat down. Ann read a book."),
        (7, True, "Ann cut the cord of the lamp. Ann read by the lamp."),
    ]
    assert [(s.sentence, s.entity, s.value) for s in entry.examples[0].states] == [(0, "lamp", FALSE)]
    assert entry.unless == "it is plugged in again in between"
    assert (entry.description, entry.wording) == ("Lamps need power.", "%")


def test_a_story_ends_at_its_braces_at_a_blank_comment_and_at_a_blank_line() -> None:
    for end in ("{after 1 Ann wearing true}\n%", "\n%\n%", "\n\n%"):
        text = f"%!rule a\n%!fires Ann sat. Ann stood up. {end} What comes next says what the rule is.\n{RULE}"
        (entry,) = read_pack("a.lp", "a", text.encode()).entries
        assert entry.examples[0].story == "Ann sat. Ann stood up."
        assert entry.description == "What comes next says what the rule is."


def test_the_statements_of_one_name_share_their_examples(tmp_path: Path) -> None:
    path = tmp_path / "two.lp"
    path.write_text(f"%!rule a\n%!fires Ann sat.\n{RULE}%!rule a\n%!silent Ann stood up.\n{RULE}")
    first, second = load([path]).named("a")
    assert [e.expected for e in (*first.examples, *second.examples)] == ["fires", "silent"]
    assert (first.unless, second.unless) == ("", "")


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (f"%!rule a\n%!fires\n{RULE}", 2, "has no story"),
        (f"%!rule a\n%!silent Ann sat. {{after 1 Ann conscius true}}\n{RULE}", 2, "did you mean 'conscious'"),
        (f"%!rule a\n\n%!fires Ann sat.\n%  {{after 2 Ann wet true}}\n{RULE}", 3, "but the story has 1 sentence"),
        (f"%!rule a\n%!unless\n{RULE}", 2, "is not said"),
        (f"%!rule a\n%!unless it rains\n%!unless it snows\n{RULE}", 3, "a second %!unless"),
        (f"%!fires Ann sat.\n{RULE}", 1, "needs a rule with a name"),
        (f"{RULE}%!rule a\n%!fires Ann sat.\n", 3, "no rule follows"),
        ("%!fires Ann sat.\n#show p/1.\n", 1, "above a directive"),
    ],
)
def test_what_is_wrong_with_an_annotation_is_a_problem_with_its_line(text: str, line: int, says: str) -> None:
    (problem,) = read_pack("a.lp", "a", text.encode()).problems
    assert says in problem.message
    assert str(problem.location) == f"a.lp:{line}"


def test_an_unknown_annotation_is_remarked_on_with_those_that_are_known() -> None:
    (remark,) = read_pack("a.lp", "a", f"%!rule a\n%!fire Ann sat.\n{RULE}".encode()).remarks
    assert "'%!fire' is not known" in remark.message
    assert "%!fires" in remark.message
