"""Training the tagger: reproducible, resumable, with cross-validation by base story.

One call trains on some pairs and tags others; `cross_validate` does so for each fold and keeps every story's
out-of-fold tagging, which is what the weights of rules are learned from.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import save_file

from ..symbolic.errors import Location, StoryError
from ..symbolic.story import Story, StoryPair, Tagging
from ..symbolic.vocabulary import N_ATTRIBUTES, N_VALUES, SIDES
from . import checkpoint, encoders
from .encoding import EncodedStory, collate, encode_story
from .model import ModelConfig, TaggerNetwork
from .objective import NO_LABEL, LossWeights, Targets, losses, state_targets, taught_targets
from .tagger import Tagger
from .teaching import load_teacher, taught_states

Progress = Callable[[int, int, dict[str, float]], None]

# What is above the encoder starts from nothing, and learns so many times as fast.
HEADS_FASTER = 10


@dataclass(frozen=True)
class TrainingConfig:
    """Settings of one training run (defaults: what trials found best for MiniLM)."""

    encoder: str = "minilm"
    epochs: int = 16
    pairs_per_batch: int = 4
    learning_rate: float = 1.5e-4
    head_learning_rate: float = 1.5e-3
    warmup: float = 0.1
    weight_decay: float = 0.01
    clip: float = 1.0
    seed: int = 0
    model: ModelConfig = field(default_factory=ModelConfig)
    losses: LossWeights = field(default_factory=LossWeights)


@dataclass(frozen=True, eq=False)
class _Example:
    encoded: tuple[EncodedStory, EncodedStory]
    states: tuple[torch.Tensor, torch.Tensor]
    conflict: tuple[int, int, int]
    taught: tuple[torch.Tensor, torch.Tensor] | None


def folds(pairs: Sequence[StoryPair], n: int, seed: int = 0) -> list[list[int]]:
    """Indices of the held-out pairs of each of ``n`` folds; pairs of one base story or group stay together.

    Pairs without states are dealt out by themselves, so that the others fall as they would without them.
    """
    place: dict[str, int] = {}
    for annotated in (True, False):
        bases = sorted({p.base for p in pairs if _has_states(p) == annotated} - place.keys())
        random.Random(seed).shuffle(bases)
        place.update((base, k % n) for k, base in enumerate(bases))
    return [[i for i, p in enumerate(pairs) if place[p.base] == k] for k in range(n)]


def part(pairs: Sequence[StoryPair], size: int | None) -> list[int]:
    """Indices of the pairs to learn from: ``size`` of those with states (None: all), and all those without.

    Base stories are taken whole, but for the last, in one random order, so that a small part lies within a larger one.
    """
    annotated = [i for i, pair in enumerate(pairs) if _has_states(pair)]
    bases = sorted({pairs[i].base for i in annotated})
    random.Random(0).shuffle(bases)
    place = {base: k for k, base in enumerate(bases)}
    left_out = set() if size is None else set(sorted(annotated, key=lambda i: (place[pairs[i].base], i))[size:])
    return [i for i in range(len(pairs)) if i not in left_out]


def _has_states(pair: StoryPair) -> bool:
    return any(_annotated(story) for story in pair.stories)


def _annotated(story: Story) -> bool:
    return story.gold is not None and story.gold.states is not None


def train(
    pairs: Sequence[StoryPair],
    config: TrainingConfig,
    folder: Path,
    progress: Progress | None = None,
    start: Path | None = None,
    teacher: Path | None = None,
) -> tuple[Tagger, dict[str, Any]]:
    """Train a tagger on annotated pairs, with a checkpoint an epoch in ``folder``, and resume from one if it is there.

    ``start`` is a model or a finished run whose weights to begin with, in place of the encoder's own and random heads;
    ``teacher`` another, which tells the states of stories that have none. Returns the tagger and its training curve.

    Raises:
        StoryError: a pair lacks its label or a conflict (states may be missing: untaught, it teaches the prior only).
        ModelError: an encoder cannot be loaded, or the checkpoint belongs to another network.
    """
    told = None if teacher is None else load_teacher(teacher)  # first, for it draws random numbers
    torch.manual_seed(config.seed)
    encoder = encoders.load_pretrained(config.encoder)
    network = TaggerNetwork(encoder.network, encoder.width, config.model)
    if start is not None:
        checkpoint.begin_with(network, start)
    examples = [_example(pair, encoder, told) for pair in pairs]
    del told  # it may be larger than what it teaches
    steps = config.epochs * math.ceil(len(examples) / config.pairs_per_batch)
    optimizer = make_optimizer(network, config.learning_rate, config.head_learning_rate, config.weight_decay)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: linear_rate(step, steps, config.warmup))
    history: list[dict[str, float]] = []
    saved = folder / "checkpoint"
    described = settings(config, pairs, start, teacher)
    data = fingerprint(pairs)
    if checkpoint.exists(saved):
        require_same(saved, checkpoint.peek(saved), described, data)
        history = checkpoint.restore(saved, network, optimizer, scheduler)["history"]
    for epoch in range(len(history), config.epochs):
        history.append(_epoch(network, examples, optimizer, scheduler, config, epoch, encoder.special.pad, progress))
        state = {"training": described, "data": data, "history": history}
        checkpoint.save(saved, network, optimizer, scheduler, state)
    description = {
        "name": folder.name,
        "encoder": config.encoder,
        "width": encoder.width,
        "encoder_config": encoder.config,
        "training": described,
    }
    return Tagger(network, encoder.tokenizer, encoder.special, description), {"history": history}


def settings(
    config: TrainingConfig, pairs: Sequence[StoryPair], start: Path | None = None, teacher: Path | None = None
) -> dict[str, Any]:
    """A run's settings as plain data: what must be the same for it to be resumed.

    Raises:
        ModelError: there are no weights in ``start`` or ``teacher``.
    """
    plain: dict[str, Any] = json.loads(json.dumps(asdict(config)))
    others = {"start": start, "teacher": teacher}
    digests = {name: checkpoint.digest(place) for name, place in others.items() if place is not None}
    return {**plain, "pairs": len(pairs), **digests}


def fingerprint(pairs: Sequence[StoryPair]) -> str:
    """A digest of everything that training reads of the pairs."""
    digest = hashlib.sha256()
    for pair in pairs:
        digest.update(repr(pair.label).encode())
        for story in pair.stories:
            gold = story.gold
            digest.update(repr((story.sentences, story.entities, gold and gold.conflict)).encode())
            if gold is not None and gold.states is not None:
                digest.update(gold.states.values.astype(np.int8).tobytes())
    return digest.hexdigest()[:16]


def require_same(place: Path, found: Mapping[str, Any], described: Mapping[str, Any], data: str) -> None:
    """Refuse to go on with a run of other settings or data."""
    if found.get("training", described) != described or found.get("data", data) != data:
        raise StoryError(
            "this run was made with other settings or data; delete it or choose another --out", Location(str(place))
        )


def cross_validate(
    pairs: Sequence[StoryPair],
    config: TrainingConfig,
    n: int,
    folder: Path,
    progress: Progress | None = None,
    only: Sequence[int] | None = None,
    start: Path | None = None,
    size: int | None = None,
    teacher: Path | None = None,
) -> dict[int, dict[str, Any]]:
    """Train a tagger a fold and store the held-out stories' taggings in ``folder/fold-K/heldout.safetensors``.

    A fold whose taggings exist is not trained again; ``only`` picks some folds. Each begins with the weights of the
    same fold of the run ``start``, if one is given, learns from a ``part`` of its pairs, if a ``size`` is, and is
    taught by the same fold of the run ``teacher``, if one is.

    Raises:
        StoryError: there are fewer base stories than folds, a pair lacks its annotation, or ``folder`` holds a run
            with other settings or data.
        ModelError: the encoder cannot be loaded.
    """
    done: dict[int, dict[str, Any]] = {}
    for fold in open_folds(pairs, n, folder, only):
        begin, taught_by = (None if run is None else run / fold.place.name for run in (start, teacher))
        inside = [fold.inside[i] for i in part(fold.inside, size)]
        about: dict[str, Any] = {"training": settings(config, inside, begin, taught_by), "data": fingerprint(inside)}
        if fold.finished is not None:
            require_same(fold.place, fold.finished, about["training"], about["data"])
            done[fold.number] = fold.finished
            continue
        tagger, curve = train(inside, config, fold.place, progress, begin, taught_by)
        started = time.perf_counter()
        taggings = {(i, s): tag_story(tagger, story) for i in fold.held_out for s, story in enumerate(pairs[i].stories)}
        curve.update(about)
        curve["no_conflict"] = tagger.no_conflict
        curve["tagging_seconds"] = time.perf_counter() - started
        save_taggings(fold.place / "heldout.safetensors", taggings)
        fold.finish(curve)
        done[fold.number] = curve
    return done


@dataclass(frozen=True, eq=False)
class Fold:
    """One fold of a cross-validation: its pairs, its folder, and its metrics where it is finished."""

    number: int
    place: Path
    inside: list[StoryPair]
    held_out: list[int]
    finished: dict[str, Any] | None

    def finish(self, metrics: Mapping[str, Any]) -> None:
        """Write the fold's metrics, whole or not at all: their file is what makes it finished."""
        fresh = self.place / "metrics.tmp"
        fresh.write_text(json.dumps(metrics, indent=1), "utf-8")
        os.replace(fresh, self.place / "metrics.json")


