"""``train piqa``, ``piqa``, ``evaluate piqa`` and ``compare piqa`` on files, as a user runs them."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from disproof import cli
from disproof.bridge.piqa import HEARD
from disproof.bridge.piqa_comparison import PiqaSpec, parse_piqa_system
from disproof.bridge.piqa_data import read_piqa, sampled_digests
from disproof.neural.choice_training import ChoiceTraining
from disproof.symbolic.errors import UsageError

PROCEDURES = Path(__file__).parent / "data" / "procedures.jsonl"
MODEL = ("--model", "small")
HELD_OUT = 10

Run = Callable[..., Any]


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = cli.run([str(argument) for argument in arguments])
    told = capsys.readouterr()
    return status, told.out, told.err


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that ``train piqa`` made, of few items and over the small model."""
    folder = tmp_path_factory.mktemp("piqa") / "run"
    options = (*MODEL, "--out", folder, "--held-out", HELD_OUT, "--epochs", 1)
    assert cli.run([str(part) for part in ("train", "piqa", PROCEDURES, *options)]) == 0
    return folder


@pytest.fixture
def over(trained: Path) -> tuple[object, ...]:
    return (*MODEL, "--piqa-folder", trained)


def test_training_leaves_all_that_choosing_needs(trained: Path) -> None:
    files = {path.name for path in trained.iterdir()}
    assert {"adapter.safetensors", "config.json", "weights.json", "associations.npz", "contrasts.json.gz"} <= files
    about = json.loads((trained / "weights.json").read_text())["about"]
    assert (about["items"], about["held_out"]) == (11, HELD_OUT)
    assert about["cross_validated"].keys() == HEARD.keys() - {"random"}
    assert about["cross_validated"]["neurosymbolic"]["n"] == HELD_OUT


def test_a_run_without_options_has_the_settings_of_the_api(trained: Path) -> None:
    told = json.loads((trained / "config.json").read_text())["training"]
    assert {key: told[key] for key in asdict(ChoiceTraining())} == asdict(ChoiceTraining(epochs=1))


