"""Training the tiered baseline: reproducible, resumable, by the folds of the tagger, with its learning curves.

The epoch whose weights are kept is chosen by verifiability on validation pairs, as in the paper. They are a tenth of
the base stories that a run is given and are not trained on; the held-out pairs of a fold choose nothing.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from ..symbolic.errors import StoryError
from ..symbolic.story import StoryPair
from . import checkpoint, encoders
from .beliefs import Conflicts, PairBeliefs, arrays
from .tiered import (
    LOSSES,
    Cells,
    Tiered,
    TieredConfig,
    TieredLosses,
    TieredNetwork,
    TieredOutput,
    TieredTargets,
    TieredWeights,
    beliefs_of,
    collate_cells,
    conflict_labels,
    encode_story_cells,
    input_limit,
    make_targets,
    tiered_losses,
)
from .training import Fold, Progress, fingerprint, folds, make_optimizer, open_folds, require_same, save_arrays

# One part in so many of the base stories chooses the epoch.
VALIDATION = 10

# The figures of some pairs; those that choose the epoch, the first first, must be among them.
Judge = Callable[[Sequence[StoryPair], Sequence[PairBeliefs]], Mapping[str, Any]]
SELECTION = ("verifiability", "consistency", "accuracy")


@dataclass(frozen=True)
class TieredTraining:
    """Settings of one run; the defaults are the paper's.

    ``learning_rate`` is that of the encoder and of all above it. ``pairs_per_step`` pairs are gone through one by one
    and their gradients added up (their mean is taken). The published code makes a schedule of the rate but never
    moves it, and neither does this. ``conflicts`` says how sentences are read off when the epoch is chosen.
    """

    encoder: str = "minilm"
    epochs: int = 10
    pairs_per_step: int = 1
    learning_rate: float = 1e-5
    weight_decay: float = 0.01
    clip: float = 1.0
    seed: int = 0
    conflicts: Conflicts = "top-two"
    model: TieredConfig = field(default_factory=TieredConfig)
    losses: TieredWeights = field(default_factory=TieredWeights)


@dataclass(frozen=True, eq=False)
class _Example:
    pair: StoryPair
    cells: tuple[Cells, Cells]
    targets: TieredTargets


def plain_settings(config: TieredTraining, pairs: Sequence[StoryPair]) -> dict[str, Any]:
    """A run's settings as plain data: what must be the same for it to be resumed."""
    plain: dict[str, Any] = json.loads(json.dumps(asdict(config)))
    return {**plain, "pairs": len(pairs)}


def split_validation(pairs: Sequence[StoryPair], seed: int) -> tuple[list[StoryPair], list[StoryPair]]:
    """The pairs to train on, and those of a tenth of the base stories (one at least) that choose the epoch.

    Raises:
        StoryError: there are fewer than two base stories.
    """
    bases = len({pair.base for pair in pairs})
    if bases < 2:
        raise StoryError("one part of the stories must choose the epoch: give pairs of two base stories at least")
    chosen = set(folds(pairs, min(VALIDATION, bases), seed)[0])
    return (
        [pair for i, pair in enumerate(pairs) if i not in chosen],
        [pair for i, pair in enumerate(pairs) if i in chosen],
    )


