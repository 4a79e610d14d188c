"""``rules test``, ``rules init`` and what ``rules show``, ``list`` and ``check`` say of examples."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from disproof.bridge.documents import RuleDocument
from disproof.bridge.examples import OutcomeDocument

Run = Callable[..., Any]
RULE = """%!rule never_twice
%!trace_rule {"the % is painted twice", E}.
%!fires Ann painted the bench. Ann painted the bench again.
%!silent Ann painted the bench. Ann painted the chair.
%!unless another thing is painted
conflict(S,T,never_twice,E,wet) :- arg(S,"paint",object,E), arg(T,"paint",object,E), S < T.
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    file = tmp_path / "mine.lp"
    file.write_text(RULE)
    return file


# ---- test


def test_examples_that_pass_are_counted(mine: Path, command_line: Run) -> None:
    done = command_line("rules", "test", mine)
    assert (done.status, done.err) == (0, "")
    assert done.out == "2 examples: 2 passed, 0 failed\n1 named rule with examples, 0 without\n"


def test_an_example_that_fails_is_shown_with_what_fired_and_the_status_is_1(mine: Path, command_line: Run) -> None:
    twice = "%!silent Ann unplugged the lamp. Ann turned on the lamp. Ann painted the bench. Ann painted the bench."
    mine.write_text(RULE.replace("%!fires", f"{twice}\n%!fires").replace("bench again", "door"))
    done = command_line("rules", "test", mine)
    assert (done.status, done.err) == (1, "")
    assert "never_twice: should be silent, but fires\n" in done.out
    assert "never_twice: should fire, but is silent\n" in done.out
    assert "verb_clash" in done.out
    assert "    4  Ann painted the bench.\n" in done.out
    assert done.out.splitlines()[-2] == "3 examples: 1 passed, 2 failed"


def test_the_json_of_a_test_is_a_line_an_example(mine: Path, command_line: Run) -> None:
    mine.write_text(RULE.replace("painted the chair", "painted the bench"))
    done = command_line("rules", "test", "--format", "json", mine)
    documents = [json.loads(line) for line in done.out.splitlines()]
    assert [list(document) for document in documents] == [list(OutcomeDocument.__annotations__)] * 2
    assert [(d["rule"], d["line"], d["expected"], d["passed"]) for d in documents] == [
        ("never_twice", 3, "fires", True),
        ("never_twice", 4, "silent", False),
    ]
    assert done.status == 1


def test_rules_are_tested_together_with_the_shipped_ones_and_those_of_the_option(
    mine: Path, tmp_path: Path, command_line: Run
) -> None:
    mine.write_text(RULE.replace("S < T.", "happens(S,_), clearly(E), S < T."))
    other = tmp_path / "other.lp"
    other.write_text("clearly(E) :- kind_of(E,furniture).\n")
    assert command_line("rules", "test", mine).status == 1
    assert command_line("rules", "test", mine, "--rules", other).status == 0


def test_a_shipped_file_is_tested_alone_and_against_rules_that_replace_its_own(
    tmp_path: Path, command_line: Run
) -> None:
    from disproof.symbolic.rulebook import SHIPPED

    shipped = SHIPPED / "clashes.lp"
    documents = [json.loads(line) for line in command_line("rules", "test", "-f", "json", shipped).out.splitlines()]
    assert {document["file"] for document in documents} == {"clashes.lp"}
    assert all(document["passed"] for document in documents)
    changed = tmp_path / "changed.lp"
    changed.write_text("%!rule verb_clash\nconflict(S,T,verb_clash,E,power) :- mention(S,E), mention(T,E), S < T.\n")
    failed = command_line("rules", "test", "-f", "json", shipped, "--rules", changed)
    assert failed.status == 1
    outcomes = {(d["rule"], d["expected"]): d["passed"] for d in map(json.loads, failed.out.splitlines())}
    assert outcomes["verb_clash", "silent"] is False
    assert outcomes["state_clash", "silent"] is True


def test_rules_without_an_example_are_named(mine: Path, command_line: Run) -> None:
    mine.write_text(RULE.replace("%!silent", "%!fires").replace("the chair", "the bench"))
    out = command_line("rules", "test", mine).out
    assert "without an example in which it is silent (1): never_twice" in out
    assert "in which it fires" not in out


