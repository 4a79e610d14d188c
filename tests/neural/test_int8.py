"""Products in 8 bits."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional

from disproof.neural import weights
from disproof.neural.int8 import Int8Embedding, Int8Linear


def linear(rows: int, columns: int) -> tuple[Int8Linear, torch.Tensor, torch.Tensor]:
    """A layer, and the matrix and bias in float32 that it stands for."""
    matrix, bias = torch.randn(rows, columns), torch.randn(rows)
    packed = weights.quantise({"weight": matrix, "bias": bias})
    layer = Int8Linear(columns, rows)
    layer.load_state_dict(weights.fit(packed, layer))
    return layer, weights.dequantise(packed)["weight"], bias


# From two columns on: with one, torch 2.13 multiplies numbers that lie elsewhere in memory. No encoder is that narrow.
@settings(deadline=None, max_examples=30)
@given(st.integers(2, 70), st.integers(2, 90), st.integers(1, 40), st.integers(0, 1000))
def test_a_product_is_near_the_exact_one(rows: int, columns: int, vectors: int, seed: int) -> None:
    torch.manual_seed(seed)
    layer, matrix, bias = linear(rows, columns)
    x = torch.randn(vectors, columns) * torch.logspace(-3, 3, vectors)[:, None]  # each vector has its own scale
    error = layer(x) - functional.linear(x, matrix, bias)
    # Half a step of each number of a vector, times the row.
    bound = x.abs().amax(1, keepdim=True) / 127 / 2 * matrix.abs().sum(1)
    assert (error.abs() <= bound * 1.01 + 1e-4).all()


def test_a_vector_of_zeros_gives_the_bias() -> None:
    torch.manual_seed(0)
    layer, _, bias = linear(5, 7)
    assert torch.equal(layer(torch.zeros(2, 3, 7)), bias.expand(2, 3, 5))


def test_the_same_bits_for_any_number_of_threads_and_any_company() -> None:
    torch.manual_seed(0)
    layer, _, _ = linear(300, 768)
    x = torch.randn(64, 768)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        alone = torch.cat([layer(row[None]) for row in x])
        together = layer(x)
        torch.set_num_threads(2)
        assert torch.equal(layer(x), together)
    finally:
        torch.set_num_threads(before)
    assert torch.equal(alone, together)


def test_an_embedding_gives_the_stored_rows() -> None:
    torch.manual_seed(0)
    packed = weights.quantise({"weight": torch.randn(9, 6)})
    layer = Int8Embedding(9, 6)
    layer.load_state_dict(weights.fit(packed, layer))
    numbers = torch.tensor([[0, 8], [3, 3]])
    assert torch.equal(layer(numbers), weights.dequantise(packed)["weight"][numbers])
