"""The purely neural baseline for TRIP: state classifiers and a conflict detector, each fed by what is below it.

Source: "Tiered Reasoning for Intuitive Physics" (Storks et al., 2021), section 3. Bottom up:

1. Contextual embedding: an encoder reads an entity and one sentence, the entity first; its start token is the
   embedding. Any Hugging Face encoder will do.
2. Precondition and effect classifiers: 20 and 20, of two layers each, one for each attribute and side.
3. Conflict detector: a transformer over the sentences of one entity. It is fed the embedding and the state logits,
   each projected to one size, and believes (a sigmoid) of each sentence that it is part of a conflict.
4. Story choice: the softmax over both stories of the negated sums of beliefs (``beliefs.choose``).

The loss is a weighted sum of four cross-entropies: preconditions, effects, conflicts, story.

Where the paper leaves things open this follows the code that was published with it: 6 layers of 8 heads over 2 x 256
features, and no gradient from the detector into the classifiers (their logits are detached). It departs from it in
these ways:

- Losses are means over the entities and sentences that there are. The published code counts its padding too, all of
  whose labels are 0.
- Beliefs are read off by one layer that is shared by the sentences, whose order the detector knows by sinusoids; both
  halves of its input are normed. The published code norms nothing, tells the detector no order, and reads beliefs
  off by a layer over all sentences at once, so that a story longer than those trained on cannot be read.
- The sum of beliefs is negated, as the paper says; the code also halves it, which changes no choice.
- Nothing is cut unless ``truncate`` says so: the code cuts entity and sentence to 16 tokens together, which on TRIP's
  development pairs hits 21% of the inputs.

An input that occurs twice in a batch is encoded once: stories of a pair share all sentences but one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from ..symbolic.errors import Location, ModelError, StoryError
from ..symbolic.story import Story
from ..symbolic.vocabulary import ATTRIBUTES, EFFECT, N_ATTRIBUTES, N_VALUES, PRECONDITION, SIDES
from . import encoders
from . import weights as weights_io
from .beliefs import Beliefs
from .encoding import SpecialTokens
from .model import value_mask
from .objective import NO_LABEL
from .tagger import one_thread

if TYPE_CHECKING:
    from tokenizers import Tokenizer

KIND = "tiered"
# Inputs that are encoded together: sorted by length, so that few are padded.
CHUNK = 64

Cells = tuple[tuple[tuple[int, ...], ...], ...]  # token ids of each sentence of each entity of a story


@dataclass(frozen=True)
class TieredConfig:
    """Sizes of the layers above the encoder, and where an input is cut (None: where the encoder ends)."""

    projection: int = 256
    layers: int = 6
    heads: int = 8
    dropout: float = 0.1
    truncate: int | None = None


@dataclass(frozen=True)
class TieredWeights:
    """Weights of the four losses (defaults: the paper's best, without the story loss)."""

    precondition: float = 0.4
    effect: float = 0.4
    conflict: float = 0.2
    story: float = 0.0


@dataclass(frozen=True, eq=False)
class TieredBatch:
    """Some stories; a line is one entity of one story.

    ``chunks`` hold each distinct input once: ids and attention (inputs, tokens). ``inputs`` (lines, sentences) says
    which of them, counted through all chunks, stands where; ``mask`` (lines, sentences) is True where there is a
    sentence; ``story`` (lines,) is the story of a line, of ``stories`` in all.
    """

    chunks: tuple[tuple[torch.Tensor, torch.Tensor], ...]
    inputs: torch.Tensor
    mask: torch.Tensor
    story: torch.Tensor
    stories: int

    def to(self, device: torch.device) -> TieredBatch:
        """The same batch on a device."""
        chunks = tuple((ids.to(device), attention.to(device)) for ids, attention in self.chunks)
        return TieredBatch(chunks, self.inputs.to(device), self.mask.to(device), self.story.to(device), self.stories)


@dataclass(frozen=True, eq=False)
class TieredOutput:
    """Scores of a batch.

    ``state_logits`` (lines, sentences, 2, 20, 9), -inf for values that an attribute does not have;
    ``conflict_logits`` (lines, sentences), of which the sigmoid is the belief; ``story_scores`` (stories,), the
    negated sums of beliefs. What stands where there is no sentence means nothing.
    """

    state_logits: torch.Tensor
    conflict_logits: torch.Tensor
    story_scores: torch.Tensor


@dataclass(frozen=True, eq=False)
class TieredTargets:
    """Gold labels of a batch in which stories 2k and 2k+1 are a pair.

    ``states`` (lines, sentences, 2, 20), ``NO_LABEL`` where there is no sentence; ``conflict`` (lines, sentences), 0
    or 1; ``plausible`` (pairs,), the index within the pair.
    """

    states: torch.Tensor
    conflict: torch.Tensor
    plausible: torch.Tensor


@dataclass(frozen=True, eq=False)
class TieredLosses:
    """The four parts, each a scalar, and their weighted sum."""

    precondition: torch.Tensor
    effect: torch.Tensor
    conflict: torch.Tensor
    story: torch.Tensor
    total: torch.Tensor


LOSSES = ("precondition", "effect", "conflict", "story", "total")


class TieredNetwork(nn.Module):
    """Encoder, classifiers and detector; see the module's docstring."""

    def __init__(self, encoder: nn.Module, width: int, config: TieredConfig) -> None:
        super().__init__()
        self.encoder = encoder
        self.config = config
        self.width = width
        classifiers = len(SIDES) * N_ATTRIBUTES
        self.dropout = nn.Dropout(config.dropout)
        # All 40 classifiers side by side: no weight is shared.
        self.state_hidden = nn.Linear(width, classifiers * width)
        bound = 1.0 / math.sqrt(width)
        self.state_weight = nn.Parameter(torch.empty(classifiers, width, N_VALUES).uniform_(-bound, bound))
        self.state_bias = nn.Parameter(torch.zeros(classifiers, N_VALUES))
        self.register_buffer("value_mask", value_mask(), persistent=False)
        known = sum(len(attribute.values) for attribute in ATTRIBUTES)
        # Normed, so that neither half drowns the other, nor the places of the sentences both, whatever the encoder's
        # scale: without it, sinusoids are louder than MiniLM's embeddings and the detector learns no more than places.
        self.embedding_projection = nn.Sequential(nn.Linear(width, config.projection), nn.LayerNorm(config.projection))
        self.state_projection = nn.Sequential(
            nn.Linear(len(SIDES) * known, config.projection), nn.LayerNorm(config.projection)
        )
        size = 2 * config.projection
        layer = nn.TransformerEncoderLayer(size, config.heads, 4 * size, config.dropout, batch_first=True)
        self.detector = nn.TransformerEncoder(layer, config.layers, enable_nested_tensor=False)
        self.belief = nn.Linear(size, 1)

    def forward(self, batch: TieredBatch) -> TieredOutput:
        """Score the states and conflicts of a batch of stories."""
        encoded = [
            self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state[:, 0] for ids, mask in batch.chunks
        ]
        embedding = torch.cat(encoded).float()
        hidden = torch.tanh(self.state_hidden(self.dropout(embedding)))
        hidden = self.dropout(hidden.reshape(len(embedding), -1, self.width))
        logits = torch.einsum("icw,cwv->icv", hidden, self.state_weight).float() + self.state_bias
        mask: Any = self.value_mask
        logits = logits.reshape(-1, len(SIDES), N_ATTRIBUTES, N_VALUES).masked_fill(~mask, -math.inf)
        beliefs = self._conflict_logits(batch, embedding, logits.detach()[..., mask].flatten(1))
        believed = torch.sigmoid(beliefs).masked_fill(~batch.mask, 0.0).sum(1)
        scores = believed.new_zeros(batch.stories).index_add(0, batch.story, -believed)
        return TieredOutput(logits[batch.inputs], beliefs, scores)

    def _conflict_logits(self, batch: TieredBatch, embedding: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
        parts = (self.embedding_projection(self.dropout(embedding)), self.state_projection(self.dropout(states)))
        features = torch.cat(parts, dim=-1).float()[batch.inputs]
        features = self.dropout(features + sinusoids(features.shape[1], features.shape[2], features.device))
        # Padding stands behind the sentences of a line, which never see it.
        detected = self.detector(features, src_key_padding_mask=~batch.mask)
        logits: torch.Tensor = self.belief(self.dropout(detected)).float().squeeze(-1)
        return logits


def sinusoids(length: int, size: int, device: torch.device | None = None) -> torch.Tensor:
    """The place of each sentence in the story, (length, size), as in Vaswani et al. (2017)."""
    places = torch.arange(length, device=device, dtype=torch.float32)[:, None]
    rates = torch.exp(torch.arange(0, size, 2, device=device, dtype=torch.float32) * (-math.log(10_000.0) / size))
    table = torch.zeros(length, size, device=device)
    table[:, 0::2], table[:, 1::2] = torch.sin(places * rates), torch.cos(places * rates)
    return table


# ---- Text to tensors


def encode_cells(
    tokenizer: Tokenizer, special: SpecialTokens, sentences: Sequence[str], entities: Sequence[str], limit: int
) -> Cells:
    """Token ids of every (entity, sentence): start, entity, end, sentence, end; ``limit`` tokens at most.

    What is too long loses the end of its sentence (an entity of more than half the tokens loses its own). Encoders of
    RoBERTa's kind put two end tokens between, as their tokenizers do.
    """
    between = max(1, tokenizer.num_special_tokens_to_add(is_pair=True) - 2)
    room = limit - 2 - between

    def ids(text: str) -> list[int]:
        # The blank before the first word makes byte-level tokenizers see the same word everywhere.
        return list(tokenizer.encode(" " + text.strip(), add_special_tokens=False).ids)

    texts = [ids(sentence) for sentence in sentences]
    names = [ids(entity)[: room // 2] for entity in entities]
    return tuple(
        tuple(
            (special.start, *name, *[special.end] * between, *text[: room - len(name)], special.end) for text in texts
        )
        for name in names
    )


def collate_cells(stories: Sequence[Cells], pad: int, chunk: int = CHUNK) -> TieredBatch:
    """Put stories together, each distinct input once, those of like length in one chunk of ``chunk`` at most."""
    order = sorted(dict.fromkeys(cell for story in stories for line in story for cell in line), key=len)
    place = {cell: k for k, cell in enumerate(order)}
    chunks = []
    for start in range(0, len(order), chunk):
        part = order[start : start + chunk]
        ids = torch.full((len(part), len(part[-1])), pad, dtype=torch.long)
        attention = torch.zeros_like(ids)
        for k, cell in enumerate(part):
            ids[k, : len(cell)] = torch.tensor(cell)
            attention[k, : len(cell)] = 1
        chunks.append((ids, attention))
    lines = [(number, line) for number, story in enumerate(stories) for line in story]
    longest = max((len(line) for _, line in lines), default=0)
    inputs = torch.zeros((len(lines), longest), dtype=torch.long)
    mask = torch.zeros((len(lines), longest), dtype=torch.bool)
    for k, (_, line) in enumerate(lines):
        inputs[k, : len(line)] = torch.tensor([place[cell] for cell in line])
        mask[k, : len(line)] = True
    return TieredBatch(tuple(chunks), inputs, mask, torch.tensor([number for number, _ in lines]), len(stories))


# ---- What it is trained to do


def conflict_labels(story: Story) -> np.ndarray:
    """Which (entity, sentence)s of an annotated story conflict, (entities, sentences) of bool.

    Those of the two conflicting sentences and the conflict's entities. TRIP's files do not name the latter, so this
    takes them as the published code does: every entity of which either sentence has a label that says something
    (neither unknown nor the default). Where no entity has one, every entity is taken.
    """
    found = np.zeros((len(story.entities or ()), len(story.sentences)), bool)
    gold = story.gold
    if gold is None or gold.conflict is None or gold.states is None:
        return found
    defaults = np.array([attribute.default for attribute in ATTRIBUTES])
    values = gold.states.values[:, list(gold.conflict)]
    labelled = ((values != 0) & (values != defaults)).any((1, 2, 3))
    if not labelled.any():
        labelled[:] = True
    found[np.ix_(labelled, list(gold.conflict))] = True
    return found


def make_targets(
    states: Sequence[np.ndarray], conflicts: Sequence[np.ndarray], plausible: Sequence[int]
) -> TieredTargets:
    """Labels of the stories of some pairs: states (entities, sentences, 2, 20), conflicts (entities, sentences)."""
    longest = max(table.shape[1] for table in states)
    lines = sum(len(table) for table in states)
    padded = torch.full((lines, longest, len(SIDES), N_ATTRIBUTES), NO_LABEL, dtype=torch.long)
    marked = torch.zeros((lines, longest))
    line = 0
    for table, conflict in zip(states, conflicts, strict=True):
        here = slice(line, line + len(table))
        padded[here, : table.shape[1]] = torch.from_numpy(table.astype(np.int64))
        marked[here, : table.shape[1]] = torch.from_numpy(conflict.astype(np.float32))
        line += len(table)
    return TieredTargets(padded, marked, torch.tensor(list(plausible)))


def tiered_losses(
    output: TieredOutput, targets: TieredTargets, mask: torch.Tensor, weights: TieredWeights
) -> TieredLosses:
    """Cross-entropies of a batch.

    States: the mean over attributes, entities and sentences of both stories. Conflicts: the binary one, the mean over
    entities and sentences. Story: that of the plausible story under the softmax of both stories' scores, the mean over
    pairs.
    """
    precondition, effect = (
        functional.cross_entropy(
            output.state_logits[:, :, side].reshape(-1, N_VALUES),
            targets.states[:, :, side].reshape(-1),
            ignore_index=NO_LABEL,
        )
        for side in (PRECONDITION, EFFECT)
    )
    conflict = functional.binary_cross_entropy_with_logits(output.conflict_logits[mask], targets.conflict[mask])
    story = functional.cross_entropy(output.story_scores.reshape(-1, 2), targets.plausible)
    total = (
        weights.precondition * precondition
        + weights.effect * effect
        + weights.conflict * conflict
        + weights.story * story
    )
    return TieredLosses(precondition, effect, conflict, story, total)


# ---- In use


class Tiered:
    """A trained baseline: stories with their entities in, states and beliefs out."""

    def __init__(
        self, network: TieredNetwork, tokenizer: Tokenizer, special: SpecialTokens, config: dict[str, Any]
    ) -> None:
        self.network = network.eval()
        self.tokenizer = tokenizer
        self.special = special
        self.config = config

    def __repr__(self) -> str:
        return f"Tiered({self.config.get('name', '?')}, encoder={self.config.get('encoder', '?')})"

    @classmethod
    def load(cls, folder: Path) -> Tiered:
        """Load a model folder made by ``train tiered``.

        Raises:
            ModelError: it is missing, damaged, of another version, or of another kind.
        """
        config = weights_io.load_config(folder)
        if config.get("kind") != KIND:
            raise ModelError("not a tiered baseline; give a folder made by 'train tiered'", Location(str(folder)))
        network, tokenizer, special = weights_io.load_network(
            folder, config, lambda encoder, width, sizes: TieredNetwork(encoder, width, TieredConfig(**sizes))
        )
        return cls(network, tokenizer, special, config)

    def save(self, folder: Path, beside: Mapping[str, str] | None = None) -> None:
        """Write this as a model folder (matrices as int8 per row), with some text files ``beside`` it by name."""
        config = {**self.config, "kind": KIND, "network": asdict(self.network.config)}
        weights_io.save_network(folder, self.network, self.tokenizer, self.special, config, beside)

    def read(self, stories: Sequence[Story]) -> list[Beliefs]:
        """States and beliefs of some stories, which are computed together: what they share is encoded once.

        Raises:
            StoryError: a story does not name its entities.
        """
        cells = [self.encode(story) for story in stories]
        batch = collate_cells(cells, self.special.pad)
        if not batch.chunks:
            return [beliefs_of(story, None, batch, k) for k, story in enumerate(stories)]
        device = next(self.network.parameters()).device
        with torch.inference_mode(), one_thread():
            output = self.network(batch.to(device))
        return [beliefs_of(story, output, batch, k) for k, story in enumerate(stories)]

    def encode(self, story: Story) -> Cells:
        """The inputs that a story is read as.

        Raises:
            StoryError: it does not name its entities.
        """
        limit = input_limit(self.network.config, self.config["encoder_config"])
        return encode_story_cells(self.tokenizer, self.special, story, limit)


def encode_story_cells(tokenizer: Tokenizer, special: SpecialTokens, story: Story, limit: int) -> Cells:
    """The inputs of a story of which the entities are known.

    Raises:
        StoryError: they are not.
    """
    if story.entities is None:
        raise StoryError(f"story {story.id!r} names no entities; the tiered baseline takes annotated stories")
    return encode_cells(tokenizer, special, story.sentences, story.entities, limit)


def input_limit(config: TieredConfig, encoder_config: dict[str, Any]) -> int:
    """Tokens of an input, special ones too."""
    most = encoders.capacity(encoder_config)
    return most if config.truncate is None else min(most, config.truncate)


def beliefs_of(story: Story, output: TieredOutput | None, batch: TieredBatch, number: int) -> Beliefs:
    """What a batch's output says of its story ``number``; of a story without entities there is none."""
    entities, count = story.entities or (), len(story.sentences)
    if output is None or not entities:
        empty = np.zeros((0, count, len(SIDES), N_ATTRIBUTES), np.int8)
        return Beliefs((), empty, np.zeros((0, count), np.float32))
    lines = (batch.story == number).to(output.state_logits.device)
    states = output.state_logits[lines][:, :count].argmax(-1)
    beliefs = torch.sigmoid(output.conflict_logits[lines][:, :count])
    return Beliefs(entities, states.cpu().numpy().astype(np.int8), beliefs.float().cpu().numpy())
