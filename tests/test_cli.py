"""The command line: what each command prints, where, and how it exits."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import disproof
from disproof.neural import DEFAULT_MODEL

ROOT = Path(str(disproof.__file__)).parent
PHONE = Path(__file__).resolve().parents[1] / "examples" / "phone.txt"
SHIPPED_MODEL = ROOT / "neural" / "models" / DEFAULT_MODEL
COMMANDS = (
    ("explain",),
    ("choose",),
    ("states",),
    ("facts",),
    ("evaluate", "trip"),
    ("rules", "list"),
    ("rules", "show"),
    ("rules", "check"),
    ("rules", "diff"),
    ("rules", "why"),
    ("rules", "why-not"),
    ("rules", "test"),
    ("rules", "init"),
    ("train", "tagger"),
    ("train", "model"),
    ("train", "tiered"),
    ("train", "weights"),
    ("train", "piqa"),
    ("piqa",),
    ("evaluate", "piqa"),
    ("compare", "piqa"),
)
BROKEN = "Maria unplugged the phone.\nMaria sat on the sofa.\nMaria called her sister on the phone.\n"
WHOLE = "Maria plugged in the phone.\nMaria sat on the sofa.\nMaria called her sister on the phone.\n"

Run = Callable[..., Any]
needs_model = pytest.mark.skipif(
    not SHIPPED_MODEL.is_dir(),
    reason="needs the shipped model in neural/models (made by 'disproof train tagger')",
)


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    file = tmp_path / "broken.txt"
    file.write_text(BROKEN)
    return file


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    file = tmp_path / "whole.txt"
    file.write_text(WHOLE)
    return file


def start(*arguments: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """The command line as a process of its own."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "disproof.cli", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


# ---- Help


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_help_of_every_command_has_an_example(command: tuple[str, ...], command_line: Run) -> None:
    done = command_line(*command, "--help")
    assert done.status == 0
    assert f"$ disproof {' '.join(command)}" in done.out
    assert done.err == ""


def test_help_lists_every_command(command_line: Run) -> None:
    done = command_line("--help")
    assert done.status == 0
    assert all(f" {command[0]} " in done.out for command in COMMANDS)


def test_help_comes_at_once() -> None:
    best = 9.0
    for _ in range(3):  # the best of three: other processes may be busy
        began = time.perf_counter()
        done = start("--help")
        best = min(best, time.perf_counter() - began)
        assert done.returncode == 0
    assert best < 1.0  # half a second is the bar (see tests/bench); twice that is a module imported too early


def test_starting_loads_nothing_slow() -> None:
    slow = {"torch", "transformers", "spacy", "clingo", "pydantic", "networkx", "numpy"}
    code = f"import sys, disproof.cli; print(*sorted({slow!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("", "")


# ---- explain


def test_explain_shows_the_story_the_verdict_and_the_proof(broken: Path, command_line: Run) -> None:
    done = command_line("explain", broken)
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "> 1 Maria unplugged the phone."
    assert lines[2] == "> 3 Maria called her sister on the phone."
    assert "sentences 1 and 3 cannot both happen." in done.out
    assert "tools.lp:" in done.out
    assert "phone unpowered" in done.out


def test_what_is_piped_has_no_colours_and_fits_80_columns(broken: Path, command_line: Run) -> None:
    out = command_line("explain", broken).out
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 80


def test_explain_json_has_the_promised_keys_and_counts_from_zero(broken: Path, command_line: Run) -> None:
    done = command_line("explain", "--format", "json", broken)
    assert done.out.count("\n") == 1
    verdict = json.loads(done.out)
    assert list(verdict) == [
        "id",
        "sentences",
        "entities",
        "plausible",
        "confidence",
        "basis",
        "conflict",
        "states",
        "proof",
    ]
    assert (verdict["plausible"], verdict["basis"]) == (False, "proof")
    assert (verdict["conflict"]["evidence"], verdict["conflict"]["breakpoint"]) == (0, 2)
    assert (verdict["conflict"]["entity"], verdict["conflict"]["attribute"]) == ("phone", "power")
    assert list(verdict["proof"])[:6] == ["text", "atom", "rule", "file", "line", "children"]


