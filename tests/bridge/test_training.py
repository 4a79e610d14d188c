"""Training from data files, through the command line where it can be."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from disproof.bridge import training
from disproof.bridge.calibration import tempered
from disproof.bridge.engine import Analysis, Engine
from disproof.bridge.evaluation import data_digest
from disproof.bridge.learning import Example
from disproof.bridge.readers import read_pairs
from disproof.bridge.scoring import PRIOR, Candidate, Weights, load_temperatures, load_weights
from disproof.bridge.training import StoredTaggings, example, fold_weights, load_heldout
from disproof.neural.tagger import Tagger
from disproof.neural.training import folds
from disproof.symbolic.errors import ModelError, StoryError
from disproof.symbolic.proof import Conflict, ProofNode
from disproof.symbolic.story import Story, StoryPair, Tagging

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def pairs(trip_file: Path) -> list[StoryPair]:
    return list(read_pairs(trip_file))


@pytest.fixture(scope="module")
def cross_validated(
    trip_file: Path, tiny_encoder: Path, command_line: Run, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Five folds, trained for one epoch."""
    out: Path = tmp_path_factory.mktemp("runs") / "tiny"
    done = command_line(
        "train", "tagger", trip_file, "--out", out, "--encoder", tiny_encoder, "--epochs", 1, "--folds", 5
    )
    assert (done.status, done.err) == (0, "")
    return out


@pytest.fixture(scope="module")
def learned(trip_file: Path, cross_validated: Path, command_line: Run) -> tuple[Path, dict[str, Any]]:
    """The weights learned from those folds, and the figures that were printed."""
    out = cross_validated.parent / "weights.json"
    arguments = ("--folds-dir", cross_validated, "--out", out, "--format", "json")
    done = command_line("train", "weights", trip_file, *arguments)
    assert (done.status, done.err) == (0, "")
    return out, json.loads(done.out)


def tagger_arguments(trip_file: Path, tiny_encoder: Path, out: Path, epochs: int = 1) -> list[str]:
    return f"train tagger {trip_file} --out {out} --encoder {tiny_encoder} --epochs {epochs}".split()


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


# ---- train tagger


def test_a_larger_encoder_can_learn_at_a_rate_of_its_own(
    trip_file: Path, tiny_encoder: Path, tmp_path: Path, command_line: Run
) -> None:
    out = tmp_path / "model"
    arguments = [*tagger_arguments(trip_file, tiny_encoder, out), "--limit", "4"]
    refused = command_line(*arguments, "--learning-rate", "0")
    assert (refused.status, refused.err) == (2, "disproof: --learning-rate must be above 0\n")
    assert command_line(*arguments, "--learning-rate", "5e-5").status == 0
    settings = json.loads((out / "config.json").read_text())["training"]
    assert settings["learning_rate"] == 5e-5
    assert settings["head_learning_rate"] == pytest.approx(5e-4)


def test_a_trained_tagger_is_a_model_folder(
    trip_file: Path, tiny_encoder: Path, tmp_path: Path, command_line: Run, pairs: Sequence[StoryPair]
) -> None:
    out = tmp_path / "model"
    done = command_line(*tagger_arguments(trip_file, tiny_encoder, out), "--format", "json")
    assert (done.status, done.err) == (0, "")
    figures = json.loads(done.out)
    assert figures.keys() == {"loss_states", "loss_pair", "loss_single", "loss_total", "seconds"}
    assert sorted(p.name for p in out.iterdir()) == [
        "config.json",
        "metrics.json",
        "tokenizer.json",
        "weights-00.safetensors",
    ]
    tagger = Tagger.load(out)
    assert tagger.config["data"] == data_digest(pairs)
    assert json.loads((out / "metrics.json").read_text())["loss_total"] == figures["loss_total"]
    story = pairs[0].stories[0]
    assert tagger.tag(story.sentences, story.entities or ()).probabilities.shape[:2] == (2, 3)


