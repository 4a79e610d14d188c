"""Training the tiered baseline: reproducible, resumable, and the epoch never chosen by what it is measured on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from disproof.bridge.tiered import judge_by
from disproof.neural import tiered_training
from disproof.neural.beliefs import PairBeliefs, choose, conflicting, load_heldout
from disproof.neural.tiered import Tiered, TieredConfig, TieredWeights
from disproof.neural.tiered_training import (
    TieredTraining,
    best_epoch,
    cross_validate_tiered,
    read_pair,
    split_validation,
    train_tiered,
)
from disproof.neural.training import folds
from disproof.symbolic.errors import ModelError, StoryError
from disproof.symbolic.story import StateTable, StoryPair

JUDGE = judge_by("top-two")


@pytest.fixture(scope="module")
def config(tiny_encoder: Path) -> TieredTraining:
    sizes = TieredConfig(projection=8, layers=1, heads=2)
    return TieredTraining(encoder=str(tiny_encoder), epochs=3, learning_rate=1e-3, model=sizes)


def weights(tiered: Tiered) -> dict[str, bytes]:
    return {name: value.numpy().tobytes() for name, value in tiered.network.state_dict().items()}


def files(folder: Path) -> dict[str, bytes]:
    """The contents of a run's files but for how long it took."""
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.name != "metrics.json"}


def stopping(at: int) -> Callable[[int, int, dict[str, float]], None]:
    def progress(step: int, steps: int, losses: dict[str, float]) -> None:
        if step == at:
            raise KeyboardInterrupt

    return progress


# ---- What chooses the epoch


def test_a_tenth_of_the_base_stories_is_set_aside_whole(pairs: Sequence[StoryPair]) -> None:
    many = [replace(pairs[0], id=f"{k // 2}-C{k % 2}") for k in range(60)]
    inside, validation = split_validation(many, 0)
    assert len(validation) == 6
    assert not {p.base for p in inside} & {p.base for p in validation}
    assert sorted(p.id for p in [*inside, *validation]) == sorted(p.id for p in many)
    assert {p.id for p in split_validation(many, 1)[1]} != {p.id for p in validation}


def test_one_base_story_cannot_be_split(pairs: Sequence[StoryPair]) -> None:
    with pytest.raises(StoryError, match="two base stories at least"):
        split_validation(pairs[:1], 0)


def entry(verifiability: float, consistency: float = 0.0, accuracy: float = 0.0, total: float = 1.0) -> dict[str, Any]:
    figures = {"verifiability": verifiability, "consistency": consistency, "accuracy": accuracy}
    return {"figures": figures, "validation": {"total": total}}


def test_the_most_verifiable_epoch_is_kept_and_ties_go_down_the_tiers() -> None:
    assert best_epoch([]) is None
    assert best_epoch([entry(0.1), entry(0.2), entry(0.1, 1.0, 1.0, 0.1)]) == 1
    assert best_epoch([entry(0.1, 0.2), entry(0.1, 0.3), entry(0.1, 0.2, 0.9)]) == 1
    assert best_epoch([entry(0.1, 0.2, 0.5), entry(0.1, 0.2, 0.6, 2.0)]) == 1
    assert best_epoch([entry(0.1, 0.2, 0.5, 1.0), entry(0.1, 0.2, 0.5, 0.9), entry(0.1, 0.2, 0.5, 0.9)]) == 1