def test_a_plausible_story_has_no_conflict(whole: Path, command_line: Run) -> None:
    verdict = json.loads(command_line("explain", "-f", "json", whole).out)
    assert (verdict["plausible"], verdict["conflict"], verdict["proof"]) == (True, None, None)
    assert (verdict["states"], verdict["basis"]) == ([], "no conflict")


def test_explain_gives_a_verdict_a_line_in_order(tmp_path: Path, command_line: Run) -> None:
    file = tmp_path / "stories.jsonl"
    stories = [{"id": name, "sentences": text.splitlines()} for name, text in (("b", BROKEN), ("w", WHOLE))]
    file.write_text("".join(json.dumps(story) + "\n" for story in stories))
    verdicts = [json.loads(line) for line in command_line("explain", "-f", "json", file).out.splitlines()]
    assert [(verdict["id"], verdict["plausible"]) for verdict in verdicts] == [("b", False), ("w", True)]


def test_the_same_story_gives_the_same_bytes(broken: Path, command_line: Run) -> None:
    assert len({command_line("explain", "-f", "json", broken).out for _ in range(3)}) == 1


def test_several_files_are_told_apart_by_name(broken: Path, whole: Path, command_line: Run) -> None:
    out = "".join(command_line("explain", broken, whole).out.split())  # a long path is wrapped
    assert out.index(broken.name) < out.index("Implausible") < out.index(whole.name) < out.index("Plausible")


def test_a_story_can_come_from_standard_input(command_line: Run) -> None:
    assert "Implausible" in command_line("explain", "-", stdin=BROKEN.encode()).out


def test_prose_is_cut_into_sentences(command_line: Run) -> None:
    done = command_line("explain", "-f", "json", "-", stdin=BROKEN.replace("\n", " ").encode())
    assert json.loads(done.out)["sentences"] == BROKEN.splitlines()


def test_exit_code_tells_only_when_asked(broken: Path, whole: Path, command_line: Run) -> None:
    assert command_line("explain", broken).status == 0
    assert command_line("explain", "--exit-code", broken).status == 1
    assert command_line("explain", "--exit-code", whole).status == 0
    assert command_line("explain", "--exit-code", whole, broken, whole).status == 1


def test_limit_stops_after_so_many_stories(broken: Path, whole: Path, command_line: Run) -> None:
    assert command_line("explain", "-f", "json", "--limit", "2", broken, whole, broken).out.count("\n") == 2


def test_results_can_go_to_a_file_or_a_folder(broken: Path, tmp_path: Path, command_line: Run) -> None:
    printed = command_line("explain", "-f", "json", broken).out
    for target, file in ((tmp_path / "v.json", tmp_path / "v.json"), (tmp_path, tmp_path / "explain.json")):
        done = command_line("explain", "-f", "json", "--out", target, broken)
        assert (done.status, done.out) == (0, "")
        assert file.read_text("utf-8") == printed


@pytest.mark.parametrize(("format", "first"), [("dot", 'digraph "proof" {'), ("mermaid", "flowchart BT")])
def test_a_proof_can_be_drawn(format: str, first: str, broken: Path, command_line: Run) -> None:
    done = command_line("explain", "--format", format, broken)
    assert done.out.splitlines()[0] == first
    assert "devices" in done.out or "tools" in done.out


def test_leaving_out_every_rule_of_a_proof_changes_the_verdict(broken: Path, command_line: Run) -> None:
    left_out: list[str] = []
    for _ in range(12):
        verdict = json.loads(command_line("explain", "-f", "json", *left_out, broken).out)
        if verdict["plausible"] or verdict["proof"] is None:
            break
        left_out += ["--no-rule", verdict["conflict"]["rule"]]
    assert len(left_out) >= 2
    assert verdict["proof"] is None