def test_a_finished_model_is_left_as_it_is(
    trip_file: Path, tiny_encoder: Path, tmp_path: Path, command_line: Run
) -> None:
    arguments = tagger_arguments(trip_file, tiny_encoder, tmp_path / "model")
    assert command_line(*arguments).status == 0
    before = contents(tmp_path / "model")
    again = command_line(*arguments)
    assert (again.status, contents(tmp_path / "model")) == (0, before)
    for change in (["--seed", "3"], ["--limit", "6"], ["--epochs", "2"]):
        refused = command_line(*arguments, *change)
        assert refused.status == 2
        assert "other settings or data; choose another --out" in refused.err
        assert refused.err.count("\n") == 1
    assert contents(tmp_path / "model") == before


def test_a_model_can_share_the_folder_of_its_folds(
    trip_file: Path, tiny_encoder: Path, tmp_path: Path, cross_validated: Path, command_line: Run
) -> None:
    shutil.copytree(cross_validated, tmp_path / "run")
    before = contents(tmp_path / "run")
    assert command_line(*tagger_arguments(trip_file, tiny_encoder, tmp_path / "run")).status == 0
    after = contents(tmp_path / "run")
    assert {name: after[name] for name in before} == before
    assert Tagger.load(tmp_path / "run").config["encoder"] == str(tiny_encoder)


def test_one_fold_at_a_time_comes_to_the_same(
    trip_file: Path, tiny_encoder: Path, tmp_path: Path, cross_validated: Path, command_line: Run
) -> None:
    arguments = [*tagger_arguments(trip_file, tiny_encoder, tmp_path / "run"), "--folds", "5"]
    for fold in (3, 0):
        done = command_line(*arguments, "--fold", fold, "--format", "json")
        assert list(json.loads(done.out)["folds"]) == [str(fold)]
        name = f"fold-{fold}/heldout.safetensors"
        assert (tmp_path / "run" / name).read_bytes() == (cross_validated / name).read_bytes()
    assert sorted(p.name for p in (tmp_path / "run").iterdir()) == ["fold-0", "fold-3"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--encoder", "/no/such/encoder"], "cannot load the encoder '/no/such/encoder'"),
        (["--folds", "7"], "7 folds of 6 base stories"),
        (["--limit", "2", "--folds", "3"], "3 folds of 2 base stories"),
    ],
)
def test_what_cannot_be_trained_is_told_in_one_line(
    arguments: list[str], said: str, trip_file: Path, tiny_encoder: Path, tmp_path: Path, command_line: Run
) -> None:
    done = command_line(*tagger_arguments(trip_file, tiny_encoder, tmp_path / "run"), *arguments)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_file_cannot_be_the_folder_of_a_run(trip_file: Path, tiny_encoder: Path, command_line: Run) -> None:
    before = trip_file.read_bytes()
    done = command_line(*tagger_arguments(trip_file, tiny_encoder, trip_file))
    assert done.status == 2
    assert "tiny.jsonl: cannot be the folder of a run" in done.err
    assert trip_file.read_bytes() == before


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_and_ends_with_the_same_weights(
    trip_file: Path, tiny_encoder: Path, tmp_path: Path, command_line: Run
) -> None:
    epochs = 30
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "disproof.cli", *tagger_arguments(trip_file, tiny_encoder, killed, epochs)],
        env={**os.environ, "OMP_NUM_THREADS": str(torch.get_num_threads())},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 120
    while not (killed / "checkpoint" / "state.json").exists() and time.monotonic() < deadline:
        time.sleep(0.005)
    process.kill()
    assert process.wait() == -9  # it had not finished
    assert not (killed / "config.json").exists()
    for out in (killed, whole):
        assert command_line(*tagger_arguments(trip_file, tiny_encoder, out, epochs)).status == 0
    first, second = (contents(out)["weights-00.safetensors"] for out in (killed, whole))
    assert first == second
    histories = [json.loads((out / "metrics.json").read_text())["history"] for out in (killed, whole)]
    assert histories[0] == histories[1]
    assert len(histories[0]) == epochs


# ---- train weights


