"""Training the tagger: reproducible, resumable, and never on what it is measured on."""

from __future__ import annotations

import itertools
import json
import os
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from disproof.neural import training
from disproof.neural.model import ModelConfig
from disproof.neural.tagger import Tagger
from disproof.neural.training import TrainingConfig, cross_validate, fingerprint, folds, part, train
from disproof.symbolic.errors import ModelError, StoryError
from disproof.symbolic.story import Gold, StateTable, Story, StoryPair, Tagging


@pytest.fixture(scope="module")
def config(tiny_encoder: Path) -> TrainingConfig:
    return TrainingConfig(
        encoder=str(tiny_encoder), epochs=3, pairs_per_batch=3, model=ModelConfig(state_hidden=16, pair_hidden=8)
    )


def weights(tagger: Tagger) -> dict[str, bytes]:
    return {name: value.numpy().tobytes() for name, value in tagger.network.state_dict().items()}


def stopping(at: int) -> Callable[[int, int, dict[str, float]], None]:
    def progress(step: int, steps: int, losses: dict[str, float]) -> None:
        if step == at:
            raise KeyboardInterrupt

    return progress


# ---- Folds


def named(*bases: str) -> list[StoryPair]:
    return [StoryPair((Story(("a.",)), Story(("b.",))), 0, f"{base}-C{k}") for k, base in enumerate(bases)]


def test_every_pair_is_held_out_once_and_no_base_story_is_split() -> None:
    many = named(*(str(k % 23) for k in range(100)))
    parts = folds(many, 5)
    assert sorted(i for part in parts for i in part) == list(range(100))
    bases = [{many[i].base for i in part} for part in parts]
    assert sum(map(len, bases)) == len(set.union(*bases)) == 23
    assert max(map(len, bases)) - min(map(len, bases)) <= 1


def test_folds_depend_on_the_seed_and_not_on_the_order_of_the_pairs() -> None:
    many = named(*(str(k) for k in range(30)))
    held = [{many[i].id for i in part} for part in folds(many, 3)]
    backwards = many[::-1]
    assert [{backwards[i].id for i in part} for part in folds(backwards, 3)] == held
    assert [{many[i].id for i in part} for part in folds(many, 3, seed=1)] != held


# ---- A part of the pairs


def test_a_small_part_lies_within_a_larger_one_and_takes_whole_base_stories(pairs: Sequence[StoryPair]) -> None:
    many = [replace(pairs[0], id=f"{base}-{k}", group=base) for base in "abcdefgh" for k in range(3)]
    parts = [part(many, size) for size in (1, 4, 10, 23, 24, 99, None)]
    assert [len(found) for found in parts] == [1, 4, 10, 23, 24, 24, 24]
    for small, large in itertools.pairwise(parts):
        assert set(small) <= set(large)
        assert small == sorted(small)
    assert sorted(Counter(many[i].base for i in parts[2]).values()) == [1, 3, 3, 3]
    assert {many[i].id for i in part(many[::-1], 9)} != {many[i].id for i in range(9)}


def test_pairs_without_states_are_in_every_part(pairs: Sequence[StoryPair]) -> None:
    plain = [replace(changed(pair, states=None), id=f"x{k}") for k, pair in enumerate(pairs)]
    found = part([*plain, *pairs], 2)
    assert found[:-2] == list(range(len(plain)))
    assert len(found) == len(plain) + 2


# ---- The schedule


def test_the_rate_rises_and_then_falls_to_nothing() -> None:
    rates = [training.linear_rate(step, 100, 0.1) for step in range(101)]
    assert rates[:10] == pytest.approx([k / 10 for k in range(1, 11)])
    assert rates[10] == 1
    assert all(a > b for a, b in itertools.pairwise(rates[10:]))
    assert rates[100] == 0


def test_an_epoch_sees_every_pair_once(pairs: Sequence[StoryPair], encoder: Any) -> None:
    examples = [training._example(p, encoder) for p in pairs]
    batches = training._batches(examples, 3, random.Random(0))
    assert sorted(i for batch in batches for i in batch) == list(range(7))
    assert max(map(len, batches)) == 3


# ---- Training


def test_the_same_seed_gives_the_same_bits_and_another_others(
    pairs: Sequence[StoryPair], config: TrainingConfig, tmp_path: Path
) -> None:
    first, curve = train(pairs, config, tmp_path / "a")
    torch.manual_seed(123)  # what went before does not matter
    second, again = train(pairs, config, tmp_path / "b")
    assert weights(first) == weights(second)
    assert curve == again
    third, _ = train(pairs, replace(config, seed=1), tmp_path / "c")
    assert weights(third) != weights(first)