def test_a_rule_of_ones_own_is_used_and_named(whole: Path, tmp_path: Path, command_line: Run) -> None:
    rule = tmp_path / "mine.lp"
    rule.write_text(
        '%!rule no_sitting\n%!trace_rule {"% must not sit in sentence % [bold]", E, J}.\n'
        'conflict(I,J,no_sitting,E,conscious) :- arg(J,"sit",agent,E), previous(J,E,I).\n'
    )
    out = command_line("explain", "--rules", rule, whole).out
    assert "Maria must not sit in sentence 2 [bold]" in out
    assert "no_sitting" in out


# ---- choose, states, facts


def test_choose_takes_two_files(broken: Path, whole: Path, command_line: Run) -> None:
    done = command_line("choose", broken, whole)
    assert done.out.startswith("Story 2 is the plausible one")
    assert ">* 1 Maria unplugged the phone." in done.out


def test_choose_takes_a_pair_and_gives_the_promised_json(tmp_path: Path, command_line: Run) -> None:
    file = tmp_path / "pair.json"
    file.write_text(json.dumps({"stories": [{"sentences": t.splitlines()} for t in (WHOLE, BROKEN)]}))
    choice = json.loads(command_line("choose", "-f", "json", file).out)
    assert list(choice) == ["choice", "probabilities", "stories"]
    assert choice["choice"] == 0
    assert sum(choice["probabilities"]) == pytest.approx(1, abs=1e-3)
    assert [story["plausible"] for story in choice["stories"]] == [True, False]


def test_choose_refuses_a_file_of_many_stories(broken: Path, tmp_path: Path, command_line: Run) -> None:
    file = tmp_path / "many.jsonl"
    file.write_text((json.dumps({"sentences": BROKEN.splitlines()}) + "\n") * 2)
    done = command_line("choose", broken, file)
    assert (done.status, done.out) == (2, "")
    assert done.err == f"disproof: {file}: more than one story: choose takes one from each file\n"


def test_states_are_shown_with_their_probabilities(broken: Path, command_line: Run) -> None:
    out = command_line("states", broken).out
    assert ["1", "phone", "power", "powered", "90%", "unpowered", "97%"] in [line.split() for line in out.splitlines()]
    document = json.loads(command_line("states", "-f", "json", broken).out)
    assert {
        "side": "effect",
        "sentence": 0,
        "entity": "phone",
        "attribute": "power",
        "value": 1,
        "probability": 0.97,
    } in document["states"]


def test_facts_are_facts_of_clingo_that_give_the_same_conflict(broken: Path, command_line: Run) -> None:
    import clingo

    facts = command_line("facts", broken).out
    assert 'verb(0,"unplug").' in facts.splitlines()
    control = clingo.Control(["--warn=none"])
    control.add("base", [], facts)
    for file in sorted((ROOT / "rules").glob("*.lp")):
        control.load(str(file))
    control.ground([("base", [])])
    found = [str(a.symbol) for a in control.symbolic_atoms.by_signature("conflict", 5)]
    assert any(atom.startswith("conflict(0,2,") and '"phone",power' in atom for atom in found)


# ---- evaluate


def test_evaluate_scores_published_predictions_as_their_authors_did(data_dir: Path, command_line: Run) -> None:
    trip = data_dir / "trip"
    predictions = trip / "roberta_dev_predictions.json.gz"
    done = command_line("evaluate", "trip", trip / "dev.jsonl.gz", "--predictions", predictions, "-f", "json")
    figures = json.loads(done.out)
    assert figures["n"] == 322
    scores = figures["accuracy"], figures["consistency"], figures["verifiability"]["all_states"]
    assert [round(322 * score) for score in scores] == [237, 72, 34]