def test_weights_are_learned_from_the_folds_and_measured_by_them(
    learned: tuple[Path, dict[str, Any]], pairs: Sequence[StoryPair]
) -> None:
    out, figures = learned
    assert list(figures) == ["neurosymbolic", "symbolic", "neural prior alone"]
    for found in figures.values():
        assert 0 <= found["accuracy"] <= 1
        assert found["n"] == 7
        assert sum(row["weight"] for row in found["calibration"]["reliability"].values()) == pytest.approx(14, abs=0.5)
        assert found["over_folds"].keys() == {"accuracy", "consistency", "all_states", "proof"}
    stored = json.loads(out.read_text())
    assert stored["about"]["data"] == data_digest(pairs)
    assert stored["about"]["states"] == "out of fold"
    for name, found in figures.items():
        kept = stored["about"]["cross_validated"][name]
        assert kept["single"]["auroc"] == pytest.approx(found["single"]["auroc"], abs=1e-3)
        assert kept["calibration"] == found["calibration"]
    assert PRIOR in load_weights(out, "neurosymbolic").features
    assert PRIOR not in load_weights(out, "symbolic").features
    with pytest.raises(ModelError):
        load_weights(out, "neural prior alone")


@pytest.mark.slow
def test_the_same_folds_give_the_same_bytes(
    trip_file: Path, cross_validated: Path, learned: tuple[Path, dict[str, Any]], tmp_path: Path, command_line: Run
) -> None:
    out = tmp_path / "weights.json"
    done = command_line("train", "weights", trip_file, "--folds-dir", cross_validated, "--out", out)
    assert (done.status, done.err) == (0, "")
    assert out.read_bytes() == learned[0].read_bytes()


def test_weights_of_the_annotated_states_need_no_folds(trip_file: Path, tmp_path: Path, command_line: Run) -> None:
    out = tmp_path / "gold.json"
    done = command_line("train", "weights", trip_file, "--states", "gold", "--out", out, "--format", "json")
    assert (done.status, done.err) == (0, "")
    figures = json.loads(done.out)
    assert list(figures) == ["symbolic"]
    # The rules know that what is unplugged does not turn on.
    assert figures["symbolic"]["accuracy"] == figures["symbolic"]["consistency"] == 1
    stored = json.loads(out.read_text())
    assert list(stored["systems"]) == ["symbolic"]
    assert stored["about"]["states"] == "annotated"
    learned = load_weights(out, "symbolic")
    assert PRIOR not in learned.features
    assert any(name.startswith("rule ") and weight > 0.5 for name, weight in learned.features.items())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give it, or --states gold"),
        (["--states", "gold", "--folds-dir", "x"], "leave out --folds-dir"),
        (["--states", "silver"], "'silver' is not one of"),
        (["--folds-dir", "/no/such/folder"], "fold-0/heldout.safetensors: this fold is not trained yet"),
    ],
)
def test_states_come_from_one_place(
    arguments: list[str], said: str, trip_file: Path, tmp_path: Path, command_line: Run
) -> None:
    done = command_line("train", "weights", trip_file, "--out", tmp_path / "w.json", *arguments)
    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "w.json").exists()


def test_the_help_says_what_states_are_learned_from(command_line: Run) -> None:
    shown = " ".join(command_line("train", "weights", "--help").out.split())
    assert "--states" in shown
    assert "train weights dev.jsonl.gz --states gold" in shown


# ---- Some of the pairs


def test_folds_that_learn_from_some_pairs_are_weighed_by_the_same(
    trip_file: Path, tiny_encoder: Path, tmp_path: Path, command_line: Run
) -> None:
    arguments = tagger_arguments(trip_file, tiny_encoder, tmp_path / "run")
    refused = command_line(*arguments, "--pairs", "3")
    assert refused.status == 2
    assert "--pairs is for the folds of --folds" in refused.err
    assert command_line(*arguments, "--pairs", "3", "--folds", "5").status == 0
    for k in range(5):
        assert json.loads((tmp_path / "run" / f"fold-{k}" / "metrics.json").read_text())["training"]["pairs"] == 3
    other = command_line(*arguments, "--pairs", "4", "--folds", "5")
    assert (other.status, "other settings or data" in other.err) == (2, True)
    out = tmp_path / "weights.json"
    done = command_line("train", "weights", trip_file, "--folds-dir", tmp_path / "run", "--pairs", "3", "--out", out)
    assert (done.status, done.err) == (0, "")
    assert json.loads(out.read_text())["about"]["learned_from"] == 3


