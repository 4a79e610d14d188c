"""Checkpoints of training: a folder of safetensors files that is complete or absent, so that a kill loses one epoch.

Optimiser and random states are stored as tensors too; nothing is ever pickled.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from ..symbolic.errors import Location, ModelError
from .weights import load as load_weights
from .weights import load_config

_STATE = "state.json"
_UNFINISHED = "state.tmp"


def save(
    folder: Path,
    network: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    scheduler: torch.optim.lr_scheduler.LRScheduler,
    progress: dict[str, Any],
) -> None:
    """Write a checkpoint beside the old one, then put it in its place."""
    fresh = folder.with_name(folder.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    save_file({k: v.contiguous() for k, v in network.state_dict().items()}, fresh / "network.safetensors")
    moments = {
        f"{index}.{key}": value.contiguous() if value.dim() else value.reshape(1)
        for index, entry in optimizer.state_dict()["state"].items()
        for key, value in entry.items()
    }
    moments["rng"] = torch.get_rng_state()
    if torch.cuda.is_available():
        moments["cuda_rng"] = torch.cuda.get_rng_state()
    save_file(moments, fresh / "optimizer.safetensors")
    # Last and in one step: a folder that has it is complete.
    (fresh / _UNFINISHED).write_text(json.dumps({"scheduler_steps": scheduler.last_epoch, **progress}), "utf-8")
    os.replace(fresh / _UNFINISHED, fresh / _STATE)
    old = folder.with_name(folder.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        os.replace(folder, old)
    os.replace(fresh, folder)
    shutil.rmtree(old, ignore_errors=True)


def begin_with(network: torch.nn.Module, start: Path) -> None:
    """Load the weights of a finished run (its last checkpoint) or of a model folder into a network.

    Raises:
        ModelError: there are none, or they do not fit.
    """
    digest(start)  # says best that there is nothing
    try:
        weights = (
            load_file(_weights_of(start)) if _weights_of(start).exists() else load_weights(start, load_config(start))
        )
        network.load_state_dict(weights)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ModelError(f"these weights cannot be started from ({first})", Location(str(start))) from None


def digest(start: Path) -> str:
    """A fingerprint of the weights that a run starts from.

    Raises:
        ModelError: there are none.
    """
    files = [_weights_of(start)] if _weights_of(start).exists() else sorted(start.glob("*.safetensors"))
    if not files:
        raise ModelError(
            "there are no weights to start from; train there first, with as many folds", Location(str(start))
        )
    found = hashlib.sha256()
    for file in files:
        found.update(file.read_bytes())
    return found.hexdigest()[:16]


def _weights_of(run: Path) -> Path:
    return run / "checkpoint" / "network.safetensors"


def exists(folder: Path) -> bool:
    """Whether a complete checkpoint can be resumed (also after a kill between the two renames)."""
    for suffix in (".new", ".old"):  # the newer first
        spare = folder.with_name(folder.name + suffix)
        if not folder.exists() and (spare / _STATE).exists():
            os.replace(spare, folder)
    return (folder / _STATE).exists()


def peek(folder: Path) -> dict[str, Any]:
    """The progress a checkpoint was saved with, read without its tensors.

    Raises:
        ModelError: it cannot be read.
    """
    try:
        found: dict[str, Any] = json.loads((folder / _STATE).read_text("utf-8"))
        int(found["scheduler_steps"])
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise _unusable(folder, error) from None
    return found


def restore(
    folder: Path,
    network: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    scheduler: torch.optim.lr_scheduler.LRScheduler,
) -> dict[str, Any]:
    """Load a checkpoint into the given objects and return the progress it was saved with.

    Raises:
        ModelError: the files do not belong to this network.
    """
    progress = peek(folder)
    try:
        network.load_state_dict(load_file(folder / "network.safetensors"))
        moments = load_file(folder / "optimizer.safetensors")
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise _unusable(folder, error) from None
    torch.set_rng_state(moments.pop("rng"))
    if (drawn := moments.pop("cuda_rng", None)) is not None and torch.cuda.is_available():
        torch.cuda.set_rng_state(drawn)
    state: dict[int, dict[str, torch.Tensor]] = {}
    for key, value in moments.items():
        index, _, name = key.partition(".")
        state.setdefault(int(index), {})[name] = value.reshape(()) if name == "step" else value
    whole = optimizer.state_dict()
    whole["state"] = state
    optimizer.load_state_dict(whole)
    steps = int(progress["scheduler_steps"])
    scheduler.last_epoch = steps
    rates = [base * fn(steps) for base, fn in zip(scheduler.base_lrs, scheduler.lr_lambdas, strict=True)]  # type: ignore[attr-defined]
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        group["lr"] = rate
    return progress


def _unusable(folder: Path, error: Exception) -> ModelError:
    first = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return ModelError(f"cannot resume ({first}); delete the folder to start again", Location(str(folder)))