def test_evaluate_random_is_the_same_for_the_same_seed(data_dir: Path, command_line: Run) -> None:
    def figures(seed: int) -> dict[str, Any]:
        file = data_dir / "trip" / "dev.jsonl.gz"
        done = command_line("evaluate", "trip", file, "--system", "random", "--limit", 20, "--seed", seed, "-f", "json")
        return {key: value for key, value in json.loads(done.out).items() if key != "seconds"}

    assert figures(1) == figures(1) != figures(2)
    assert figures(1)["system"] == "random"


def test_evaluate_can_find_the_things_of_a_story_itself(data_dir: Path, command_line: Run) -> None:
    file = data_dir / "trip" / "dev.jsonl.gz"
    done = command_line("evaluate", "trip", file, "--entities", "own", "--limit", 12, "-f", "json")
    assert done.status == 0, done.err
    assert json.loads(done.out)["consistency"] > 0.3


@pytest.mark.parametrize(
    "others", [("--system", "random"), ("--predictions", "p.json"), ("--system", "symbolic", "--states", "gold")]
)
def test_own_things_are_for_systems_that_read_the_text(
    others: tuple[str, ...], data_dir: Path, command_line: Run
) -> None:
    done = command_line("evaluate", "trip", data_dir / "trip" / "dev.jsonl.gz", "--entities", "own", *others)
    assert done.status == 2
    assert "--entities own" in done.err
    assert done.err.count("\n") == 1


def test_evaluate_runs_the_rules_on_gold_states(data_dir: Path, command_line: Run) -> None:
    done = command_line(
        "evaluate", "trip", data_dir / "trip" / "dev.jsonl.gz", "--system", "symbolic", "--states", "gold", "--limit", 4
    )
    assert (done.status, done.err) == (0, "")
    assert "proof coverage" in done.out


def test_gold_states_have_no_neural_prior(data_dir: Path, command_line: Run) -> None:
    done = command_line("evaluate", "trip", data_dir / "trip" / "dev.jsonl.gz", "--states", "gold")
    assert done.status == 2
    assert done.err.count("\n") == 1
    assert "symbolic" in done.err


# ---- rules


def test_rules_list_names_every_rule_with_its_place(command_line: Run) -> None:
    rules = [json.loads(line) for line in command_line("rules", "list", "-f", "json").out.splitlines()]
    names = [rule["name"] for rule in rules]
    assert len(names) == len(set(names)) > 50
    assert all(rule["file"].endswith(".lp") and rule["line"] > 0 for rule in rules)
    assert "gone_then_used" in command_line("rules", "list").out


def test_rules_show_gives_wording_text_and_place(command_line: Run) -> None:
    out = command_line("rules", "show", "gone_then_used").out
    assert "says: the {E} is {Why} in sentence {S}" in out
    assert "possession.lp:" in out
    assert "missing(T,E,Why,S)" in out


def test_rules_show_suggests_the_nearest_name(command_line: Run) -> None:
    done = command_line("rules", "show", "gone_then_usd")
    assert (done.status, done.out) == (2, "")
    assert done.err == "disproof: there is no rule named 'gone_then_usd': did you mean 'gone_then_used'?\n"


def test_rules_check_prints_a_finding_a_line_and_exits_with_2(tmp_path: Path, command_line: Run) -> None:
    file = tmp_path / "mine.lp"
    file.write_text('#include "x.lp".\nconflict(I,J,r,E,powr) :- sentence(I), sentence(J).\n')
    done = command_line("rules", "check", file)
    assert done.status == 2
    assert done.out.startswith(f"{file}:1")
    assert re.fullmatch(r"\d+ errors?, (no|\d+) warnings?", done.out.splitlines()[-1])
    findings = [json.loads(line) for line in command_line("rules", "check", "-f", "json", file).out.splitlines()]
    assert findings[0]["severity"] == "error"
    assert findings[0]["line"] == 1


def test_rules_check_passes_the_shipped_rules(command_line: Run) -> None:
    done = command_line("rules", "check")
    assert done.status == 0
    assert done.out.splitlines()[-1].startswith("no errors")


