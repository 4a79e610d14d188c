"""A tiny encoder, and taggers over it whose heads are random."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import torch

from disproof.bridge.readers import read_pairs
from disproof.neural.encoders import Encoder, load_pretrained
from disproof.neural.model import ModelConfig, TaggerNetwork
from disproof.neural.tagger import Tagger
from disproof.symbolic.story import StoryPair

MakeTagger = Callable[[], Tagger]


@pytest.fixture(scope="session")
def encoder(tiny_encoder: Path) -> Encoder:
    return load_pretrained(str(tiny_encoder))


@pytest.fixture(scope="session")
def make_tagger(tiny_encoder: Path) -> MakeTagger:
    """Makes taggers that are all alike, each with weights of its own."""

    def make() -> Tagger:
        loaded = load_pretrained(str(tiny_encoder))
        with torch.random.fork_rng():
            torch.manual_seed(7)
            network = TaggerNetwork(loaded.network, loaded.width, ModelConfig(state_hidden=24, pair_hidden=8))
            for parameter in network.parameters():  # far from their start, so that outputs differ
                torch.nn.init.normal_(parameter, std=0.3)
        about = {"encoder": "tiny", "width": loaded.width, "encoder_config": loaded.config}
        return Tagger(network, loaded.tokenizer, loaded.special, about)

    return make


@pytest.fixture(scope="session")
def tagger(make_tagger: MakeTagger) -> Tagger:
    return make_tagger()


@pytest.fixture(scope="session")
def pairs(trip_file: Path) -> Sequence[StoryPair]:
    return list(read_pairs(trip_file))
