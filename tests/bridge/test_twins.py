"""Broken stories and their restored twins: read, measured, and learned from."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from disproof.bridge.engine import Analysis
from disproof.bridge.scoring import Candidate, Weights
from disproof.bridge.twins import measure_twins, read_twins, with_entities
from disproof.symbolic.errors import StoryError
from disproof.symbolic.proof import Conflict, ProofNode
from disproof.symbolic.story import Story, StoryPair, Tagging

Run = Callable[..., Any]

LINE: dict[str, Any] = {
    "id": "x1",
    "broken": ["Ann unplugged the lamp.", "Ann read by the lamp."],
    "restored": ["Ann unplugged the lamp.", "Ann plugged the lamp in.", "Ann read by the lamp."],
    "conflict": [0, 1],
    "entity": "lamp",
}
OTHER: dict[str, Any] = {
    "id": "x2",
    "broken": ["Tom ate the pear.", "Tom washed a cup.", "Tom peeled the pear."],
    "restored": ["Tom ate the pear.", "Tom bought another pear.", "Tom peeled the pear."],
    "conflict": [0, 2],
    "entity": "pear",
}


def write(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def test_a_pair_is_the_restored_story_and_the_broken_one(tmp_path: Path) -> None:
    [twins] = read_twins(write(tmp_path / "twins.jsonl", LINE))
    restored, broken = twins.pair.stories
    assert (restored.sentences, broken.sentences) == (tuple(LINE["restored"]), tuple(LINE["broken"]))
    assert restored.gold is not None
    assert restored.gold.plausible
    assert broken.gold is not None
    assert broken.gold.conflict == (0, 1)
    assert (twins.pair.label, twins.pair.base, twins.entity) == (0, "x1", "lamp")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"conflict": [1, 0]}, "no pair of sentences in order"),
        ({"conflict": [0, 2]}, "no pair of sentences in order"),
        ({"conflict": [0]}, '"conflict"'),
        ({"broken": "Ann ate."}, '"broken" must be a list'),
        ({"restored": []}, "no sentences"),
        ({"id": 3}, '"id" must be a string'),
    ],
)
def test_a_line_that_is_wrong_is_named(tmp_path: Path, change: dict[str, Any], expected: str) -> None:
    path = write(tmp_path / "twins.jsonl", LINE, {**LINE, **change})
    with pytest.raises(StoryError) as caught:
        list(read_twins(path))
    assert expected in caught.value.message
    assert caught.value.location is not None
    assert caught.value.location.line == 2


def _analysis(story: Story, *candidates: tuple[int, int, float, str | None]) -> Analysis:
    found = []
    for i, j, score, entity in candidates:
        proofs: tuple[Conflict, ...] = ()
        if entity is not None:
            proofs = (Conflict(i, j, "r", "r", entity, "exist", ProofNode("conflict", "rule", "r")),)
        found.append(Candidate(i, j, {"x": score}, proofs))
    import numpy as np

    return Analysis(story, (), Tagging((), np.zeros((0, len(story.sentences), 2, 20, 9), np.float32)), tuple(found))


def test_the_figures_are_shares_of_the_pairs(tmp_path: Path) -> None:
    twins = list(read_twins(write(tmp_path / "twins.jsonl", LINE, OTHER)))
    weights = Weights({"x": 1.0}, no_conflict=0.0)
    first = (
        _analysis(twins[0].pair.stories[0], (0, 2, -9.0, None)),
        _analysis(twins[0].pair.stories[1], (0, 1, 5.0, "the old lamps")),
    )
    second = (
        _analysis(twins[1].pair.stories[0], (0, 2, 7.0, "pear")),
        _analysis(twins[1].pair.stories[1], (0, 1, 4.0, "pear"), (0, 2, 3.0, "pear")),
    )
    figures = measure_twins(twins, [first, second], [weights, weights])
    assert figures.to_json() == {
        "n": 2,
        "right_pair": 0.5,
        "right_proof": 0.5,
        "broken_implausible": 1.0,
        "restored_plausible": 0.5,
        "broken_above_restored": 0.5,
        "accuracy": 0.5,
        "consistency": 0.5,
    }


def test_the_choice_is_right_where_the_twin_is_mended_in_between(tmp_path: Path) -> None:
    [twins] = read_twins(write(tmp_path / "twins.jsonl", OTHER))
    # By the differing sentence alone the restored story would be the worse one; (0, 2) is what it mends.
    both = (
        _analysis(twins.pair.stories[0], (0, 2, 1.0, None), (1, 2, 2.5, None)),
        _analysis(twins.pair.stories[1], (0, 2, 5.0, "pear"), (1, 2, 2.0, None)),
    )
    figures = measure_twins([twins], [both], [Weights({"x": 1.0})])
    assert (figures.accuracy, figures.consistency) == (1.0, 1.0)


def test_a_choice_looks_at_what_the_twins_do_not_share(tmp_path: Path) -> None:
    changed = {**LINE, "restored": ["Ann plugged in the lamp.", "Ann read by the lamp."]}
    late = {**OTHER, "restored": ["Tom ate the pear.", "Tom washed a cup.", "Tom peeled a peach."]}
    twins = list(read_twins(write(tmp_path / "twins.jsonl", changed, late)))
    first = (_analysis(twins[0].pair.stories[0]), _analysis(twins[0].pair.stories[1], (0, 1, 5.0, "lamp")))
    # Beside its twin the first two sentences, as bad in both stories, are not looked at.
    second = (
        _analysis(twins[1].pair.stories[0], (0, 1, 9.0, "pear")),
        _analysis(twins[1].pair.stories[1], (0, 1, 9.0, "pear"), (1, 2, 4.0, "pear"), (0, 2, 3.0, "pear")),
    )
    figures = measure_twins(twins, [first, second], [Weights({"x": 1.0})] * 2)
    assert (figures.accuracy, figures.consistency, figures.right_pair) == (1.0, 0.5, 0.5)


def test_a_right_pair_proved_of_another_thing_is_no_right_proof(tmp_path: Path) -> None:
    [twins] = read_twins(write(tmp_path / "twins.jsonl", LINE))
    both = (_analysis(twins.pair.stories[0]), _analysis(twins.pair.stories[1], (0, 1, 5.0, "Ann")))
    figures = measure_twins([twins], [both], [Weights({"x": 1.0})])
    assert (figures.right_pair, figures.right_proof) == (1.0, 0.0)


def test_no_twins_cannot_be_measured() -> None:
    with pytest.raises(StoryError, match="no twins"):
        measure_twins([], [], [])


def test_stories_get_the_entities_of_their_text_and_keep_their_own() -> None:
    named = Story(("Ann sat.", "Ann left."), ("Ann",))
    [pair] = with_entities([StoryPair((Story(("Ann ate the pear.", "Ann left.")), named), 0, "a")])
    assert pair.stories[0].entities is not None
    assert "pear" in pair.stories[0].entities
    assert pair.stories[1] is named


def test_the_command_prints_the_figures(tmp_path: Path, command_line: Run) -> None:
    done = command_line("evaluate", "twins", write(tmp_path / "t.jsonl", LINE, OTHER), "--format", "json")
    assert done.status == 0
    figures = json.loads(done.out)
    assert (figures["system"], figures["n"]) == ("neurosymbolic", 2)
    assert figures["right_pair"] == 1.0
    assert figures["broken_above_restored"] == 1.0


def test_training_learns_from_twins_as_well(
    tmp_path: Path, trip_file: Path, tiny_encoder: Path, command_line: Run
) -> None:
    twins = write(
        tmp_path / "twins.jsonl", *({**line, "id": f"{line['id']}{k}"} for k in "abc" for line in (LINE, OTHER))
    )
    run, weights = tmp_path / "run", tmp_path / "weights.json"
    settings = ("--encoder", tiny_encoder, "--epochs", 1, "--folds", 5)
    done = command_line("train", "tagger", trip_file, "--twins", twins, "--out", run, *settings)
    assert (done.status, done.err) == (0, "")
    done = command_line(
        "train", "weights", trip_file, "--twins", twins, "--folds-dir", run, "--out", weights, "--format", "json"
    )
    assert (done.status, done.err) == (0, "")
    figures = json.loads(done.out)["neurosymbolic"]
    about = json.loads(weights.read_text())["about"]
    assert figures["twins"]["n"] == about["twins"] == 6
    assert figures["n"] == about["pairs"]


def test_twins_are_taught_by_a_run_of_as_many_folds(
    tmp_path: Path, trip_file: Path, tiny_encoder: Path, command_line: Run
) -> None:
    twins = write(tmp_path / "twins.jsonl", *({**LINE, "id": f"x{k}"} for k in range(5)))
    settings = ("--encoder", tiny_encoder, "--epochs", 1, "--folds", 5)
    teacher, taught, alone = (tmp_path / name for name in ("teacher", "taught", "alone"))
    train = ("train", "tagger", trip_file)
    for extra in (
        ("--out", teacher),
        ("--out", alone, "--twins", twins),
        ("--out", taught, "--twins", twins, "--teacher", teacher),
    ):
        done = command_line(*train, *settings, *extra)
        assert (done.status, done.err) == (0, "")
    losses = [json.loads((run / "fold-0" / "metrics.json").read_text())["history"] for run in (alone, taught)]
    assert losses[0][0]["states"] != losses[1][0]["states"]
    # One model can teach all folds' stories only if it is a run of folds: the teacher of a fold must not know it.
    done = command_line(*train, *settings, "--out", tmp_path / "x", "--twins", twins, "--teacher", teacher / "fold-0")
    assert done.status == 2
    assert "no weights to start from" in done.err


def test_a_teacher_of_annotated_stories_is_refused(
    tmp_path: Path, trip_file: Path, tiny_encoder: Path, command_line: Run
) -> None:
    run = ("train", "tagger", trip_file, "--encoder", tiny_encoder, "--epochs", 1)
    assert command_line(*run, "--out", tmp_path / "teacher").status == 0
    done = command_line(*run, "--out", tmp_path / "taught", "--teacher", tmp_path / "teacher")
    assert done.status == 2
    assert "a teacher tells nothing" in done.err
    assert not (tmp_path / "taught").exists()


def test_annotated_states_have_no_twins(tmp_path: Path, trip_file: Path, command_line: Run) -> None:
    twins = write(tmp_path / "twins.jsonl", LINE)
    done = command_line(
        "train", "weights", trip_file, "--twins", twins, "--states", "gold", "--out", tmp_path / "w.json"
    )
    assert done.status == 2
    assert "twins have no annotated states" in done.err


def test_two_pairs_of_one_name_are_refused(
    tmp_path: Path, trip_file: Path, tiny_encoder: Path, command_line: Run
) -> None:
    twins = write(tmp_path / "twins.jsonl", LINE, LINE)
    settings = ("--encoder", tiny_encoder, "--epochs", 1)
    done = command_line("train", "tagger", trip_file, "--twins", twins, "--out", tmp_path / "run", *settings)
    assert done.status == 2
    assert "'x1'" in done.err