def test_a_refused_rule_file_stops_every_command_that_takes_rules(
    broken: Path, tmp_path: Path, command_line: Run
) -> None:
    file = tmp_path / "mine.lp"
    file.write_text("#script (python)\nimport os\n#end.\n")
    for arguments in (("explain", broken), ("choose", broken, broken), ("facts", broken), ("rules", "list")):
        done = command_line(*arguments, "--rules", file)
        assert done.status == 2
        assert done.err.startswith(f"disproof: {file}:1")
        assert done.err.count("\n") == 1


# ---- Errors and ends


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), None),
        (("explain",), "Missing argument 'FILE'"),
        (("explain", "x.txt", "--format", "html"), "'html' is not one of"),
        (("explain", "x.txt", "--limit", "0"), "--limit"),
        (("explain", "x.txt", "--limit", "many"), "--limit"),
        (("explain", "x.txt", "--colour"), "--colour"),
        (("explan", "x.txt"), "explan"),
        (("explain", "-", "-"), "can be read once only"),
        (("choose", "a", "b", "c"), "two stories"),
        (("explain", "/no/such/file.txt"), "/no/such/file.txt: no such file"),
        (("evaluate", "trip", "/no/such/file.txt"), "/no/such/file.txt: no such file"),
        (("train", "tagger", "x.jsonl"), "Missing option '--out'"),
        (("train", "tagger", "x.jsonl", "--out", "y", "--fold", "1"), "give that too"),
        (("train", "tagger", "x.jsonl", "--out", "y", "--folds", "5", "--fold", "5"), "0 to 4"),
        (("train", "tagger", "/no/such/file.txt", "--out", "y"), "/no/such/file.txt: no such file"),
        (("train", "weights", "/no/such/file.txt", "--folds-dir", "x", "--out", "y"), "no such file"),
        (("explain", str(PHONE), "--rules", "/no/such.lp"), "/no/such.lp: there is no such rule file"),
        (("explain", str(PHONE), "--no-rule", "gone_then_usd"), "did you mean 'gone_then_used'?"),
    ],
)
def test_wrong_usage_is_one_line_that_says_what_to_do(
    arguments: tuple[str, ...], said: str | None, command_line: Run
) -> None:
    done = command_line(*arguments)
    assert done.status == 2
    if said is not None:
        assert done.out == ""
        assert done.err.startswith("disproof: ")
        assert done.err.count("\n") == 1
        assert said in done.err


def test_a_process_prints_one_line_and_exits_with_2() -> None:
    done = start("explain", "no such file.txt")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "disproof: no such file.txt: no such file: check the name\n"


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -P -m disproof.cli rules list -f json | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert json.loads(done.stdout)["file"].endswith(".lp")
    assert done.stderr == ""


def test_an_interrupt_exits_with_130(command_line: Run, broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from disproof.bridge.engine import Engine

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Engine, "explain", interrupted)
    done = command_line("explain", broken)
    assert (done.status, done.out) == (130, "")
    assert "Traceback" not in done.err


def test_a_terminal_without_unicode_gets_text_all_the_same() -> None:
    done = start("rules", "show", "gone_then_used", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")


# ---- With the shipped model


@needs_model
@pytest.mark.slow
def test_the_bundled_story_is_explained_by_the_shipped_model() -> None:
    done = start("explain", "--format", "json", str(PHONE))
    assert (done.returncode, done.stderr) == (0, "")
    verdict = json.loads(done.stdout)
    assert verdict["basis"] == "proof"
    assert (verdict["conflict"]["evidence"], verdict["conflict"]["breakpoint"]) == (1, 4)
    assert verdict["conflict"]["entity"] == "phone"


@needs_model
@pytest.mark.slow
def test_the_number_of_threads_changes_no_byte() -> None:
    outputs = {start("explain", "-f", "json", str(PHONE), OMP_NUM_THREADS=n).stdout for n in ("1", "2")}
    assert len(outputs) == 1
    assert outputs != {""}
