"""Making a model by the recipe of a shipped one: one command from data to a model that explains stories."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from disproof.bridge import recipes
from disproof.bridge.recipes import Recipe
from disproof.neural.tagger import Tagger

Run = Callable[..., Any]

TWIN: dict[str, Any] = {
    "broken": ["Ann unplugged the lamp.", "Ann read by the lamp."],
    "restored": ["Ann unplugged the lamp.", "Ann plugged the lamp in.", "Ann read by the lamp."],
    "conflict": [0, 1],
    "entity": "lamp",
}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, tiny_encoder: Path) -> None:
    """The shipped recipes, of one epoch each and with an encoder that is at hand."""
    tiny = Recipe(str(tiny_encoder), 1e-3, 1)
    monkeypatch.setattr(recipes, "TEACHER", tiny)
    monkeypatch.setattr(recipes, "RECIPES", {"base": tiny, "small": tiny})


@pytest.fixture
def twins(tmp_path: Path) -> Path:
    path = tmp_path / "twins.jsonl"
    path.write_text("".join(json.dumps({**TWIN, "id": f"x{k}"}) + "\n" for k in range(5)), "utf-8")
    return path


def runs(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*.safetensors")}


@pytest.mark.usefixtures("quick")
def test_one_command_makes_a_model_that_explains(
    trip_file: Path, twins: Path, tmp_path: Path, command_line: Run
) -> None:
    out = tmp_path / "runs" / "small"
    command = ("train", "model", "small", trip_file, "--twins", twins, "--out", out, "--format", "json")
    done = command_line(*command)
    assert (done.status, done.err) == (0, "")
    figures = json.loads(done.out)["neurosymbolic"]
    assert (figures["n"], figures["twins"]["n"]) == (7, 5)
    assert sorted(p.name for p in out.iterdir()) == ["cv", "model", "teacher", "teacher-cv"]
    assert "teacher" in Tagger.load(out / "model").config["training"]
    story = tmp_path / "story.txt"
    story.write_text("Ann unplugged the lamp.\nAnn read by the lamp.\n")
    assert command_line("explain", story, "--model", out / "model").status == 0
    before = runs(out)
    assert command_line(*command).status == 0
    assert runs(out) == before


@pytest.mark.usefixtures("quick")
def test_a_fold_can_be_trained_by_itself_with_the_teachers_run(
    trip_file: Path, twins: Path, tmp_path: Path, command_line: Run
) -> None:
    data = (trip_file, "--twins", twins, "--fold", 3)
    base, small = tmp_path / "base", tmp_path / "small"
    done = command_line("train", "model", "base", *data, "--out", base)
    assert (done.status, done.err) == (0, "")
    assert [str(p.relative_to(base)) for p in sorted(base.glob("*/*"))] == ["cv/fold-3", "teacher-cv/fold-3"]
    done = command_line("train", "model", "small", *data, "--out", small, "--teacher", base)
    assert (done.status, done.err) == (0, "")
    assert sorted(p.name for p in small.iterdir()) == ["cv"]
    settings = json.loads((small / "cv" / "fold-3" / "metrics.json").read_text())["training"]
    assert "teacher" in settings


@pytest.mark.usefixtures("quick")
def test_what_is_no_teacher_is_refused(trip_file: Path, twins: Path, tmp_path: Path, command_line: Run) -> None:
    command = ("train", "model", "small", trip_file, "--twins", twins, "--out", tmp_path / "out", "--teacher", tmp_path)
    done = command_line(*command)
    assert done.status == 2
    assert "there is no teacher of an earlier 'train model' here" in done.err
    done = command_line(*command, "--fold", 5)
    assert done.status == 2
    assert "0 to 4" in done.err
    assert not (tmp_path / "out").exists()
