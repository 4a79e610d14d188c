"""Low-rank adapters: one encoder for several jobs, each with a few million numbers of its own (Hu et al., 2022).

A matrix W becomes W + up @ down, of which only ``up`` and ``down`` are the job's. They are trained with peft and are
applied here beside the encoder's own layers, which stay shared: as 8-bit numbers, where they are that.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping

import torch
from torch import nn
from torch.nn import functional

DOWN, UP = ".down", ".up"


class AdaptedLinear(nn.Module):
    """A linear layer, and what an adapter adds to it: ``down`` (rank, columns), ``up`` (rows, rank)."""

    def __init__(self, inner: nn.Module, down: torch.Tensor, up: torch.Tensor) -> None:
        super().__init__()
        self.inner = inner
        self.register_buffer("down", down)
        self.register_buffer("up", up)

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """(..., columns) to (..., rows)."""
        down: torch.Tensor = self.down  # type: ignore[assignment]
        up: torch.Tensor = self.up  # type: ignore[assignment]
        added: torch.Tensor = self.inner(vectors) + functional.linear(functional.linear(vectors, down), up)
        return added


def adapted(encoder: nn.Module, adapter: Mapping[str, torch.Tensor]) -> nn.Module:
    """The encoder with an adapter (``NAME.down`` and ``NAME.up`` of its layers); both share the encoder's weights.

    Raises:
        AttributeError, KeyError: the adapter is of another encoder.
    """
    tensors = (*encoder.parameters(), *encoder.buffers())
    copied = copy.deepcopy(encoder, {id(tensor): tensor for tensor in tensors})
    for name in sorted(key.removesuffix(DOWN) for key in adapter if key.endswith(DOWN)):
        parent, _, last = name.rpartition(".")
        layer = AdaptedLinear(copied.get_submodule(name), adapter[name + DOWN], adapter[name + UP])
        setattr(copied.get_submodule(parent), last, layer)
    return copied
