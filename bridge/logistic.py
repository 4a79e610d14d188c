"""Logistic regression without an intercept: which weights make the right one of two things the likeliest.

Without an intercept, exchanging the two exchanges their probabilities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def fit(rows: Sequence[Mapping[int, float]], first: Sequence[bool], columns: int, l2: float) -> list[float]:
    """Weights of ``columns`` features by maximum likelihood less ``l2`` times their squares.

    ``rows`` hold what speaks for the first of two, by column; ``first`` says whether it was right. The problem is
    convex: the same rows give the same weights.
    """
    import torch

    entries = [(i, column, value) for i, row in enumerate(rows) for column, value in row.items()]
    if not entries:
        return [0.0] * columns
    row = torch.tensor([i for i, _, _ in entries])
    column = torch.tensor([k for _, k, _ in entries])
    value = torch.tensor([float(v) for _, _, v in entries], dtype=torch.float64)
    truth = torch.tensor(list(first), dtype=torch.float64)
    weights = torch.zeros(columns, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=300, tolerance_grad=1e-6, line_search_fn="strong_wolfe")

    def closure() -> Any:
        optimizer.zero_grad()
        scores = torch.zeros_like(truth).index_add(0, row, value * weights[column])
        loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, truth, reduction="sum")
        loss = loss + l2 * (weights**2).sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    optimizer.step(closure)  # type: ignore[no-untyped-call]
    return [float(weight) for weight in weights.detach()]
