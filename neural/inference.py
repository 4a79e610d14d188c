"""Encoders in use: the forward passes of BERT and MPNet, in 8-bit numbers, without importing transformers.

That import takes as long as all else of a cold start. Modules and parameters are named as transformers names them, so
that stored weights of one are those of the other, and a test holds the two to the same output. Training, and encoders
of any other kind, use transformers (``encoders``).
Sources: Devlin et al., 2019 (BERT); Song et al., 2020 (MPNet), whose attention knows how far apart two tokens are by
the buckets of Raffel et al., 2020 (T5).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from .int8 import Int8Embedding, Int8Linear

# How transformers calls the parts of a layer's attention: queries, keys, values, what follows them, and its norm.
_PARTS = {
    "bert": ("self.query", "self.key", "self.value", "output.dense", "output.LayerNorm"),
    "mpnet": ("attn.q", "attn.k", "attn.v", "attn.o", "LayerNorm"),
}
# The distance from which on MPNet tells no two apart.
_FARTHEST = 128
# MPNet counts its places from here.
_FIRST_PLACE = 2


@dataclass(frozen=True, eq=False)
class EncoderOutput:
    """``last_hidden_state`` has shape (stories, tokens, width)."""

    last_hidden_state: torch.Tensor


def supports(config: Mapping[str, Any]) -> bool:
    """Whether an encoder's configuration is one of plain BERT or MPNet, with nothing that this module leaves out."""
    return (
        config.get("model_type") in _PARTS
        and config.get("hidden_act", "gelu") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and not config.get("is_decoder")
    )


class InferenceEncoder(nn.Module):
    """Token identifiers and an attention mask in, hidden states out."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        self.embeddings = _Embeddings(config)
        self.encoder = nn.Module()
        self.encoder.layer = nn.ModuleList(_Layer(config) for _ in range(config["num_hidden_layers"]))
        if config["model_type"] == "mpnet":
            buckets, heads = config.get("relative_attention_num_buckets", 32), config["num_attention_heads"]
            self.encoder.relative_attention_bias = nn.Embedding(buckets, heads)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> EncoderOutput:
        """Hidden states of shape (stories, tokens, width); masked tokens (0) are attended to by none.

        Masked tokens stand behind the others.
        """
        hidden = self.embeddings(input_ids)
        bias = hidden.new_zeros(attention_mask.shape).masked_fill(attention_mask == 0, -math.inf)[:, None, None, :]
        near: Any = getattr(self.encoder, "relative_attention_bias", None)
        if near is not None:
            bias = bias + near(distance_buckets(input_ids.shape[1], near.num_embeddings)).permute(2, 0, 1)
        layers: Any = self.encoder.layer
        for layer in layers:
            hidden = layer(hidden, bias)
        return EncoderOutput(hidden)


def distance_buckets(tokens: int, buckets: int) -> torch.Tensor:
    """The bucket of each distance from a token (row) to another (column), (tokens, tokens).

    The first half of the buckets is for tokens that come before, the second for those after. Half of each half holds
    one distance each; the rest grow with the logarithm of the distance.
    """
    half = buckets // 2
    single = half // 2
    places = torch.arange(tokens)
    away = places[None, :] - places[:, None]
    far = away.abs().clamp(min=1)
    grown = single + (torch.log(far / single) / math.log(_FARTHEST / single) * (half - single)).long()
    bucket = torch.where(away.abs() < single, away.abs(), grown.clamp(max=half - 1))
    return bucket + half * (away > 0)


class _Embeddings(nn.Module):
    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        width = config["hidden_size"]
        self.first = _FIRST_PLACE if config["model_type"] == "mpnet" else 0
        self.word_embeddings = Int8Embedding(config["vocab_size"], width)
        self.position_embeddings = nn.Embedding(config["max_position_embeddings"], width)
        if config["model_type"] == "bert":
            self.token_type_embeddings = nn.Embedding(config["type_vocab_size"], width)
        self.LayerNorm = nn.LayerNorm(width, eps=config["layer_norm_eps"])

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        summed = self.word_embeddings(ids) + self.position_embeddings.weight[self.first : self.first + ids.shape[1]]
        kinds: Any = getattr(self, "token_type_embeddings", None)
        if kinds is not None:
            summed = summed + kinds.weight[0]
        normed: torch.Tensor = self.LayerNorm(summed)
        return normed


class _Layer(nn.Module):
    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        width, inner, eps = config["hidden_size"], config["intermediate_size"], config["layer_norm_eps"]
        self.heads = config["num_attention_heads"]
        self.names = _PARTS[config["model_type"]]
        self.attention = nn.Module()
        for name in self.names[:-1]:
            _put(self.attention, name, Int8Linear(width, width))
        _put(self.attention, self.names[-1], nn.LayerNorm(width, eps=eps))
        self.intermediate = nn.ModuleDict({"dense": Int8Linear(width, inner)})
        self.output = nn.ModuleDict({"dense": Int8Linear(inner, width), "LayerNorm": nn.LayerNorm(width, eps=eps)})

    def forward(self, hidden: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        *projections, after, norm = (self.attention.get_submodule(name) for name in self.names)
        stories, tokens, width = hidden.shape
        query, key, value = (
            project(hidden).view(stories, tokens, self.heads, -1).transpose(1, 2) for project in projections
        )
        attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        attended = after(attended.transpose(1, 2).reshape(stories, tokens, width))
        hidden = norm(attended + hidden)
        inner = functional.gelu(self.intermediate["dense"](hidden))
        out: torch.Tensor = self.output["LayerNorm"](self.output["dense"](inner) + hidden)
        return out


def _put(parent: nn.Module, path: str, module: nn.Module) -> None:
    """Add a module under a dotted name."""
    *outer, last = path.split(".")
    for name in outer:
        if not hasattr(parent, name):
            parent.add_module(name, nn.Module())
        parent = parent.get_submodule(name)
    parent.add_module(last, module)
