"""The forward pass of BERT, for inference alone: importing transformers' own takes as long as all else of a cold start.

Modules and parameters are named as transformers names them, so the weights of one load into the other, and a test holds
the two to the same output. Training, and encoders of any other kind, use transformers (``encoders``).
Source: Devlin et al., 2019.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional


@dataclass(frozen=True, eq=False)
class BertOutput:
    """``last_hidden_state`` has shape (stories, tokens, width)."""

    last_hidden_state: torch.Tensor


def supports(config: dict[str, Any]) -> bool:
    """Whether an encoder's configuration is one of plain BERT, with nothing that this module leaves out."""
    return (
        config.get("model_type") == "bert"
        and config.get("hidden_act", "gelu") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and not config.get("is_decoder")
    )


class BertEncoder(nn.Module):
    """Token identifiers and an attention mask in, hidden states out."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        self.embeddings = _Embeddings(config)
        self.encoder = nn.Module()
        self.encoder.layer = nn.ModuleList(_Layer(config) for _ in range(config["num_hidden_layers"]))

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> BertOutput:
        """Hidden states of shape (stories, tokens, width); masked tokens (0) are attended to by none."""
        hidden = self.embeddings(input_ids)
        mask = attention_mask[:, None, None, :].bool()
        layers: Any = self.encoder.layer
        for layer in layers:
            hidden = layer(hidden, mask)
        return BertOutput(hidden)


class _Embeddings(nn.Module):
    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        width = config["hidden_size"]
        # Left as it is in memory: drawing 12 million numbers that loading then replaces takes a while.
        self.word_embeddings = nn.Embedding(
            config["vocab_size"], width, _weight=torch.empty(config["vocab_size"], width)
        )
        self.position_embeddings = nn.Embedding(config["max_position_embeddings"], width)
        self.token_type_embeddings = nn.Embedding(config["type_vocab_size"], width)
        self.LayerNorm = nn.LayerNorm(width, eps=config["layer_norm_eps"])

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        places = self.position_embeddings.weight[: ids.shape[1]]
        summed: torch.Tensor = self.word_embeddings(ids) + places + self.token_type_embeddings.weight[0]
        normed: torch.Tensor = self.LayerNorm(summed)
        return normed


class _Layer(nn.Module):
    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        width, inner, eps = config["hidden_size"], config["intermediate_size"], config["layer_norm_eps"]
        self.heads = config["num_attention_heads"]
        self.attention = nn.ModuleDict(
            {
                "self": nn.ModuleDict({name: nn.Linear(width, width) for name in ("query", "key", "value")}),
                "output": nn.ModuleDict({"dense": nn.Linear(width, width), "LayerNorm": nn.LayerNorm(width, eps=eps)}),
            }
        )
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(width, inner)})
        self.output = nn.ModuleDict({"dense": nn.Linear(inner, width), "LayerNorm": nn.LayerNorm(width, eps=eps)})

    def forward(self, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        parts: Any = self.attention
        stories, tokens, width = hidden.shape
        query, key, value = (
            parts["self"][name](hidden).view(stories, tokens, self.heads, -1).transpose(1, 2)
            for name in ("query", "key", "value")
        )
        attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        attended = parts["output"]["dense"](attended.transpose(1, 2).reshape(stories, tokens, width))
        hidden = parts["output"]["LayerNorm"](attended + hidden)
        inner = functional.gelu(self.intermediate["dense"](hidden))
        out: torch.Tensor = self.output["LayerNorm"](self.output["dense"](inner) + hidden)
        return out
