"""The state tagger in use: sentences and entities in, probabilities of states and scores of pairs out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ..symbolic.errors import ModelError
from ..symbolic.story import Tagging
from ..symbolic.vocabulary import N_ATTRIBUTES, N_VALUES
from . import encoders
from . import weights as weights_io
from .encoding import EncodedStory, SpecialTokens, collate, encode_story
from .model import ModelConfig, TaggerNetwork

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MODELS = Path(__file__).parent / "models"
# Sentences a window of a long story holds, and how many of them it shares with the one before.
WINDOW_TOKENS = 256
WINDOW_OVERLAP = 2
# Where a single sentence is cut.
SENTENCE_TOKENS = 500

_THREADS = Lock()


def model_folder(model: str) -> Path:
    """The folder of a shipped model by name ("base", "small"), or of the user's own by path.

    Raises:
        ModelError: there is neither.
    """
    shipped = MODELS / model
    if shipped.is_dir():
        return shipped
    if Path(model).is_dir():
        return Path(model)
    names = sorted(p.name for p in MODELS.iterdir() if p.is_dir()) if MODELS.is_dir() else []
    raise ModelError(f"no model {model!r}; shipped: {', '.join(names) or 'none'}; or give a folder made by `train`")


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep torch to one thread: with more, the last bit of a sum depends on how many.

    Measured on MiniLM: up to 2e-7 apart between 1 and 2 threads. The number is the process's, hence the lock.
    """
    with _THREADS:
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(before)


class Tagger:
    """A trained tagger. Results do not depend on what else is tagged or on the number of threads used."""

    def __init__(
        self, network: TaggerNetwork, tokenizer: Tokenizer, special: SpecialTokens, config: dict[str, Any]
    ) -> None:
        self.network = network.eval()
        self.tokenizer = tokenizer
        self.special = special
        self.config = config

    def __repr__(self) -> str:
        return f"Tagger({self.config.get('name', '?')}, encoder={self.config.get('encoder', '?')})"

    @classmethod
    def load(cls, folder: Path) -> Tagger:
        """Load a model folder.

        Raises:
            ModelError: it is missing, damaged or of another version.
        """
        config = weights_io.load_config(folder)
        network, tokenizer, special = weights_io.load_network(
            folder, config, lambda encoder, width, sizes: TaggerNetwork(encoder, width, ModelConfig(**sizes))
        )
        return cls(network, tokenizer, special, config)

    def save(self, folder: Path, beside: Mapping[str, str] | None = None) -> None:
        """Write this tagger as a model folder, with some text files ``beside`` it by name."""
        config = {**self.config, "network": asdict(self.network.config)}
        weights_io.save_network(folder, self.network, self.tokenizer, self.special, config, beside)

    def tag(self, sentences: Sequence[str], entities: Sequence[str]) -> Tagging:
        """Probabilities for every entity in every sentence, and the pair prior's scores.

        A story longer than the encoder's window is tagged window by window, each with two sentences of context, and
        the prior sees only pairs within a window (others get the lowest score seen).
        """
        if not sentences:
            return Tagging(tuple(entities), np.zeros((len(entities), 0, 2, N_ATTRIBUTES, N_VALUES), np.float32))
        parts = [
            (begin, start, self._encode(sentences[begin:end], entities))
            for begin, start, end in self._windows(sentences)
        ]
        states = np.zeros((len(entities), len(sentences), 2, N_ATTRIBUTES, N_VALUES), np.float32)
        pairs = np.full((len(sentences), len(sentences)), -np.inf, np.float32)
        for begin, start, encoded in parts:
            with torch.inference_mode(), one_thread():
                output = self.network(collate([encoded], self.special.pad))
            probabilities = output.state_logits.softmax(-1)[0, : len(entities)].numpy()
            length = encoded.sentence_weights.shape[0]
            states[:, start : begin + length] = probabilities[:, start - begin : length]
            block = pairs[begin : begin + length, begin : begin + length]
            np.maximum(block, output.pair_scores[0].numpy(), out=block)
        if len(parts) > 1:
            later = np.triu(np.ones_like(pairs, dtype=bool), 1)
            pairs[later & np.isinf(pairs)] = pairs[np.isfinite(pairs)].min(initial=0.0)
        return Tagging(tuple(entities), states, pairs)

    @property
    def no_conflict(self) -> float:
        """The pair prior's log-odds that a story has no conflict at all."""
        return float(self.network.no_conflict.detach())

    def _encode(self, sentences: Sequence[str], entities: Sequence[str]) -> EncodedStory:
        return encode_story(self.tokenizer, self.special, sentences, entities, min(SENTENCE_TOKENS, self._capacity()))

    def _capacity(self) -> int:
        """Tokens of text that fit into the encoder beside its own."""
        return encoders.capacity(self.config["encoder_config"])

    def _windows(self, sentences: Sequence[str]) -> list[tuple[int, int, int]]:
        """(begin, first new sentence, end) of each window of at most WINDOW_TOKENS tokens (one sentence at least)."""
        lengths = [len(self.tokenizer.encode(" " + s.strip(), add_special_tokens=False).ids) for s in sentences]
        limit = min(WINDOW_TOKENS, self._capacity())
        windows: list[tuple[int, int, int]] = []
        start = 0
        while start < len(sentences):
            begin = max(0, start - WINDOW_OVERLAP) if windows else 0
            while begin < start and sum(lengths[begin : start + 1]) > limit:
                begin += 1
            end, total = start + 1, sum(lengths[begin : start + 1])
            while end < len(sentences) and total + lengths[end] <= limit:
                total += lengths[end]
                end += 1
            windows.append((begin, start, end))
            start = end
        return windows