def test_weights_and_temperatures_come_of_those_pairs_alone(
    cross_validated: Path, pairs: list[StoryPair], monkeypatch: pytest.MonkeyPatch
) -> None:
    weighed: list[set[str]] = []

    def learned(examples: Sequence[Example], config: object) -> Weights:
        weighed.append({e.group for e in examples})
        return Weights()

    fitted: list[int] = []

    def fit(taggings: Iterable[Any]) -> dict[str, float]:
        fitted.append(len(list(taggings)))
        return {}

    monkeypatch.setattr(training, "learn_calibrated", learned)
    monkeypatch.setattr(training, "fit_temperatures", fit)
    analysed = [(analysis(p.stories[0]), analysis(p.stories[1])) for p in pairs]
    fold_weights(pairs, analysed, folds(pairs, 5), size=2)
    for held_out, bases in zip(folds(pairs, 5), weighed, strict=True):
        assert 1 <= len(bases) <= 2
        assert not bases & {pairs[i].base for i in held_out}
    load_heldout(cross_validated, pairs, size=2)
    assert fitted == [4] * 6  # both stories of two pairs: for each fold, and for what ships


# ---- Out-of-fold states


def test_every_story_has_the_states_that_were_stored_for_it(cross_validated: Path, pairs: list[StoryPair]) -> None:
    stored = load_heldout(cross_validated, pairs)
    assert repr(stored) == "StoredTaggings(14 stories)"
    for pair in pairs:
        for story in pair.stories:
            tagging = stored.tag(story.sentences, story.entities or ())
            assert tagging.probabilities.shape[:2] == (2, 3)
            assert tagging.pair_scores is not None


def test_a_story_or_entities_that_were_not_tagged_are_refused() -> None:
    stored = StoredTaggings({("a.",): Tagging(("x",), np.zeros((1, 1, 2, 20, 9), np.float32))})
    for sentences, entities in ((["b."], ["x"]), (["a."], ["y"])):
        with pytest.raises(ModelError, match="no stored states"):
            stored.tag(sentences, entities)


def test_a_missing_or_damaged_fold_is_named(cross_validated: Path, pairs: list[StoryPair], tmp_path: Path) -> None:
    shutil.copytree(cross_validated, tmp_path / "run")
    (tmp_path / "run" / "fold-2" / "heldout.safetensors").write_bytes(b"cut")
    with pytest.raises(ModelError, match=r"fold-2/heldout\.safetensors: this fold is not trained yet"):
        load_heldout(tmp_path / "run", pairs)


def longer(pair: StoryPair) -> StoryPair:
    return replace(pair, stories=tuple(replace(s, sentences=(*s.sentences, "More.")) for s in pair.stories))  # type: ignore[arg-type]


@pytest.mark.parametrize("change", [lambda pairs: pairs[:3], lambda pairs: [longer(p) for p in pairs]])
def test_states_of_other_data_are_refused(
    change: Callable[[list[StoryPair]], list[StoryPair]], cross_validated: Path, pairs: list[StoryPair]
) -> None:
    with pytest.raises(ModelError, match="belong to other data"):
        load_heldout(cross_validated, change(pairs))


def test_arrays_that_are_no_states_are_refused(
    tiny_encoder: Path, cross_validated: Path, pairs: list[StoryPair], tmp_path: Path
) -> None:
    shutil.copytree(cross_validated, tmp_path / "run")
    shutil.copy(tiny_encoder / "model.safetensors", tmp_path / "run" / "fold-1" / "heldout.safetensors")
    with pytest.raises(ModelError, match="belong to other data"):
        load_heldout(tmp_path / "run", pairs)


# ---- Examples


def analysis(story: Story, *candidates: Candidate) -> Analysis:
    empty = Tagging((), np.zeros((0, len(story.sentences), 2, 20, 9), np.float32))
    return Analysis(story, (), empty, candidates)


PROVED = Candidate(
    0, 2, {"rule r": 1.0, PRIOR: 0.5}, (Conflict(0, 2, "r", "r", "e", "power", ProofNode("c", "rule", "r")),)
)
UNPROVED = Candidate(0, 1, {PRIOR: -0.5}, ())


