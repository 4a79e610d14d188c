"""``rules list DATA`` and ``rules diff``: what rules do on data, on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
BROKEN = "Maria unplugged the phone.\nMaria sat on the sofa.\nMaria called her sister on the phone.\n"
FIRINGS = ("fires", "hits", "in_plausible", "precision")
# Fires in every story of the tiny file, on the gold pair of the implausible ones.
MINE = (
    '%!rule first_and_last\n%!trace_rule {"% is in sentences % and %", E, I, J}.\n'
    "conflict(I,J,first_and_last,E,wet) :- human(E), mention(I,E), mention(J,E), I + 2 = J.\n"
)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    file = tmp_path / "mine.lp"
    file.write_text(MINE)
    return file


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    file = tmp_path / "broken.txt"
    file.write_text(BROKEN)
    return file


def listed(done: Any) -> dict[str, dict[str, Any]]:
    return {rule["name"]: rule for rule in map(json.loads, done.out.splitlines())}


# ---- rules list


def test_rules_are_listed_with_their_weights_as_far_as_they_have_any(command_line: Run) -> None:
    rules = listed(command_line("rules", "list", "-f", "json"))
    assert rules["state_clash"]["weight"] == 3.0
    assert rules["label_effect"]["weight"] is None
    assert not set(FIRINGS) & rules["state_clash"].keys()


def test_rules_are_listed_by_pack(command_line: Run) -> None:
    lines = command_line("rules", "list").out.splitlines()
    assert lines[0].split() == ["rule", "where", "weight", "says"]
    packs = [word.split(":")[0] for line in lines for word in line.split()[1:2] if ".lp:" in word]
    assert packs == sorted(packs)
    assert len(set(packs)) > 5


def test_what_rules_do_on_data_is_counted_by_distinct_story(trip_file: Path, mine: Path, command_line: Run) -> None:
    done = command_line("rules", "list", trip_file, "--rules", mine, "--states", "gold", "-f", "json")
    assert done.status == 0
    rules = listed(done)
    counted = rules["first_and_last"]
    # Seven pairs of twins, all different: 14 stories.
    assert [counted[key] for key in FIRINGS] == [14, 7, 7, 0.5]
    assert rules["label_effect"]["fires"] is None
    twice = trip_file.parent / "twice.jsonl"
    twice.write_text(trip_file.read_text("utf-8") * 2, "utf-8")
    again = command_line("rules", "list", twice, "--rules", mine, "--states", "gold", "-f", "json")
    assert listed(again)["first_and_last"] == counted


def test_the_page_shows_the_rules_of_conflicts_under_their_files(trip_file: Path, command_line: Run) -> None:
    out = command_line("rules", "list", trip_file, "--states", "gold", "--limit", 2).out
    lines = out.splitlines()
    assert lines[0].split() == ["rule", "weight", "fires", "hits", "in", "plausible", "precision"]
    state_clash = next(line.split() for line in lines if line.startswith("  state_clash "))
    assert state_clash[2:] == ["2", "2", "0", "1.00"]
    assert "label_effect" not in out
    assert "rules of conflicts on 4 stories" in out


def test_the_weights_of_a_model_that_is_not_there_are_not_shown(command_line: Run) -> None:
    done = command_line("rules", "list", "--model", "smal")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("disproof: no model 'smal': give a shipped one (")


def test_plain_stories_have_nothing_to_count_on(broken: Path, command_line: Run) -> None:
    done = command_line("rules", "list", broken)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"disproof: {broken}: these are plain stories")
    assert done.err.count("\n") == 1


# ---- rules diff


def test_a_rule_that_goes_is_told_by_the_stories_it_decided(trip_file: Path, command_line: Run) -> None:
    plain = ("rules", "diff", trip_file, "--states", "gold", "--limit", 2)
    rules = [option for name in decisive(trip_file, command_line) for option in ("--no-rule", name)]
    done = command_line(*plain, *rules, "-f", "json")
    assert (done.status, done.err) == (0, "")
    found = json.loads(done.out)
    assert list(found) == ["stories", "before", "after", "changed"]
    assert (found["before"]["accuracy"], found["before"]["system"]) == (1.0, "symbolic")
    assert found["after"]["single"]["balanced_accuracy"] == 0.5
    changed = [change for change in found["changed"] if change["story"] is not None]
    assert [(change["id"], change["story"], change["judgement"]) for change in changed] == [
        ("0-C0", 1, "worse"),
        ("1-C0", 1, "worse"),
    ]
    assert all((change["before"]["evidence"], change["before"]["breakpoint"]) == (0, 2) for change in changed)
    assert all(change["after"]["plausible"] for change in changed)


def decisive(trip_file: Path, command_line: Run) -> list[str]:
    """The rules that fire in the first two pairs."""
    done = command_line("rules", "list", trip_file, "--states", "gold", "--limit", 2, "-f", "json")
    return [name for name, rule in listed(done).items() if rule["fires"]]


def test_the_page_shows_before_and_after_and_the_difference(trip_file: Path, mine: Path, command_line: Run) -> None:
    done = command_line("rules", "diff", trip_file, "--rules", mine, "--states", "gold", "--limit", 2)
    assert done.status == 0
    assert "0-C0  - worse\n> 1 Maria plugged in the phone." in done.out
    assert "before: plausible\n" in done.out
    assert "after:  implausible, sentences 1 and 3, by first_and_last\n" in done.out
    assert "for the better, 2 for the worse" in done.out
    assert "-50.0\n" in done.out
    assert "\x1b" not in done.out


def test_stories_without_a_gold_have_verdicts_and_no_figures(broken: Path, mine: Path, command_line: Run) -> None:
    rules = ("--rules", mine, "--no-rule", "state_clash")
    found = json.loads(command_line("rules", "diff", broken, *rules, "-f", "json").out)
    assert (found["stories"], found["before"], found["after"]) == (1, None, None)
    assert all(change["judgement"] is None for change in found["changed"])
    page = command_line("rules", "diff", "-", *rules, stdin=BROKEN.encode()).out
    assert "of 1 story changed" in page
    assert "difference" not in page


def test_twins_are_compared_by_their_own_figures(tmp_path: Path, mine: Path, command_line: Run) -> None:
    sentences = BROKEN.splitlines()
    twins = {"id": "t", "broken": sentences, "restored": ["Maria plugged in the phone.", *sentences[1:]]}
    file = tmp_path / "twins.jsonl"
    file.write_text(json.dumps({**twins, "conflict": [0, 2], "entity": "phone"}))
    found = json.loads(command_line("rules", "diff", file, "--rules", mine, "-f", "json").out)
    assert (found["before"]["restored_plausible"], found["after"]["restored_plausible"]) == (1.0, 0.0)


def test_results_go_to_a_file(trip_file: Path, tmp_path: Path, command_line: Run) -> None:
    options = ("--states", "gold", "--limit", 1, "--no-rule", "state_clash", "-f", "json", "--out", tmp_path)
    done = command_line("rules", "diff", trip_file, *options)
    assert (done.status, done.out) == (0, "")
    assert json.loads((tmp_path / "diff.json").read_text("utf-8"))["stories"] == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "nothing to compare: give the changed rules with --rules or --no-rule"),
        (("--no-rule", "state_clas"), "did you mean 'state_clash'?"),
        (("--rules", "/no/such.lp"), "/no/such.lp: there is no such rule file"),
        (("--no-rule", "state_clash", "--states", "gold", "--system", "neurosymbolic"), "symbolic"),
        (("--no-rule", "state_clash", "--partition", "dev"), "no partitions"),
    ],
)
def test_what_cannot_be_compared_is_one_line(
    options: tuple[str, ...], said: str, broken: Path, command_line: Run
) -> None:
    done = command_line("rules", "diff", broken, *options)
    assert (done.status, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert said in done.err


def test_the_development_stories_can_be_compared(data_dir: Path, mine: Path, command_line: Run) -> None:
    file = data_dir / "trip" / "dev.jsonl.gz"
    done = command_line("rules", "diff", file, "--states", "gold", "--limit", 3, "--rules", mine, "-f", "json")
    found = json.loads(done.out)
    assert (found["before"]["n"], found["after"]["n"]) == (3, 3)
    assert found["before"]["single"]["balanced_accuracy"] > found["after"]["single"]["balanced_accuracy"]
    assert {change["judgement"] for change in found["changed"]} >= {"worse"}