def test_a_run_that_was_stopped_ends_with_the_same_bits(
    pairs: Sequence[StoryPair], config: TrainingConfig, tmp_path: Path
) -> None:
    through, curve = train(pairs, config, tmp_path / "through")
    for stop in (2, 5, 8):  # three batches an epoch: in the first, the second and the third
        with pytest.raises(KeyboardInterrupt):
            train(pairs, config, tmp_path / "stopped", stopping(stop))
    resumed, again = train(pairs, config, tmp_path / "stopped")
    assert weights(resumed) == weights(through)
    assert again == curve


def test_what_is_told_of_a_run_counts_its_steps(
    pairs: Sequence[StoryPair], config: TrainingConfig, tmp_path: Path
) -> None:
    told: list[tuple[int, int]] = []
    train(pairs, config, tmp_path, lambda step, steps, losses: told.append((step, steps)))
    assert told == [(k, 9) for k in range(1, 10)]


def test_training_learns_what_it_is_shown(pairs: Sequence[StoryPair], config: TrainingConfig, tmp_path: Path) -> None:
    sizes = ModelConfig(state_hidden=32, pair_hidden=8)
    long = replace(config, epochs=80, learning_rate=5e-3, head_learning_rate=1e-2, model=sizes)
    tagger, curve = train(pairs[:3], long, tmp_path)
    history = curve["history"]
    assert history[-1]["states"] < history[0]["states"] / 20
    assert history[-1]["pair"] < history[0]["pair"] / 2
    for pair in pairs[:3]:
        for story in pair.stories:
            found = training.tag_story(tagger, story).argmax()
            assert story.gold is not None
            assert story.gold.states is not None
            assert np.array_equal(found.values, story.gold.states.values)


@pytest.mark.parametrize(
    "change", [{"seed": 5}, {"epochs": 9}, {"model": ModelConfig(state_hidden=99)}, {"learning_rate": 1.0}]
)
def test_a_run_with_other_settings_is_not_gone_on_with(
    change: dict[str, Any], pairs: Sequence[StoryPair], config: TrainingConfig, tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        train(pairs, config, tmp_path, stopping(4))
    with pytest.raises(StoryError, match="other settings or data"):
        train(pairs, replace(config, **change), tmp_path)


def test_a_run_on_other_data_of_the_same_size_is_not_gone_on_with(
    pairs: Sequence[StoryPair], config: TrainingConfig, tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        train(pairs[:6], config, tmp_path, stopping(3))
    with pytest.raises(StoryError, match="other settings or data"):
        train(pairs[1:], config, tmp_path)


def test_a_fingerprint_tells_apart_all_that_training_reads(pairs: Sequence[StoryPair]) -> None:
    pair = pairs[0]
    first, second = pair.stories
    assert first.gold is not None
    assert first.gold.states is not None
    assert second.gold is not None
    states = StateTable(first.gold.states.entities, 1 - first.gold.states.values)
    others = [
        replace(pair, label=1 - (pair.label or 0)),
        replace(pair, stories=(replace(first, sentences=("x.", *first.sentences[1:])), second)),
        replace(pair, stories=(replace(first, entities=("x", "y")), second)),
        replace(pair, stories=(replace(first, gold=replace(first.gold, states=states)), second)),
        replace(pair, stories=(first, replace(second, gold=replace(second.gold, conflict=(1, 2))))),
    ]
    assert len({fingerprint([p]) for p in [pair, *others]}) == 6
    assert fingerprint([replace(pair)]) == fingerprint([pair])


# ---- What cannot be trained on


def changed(pair: StoryPair, sentences: int = 3, **gold: Any) -> StoryPair:
    stories = []
    for story in pair.stories:
        assert story.gold is not None
        assert story.gold.states is not None
        table = StateTable(story.gold.states.entities, story.gold.states.values[:, :sentences])
        annotation = replace(story.gold, **{"states": table, **gold})
        stories.append(replace(story, sentences=story.sentences[:sentences], gold=annotation))
    return replace(pair, stories=(stories[0], stories[1]))


def without_entities(pair: StoryPair) -> StoryPair:
    empty = StateTable((), np.zeros((0, 3, 2, 20), np.int8))
    stories = [replace(s, entities=(), gold=replace(s.gold or Gold(True), states=empty)) for s in pair.stories]
    return replace(pair, stories=(stories[0], stories[1]))


def too_long(pair: StoryPair) -> StoryPair:
    stories = [replace(s, sentences=("the " * 70, *s.sentences[1:])) for s in pair.stories]
    return replace(pair, stories=(stories[0], stories[1]))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda p: replace(p, label=None), "has no annotation"),
        (lambda p: changed(p, conflict=None), "has no conflicting sentences"),
        (lambda p: changed(p, 1), "of one sentence"),
        (too_long, "tokens and the encoder reads 62"),
    ],
)
def test_a_pair_that_cannot_be_learned_from_is_named(
    change: Callable[[StoryPair], StoryPair],
    said: str,
    pairs: Sequence[StoryPair],
    config: TrainingConfig,
    tmp_path: Path,
) -> None:
    with pytest.raises(StoryError, match=f"pair '0-C0' .*{said}"):
        train([change(pairs[0]), *pairs[1:]], config, tmp_path)


