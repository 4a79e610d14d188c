"""The network of the state tagger: a sentence encoder, 2 x 20 state heads and the pair prior.

A story is encoded once. An entity in a sentence is the mean of the tokens that name it there (a learned vector where
none does), joined with the mean of the sentence, the entity's mean over the story and the start token; a shared layer
feeds a classifier for each attribute before and after the sentence. The pair prior scores every two sentences i < j
from what each entity goes through in both (its representation and its predicted states: effects of i, preconditions
of j) and from the two sentences themselves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from ..symbolic.vocabulary import ATTRIBUTES, EFFECT, N_ATTRIBUTES, N_VALUES, PRECONDITION

if TYPE_CHECKING:
    from .encoding import Batch


@dataclass(frozen=True)
class ModelConfig:
    """Sizes of the layers above the encoder."""

    state_hidden: int = 512
    pair_hidden: int = 128
    dropout: float = 0.1


@dataclass(frozen=True, eq=False)
class ModelOutput:
    """Scores of a batch.

    ``state_logits`` (stories, entities, sentences, 2, 20, 9), -inf for values an attribute does not have;
    ``pair_scores`` (stories, sentences, sentences), -inf unless i < j are sentences of the story.
    """

    state_logits: torch.Tensor
    pair_scores: torch.Tensor


def value_mask() -> torch.Tensor:
    """Which values each attribute has: (20, 9), True where it exists."""
    mask = torch.zeros(N_ATTRIBUTES, N_VALUES, dtype=torch.bool)
    for attribute in ATTRIBUTES:
        mask[attribute.index, : len(attribute.values)] = True
    return mask


class TaggerNetwork(nn.Module):
    """Encoder and heads; see the module's docstring. ``encoder`` maps ids and attention to hidden states."""

    def __init__(self, encoder: nn.Module, width: int, config: ModelConfig) -> None:
        super().__init__()
        self.encoder = encoder
        self.config = config
        hidden, pair = config.state_hidden, config.pair_hidden
        self.absent = nn.Parameter(torch.zeros(width))
        self.dropout = nn.Dropout(config.dropout)
        self.shared = nn.Sequential(nn.LayerNorm(4 * width), nn.Linear(4 * width, hidden), nn.GELU())
        self.states = nn.Linear(hidden, 2 * N_ATTRIBUTES * N_VALUES)
        flat = N_ATTRIBUTES * N_VALUES
        self.evidence = nn.Linear(hidden + flat, pair)
        self.breakpoint = nn.Linear(hidden + flat, pair)
        self.entity_score = nn.Linear(pair, 1)
        self.sentence_first = nn.Linear(width, pair)
        self.sentence_second = nn.Linear(width, pair)
        self.sentence_score = nn.Linear(pair, 1)
        # Log-odds that the story has no conflict: lets one story be judged without its twin.
        self.no_conflict = nn.Parameter(torch.zeros(1))
        self.register_buffer("value_mask", value_mask(), persistent=False)

    def forward(self, batch: Batch) -> ModelOutput:
        """Score the states and pairs of a batch of stories."""
        hidden = self.encoder(input_ids=batch.ids, attention_mask=batch.attention).last_hidden_state
        # The heads are small and their logits feed logarithms: they stay in full precision under autocast.
        with torch.autocast(hidden.device.type, enabled=False):
            return self._heads(batch, self.dropout(hidden.float()))

    def _heads(self, batch: Batch, hidden: torch.Tensor) -> ModelOutput:
        sentences = batch.sentence_weights @ hidden
        stories, n_entities, n_sentences, tokens = batch.mention_weights.shape
        weights = batch.mention_weights
        named = (weights.reshape(stories, -1, tokens) @ hidden).reshape(stories, n_entities, n_sentences, -1)
        present = weights.sum(-1, keepdim=True) > 0
        named = torch.where(present, named, self.absent.expand_as(named))
        count = present.sum(2).clamp(min=1)
        overall = (named * present).sum(2) / count
        joined = torch.cat(
            [
                named,
                sentences.unsqueeze(1).expand_as(named),
                overall.unsqueeze(2).expand_as(named),
                hidden[:, 0, None, None, :].expand_as(named),
            ],
            dim=-1,
        )
        shared = self.dropout(self.shared(joined))
        logits = self.states(shared).reshape(*shared.shape[:3], 2, N_ATTRIBUTES, N_VALUES)
        mask: Any = self.value_mask
        logits = logits.masked_fill(~mask, -math.inf)
        return ModelOutput(logits, self._pair_scores(batch, shared, logits, sentences))

    def _pair_scores(
        self, batch: Batch, shared: torch.Tensor, logits: torch.Tensor, sentences: torch.Tensor
    ) -> torch.Tensor:
        probabilities = logits.softmax(-1)
        before = torch.cat([shared, probabilities[..., PRECONDITION, :, :].flatten(-2)], dim=-1)
        after = torch.cat([shared, probabilities[..., EFFECT, :, :].flatten(-2)], dim=-1)
        first, second = self.evidence(after), self.breakpoint(before)
        per_entity = nn.functional.gelu(first.unsqueeze(3) + second.unsqueeze(2))
        scores = self.entity_score(self.dropout(per_entity)).squeeze(-1)
        scores = scores.masked_fill(~batch.entity_mask[:, :, None, None], -1e4)
        pairs: torch.Tensor = scores.logsumexp(1)
        # A story that names nothing is scored by its sentences alone, whatever it is padded to.
        pairs = pairs.masked_fill(~batch.entity_mask.any(1)[:, None, None], 0.0)
        a, b = self.sentence_first(sentences), self.sentence_second(sentences)
        between = nn.functional.gelu(a.unsqueeze(2) + b.unsqueeze(1))
        pairs = pairs + self.sentence_score(self.dropout(between)).squeeze(-1)
        order = torch.ones(pairs.shape[-2:], dtype=torch.bool, device=pairs.device).triu(1)
        allowed = order & batch.sentence_mask.unsqueeze(2) & batch.sentence_mask.unsqueeze(1)
        return pairs.masked_fill(~allowed, -math.inf)
