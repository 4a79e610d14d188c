"""``rules why``, ``rules why-not``, and how much of its proofs ``explain`` shows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
BROKEN = "Maria unplugged the phone.\nMaria sat on the sofa.\nMaria called her sister on the phone.\n"
MENDED = (
    "Maria unplugged the phone.\nMaria plugged in the phone.\nMaria sat on the sofa.\n"
    "Maria called her sister on the phone.\n"
)


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    file = tmp_path / "broken.txt"
    file.write_text(BROKEN)
    return file


@pytest.fixture
def mended(tmp_path: Path) -> Path:
    file = tmp_path / "mended.txt"
    file.write_text(MENDED)
    return file


# ---- rules why


def test_why_shows_every_proof_of_two_sentences_the_best_first(broken: Path, command_line: Run) -> None:
    done = command_line("rules", "why", broken, "--conflict", "1,3")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("> 1 Maria unplugged the phone.\n  2 Maria sat on the sofa.\n> 3 ")
    proofs = json.loads(command_line("rules", "why", broken, "--conflict", "1,3", "-f", "json").out)["proofs"]
    assert f"{len(proofs)} proofs that sentences 1 and 3 cannot both happen, the best first." in done.out
    assert len(proofs) > 1
    best = json.loads(command_line("explain", "-f", "json", broken).out)
    assert proofs[0]["proof"] == best["proof"]
    assert all((proof["conflict"]["evidence"], proof["conflict"]["breakpoint"]) == (0, 2) for proof in proofs)
    assert "[state_clash, clashes.lp:" in done.out.replace("\n", " ")


def test_why_says_in_a_line_that_no_rule_proves_it(mended: Path, command_line: Run) -> None:
    done = command_line("rules", "why", mended, "--conflict", "1,3")
    assert (done.status, done.err) == (0, "")
    said = (
        "No rule proves that sentences 1 and 3 conflict; for what comes nearest: "
        f"disproof rules why-not {mended} --conflict 1,3"
    )
    assert "".join(done.out.split()) == "".join(said.split())  # a long path is wrapped
    assert json.loads(command_line("rules", "why", mended, "--conflict", "1,3", "-f", "json").out)["proofs"] == []


def test_why_takes_rules_of_ones_own(broken: Path, tmp_path: Path, command_line: Run) -> None:
    rule = tmp_path / "mine.lp"
    rule.write_text(
        '%!rule no_sitting\n%!trace_rule {"% must not sit in sentence %", E, J}.\n'
        'conflict(I,J,no_sitting,E,conscious) :- arg(J,"sit",agent,E), previous(J,E,I).\n'
    )
    out = command_line("rules", "why", broken, "--conflict", "1,2", "--rules", rule).out
    assert "1 proof that sentences 1 and 2 cannot both happen." in out
    assert "Maria must not sit in sentence 2" in out


# ---- rules why-not


def test_why_not_says_what_is_in_the_way(mended: Path, command_line: Run) -> None:
    done = command_line("rules", "why-not", mended, "--conflict", "1,4", "--rule", "state_clash")
    assert (done.status, done.err) == (0, "")
    out = " ".join(done.out.replace("│", " ").split())
    assert "No rule proves that sentences 1 and 4 conflict. Nearest to it come:" in out
    assert re.search(r"state_clash: (\d+) of (\d+) conditions hold \[clashes.lp:", out)
    assert "would say: sentence 1 leaves the phone unpowered, but sentence 4 needs it to be powered" in out
    assert "holds: before sentence 4 the phone is powered (95%)" in out
    assert "missing: just before sentence 4 the phone is still unpowered, since sentence 1" in out
    assert "in the way: sentence 2 changes the phone’s power" in out
    assert "“plug in” makes its object powered" in out


def test_why_not_names_the_state_that_the_tagger_does_not_see(command_line: Run) -> None:
    story = "Maria unplugged the phone.\nMaria sat on the phone.\n"
    done = command_line("rules", "why-not", "-", "--conflict", "1,2", "--rule", "state_clash", stdin=story.encode())
    assert "the tagger does not see that before sentence 2 the phone is powered (0%)" in " ".join(
        done.out.replace("│", " ").split()
    )


def test_why_not_json_counts_from_zero_and_keeps_the_whole_chain(mended: Path, command_line: Run) -> None:
    done = command_line("rules", "why-not", mended, "--conflict", "1,4", "-f", "json")
    document = json.loads(done.out)
    assert list(document) == ["id", "sentences", "evidence", "breakpoint", "proved_by", "nearest"]
    assert (document["evidence"], document["breakpoint"], document["proved_by"]) == (0, 3, [])
    near = next(one for one in document["nearest"] if one["rule"] == "state_clash")
    assert near["met"] == near["conditions"] - 1
    assert near["atom"] == 'conflict(0,3,state_clash,"phone",power)'
    (gap,) = near["gaps"]
    assert (gap["kind"], gap["rule"]) == ("missing", "still")
    leaf = gap
    while leaf["because"]:
        leaf = leaf["because"][0]
    assert (leaf["kind"], leaf["atom"]) == ("blocked", 'changed(1,"phone",power)')
    assert leaf["proof"]["children"]


def test_why_not_shows_so_many_rules(mended: Path, command_line: Run) -> None:
    def names(*options: object) -> list[str]:
        done = command_line("rules", "why-not", mended, "--conflict", "1,4", "-f", "json", *options)
        return [near["rule"] for near in json.loads(done.out)["nearest"]]

    assert len(names()) == 3
    assert names("--max", 1) == names()[:1]
    assert len(names("--max", 5)) == 5


def test_why_not_points_to_why_where_a_rule_proves_it(broken: Path, command_line: Run) -> None:
    done = command_line("rules", "why-not", broken, "--conflict", "1,3", "--rule", "state_clash")
    assert done.status == 0
    assert "state_clash proves that sentences 1 and 3 conflict: see 'disproof rules why'." in done.out
    proved = json.loads(command_line("rules", "why-not", broken, "--conflict", "1,3", "-f", "json").out)
    assert "state_clash" in proved["proved_by"]
    assert "state_clash" not in [near["rule"] for near in proved["nearest"]]


def test_why_not_looks_at_rules_of_ones_own(broken: Path, tmp_path: Path, command_line: Run) -> None:
    rule = tmp_path / "mine.lp"
    rule.write_text(
        '%!rule no_calls\n%!trace_rule {"% is cut off in sentence %", E, I}.\n'
        'conflict(I,J,no_calls,E,power) :- arg(I,"cut",object,E), arg(J,"call",on,E), I < J.\n'
    )
    done = command_line("rules", "why-not", broken, "--conflict", "1,3", "--rules", rule, "--rule", "no_calls")
    assert "sentence 1 does not “cut” the phone" in done.out


@pytest.mark.parametrize("command", ["why", "why-not"])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "Missing option '--conflict'"),
        (("--conflict", "3,1"), "the earlier sentence first, counted from 1, such as 2,5, not '3,1'"),
        (("--conflict", "0,2"), "counted from 1"),
        (("--conflict", "two"), "two sentences counted from 1, such as 2,5, not 'two'"),
        (("--conflict", "1,9"), "names sentence 9, but the story has 3"),
        (("--conflict", "1,2", "--no-rule", "state_clas"), "did you mean 'state_clash'?"),
    ],
)
def test_a_wrong_pair_is_one_line(
    command: str, options: tuple[str, ...], said: str, broken: Path, command_line: Run
) -> None:
    done = command_line("rules", command, broken, *options)
    assert (done.status, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert said in done.err


def test_a_rule_that_why_not_cannot_look_at_is_one_line(broken: Path, command_line: Run) -> None:
    for name, said in (("state_clas", "did you mean 'state_clash'?"), ("label_effect", "derives no conflict")):
        done = command_line("rules", "why-not", broken, "--conflict", "1,3", "--rule", name)
        assert (done.status, done.out) == (2, "")
        assert said in done.err


def test_more_than_one_story_is_refused(tmp_path: Path, command_line: Run) -> None:
    file = tmp_path / "many.jsonl"
    file.write_text((json.dumps({"sentences": BROKEN.splitlines()}) + "\n") * 2)
    done = command_line("rules", "why", file, "--conflict", "1,3")
    assert done.err == f"disproof: {file}: more than one story: rules why takes one\n"


# ---- explain --all-proofs and --depth


def test_explain_shows_the_best_proof_alone_and_names_the_others(broken: Path, command_line: Run) -> None:
    assert "Also proved by" in command_line("explain", broken).out
    assert "others" not in json.loads(command_line("explain", "-f", "json", broken).out)


def test_all_proofs_are_shown_where_asked(broken: Path, command_line: Run) -> None:
    verdict = json.loads(command_line("explain", "-f", "json", "--all-proofs", broken).out)
    proofs = json.loads(command_line("rules", "why", broken, "--conflict", "1,3", "-f", "json").out)["proofs"]
    assert [verdict["proof"], *(other["proof"] for other in verdict["others"])] == [p["proof"] for p in proofs]
    page = command_line("explain", "--all-proofs", broken).out
    assert page.count("Another proof:") == len(verdict["others"]) > 0
    assert "Also proved by" not in page


def test_all_proofs_are_drawn_beside_each_other(broken: Path, command_line: Run) -> None:
    others = json.loads(command_line("explain", "-f", "json", "--all-proofs", broken).out)["others"]
    graph = command_line("explain", "-f", "dot", "--all-proofs", broken).out
    assert graph.count("style=bold") == len(others) + 1
    assert command_line("explain", "-f", "dot", broken).out.count("style=bold") == 1


def test_a_depth_cuts_proofs_and_marks_where(broken: Path, command_line: Run) -> None:
    whole = command_line("explain", broken).out
    assert "..." not in whole
    page = command_line("explain", "--depth", 0, broken).out
    assert page.count("──") == 1
    assert "└── ...\n" in page
    assert 1 < command_line("explain", "--depth", 1, broken).out.count("──") < whole.count("──")
    assert command_line("explain", "--depth", 50, broken).out == whole
    assert '"..."' in command_line("explain", "--depth", 0, "-f", "mermaid", broken).out


def test_json_is_whole_unless_a_depth_is_given(broken: Path, command_line: Run) -> None:
    def depth(proof: dict[str, Any]) -> int:
        return 1 + max((depth(child) for child in proof["children"]), default=-1)

    def proof(*options: object) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(command_line("explain", "-f", "json", *options, broken).out)["proof"]
        return found

    assert depth(proof()) > 1
    assert "cut" not in json.dumps(proof())
    assert (depth(proof("--depth", 1)), depth(proof("--depth", 0))) == (1, 0)
    assert proof("--depth", 0)["cut"] is True
    assert proof("--depth", 99) == proof()