def train_tiered(
    pairs: Sequence[StoryPair],
    config: TieredTraining,
    folder: Path,
    judge: Judge,
    progress: Progress | None = None,
) -> tuple[Tiered, dict[str, Any]]:
    """Train on annotated pairs, with a checkpoint an epoch in ``folder``, and resume from one if it is there.

    ``judge`` gives the figures of the validation pairs. Returns the baseline of the best epoch and its history: the
    losses of an epoch in training (the mean over its steps, dropout on) and on the validation pairs, and the figures.

    Raises:
        StoryError: a pair lacks its label, its conflict or its states, or there is but one base story.
        ModelError: the encoder cannot be loaded, or the checkpoint belongs to another network.
    """
    inside, validation = split_validation(pairs, config.seed)
    torch.manual_seed(config.seed)
    encoder = encoders.load_pretrained(config.encoder)
    network = TieredNetwork(encoder.network, encoder.width, config.model).to(_device())
    examples = [_example(pair, encoder, config.model) for pair in inside]
    held = [_example(pair, encoder, config.model) for pair in validation]
    optimizer = make_optimizer(network, config.learning_rate, config.learning_rate, config.weight_decay)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0)
    described, data = plain_settings(config, pairs), fingerprint(pairs)
    state: dict[str, Any] = {"training": described, "data": data, "history": [], "seconds": []}
    saved, best = folder / "checkpoint", folder / "best.safetensors"
    if checkpoint.exists(saved):
        require_same(saved, checkpoint.peek(saved), described, data)
        state = checkpoint.restore(saved, network, optimizer, scheduler)
    history: list[dict[str, Any]] = state["history"]
    for epoch in range(len(history), config.epochs):
        started = time.perf_counter()
        told = _epoch(network, examples, optimizer, scheduler, config, epoch, encoder.special.pad, progress)
        losses, beliefs = _validate(network, held, config.losses, encoder.special.pad)
        figures = judge(validation, beliefs)
        history.append({"training": told, "validation": losses, "figures": dict(figures)})
        state["seconds"].append(round(time.perf_counter() - started, 1))
        if best_epoch(history) == epoch:  # before the checkpoint: after a kill in between, the epoch is done again
            folder.mkdir(parents=True, exist_ok=True)
            fresh = best.with_suffix(".tmp")
            save_file({k: v.contiguous() for k, v in network.state_dict().items()}, fresh)
            os.replace(fresh, best)
        checkpoint.save(
            saved, network, optimizer, scheduler, {k: v for k, v in state.items() if k != "scheduler_steps"}
        )
    if history:
        network.load_state_dict(load_file(best))
    description = {
        "name": folder.name,
        "encoder": config.encoder,
        "width": encoder.width,
        "encoder_config": encoder.config,
        "training": described,
    }
    curve = {"history": history, "best_epoch": best_epoch(history), "epoch_seconds": state["seconds"]}
    return Tiered(network, encoder.tokenizer, encoder.special, description), curve


def best_epoch(history: Sequence[Mapping[str, Any]]) -> int | None:
    """The epoch to keep: by verifiability, consistency, accuracy, then the loss on the validation pairs; else earlier.

    Few pairs are validated on, so that epochs are often alike in verifiability.
    """

    def merit(epoch: int) -> tuple[float, ...]:
        entry = history[epoch]
        return (*(float(entry["figures"][name]) for name in SELECTION), -float(entry["validation"]["total"]), -epoch)

    return max(range(len(history)), key=merit, default=None)


def cross_validate_tiered(
    pairs: Sequence[StoryPair],
    config: TieredTraining,
    n: int,
    folder: Path,
    judge: Judge,
    progress: Progress | None = None,
    only: Sequence[int] | None = None,
    finishing: Callable[[Fold, dict[str, Any], Mapping[int, PairBeliefs]], None] | None = None,
) -> dict[int, dict[str, Any]]:
    """Train one baseline a fold and store what it says of the held-out pairs in ``folder/fold-K/heldout.safetensors``.

    A finished fold is not trained again; ``only`` picks some folds. ``finishing`` may add to a fold's metrics and
    write files beside them before the fold counts as finished.

    Raises:
        StoryError: there are fewer base stories than folds, a pair lacks its annotation, or ``folder`` holds a run
            with other settings or data.
        ModelError: the encoder cannot be loaded.
    """
    done: dict[int, dict[str, Any]] = {}
    for fold in open_folds(pairs, n, folder, only):
        about: dict[str, Any] = {"training": plain_settings(config, fold.inside), "data": fingerprint(fold.inside)}
        if fold.finished is not None:
            require_same(fold.place, fold.finished, about["training"], about["data"])
            done[fold.number] = fold.finished
        else:
            tiered, curve = train_tiered(fold.inside, config, fold.place, judge, progress)
            curve.update(about)
            beliefs = {i: read_pair(tiered, pairs[i]) for i in fold.held_out}
            save_arrays(fold.place / "heldout.safetensors", arrays(beliefs))
            tiered.save(fold.place)
            if finishing is not None:
                finishing(fold, curve, beliefs)
            fold.finish(curve)
            done[fold.number] = curve
        forget(fold.place)
    return done


