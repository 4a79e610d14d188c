"""Training the tiered baseline through the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from disproof.bridge.readers import read_pairs
from disproof.bridge.tiered import main_figures, measure_tiered
from disproof.bridge.tiered_training import ABLATIONS, PUBLISHED_NAME
from disproof.neural.beliefs import load_heldout
from disproof.neural.tiered import Tiered

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def train(trip_file: Path, tiny_encoder: Path, command_line: Run) -> Run:
    """Runs ``train tiered`` for one epoch with the tiny encoder."""

    def run(out: Path, *more: object) -> Any:
        return command_line("train", "tiered", trip_file, "--out", out, "--encoder", tiny_encoder, "--epochs", 1, *more)

    return run


@pytest.fixture(scope="module")
def cross_validated(train: Run, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Three folds and the figures that were printed."""
    out = tmp_path_factory.mktemp("runs") / "tiered"
    done = train(out, "--folds", 3, "--format", "json")
    assert (done.status, done.err) == (0, "")
    return out, json.loads(done.out)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


# ---- By folds


def test_a_fold_leaves_a_model_its_beliefs_its_figures_and_its_curves(
    cross_validated: tuple[Path, dict[str, Any]], trip_file: Path
) -> None:
    out, figures = cross_validated
    assert figures.keys() == {"folds", "all_folds"}
    assert figures["folds"].keys() == {"fold 0", "fold 1", "fold 2"}
    fold = out / "fold-1"
    assert sorted(p.name for p in fold.iterdir()) == [
        "config.json",
        "curves.json",
        "curves.svg",
        "heldout.safetensors",
        "metrics.json",
        "tokenizer.json",
        *(p.name for p in sorted(fold.glob("weights-*.safetensors"))),
    ]
    metrics = json.loads((fold / "metrics.json").read_text())
    pairs = list(read_pairs(trip_file))
    beliefs = load_heldout(fold / "heldout.safetensors", pairs)
    again = measure_tiered([pairs[i] for i in beliefs], list(beliefs.values())).to_json()
    assert metrics["held_out"]["top-two"] == again
    assert figures["folds"]["fold 1"]["accuracy"] == pytest.approx(again["accuracy"], abs=1e-4)
    assert json.loads((fold / "curves.json").read_text())["epochs"] == 1
    assert Tiered.load(fold).config["training"] == metrics["training"]


def test_the_figures_of_all_folds_are_those_of_all_pairs(
    cross_validated: tuple[Path, dict[str, Any]], trip_file: Path
) -> None:
    out, figures = cross_validated
    pairs = list(read_pairs(trip_file))
    beliefs = {}
    for k in range(3):
        beliefs.update(load_heldout(out / f"fold-{k}" / "heldout.safetensors", pairs))
    metrics = measure_tiered(pairs, [beliefs[i] for i in range(7)])
    assert figures["all_folds"] == {
        name: None if value is None else pytest.approx(value, abs=1e-4) for name, value in main_figures(metrics).items()
    }


def test_folds_can_be_trained_one_by_one(
    cross_validated: tuple[Path, dict[str, Any]], train: Run, tmp_path: Path
) -> None:
    alone = train(tmp_path / "run", "--folds", 3, "--fold", 2, "--format", "json")
    assert alone.status == 0
    figures = json.loads(alone.out)
    assert figures.keys() == {"folds", "folds_done"}
    expected = contents(cross_validated[0] / "fold-2")
    found = contents(tmp_path / "run" / "fold-2")
    assert all(found[name] == expected[name] for name in found.keys() - {"metrics.json"})


# ---- One run


def test_a_trained_baseline_can_be_evaluated_and_is_left_as_it_is(
    train: Run, trip_file: Path, tmp_path: Path, command_line: Run
) -> None:
    out = tmp_path / "model"
    done = train(out, "--format", "json")
    assert (done.status, done.err) == (0, "")
    figures = json.loads(done.out)
    assert figures.keys() == {"validation", "loss", "epoch", "seconds"}
    assert sorted(p.name for p in out.glob("*.json")) == [
        "config.json",
        "curves.json",
        "metrics.json",
        "tokenizer.json",
    ]
    assert not (out / "checkpoint").exists()
    before = contents(out)
    again = train(out, "--format", "json")
    assert json.loads(again.out) == figures
    assert contents(out) == before
    refused = train(out, "--seed", 3)
    assert (refused.status, refused.out) == (2, "")
    assert "other settings or data; choose another --out" in refused.err
    measured = command_line("evaluate", "trip", trip_file, "--system", "tiered", "--model", out, "-f", "json")
    assert measured.status == 0
    assert "trained on these stories" in measured.err
    said = json.loads(measured.out)
    assert (said["system"], said["n"], said["proof_coverage"]) == ("tiered", 7, 0.0)
    assert said["without_twin_cue"]["accuracy"] == said["accuracy"]