def test_an_example_that_cannot_be_run_ends_with_one_line_and_status_2(mine: Path, command_line: Run) -> None:
    mine.write_text(RULE.replace("the chair.", "the chair. {after 2 chiar wet true}"))
    done = command_line("rules", "test", mine)
    assert done.status == 2
    assert done.err == f"disproof: {mine}:4: the story does not name 'chiar': did you mean 'chair'?\n"
    assert "2 examples: 1 passed, 1 failed" in done.out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (RULE.replace("the chair.", "the chair. {after 3 chair wet true}"), ":4: the braces name sentence 3"),
        (RULE.replace("the chair.", "the chair. {after 2 chair wt true}"), ":4: 'wt' is no attribute"),
        ('#include "x".\n', ":1"),
    ],
)
def test_a_file_that_cannot_be_used_ends_with_one_line_and_status_2(
    text: str, says: str, mine: Path, command_line: Run
) -> None:
    mine.write_text(text)
    done = command_line("rules", "test", mine)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"disproof: {mine}{says}")
    assert done.err.count("\n") == 1
    assert command_line("rules", "test", mine.parent / "no.lp").status == 2


# ---- init


def test_the_starting_pack_passes_both_checks_and_is_not_written_twice(tmp_path: Path, command_line: Run) -> None:
    folder = tmp_path / "mine"
    done = command_line("rules", "init", folder)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"wrote {folder}/my_rules.lp\n")
    assert command_line("rules", "check", folder).out == "no errors, no warnings\n"
    tested = command_line("rules", "test", folder)
    assert tested.status == 0
    assert "0 failed" in tested.out
    assert "without an example" not in tested.out
    again = command_line("rules", "init", folder)
    assert (again.status, again.out) == (2, "")
    assert again.err == f"disproof: {folder}: the folder holds rule files already (my_rules.lp): give a new folder\n"


def test_the_starting_pack_finds_a_conflict_that_the_shipped_rules_do_not(tmp_path: Path, command_line: Run) -> None:
    story = b"Ann painted the bench.\nAnn made some tea.\nAnn sat down on the bench.\n"
    assert command_line("explain", "--exit-code", "-", stdin=story).status == 0
    assert command_line("rules", "init", tmp_path / "mine").status == 0
    done = command_line("explain", "--exit-code", "--rules", tmp_path / "mine", "-", stdin=story)
    assert done.status == 1
    assert "the bench is painted in sentence 1, and still wet when sentence 3" in " ".join(done.out.split())


# ---- show, list, check


def test_show_gives_the_examples_and_what_keeps_the_rule_silent(mine: Path, command_line: Run) -> None:
    out = command_line("rules", "show", "never_twice", "--rules", mine).out
    assert "unless: another thing is painted" in out
    assert "fires in:   Ann painted the bench. Ann painted the bench again." in out
    assert "silent in:  Ann painted the bench. Ann painted the chair." in out


def test_list_carries_the_examples_of_every_rule(mine: Path, command_line: Run) -> None:
    listed = command_line("rules", "list", "-f", "json", "--rules", mine).out
    documents = [json.loads(line) for line in listed.splitlines()]
    assert all(set(RuleDocument.__annotations__) <= set(document) for document in documents)
    (found,) = (document for document in documents if document["name"] == "never_twice")
    assert found["unless"] == "another thing is painted"
    assert found["examples"] == [
        {
            "file": str(mine),
            "line": line,
            "story": f"Ann painted the bench. Ann painted the {rest}.",
            "states": [],
            "expected": expected,
        }
        for line, rest, expected in ((3, "bench again", "fires"), (4, "chair", "silent"))
    ]
    (clash,) = (document for document in documents if document["name"] == "state_clash")
    state = {"side": "effect", "sentence": 0, "entity": "lamp", "attribute": "power", "value": 1, "probability": 1.0}
    assert clash["examples"][0]["states"][0] == state


def test_check_asks_for_the_examples_that_are_missing(mine: Path, command_line: Run) -> None:
    assert command_line("rules", "check", mine).out == "no errors, no warnings\n"
    mine.write_text(RULE.replace("%!silent", "% "))
    done = command_line("rules", "check", mine)
    assert done.status == 0
    assert "warning: the rule lacks a near miss (%!silent): write it above the rule" in done.out