def read_pair(tiered: Tiered, pair: StoryPair) -> PairBeliefs:
    """What a baseline says of both stories of a pair."""
    first, second = tiered.read(pair.stories)
    return first, second


def forget(folder: Path) -> None:
    """Remove what a finished run was resumed from: several times the size of its model, and of no more use."""
    shutil.rmtree(folder / "checkpoint", ignore_errors=True)
    (folder / "best.safetensors").unlink(missing_ok=True)


def _device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def _example(pair: StoryPair, encoder: encoders.Encoder, config: TieredConfig) -> _Example:
    if pair.label is None:
        raise StoryError(f"pair {pair.id!r} has no annotation; training needs annotated pairs")
    limit = input_limit(config, encoder.config)
    states, conflicts = [], []
    for k, story in enumerate(pair.stories):
        gold = story.gold
        if gold is None or gold.states is None or not story.entities:
            raise StoryError(f"pair {pair.id!r} has a story without annotated states; the baseline needs them")
        if k != pair.label and gold.conflict is None:
            raise StoryError(f"pair {pair.id!r} has no conflicting sentences; training needs annotated pairs")
        states.append(gold.states.values)
        conflicts.append(conflict_labels(story))
    cells = [encode_story_cells(encoder.tokenizer, encoder.special, story, limit) for story in pair.stories]
    return _Example(pair, (cells[0], cells[1]), make_targets(states, conflicts, [pair.label]))


def _on(targets: TieredTargets, device: torch.device) -> TieredTargets:
    return TieredTargets(targets.states.to(device), targets.conflict.to(device), targets.plausible.to(device))


def _scored(
    network: TieredNetwork, example: _Example, weights: TieredWeights, pad: int
) -> tuple[TieredLosses, TieredOutput, Any]:
    device = next(network.parameters()).device
    batch = collate_cells(example.cells, pad).to(device)
    output = network(batch)
    return tiered_losses(output, _on(example.targets, device), batch.mask, weights), output, batch


def _epoch(
    network: TieredNetwork,
    examples: Sequence[_Example],
    optimizer: torch.optim.Optimizer,
    scheduler: torch.optim.lr_scheduler.LRScheduler,
    config: TieredTraining,
    epoch: int,
    pad: int,
    progress: Progress | None,
) -> dict[str, float]:
    """One pass over the pairs in an order of its own; the mean of each loss."""
    network.train()
    device = next(network.parameters()).device.type
    order = list(range(len(examples)))
    random.Random(f"{config.seed}/{epoch}").shuffle(order)
    sums = dict.fromkeys(LOSSES, 0.0)
    for begin in range(0, len(order), config.pairs_per_step):
        chosen = order[begin : begin + config.pairs_per_step]
        optimizer.zero_grad(set_to_none=True)
        for number, i in enumerate(chosen, begin + 1):
            with torch.autocast(device, dtype=torch.bfloat16):
                losses, _, _ = _scored(network, examples[i], config.losses, pad)
            (losses.total / len(chosen)).backward()  # type: ignore[no-untyped-call]
            now = {name: float(getattr(losses, name).detach()) for name in LOSSES}
            for name in LOSSES:
                sums[name] += now[name] / len(examples)
            if progress is not None:
                progress(epoch * len(order) + number, config.epochs * len(order), now)
        torch.nn.utils.clip_grad_norm_(network.parameters(), config.clip)
        optimizer.step()
        scheduler.step()
    return sums


def _validate(
    network: TieredNetwork, examples: Sequence[_Example], weights: TieredWeights, pad: int
) -> tuple[dict[str, float], list[PairBeliefs]]:
    """The mean of each loss over some pairs, without dropout and in full precision, and what is said of them."""
    network.eval()
    sums = dict.fromkeys(LOSSES, 0.0)
    beliefs: list[PairBeliefs] = []
    with torch.inference_mode():
        for example in examples:
            losses, output, batch = _scored(network, example, weights, pad)
            for name in LOSSES:
                sums[name] += float(getattr(losses, name)) / len(examples)
            first, second = (beliefs_of(story, output, batch, k) for k, story in enumerate(example.pair.stories))
            beliefs.append((first, second))
    return sums, beliefs