def open_folds(pairs: Sequence[StoryPair], n: int, folder: Path, only: Sequence[int] | None = None) -> Iterator[Fold]:
    """The folds of a cross-validation in ``folder/fold-K``, those in ``only`` where it is given.

    Raises:
        StoryError: there are fewer base stories than folds.
    """
    parts = folds(pairs, n)
    if not all(parts):
        raise StoryError(
            f"{n} folds of {len({p.base for p in pairs})} base stories leave one with none: give fewer --folds"
        )
    for k, held_out in enumerate(parts):
        if only is not None and k not in only:
            continue
        place = folder / f"fold-{k}"
        metrics = place / "metrics.json"
        outside = set(held_out)
        inside = [p for i, p in enumerate(pairs) if i not in outside]
        finished = json.loads(metrics.read_text("utf-8")) if metrics.exists() else None
        yield Fold(k, place, inside, held_out, finished)


def tag_story(tagger: Tagger, story: Story) -> Tagging:
    """Tag a story with the entities it names.

    Raises:
        StoryError: it names none.
    """
    if story.entities is None:
        raise StoryError(f"story {story.id!r} names no entities; training data must")
    return tagger.tag(story.sentences, story.entities)


def save_taggings(path: Path, taggings: dict[tuple[int, int], Tagging]) -> None:
    """Store taggings by (pair, story) as safetensors, whole or not at all."""
    arrays: dict[str, np.ndarray] = {}
    for (pair, story), tagging in taggings.items():
        arrays[f"{pair}.{story}.probabilities"] = tagging.probabilities.astype(np.float32)
        if tagging.pair_scores is not None:
            arrays[f"{pair}.{story}.pairs"] = tagging.pair_scores.astype(np.float32)
    save_arrays(path, arrays)


