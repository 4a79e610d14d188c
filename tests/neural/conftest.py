"""A tiny encoder, and taggers over it whose heads are random."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from disproof.bridge.readers import read_pairs
from disproof.neural.encoders import Encoder, load_pretrained
from disproof.neural.model import ModelConfig, TaggerNetwork
from disproof.neural.tagger import Tagger
from disproof.symbolic.story import StoryPair

MakeTagger = Callable[[], Tagger]
# The network that the callable makes over the tiny encoder, with all else that goes with it.
OverEncoder = Callable[[int, Callable[[Encoder], Any]], tuple[Any, Any, Any, dict[str, Any]]]


@pytest.fixture(scope="session")
def encoder(tiny_encoder: Path) -> Encoder:
    return load_pretrained(str(tiny_encoder))


@pytest.fixture(scope="session")
def over_encoder(tiny_encoder: Path) -> OverEncoder:
    """Makes networks with weights far from their start, so that outputs differ; those of one seed are alike."""

    def over(seed: int, make: Callable[[Encoder], Any]) -> tuple[Any, Any, Any, dict[str, Any]]:
        loaded = load_pretrained(str(tiny_encoder))
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            network = make(loaded)
            for parameter in network.parameters():
                torch.nn.init.normal_(parameter, std=0.3)
        about = {"encoder": "tiny", "width": loaded.width, "encoder_config": loaded.config}
        return network, loaded.tokenizer, loaded.special, about

    return over


@pytest.fixture(scope="session")
def make_tagger(over_encoder: OverEncoder) -> MakeTagger:
    """Makes taggers that are all alike, each with weights of its own."""
    sizes = ModelConfig(state_hidden=24, pair_hidden=8)
    return lambda: Tagger(*over_encoder(7, lambda encoder: TaggerNetwork(encoder.network, encoder.width, sizes)))


@pytest.fixture(scope="session")
def tagger(make_tagger: MakeTagger) -> Tagger:
    return make_tagger()


@pytest.fixture(scope="session")
def pairs(trip_file: Path) -> Sequence[StoryPair]:
    return list(read_pairs(trip_file))