def test_pairs_without_states_teach_the_prior_alone(
    pairs: Sequence[StoryPair], config: TrainingConfig, tmp_path: Path
) -> None:
    plain = [changed(pair, states=None) for pair in pairs]
    tagger, curve = train(plain, replace(config, epochs=1), tmp_path / "plain")
    fresh, _ = train(plain, replace(config, epochs=0), tmp_path / "fresh")
    assert curve["history"][0]["states"] == 0
    assert curve["history"][0]["pair"] > 0
    before, after = fresh.network.state_dict(), tagger.network.state_dict()
    # Without labels the state heads move by their part in the prior only, which reads their probabilities.
    assert not torch.equal(before["sentence_score.weight"], after["sentence_score.weight"])


def test_training_can_begin_with_the_weights_of_a_run(
    pairs: Sequence[StoryPair], config: TrainingConfig, tmp_path: Path
) -> None:
    first, _ = train(pairs, replace(config, epochs=1), tmp_path / "first")
    second, _ = train(pairs, replace(config, epochs=0), tmp_path / "second", start=tmp_path / "first")
    for name, value in first.network.state_dict().items():
        assert torch.equal(value, second.network.state_dict()[name]), name


def test_a_teacher_tells_the_states_of_stories_that_have_none(
    pairs: Sequence[StoryPair], config: TrainingConfig, tmp_path: Path
) -> None:
    sizes = replace(config, learning_rate=5e-3, head_learning_rate=1e-2, model=ModelConfig(32, 8))
    teacher, _ = train(pairs[:3], replace(sizes, epochs=80), tmp_path / "teacher")
    plain = [changed(pair, states=None) for pair in pairs[:3]]
    alone, _ = train(plain, replace(sizes, epochs=60), tmp_path / "alone")
    taught, curve = train(plain, replace(sizes, epochs=60), tmp_path / "taught", teacher=tmp_path / "teacher")
    assert curve["history"][-1]["states"] < curve["history"][0]["states"] / 2
    said = [
        [training.tag_story(t, story) for pair in plain for story in pair.stories] for t in (teacher, taught, alone)
    ]

    def alike(a: Sequence[Tagging], b: Sequence[Tagging]) -> float:
        same = [np.array_equal(x.argmax().values, y.argmax().values) for x, y in zip(a, b, strict=True)]
        return sum(same) / len(same)

    assert alike(said[0], said[1]) == 1
    assert alike(said[0], said[2]) == 0


def test_a_teacher_is_not_asked_about_annotated_stories(
    pairs: Sequence[StoryPair], config: TrainingConfig, tmp_path: Path
) -> None:
    train(pairs, config, tmp_path / "teacher")
    taught, _ = train(pairs, config, tmp_path / "taught", teacher=tmp_path / "teacher")
    alone, _ = train(pairs, config, tmp_path / "alone")
    assert weights(taught) == weights(alone)


def test_a_run_does_not_go_on_with_another_teacher(
    pairs: Sequence[StoryPair], config: TrainingConfig, tmp_path: Path
) -> None:
    for name, seed in (("one", 1), ("other", 2)):
        train(pairs, replace(config, epochs=1, seed=seed), tmp_path / name)
    with pytest.raises(KeyboardInterrupt):
        train(pairs, config, tmp_path / "run", stopping(4), teacher=tmp_path / "one")
    with pytest.raises(StoryError, match="other settings or data"):
        train(pairs, config, tmp_path / "run", teacher=tmp_path / "other")


def test_weights_that_are_not_there_cannot_be_started_from(
    pairs: Sequence[StoryPair], config: TrainingConfig, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match="no weights to start from"):
        train(pairs, config, tmp_path / "run", start=tmp_path / "nowhere")


def test_pairs_without_states_leave_the_folds_of_the_others_alone(pairs: Sequence[StoryPair]) -> None:
    plain = [replace(changed(pair, states=None), id=f"x{k}", group=f"author {k % 3}") for k, pair in enumerate(pairs)]
    alone, together = folds(pairs, 3), folds([*pairs, *plain], 3)
    assert [[i for i in held if i < len(pairs)] for held in together] == alone
    groups = [{plain[i - len(pairs)].group for i in held if i >= len(pairs)} for held in together]
    assert sorted(map(len, groups)) == [1, 1, 1]


