"""Trained networks on disk: safetensors shards with matrices as int8 per row, beside a config that says what they are.

A folder holds ``config.json`` (sizes, encoder, what it was trained on and how it scored), ``tokenizer.json`` and
``weights-*.safetensors``. Rounding a row to 8 bits changes a token vector by a cosine of .997 or better
(measured in trials) and makes the files a quarter of their size.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

from ..symbolic.errors import Location, ModelError
from . import encoders
from .encoding import SpecialTokens
from .int8 import Int8Matrix

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Network = TypeVar("Network", bound=nn.Module)

FORMAT = 1
SHARD_BYTES = 45_000_000
_SCALE = ".scale"
_VALUES = ".values"
_CONFIG = "config.json"


def quantise(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Matrices as int8 with one float32 scale a row (``NAME.scale``); vectors as float32.

    Those of an ``Int8Matrix`` stay as they are.
    """
    packed: dict[str, torch.Tensor] = {}
    for name, value in weights.items():
        if value.dtype == torch.int8:
            packed[name.removesuffix(_VALUES)] = value
            continue
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
    return dequantise(_read(folder, config))


def _read(folder: Path, config: Mapping[str, Any]) -> dict[str, torch.Tensor]:
    packed: dict[str, torch.Tensor] = {}
    for number in range(int(config["shards"])):
        path = folder / f"weights-{number:02d}.safetensors"
        try:
            packed.update(load_file(path))
        except (OSError, SafetensorError) as error:
            raise ModelError(f"missing or damaged weights: {error}", Location(str(path))) from None
    return packed


def fit(packed: Mapping[str, torch.Tensor], network: nn.Module) -> dict[str, torch.Tensor]:
    """What :func:`quantise` stored, as the network takes it: as int8 where its matrices are, else as float32."""
    rest = dict(packed)
    found: dict[str, torch.Tensor] = {}
    for name, module in network.named_modules():
        if isinstance(module, Int8Matrix) and name in rest and name + _SCALE in rest:
            found[name + _VALUES], found[name + _SCALE] = rest.pop(name), rest.pop(name + _SCALE)
    return {**found, **dequantise(rest)}


def save_network(
    folder: Path,
    network: nn.Module,
    tokenizer: Tokenizer,
    special: SpecialTokens,
    config: Mapping[str, Any],
    beside: Mapping[str, str] | None = None,
) -> None:
    """Write a network over an encoder as a model folder, with some text files ``beside`` it by name."""
    texts = {"tokenizer.json": json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False), **(beside or {})}
    save(folder, network.state_dict(), {**config, "special_tokens": asdict(special)}, texts)


def load_network(
    folder: Path, config: Mapping[str, Any], make: Callable[[nn.Module, int, Mapping[str, Any]], Network]
) -> tuple[Network, Tokenizer, SpecialTokens]:
    """Read what ``save_network`` wrote: ``make`` builds the network over an encoder of a width, by its own sizes.

    Raises:
        ModelError: a file is missing or damaged, or they do not fit together.
    """
    from tokenizers import Tokenizer

    try:
        encoder = encoders.for_inference(config["encoder_config"])
        network = make(encoder, int(config["width"]), config["network"])
        network.load_state_dict(fit(_read(folder, config), network), assign=True)
        special = SpecialTokens(**config["special_tokens"])
        return network, Tokenizer.from_file(str(folder / "tokenizer.json")), special
    except ModelError:
        raise
    except KeyError as error:
        raise ModelError(f"the model's config lacks {error}; train it again", Location(str(folder))) from None
    except Exception as error:  # tokenizers raises bare Exception; a damaged config raises anything
        said = shorten(str(error), 200, placeholder=" ...") or type(error).__name__
        raise ModelError(f"the model's files do not fit together: {said}", Location(str(folder))) from None