def test_a_finished_run_is_not_trained_again(
    trained: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (trained / "adapter.safetensors").read_bytes()
    options = (*MODEL, "--out", trained, "--held-out", HELD_OUT, "--epochs", 1, "-f", "json")
    status, out, _ = run(capsys, "train", "piqa", PROCEDURES, *options)
    assert status == 0
    assert json.loads(out).keys() == {"neurosymbolic", "symbolic", "neural"}
    assert (trained / "adapter.safetensors").read_bytes() == before
    status, _, err = run(capsys, "train", "piqa", PROCEDURES, *options, "--epochs", 2)
    assert status == 2
    assert err.count("\n") == 1


def test_a_head_may_read_the_solutions_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = (*MODEL, "--out", tmp_path / "run", "--held-out", HELD_OUT, "--epochs", 1, "--answer-only", "-f", "json")
    assert run(capsys, "train", "piqa", PROCEDURES, *options)[0] == 0
    shared = (
        *MODEL,
        "--piqa-folder",
        tmp_path / "run",
        "--system",
        "neural",
        "--sol1",
        "Boil it.",
        "--sol2",
        "Cool it.",
    )
    told = [run(capsys, "piqa", "--goal", goal, *shared, "-f", "json") for goal in ("Cook rice.", "Make ice.")]
    assert [status for status, _, _ in told] == [0, 0]
    first, second = (json.loads(out)["probabilities"] for _, out, _ in told)
    assert first == second


def test_measuring_what_was_trained_on_is_warned_of(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    goals = [f"Warm up {n} litres of soup." for n in range(40)]
    file = tmp_path / "items.jsonl"
    file.write_text(
        "".join(json.dumps({"goal": g, "sol1": "Heat it.", "sol2": "Cool it.", "label": 0}) + "\n" for g in goals)
    )
    folder = tmp_path / "run"
    shutil.copytree(trained, folder)
    options = (*MODEL, "--piqa-folder", folder, "--system", "neural")
    status, _, err = run(capsys, "evaluate", "piqa", file, *options)
    assert (status, err) == (0, "")
    weights = json.loads((folder / "weights.json").read_text())
    weights["seen"] = " ".join(sampled_digests(read_piqa(file)))
    (folder / "weights.json").write_text(json.dumps(weights))
    status, _, err = run(capsys, "evaluate", "piqa", file, *options)
    assert (status, err) == (
        0,
        "disproof: warning: the model was trained on these items; the figures mean little\n",
    )
    report = tmp_path / "report"
    status, _, err = run(capsys, "compare", "piqa", file, *options, "--system", "random", "--out", report)
    said = "the model of 'neural' was trained on these items; its figures mean little"
    assert (status, err) == (0, f"disproof: warning: {said}\n")
    assert "was trained on these items" in (report / "comparison.html").read_text()


def test_a_choice_shows_what_differs_and_the_proof(
    over: tuple[object, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    item = ("--goal", "Bake bread.", "--sol1", "Bake it at 35 degrees in the oven.")
    other = ("--sol2", "Bake it at 350 degrees in the oven.")
    status, out, _ = run(capsys, "piqa", *item, *other, *over, "-f", "json")
    assert status == 0
    document = json.loads(out)
    assert document["difference"]["edits"] == [
        {"first": {"text": "35", "start": 11, "end": 13}, "second": {"text": "350", "start": 11, "end": 14}}
    ]
    assert len(document["solutions"]) == 2
    assert document["solutions"][0]["conflict"]["rule"] == "too_cool_to_cook"
    assert sum(document["probabilities"]) == pytest.approx(1, abs=1e-6)
    status, out, _ = run(capsys, "piqa", *item, *other, *over)
    assert status == 0
    assert "[35] degrees" in out
    assert "[350] degrees" in out


def test_a_file_of_items_gives_a_choice_each(over: tuple[object, ...], capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "piqa", PROCEDURES, "--limit", 2, *over, "--system", "neural", "-f", "json")
    assert status == 0
    first, second = map(json.loads, out.splitlines())
    assert first["solutions"] == second["solutions"] == []
    assert first["basis"] == "neural preference"


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--goal", "Bake bread."),
        (PROCEDURES, "--goal", "Bake bread."),
        ("--goal", "Bake bread.", "--sol1", " ", "--sol2", "Bake it."),
        ("nothing.jsonl",),
        (PROCEDURES, "--piqa-folder", "nowhere"),
    ],
)
def test_what_cannot_be_chosen_is_refused_in_one_line(
    arguments: tuple[object, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, "piqa", *arguments, *MODEL)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1


def test_systems_are_compared_on_the_same_items(
    over: tuple[object, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report"
    status, out, _ = run(capsys, "compare", "piqa", PROCEDURES, *over, "--out", report, "-f", "json")
    assert status == 0
    document = json.loads(out)
    assert json.loads((report / "comparison.json").read_text()) == document
    assert [system["system"] for system in document["systems"]] == ["neurosymbolic", "symbolic", "neural", "random"]
    assert len(document["paired"]) == 6
    with (report / "accuracy.csv").open() as file:
        assert [row["system"] for row in csv.DictReader(file)] == [s["system"] for s in document["systems"]]
    choices = [json.loads(line) for line in (report / "choices.jsonl").read_text().splitlines()]
    assert len(choices) == document["n"] == 21
    for system in document["systems"]:
        hits = [one["systems"][system["system"]]["choice"] == one["label"] for one in choices]
        assert system["accuracy"] == pytest.approx(sum(hits) / 21, abs=1e-4)
    # Each figure is what ``evaluate`` measures.
    for name in ("symbolic", "neural"):
        status, out, _ = run(capsys, "evaluate", "piqa", PROCEDURES, *over, "--system", name, "-f", "json")
        assert status == 0
        alone = json.loads(out)
        found = next(system for system in document["systems"] if system["system"] == name)
        for key in alone.keys() - {"seconds"}:
            assert found[key] == alone[key], key


def test_a_comparison_is_a_page_that_needs_nothing_else(
    over: tuple[object, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [json.loads(line) for line in PROCEDURES.read_text("utf-8").splitlines()]
    file = tmp_path / "goals.jsonl"
    file.write_text("".join(json.dumps({**row, "goal": f"<b>{row['goal']}</b>"}) + "\n" for row in rows))
    report = tmp_path / "report"
    status, out, err = run(capsys, "compare", "piqa", file, *over, "--out", report, "-f", "json")
    assert (status, err) == (0, "")
    page = (report / "comparison.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "<h1>goals.jsonl</h1>" in page
    assert "default-src 'none';" in page
    assert not any(sign in page for sign in ("http:", "https:", "<link", "<img", " src="))
    differing = len(json.loads(out)["disagreements"])
    assert differing > 0
    assert page.count("<details") == page.count('<span class="heading">&lt;b&gt;') == differing
    assert not any(f"<b>{row['goal']}" in page for row in rows)


def test_a_system_beside_a_coin_hears_what_it_hears_alone(
    over: tuple[object, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for others in ((), ("--system", "random")):
        given = ("--system", "symbolic", *others, "--limit", 6, "-f", "json")
        status, out, _ = run(capsys, "compare", "piqa", PROCEDURES, *over, *given)
        assert status == 0
        found.append(json.loads(out)["systems"][0])
    for figure in ("accuracy", "decided", "by_basis"):
        assert found[0][figure] == found[1][figure]
    assert found[0]["decided"]["n"] > 0


def test_a_comparison_is_read_in_the_terminal(over: tuple[object, ...], capsys: pytest.CaptureFixture[str]) -> None:
    systems = ("--system", "symbolic", "--system", f"mine=small,piqa={over[-1]},system=neural")
    status, out, _ = run(capsys, "compare", "piqa", PROCEDURES, *over, *systems, "--limit", 12)
    assert status == 0
    assert out.startswith("12 items, 2 systems (symbolic and mine)")
    for title in ("How many choices are right", "What choices rest on", "By distance", "Paired tests"):
        assert title in out


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("symbolic", PiqaSpec("symbolic", "symbolic", "base", Path("f"), (), ("x",))),
        ("neural=small", PiqaSpec("neural", "neural", "small", None, (), ("x",))),
        ("mine=small,piqa=d", PiqaSpec("mine", "neurosymbolic", "small", Path("d"), (), ("x",))),
        (
            "mine=small,rules=a,rules=b,system=symbolic",
            PiqaSpec("mine", "symbolic", "small", None, ("a", "b"), ("x",)),
        ),
    ],
)
def test_a_system_is_read_off_its_name(text: str, spec: PiqaSpec) -> None:
    assert parse_piqa_system(text, "base", Path("f"), ["x"]) == spec


@pytest.mark.parametrize(
    "text", ["symbolick", "=small", "mine=", "mine=small,piqua=d", "mine=small,system=fast", "mine=small,piqa="]
)
def test_what_names_no_system_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_piqa_system(text, "base", None)


def test_two_systems_of_one_name_are_refused(over: tuple[object, ...], capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "compare", "piqa", PROCEDURES, *over, "--system", "neural", "--system", "neural")
    assert status == 2
    assert "two systems are called 'neural'" in err


def test_a_rule_of_ones_own_takes_effect(
    over: tuple[object, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = tmp_path / "mine.lp"
    rule.write_text(
        """%!rule no_purple_paint
%!trace_rule {"the % is purple in sentence %, which nobody wants", E, S}.
%!fires Paint the wall with purple paint. => Paint a wall.
%!silent Paint the wall with white paint. => Paint a wall.
conflict(S,G,no_purple_paint,E,functional) :- goal(G), property(S,E,"purple"), S < G.
"""
    )
    item = ("--goal", "Paint a wall.", "--sol1", "Paint it with purple paint.", "--sol2", "Paint it with white paint.")
    status, out, _ = run(capsys, "piqa", *item, *over, "--rules", rule, "-f", "json")
    assert status == 0
    document = json.loads(out)
    assert document["solutions"][0]["conflict"]["rule"] == "no_purple_paint"
    status, out, _ = run(capsys, "piqa", *item, *over, "-f", "json")
    assert json.loads(out)["solutions"][0]["conflict"] is None