def test_pairs_that_name_no_entities_do_not_spoil_the_weights(
    pairs: Sequence[StoryPair], config: TrainingConfig, tmp_path: Path
) -> None:
    tagger, _ = train([without_entities(p) for p in pairs[:3]], config, tmp_path)
    assert all(torch.isfinite(p).all() for p in tagger.network.parameters())


def test_an_encoder_that_is_not_there_is_told_before_anything_is_written(
    pairs: Sequence[StoryPair], config: TrainingConfig, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match="cannot load the encoder"):
        train(pairs, replace(config, encoder=str(tmp_path / "none")), tmp_path / "run")
    assert not (tmp_path / "run").exists()


# ---- Cross-validation


def test_cross_validation_tags_every_story_by_a_tagger_that_never_saw_its_base(
    pairs: Sequence[StoryPair], config: TrainingConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[str]] = []

    def recorded(inside: Sequence[StoryPair], *rest: Any) -> Any:
        seen.append({p.base for p in inside})
        return train(inside, *rest)

    monkeypatch.setattr(training, "train", recorded)
    quick = replace(config, epochs=1)
    cross_validate(pairs, quick, 3, tmp_path)
    tagged: list[str] = []
    for k, held_out in enumerate(folds(pairs, 3)):
        arrays = load_file(tmp_path / f"fold-{k}" / "heldout.safetensors")
        expected = {f"{i}.{s}.{kind}" for i in held_out for s in (0, 1) for kind in ("probabilities", "pairs")}
        assert set(arrays) == expected
        assert not seen[k] & {pairs[i].base for i in held_out}
        tagged += arrays
    assert len(tagged) == 4 * len(pairs)


def test_a_stopped_cross_validation_goes_on_where_it_was(
    pairs: Sequence[StoryPair], config: TrainingConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = replace(config, epochs=2)
    whole = cross_validate(pairs, quick, 3, tmp_path / "whole")
    cross_validate(pairs, quick, 3, tmp_path / "parts", only=[1])
    assert [p.name for p in (tmp_path / "parts").iterdir()] == ["fold-1"]
    with pytest.raises(KeyboardInterrupt):
        cross_validate(pairs, quick, 3, tmp_path / "parts", stopping(3), only=[0])
    trained: list[Path] = []

    def recorded(inside: Sequence[StoryPair], settings: TrainingConfig, place: Path, *rest: Any) -> Any:
        trained.append(place)
        return train(inside, settings, place, *rest)

    monkeypatch.setattr(training, "train", recorded)
    parts = cross_validate(pairs, quick, 3, tmp_path / "parts")
    assert [p.name for p in trained] == ["fold-0", "fold-2"]
    for k in range(3):
        assert parts[k]["history"] == whole[k]["history"]
        files = [tmp_path / name / f"fold-{k}" / "heldout.safetensors" for name in ("whole", "parts")]
        first, second = (load_file(f) for f in files)
        assert all(np.array_equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize("change", [{"epochs": 2}, {"seed": 1}])
def test_finished_folds_of_other_settings_are_not_taken(
    change: dict[str, Any], pairs: Sequence[StoryPair], config: TrainingConfig, tmp_path: Path
) -> None:
    quick = replace(config, epochs=1)
    cross_validate(pairs, quick, 3, tmp_path, only=[0])
    with pytest.raises(StoryError, match=r"fold-0: .*other settings or data"):
        cross_validate(pairs, replace(quick, **change), 3, tmp_path)


def test_a_fold_finished_before_its_settings_were_kept_is_taken(
    pairs: Sequence[StoryPair], config: TrainingConfig, tmp_path: Path
) -> None:
    (tmp_path / "fold-0").mkdir()
    (tmp_path / "fold-0" / "metrics.json").write_text(json.dumps({"history": [{"total": 1.0}]}))
    done = cross_validate(pairs, config, 3, tmp_path, only=[0])
    assert done == {0: {"history": [{"total": 1.0}]}}


def test_more_folds_than_base_stories_are_refused(
    pairs: Sequence[StoryPair], config: TrainingConfig, tmp_path: Path
) -> None:
    with pytest.raises(StoryError, match="7 folds of 6 base stories"):
        cross_validate(pairs, config, 7, tmp_path)


def test_taggings_appear_whole_or_not_at_all(
    tagger: Tagger, pairs: Sequence[StoryPair], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    tagging = training.tag_story(tagger, pairs[0].stories[0])
    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        training.save_taggings(tmp_path / "heldout.safetensors", {(0, 0): tagging})
    assert not (tmp_path / "heldout.safetensors").exists()


def test_a_story_whose_entities_are_not_given_cannot_be_tagged_for_learning(tagger: Tagger) -> None:
    with pytest.raises(StoryError, match="names no entities"):
        training.tag_story(tagger, Story(("Tom sat.",), id="x"))