def test_held_out_pairs_neither_train_nor_choose(
    pairs: Sequence[StoryPair], config: TieredTraining, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[set[str]] = []

    def recorded(inside: Sequence[StoryPair], *rest: Any) -> Any:
        used.append({p.base for p in inside})
        return train_tiered(inside, *rest)

    def judged(some: Sequence[StoryPair], beliefs: Sequence[PairBeliefs]) -> Mapping[str, Any]:
        used[-1] |= {p.base for p in some}
        return JUDGE(some, beliefs)

    monkeypatch.setattr(tiered_training, "train_tiered", recorded)
    cross_validate_tiered(pairs, replace(config, epochs=1), 3, tmp_path, judged)
    said: list[int] = []
    for k, held_out in enumerate(folds(pairs, 3)):
        assert not used[k] & {pairs[i].base for i in held_out}
        assert list(load_heldout(tmp_path / f"fold-{k}" / "heldout.safetensors", pairs)) == held_out
        said += held_out
    assert sorted(said) == list(range(7))


def test_the_weights_of_the_best_epoch_are_kept(
    pairs: Sequence[StoryPair], config: TieredTraining, tmp_path: Path
) -> None:
    told = iter([0.0, 0.5, 0.2])

    def judge(some: Sequence[StoryPair], beliefs: Sequence[PairBeliefs]) -> Mapping[str, Any]:
        return {**JUDGE(some, beliefs), "verifiability": next(told)}

    kept, curve = train_tiered(pairs, config, tmp_path / "three", judge)
    told = iter([0.0, 0.5])
    second, _ = train_tiered(pairs, replace(config, epochs=2), tmp_path / "two", judge)
    assert curve["best_epoch"] == 1
    assert weights(kept) == weights(second)


# ---- Training


def test_the_same_seed_gives_the_same_bits_and_another_others(
    pairs: Sequence[StoryPair], config: TieredTraining, tmp_path: Path
) -> None:
    quick = replace(config, epochs=2)
    first, curve = train_tiered(pairs, quick, tmp_path / "a", JUDGE)
    torch.manual_seed(123)  # what went before does not matter
    second, again = train_tiered(pairs, quick, tmp_path / "b", JUDGE)
    assert weights(first) == weights(second)
    assert curve["history"] == again["history"]
    third, _ = train_tiered(pairs, replace(quick, seed=1), tmp_path / "c", JUDGE)
    assert weights(third) != weights(first)


@pytest.mark.parametrize("pairs_per_step", [1, 4])
def test_a_fold_that_was_stopped_ends_with_the_same_bytes(
    pairs_per_step: int, pairs: Sequence[StoryPair], config: TieredTraining, tmp_path: Path
) -> None:
    config = replace(config, pairs_per_step=pairs_per_step)
    whole = cross_validate_tiered(pairs, config, 3, tmp_path / "whole", JUDGE, only=[0])
    for stop in (2, 5, 8):  # some pairs an epoch: in the first, the second and the third
        with pytest.raises(KeyboardInterrupt):
            cross_validate_tiered(pairs, config, 3, tmp_path / "parts", JUDGE, stopping(stop), only=[0])
    parts = cross_validate_tiered(pairs, config, 3, tmp_path / "parts", JUDGE, only=[0])
    assert parts[0]["history"] == whole[0]["history"]
    kept = files(tmp_path / "whole" / "fold-0")
    assert files(tmp_path / "parts" / "fold-0") == kept
    assert {"config.json", "heldout.safetensors", "weights-00.safetensors"} <= kept.keys()
    assert not {"checkpoint", "best.safetensors"} & {p.name for p in (tmp_path / "whole" / "fold-0").iterdir()}


def test_finished_folds_are_not_trained_again(
    pairs: Sequence[StoryPair], config: TieredTraining, tmp_path: Path
) -> None:
    quick = replace(config, epochs=1)
    first = cross_validate_tiered(pairs, quick, 3, tmp_path, JUDGE, only=[1])
    again = cross_validate_tiered(pairs, quick, 3, tmp_path, JUDGE, stopping(1), only=[1])
    assert again == first
    with pytest.raises(StoryError, match=r"fold-1: .*other settings or data"):
        cross_validate_tiered(pairs, replace(quick, seed=1), 3, tmp_path, JUDGE, only=[1])


@pytest.mark.parametrize(
    "change", [{"seed": 5}, {"epochs": 9}, {"losses": TieredWeights(0.4, 0.4, 0.1, 0.1)}, {"conflicts": "threshold"}]
)
def test_a_run_with_other_settings_is_not_gone_on_with(
    change: dict[str, Any], pairs: Sequence[StoryPair], config: TieredTraining, tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        train_tiered(pairs, config, tmp_path, JUDGE, stopping(7))
    with pytest.raises(StoryError, match="other settings or data"):
        train_tiered(pairs, replace(config, **change), tmp_path, JUDGE)


def test_what_is_told_of_a_run_counts_its_pairs(
    pairs: Sequence[StoryPair], config: TieredTraining, tmp_path: Path
) -> None:
    told: list[tuple[int, int]] = []
    inside = len(split_validation(pairs, 0)[0])
    run = replace(config, epochs=2, pairs_per_step=4)
    train_tiered(pairs, run, tmp_path, JUDGE, lambda step, steps, losses: told.append((step, steps)))
    assert told == [(k, 2 * inside) for k in range(1, 2 * inside + 1)]


@pytest.mark.slow
def test_training_learns_what_it_is_shown(pairs: Sequence[StoryPair], config: TieredTraining, tmp_path: Path) -> None:
    sizes = TieredConfig(projection=32, layers=1, heads=2, dropout=0.0)
    long = replace(config, epochs=120, learning_rate=2e-3, model=sizes)
    epoch = itertools.count()

    def last_is_best(some: Sequence[StoryPair], beliefs: Sequence[PairBeliefs]) -> Mapping[str, Any]:
        return {**JUDGE(some, beliefs), "verifiability": next(epoch)}

    tiered, curve = train_tiered(pairs[:4], long, tmp_path, last_is_best)
    history = curve["history"]
    assert history[-1]["training"]["precondition"] < history[0]["training"]["precondition"] / 5
    assert history[-1]["training"]["conflict"] < history[0]["training"]["conflict"] / 5
    right, told, found = 0, 0, 0
    for pair in split_validation(pairs[:4], 0)[0]:
        both = read_pair(tiered, pair)
        label = pair.label or 0
        right += choose(both)[0] == label and conflicting(both, 1 - label) == (0, 2)
        for story, said in zip(pair.stories, both, strict=True):
            assert story.gold is not None
            assert story.gold.states is not None
            gold = story.gold.states.values
            told += int((gold > 0).sum())
            found += int(((gold > 0) & (said.states == gold)).sum())
    assert found > 0.7 * told
    assert right == len(split_validation(pairs[:4], 0)[0])


# ---- What cannot be trained on


def without_states(pair: StoryPair) -> StoryPair:
    stories = [replace(s, gold=replace(s.gold, states=None)) for s in pair.stories if s.gold is not None]
    return replace(pair, stories=(stories[0], stories[1]))


def without_conflict(pair: StoryPair) -> StoryPair:
    stories = [replace(s, gold=replace(s.gold, conflict=None)) for s in pair.stories if s.gold is not None]
    return replace(pair, stories=(stories[0], stories[1]))


def without_entities(pair: StoryPair) -> StoryPair:
    empty = StateTable((), np.zeros((0, 3, 2, 20), np.int8))
    stories = [replace(s, entities=(), gold=replace(s.gold, states=empty)) for s in pair.stories if s.gold is not None]
    return replace(pair, stories=(stories[0], stories[1]))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda p: replace(p, label=None), "has no annotation"),
        (without_states, "without annotated states"),
        (without_conflict, "no conflicting sentences"),
        (without_entities, "without annotated states"),
    ],
)
def test_a_pair_that_cannot_be_learned_from_is_named(
    change: Callable[[StoryPair], StoryPair],
    said: str,
    pairs: Sequence[StoryPair],
    config: TieredTraining,
    tmp_path: Path,
) -> None:
    with pytest.raises(StoryError, match=f"pair .* {said}"):
        train_tiered([change(pair) for pair in pairs], config, tmp_path, JUDGE)


def test_an_encoder_that_is_not_there_is_told_before_anything_is_written(
    pairs: Sequence[StoryPair], config: TieredTraining, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match="cannot load the encoder"):
        train_tiered(pairs, replace(config, encoder=str(tmp_path / "none")), tmp_path / "run", JUDGE)
    assert not (tmp_path / "run").exists()
