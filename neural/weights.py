"""Trained taggers on disk: safetensors shards with matrices as int8 per row, beside a config that says what they are.

A folder holds ``config.json`` (sizes, encoder, what it was trained on and how it scored), ``tokenizer.json`` and
``weights-*.safetensors``. Rounding a row to 8 bits changes a token vector by a cosine of .997 or better
(measured in trials) and makes the files a quarter of their size.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from ..symbolic.errors import Location, ModelError

FORMAT = 1
SHARD_BYTES = 45_000_000
_SCALE = ".scale"
_CONFIG = "config.json"


def quantise(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Matrices as int8 with one float32 scale a row (``NAME.scale``); vectors as float32."""
    packed: dict[str, torch.Tensor] = {}
    for name, value in weights.items():
        if value.dim() != 2 or value.shape[0] == 1:
            packed[name] = value.detach().float().contiguous()
            continue
        scale = value.detach().float().abs().amax(dim=1).clamp(min=1e-12) / 127.0
        packed[name] = (value.detach().float() / scale[:, None]).round().to(torch.int8).contiguous()
        packed[name + _SCALE] = scale.contiguous()
    return packed


def dequantise(packed: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The float32 weights that :func:`quantise` stored."""
    return {
        name: value.float() * packed[name + _SCALE][:, None] if name + _SCALE in packed else value
        for name, value in packed.items()
        if not (name.endswith(_SCALE) and name.removesuffix(_SCALE) in packed)
    }


def save(
    folder: Path, weights: Mapping[str, torch.Tensor], config: Mapping[str, Any], texts: Mapping[str, str]
) -> None:
    """Write a model folder, with its text files by name; the model appears whole or not at all.

    The config, which makes a folder a model, goes first where there is one and comes last. Other files in the folder
    (the folds of a cross-validation, whatever the user keeps there) stay as they are.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _CONFIG).unlink(missing_ok=True)
    for stale in folder.glob("weights-*.safetensors"):
        stale.unlink()
    shards: list[dict[str, torch.Tensor]] = [{}]
    size = 0
    for name, value in quantise(weights).items():
        length = value.numel() * value.element_size()
        if size and size + length > SHARD_BYTES:
            shards.append({})
            size = 0
        shards[-1][name] = value
        size += length
    for number, shard in enumerate(shards):
        save_file(shard, folder / f"weights-{number:02d}.safetensors")
    for name, content in texts.items():
        (folder / name).write_text(content, "utf-8")
    text = json.dumps({"format": FORMAT, "shards": len(shards), **config}, indent=1, ensure_ascii=False)
    unfinished = folder / "config.tmp"
    unfinished.write_text(text + "\n", "utf-8")
    os.replace(unfinished, folder / _CONFIG)


def load_config(folder: Path) -> dict[str, Any]:
    """Read a model folder's config.

    Raises:
        ModelError: the folder is no model, or one of another format.
    """
    path = folder / _CONFIG
    try:
        config: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ModelError(
            "no model here (config.json is missing); give a folder made by `train`", Location(str(folder))
        ) from None
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot read the model's config: {error}", Location(str(path))) from None
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise ModelError(f"this is not a model of format {FORMAT}; train it again", Location(str(path)))
    return config


def load(folder: Path, config: Mapping[str, Any]) -> dict[str, torch.Tensor]:
    """Read the weights of a model folder as float32.

    Raises:
        ModelError: a shard is missing or damaged.
    """
    packed: dict[str, torch.Tensor] = {}
    for number in range(int(config["shards"])):
        path = folder / f"weights-{number:02d}.safetensors"
        try:
            packed.update(load_file(path))
        except (OSError, SafetensorError) as error:
            raise ModelError(f"missing or damaged weights: {error}", Location(str(path))) from None
    return dequantise(packed)
