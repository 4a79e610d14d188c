"""Stories as tensors: token ids, which tokens make each sentence, and which tokens name each entity where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from .spans import name_spans

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@dataclass(frozen=True)
class SpecialTokens:
    """Identifiers of the encoder's own tokens."""

    start: int
    end: int
    pad: int


@dataclass(frozen=True, eq=False)
class EncodedStory:
    """One story, or one window of a long one.

    ``ids`` (tokens,); ``sentence_weights`` (sentences, tokens) and ``mention_weights`` (entities, sentences, tokens)
    hold rows that sum to 1, or to 0 where there is nothing to average.
    """

    ids: np.ndarray
    sentence_weights: np.ndarray
    mention_weights: np.ndarray


@dataclass(frozen=True, eq=False)
class Batch:
    """Encoded stories padded together; masks are True where there is something."""

    ids: torch.Tensor  # (stories, tokens)
    attention: torch.Tensor  # (stories, tokens)
    sentence_weights: torch.Tensor  # (stories, sentences, tokens)
    mention_weights: torch.Tensor  # (stories, entities, sentences, tokens)
    sentence_mask: torch.Tensor  # (stories, sentences)
    entity_mask: torch.Tensor  # (stories, entities)


def encode_story(
    tokenizer: Tokenizer, special: SpecialTokens, sentences: Sequence[str], entities: Sequence[str], limit: int = 500
) -> EncodedStory:
    """Encode a story once: start token, its sentences in order, end token.

    A sentence of more than ``limit`` tokens is cut there, since no encoder could read it whole.
    """
    ids: list[int] = [special.start]
    bounds: list[tuple[int, int]] = []
    offsets: list[list[tuple[int, int]]] = []
    for sentence in sentences:
        # The blank before the first word makes byte-level tokenizers see the same word everywhere.
        encoding = tokenizer.encode(" " + sentence.strip(), add_special_tokens=False)
        begin = len(ids)
        ids.extend(encoding.ids[:limit])
        bounds.append((begin, len(ids)))
        offsets.append([(a - 1, b - 1) for a, b in encoding.offsets[:limit]])
    ids.append(special.end)
    sentence_weights = np.zeros((len(sentences), len(ids)), dtype=np.float32)
    mention_weights = np.zeros((len(entities), len(sentences), len(ids)), dtype=np.float32)
    for s, (begin, end) in enumerate(bounds):
        if end > begin:
            sentence_weights[s, begin:end] = 1.0 / (end - begin)
        for e, spans in enumerate(name_spans(sentences[s].strip(), entities)):
            hits = [
                begin + t
                for t, (a, b) in enumerate(offsets[s])
                if b > a and any(a < stop and b > start for start, stop in spans)
            ]
            if hits:
                mention_weights[e, s, hits] = 1.0 / len(hits)
    return EncodedStory(np.asarray(ids, dtype=np.int64), sentence_weights, mention_weights)


def collate(stories: Sequence[EncodedStory], pad: int) -> Batch:
    """Pad encoded stories to the largest of them."""
    n = len(stories)
    tokens = max(len(s.ids) for s in stories)
    sentences = max(s.sentence_weights.shape[0] for s in stories)
    entities = max(1, *(s.mention_weights.shape[0] for s in stories))
    ids = torch.full((n, tokens), pad, dtype=torch.long)
    attention = torch.zeros((n, tokens), dtype=torch.long)
    sentence_weights = torch.zeros((n, sentences, tokens))
    mention_weights = torch.zeros((n, entities, sentences, tokens))
    sentence_mask = torch.zeros((n, sentences), dtype=torch.bool)
    entity_mask = torch.zeros((n, entities), dtype=torch.bool)
    for k, story in enumerate(stories):
        t, (s, _), e = len(story.ids), story.sentence_weights.shape, story.mention_weights.shape[0]
        ids[k, :t] = torch.from_numpy(story.ids)
        attention[k, :t] = 1
        sentence_weights[k, :s, :t] = torch.from_numpy(story.sentence_weights)
        mention_weights[k, :e, :s, :t] = torch.from_numpy(story.mention_weights)
        sentence_mask[k, :s] = True
        entity_mask[k, :e] = True
    return Batch(ids, attention, sentence_weights, mention_weights, sentence_mask, entity_mask)