def save_arrays(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Store named arrays as safetensors, whole or not at all."""
    fresh = path.with_suffix(".tmp")
    save_file(arrays, fresh)
    os.replace(fresh, path)


def _example(pair: StoryPair, encoder: encoders.Encoder, teacher: Tagger | None = None) -> _Example:
    gold = [story.gold for story in pair.stories]
    if pair.label is None or any(g is None for g in gold):
        raise StoryError(f"pair {pair.id!r} has no annotation; training needs annotated pairs")
    wrong = 1 - pair.label
    annotation = gold[wrong]
    if annotation is None or annotation.conflict is None:
        raise StoryError(f"pair {pair.id!r} has no conflicting sentences; training needs annotated pairs")
    encoded = tuple(
        encode_story(encoder.tokenizer, encoder.special, s.sentences, s.entities or ()) for s in pair.stories
    )
    most = encoders.capacity(encoder.config) + 2
    for story in encoded:
        if len(story.ids) > most:
            raise StoryError(
                f"pair {pair.id!r} has a story of {len(story.ids)} tokens and the encoder reads {most}: leave it out"
            )
        if story.sentence_weights.shape[0] < 2:
            raise StoryError(f"pair {pair.id!r} has a story of one sentence: leave it out")
    states = [_state_labels(story) for story in pair.stories]
    taught = None
    if teacher is not None:
        told = [_taught(story, teacher) for story in pair.stories]
        taught = (told[0], told[1])
    return _Example((encoded[0], encoded[1]), (states[0], states[1]), (wrong, *annotation.conflict), taught)


def _state_labels(story: Story) -> torch.Tensor:
    """The annotated states (entities, sentences, 2, 20); -100 throughout where there are none."""
    if story.gold is not None and story.gold.states is not None:
        return torch.from_numpy(story.gold.states.values.astype(np.int64))
    return torch.full((len(story.entities or ()), len(story.sentences), len(SIDES), N_ATTRIBUTES), NO_LABEL)


def _taught(story: Story, teacher: Tagger) -> torch.Tensor:
    """The states that a teacher tells of a story (entities, sentences, 2, 20, 9); 0 where an annotator knows better."""
    if _annotated(story):
        shape = (len(story.entities or ()), len(story.sentences), len(SIDES), N_ATTRIBUTES, N_VALUES)
        return torch.zeros(shape, dtype=torch.half)
    return taught_states(teacher, story)


def make_optimizer(
    network: torch.nn.Module, learning_rate: float, head_learning_rate: float, weight_decay: float
) -> torch.optim.Optimizer:
    """AdamW with a rate for the encoder and one for what is above it; only matrices decay."""
    groups: dict[tuple[bool, bool], list[torch.nn.Parameter]] = {}
    for name, parameter in network.named_parameters():
        key = (name.startswith("encoder."), parameter.dim() > 1)
        groups.setdefault(key, []).append(parameter)
    return torch.optim.AdamW(
        [
            {
                "params": parameters,
                "lr": learning_rate if pretrained else head_learning_rate,
                "weight_decay": weight_decay if matrix else 0.0,
            }
            for (pretrained, matrix), parameters in sorted(groups.items())
        ],
        fused=True,
    )


def linear_rate(step: int, steps: int, warmup: float) -> float:
    """Linear warm-up, then linear decay to zero."""
    rising = max(1, round(steps * warmup))
    return min(1.0, (step + 1) / rising) * max(0.0, (steps - step) / max(1, steps - rising) if step >= rising else 1.0)


def _epoch(
    network: TaggerNetwork,
    examples: Sequence[_Example],
    optimizer: torch.optim.Optimizer,
    scheduler: torch.optim.lr_scheduler.LRScheduler,
    config: TrainingConfig,
    epoch: int,
    pad: int,
    progress: Progress | None,
) -> dict[str, float]:
    network.train()
    device = next(network.parameters()).device.type
    batches = _batches(examples, config.pairs_per_batch, random.Random(f"{config.seed}/{epoch}"))
    sums = {"states": 0.0, "pair": 0.0, "single": 0.0, "total": 0.0}
    for number, chosen in enumerate(batches):
        batch = collate([story for i in chosen for story in examples[i].encoded], pad)
        tables = [table for i in chosen for table in examples[i].states]
        shape = batch.mention_weights.shape
        told = [table for i in chosen for table in examples[i].taught or ()]
        targets = Targets(
            state_targets(tables, shape[1], shape[2]),
            torch.tensor([examples[i].conflict for i in chosen]),
            taught_targets(told, shape[1], shape[2]) if told else None,
        )
        with torch.autocast(device, dtype=torch.bfloat16):
            output = network(batch)
        parts = losses(output, targets, network.no_conflict, config.losses)
        optimizer.zero_grad(set_to_none=True)
        parts.total.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), config.clip)
        optimizer.step()
        scheduler.step()
        for name in sums:
            sums[name] += float(getattr(parts, name).detach()) * len(chosen) / len(examples)
        if progress is not None:
            now = {name: float(getattr(parts, name).detach()) for name in sums}
            progress(epoch * len(batches) + number + 1, config.epochs * len(batches), now)
    return sums


def _batches(examples: Sequence[_Example], size: int, rng: random.Random) -> list[list[int]]:
    """Random batches of pairs of like length (less padding), in random order."""
    order = list(range(len(examples)))
    rng.shuffle(order)
    pool = 8 * size
    batches: list[list[int]] = []
    for start in range(0, len(order), pool):
        block = sorted(order[start : start + pool], key=lambda i: max(len(e.ids) for e in examples[i].encoded))
        batches += [block[k : k + size] for k in range(0, len(block), size)]
    rng.shuffle(batches)
    return batches