def test_inputs_are_cut_where_truncate_says(train: Run, tmp_path: Path) -> None:
    assert train(tmp_path / "cut", "--truncate", 16).status == 0
    tiered = Tiered.load(tmp_path / "cut")
    assert tiered.network.config.truncate == 16


# ---- Ablations


@pytest.fixture(scope="module")
def ablated(train: Run, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    out = tmp_path_factory.mktemp("runs") / "ablations"
    arguments = ("--ablate", "--folds", 3, "--fold", 0)
    return out, train(out, *arguments)


def test_the_four_settings_are_trained_into_folders_of_their_own(ablated: tuple[Path, Any]) -> None:
    out, done = ablated
    assert (done.status, done.err) == (0, "")
    names = {"all-losses", "without-story", "without-conflict", "without-states"}
    assert {p.name for p in out.iterdir()} == names | {"ablations.json"}
    for name, losses in ABLATIONS.items():
        metrics = json.loads((out / name.replace(" ", "-") / "fold-0" / "metrics.json").read_text())
        assert tuple(metrics["training"]["losses"].values()) == losses
        assert sum(losses) == pytest.approx(1)


def test_the_table_has_a_row_for_each_and_the_papers_beside_them(ablated: tuple[Path, Any]) -> None:
    out, done = ablated
    lines = done.out.splitlines()
    assert lines[0].split() == ["accuracy", "consistency", "verifiability"]
    assert [line[: len(name)] for line, name in zip(lines[1:], ABLATIONS, strict=False)] == list(ABLATIONS)
    assert lines[5].split()[-3:] == ["72.9", "19.1", "9.1"]
    assert "RoBERTa-large on TRIP's test split" in lines[6]
    kept = json.loads((out / "ablations.json").read_text())
    assert kept.keys() == {*ABLATIONS, PUBLISHED_NAME}


# ---- What is refused


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--losses", "0.4,0.4,0.4,0.4"), "sum to 1: 0.4,0.4,0.4,0.4 does not"),
        (("--losses", "1.2,-0.2,0,0"), "0 or more and sum to 1"),
        (("--losses", "nan,0,0,1"), "0 or more and sum to 1"),
        (("--losses", "0.5,0.5"), "takes four numbers such as 0.4,0.4,0.2,0, not '0.5,0.5'"),
        (("--losses", "a,b,c,d"), "takes four numbers"),
        (("--ablate", "--losses", "0.4,0.4,0.2,0"), "leave out --losses"),
        (("--learning-rate", "0"), "--learning-rate must be above 0"),
        (("--learning-rate", "nan"), "--learning-rate must be above 0"),
        (("--fold", "1"), "give that too"),
        (("--folds", "3", "--fold", "3"), "0 to 2"),
        (("--truncate", "3"), "--truncate"),
        (("--conflicts", "all"), "'all' is not one of"),
        (("--encoder", "/no/such/encoder"), "cannot load the encoder '/no/such/encoder'"),
        (("--limit", "1"), "two base stories at least"),
    ],
)
def test_what_cannot_be_trained_is_told_in_one_line(
    arguments: tuple[str, ...], said: str, trip_file: Path, tiny_encoder: Path, tmp_path: Path, command_line: Run
) -> None:
    given = ("--encoder", tiny_encoder) if "--encoder" not in arguments else ()
    done = command_line("train", "tiered", trip_file, "--out", tmp_path / "run", *given, *arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("disproof: ")
    assert done.err.count("\n") == 1
    assert said in done.err


def test_without_weights_the_command_that_trains_them_is_told(trip_file: Path, command_line: Run) -> None:
    done = command_line("evaluate", "trip", trip_file, "--system", "tiered")
    assert (done.status, done.out) == (2, "")
    assert "train them with 'disproof train tiered FILE --out DIR'" in done.err