def test_an_example_points_at_the_implausible_story_and_its_pair(pairs: list[StoryPair]) -> None:
    pair = pairs[0]
    assert pair.label == 0
    made = example(pair, (analysis(pair.stories[0]), analysis(pair.stories[1], PROVED)))
    assert (made.gold, made.sentences, made.group) == ((1, 0, 2), (3, 3), "0")
    swapped = replace(pair, stories=pair.stories[::-1], label=1)
    assert example(swapped, (analysis(pair.stories[1]), analysis(pair.stories[0]))).gold == (0, 0, 2)


def test_a_pair_without_label_or_conflict_teaches_nothing(pairs: list[StoryPair]) -> None:
    both = (analysis(pairs[0].stories[0]), analysis(pairs[0].stories[1]))
    plain = replace(pairs[0], stories=(pairs[0].stories[0], replace(pairs[0].stories[1], gold=None)))
    for pair in (replace(pairs[0], label=None), plain):
        with pytest.raises(StoryError, match="has no label or conflict"):
            example(pair, both)


def test_rules_and_prior_can_be_looked_at_alone(pairs: list[StoryPair]) -> None:
    both = (analysis(pairs[0].stories[0], UNPROVED, PROVED), analysis(pairs[0].stories[1]))
    ((prior, _),) = training.without_rules([both])
    assert [(c.features, c.conflicts) for c in prior.candidates] == [({PRIOR: -0.5}, ()), ({PRIOR: 0.5}, ())]
    ((ruled, _),) = training.without_prior([both])
    assert [(c.features, len(c.conflicts)) for c in ruled.candidates] == [({"rule r": 1.0}, 1)]


def test_no_pair_is_judged_by_weights_that_saw_its_base_story(
    pairs: list[StoryPair], monkeypatch: pytest.MonkeyPatch
) -> None:
    def recorded(examples: Sequence[Example], config: object) -> Weights:
        return Weights({f"saw {e.group}": 1.0 for e in examples})

    monkeypatch.setattr(training, "learn_calibrated", recorded)
    analysed = [(analysis(p.stories[0]), analysis(p.stories[1])) for p in pairs]
    weights = fold_weights(pairs, analysed, folds(pairs, 3))
    bases = {p.base for p in pairs}
    for held_out in folds(pairs, 3):
        outside = {pairs[i].base for i in held_out}
        for i in held_out:
            assert set(weights[i].features) == {f"saw {base}" for base in bases - outside}


def test_a_digest_is_of_the_stories_whatever_their_order(pairs: list[StoryPair]) -> None:
    assert data_digest(pairs) == data_digest(pairs[::-1])
    assert data_digest(pairs) != data_digest(pairs[1:])


@pytest.mark.parametrize("train", [training.train_tagger, training.train_weights])
def test_nothing_can_be_learned_from_no_pairs(train: Callable[..., Any], tmp_path: Path) -> None:
    arguments = (tmp_path,) if train is training.train_tagger else (None, tmp_path / "w.json")
    with pytest.raises(StoryError, match="no story pairs to"):
        train([], *arguments)


def test_an_engine_takes_a_trained_folder_with_weights_beside_it(
    trip_file: Path,
    tiny_encoder: Path,
    learned: tuple[Path, dict[str, Any]],
    tmp_path: Path,
    command_line: Run,
) -> None:
    model = tmp_path / "model"
    assert command_line(*tagger_arguments(trip_file, tiny_encoder, model)).status == 0
    shutil.copy(learned[0], model / "rule_weights.json")
    engine = Engine(str(model))
    assert engine.weights == load_weights(model / "rule_weights.json", "neurosymbolic")
    assert repr(engine.tagger) == f"TemperedTagger({Tagger.load(model)!r})"
    raw, told = (tagger.tag(("Tom broke the cup.",), ("Tom", "cup")) for tagger in (Tagger.load(model), engine.tagger))
    assert told.probabilities.tolist() == tempered(raw, load_temperatures(learned[0])).probabilities.tolist()
    assert told.probabilities.tolist() != raw.probabilities.tolist()
