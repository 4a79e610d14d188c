"""The forward passes for inference against those of transformers."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import torch
from torch import nn
from transformers import BertConfig, BertModel, MPNetConfig, MPNetModel

from disproof.neural import weights
from disproof.neural.inference import InferenceEncoder, distance_buckets, supports

SIZES: dict[str, Any] = {
    "vocab_size": 50,
    "hidden_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 96,
    "max_position_embeddings": 300,
}


def encoder(kind: str) -> nn.Module:
    """A random encoder of transformers' whose weights survive being stored in 8 bits."""
    torch.manual_seed(0)
    if kind == "bert":
        made: nn.Module = BertModel(BertConfig(**SIZES), add_pooling_layer=False)
    else:
        made = MPNetModel(MPNetConfig(**SIZES), add_pooling_layer=False)
        # Random ones are too small to tell whether they are heeded.
        nn.init.normal_(made.encoder.relative_attention_bias.weight, std=2.0)
    made.load_state_dict(weights.dequantise(weights.quantise(made.state_dict())))
    return made.eval()


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_hidden_states_are_those_of_transformers_also_where_tokens_are_masked(kind: str) -> None:
    theirs = encoder(kind)
    config: Any = theirs.config
    ours = InferenceEncoder(config.to_dict()).eval()
    ours.load_state_dict(weights.fit(weights.quantise(theirs.state_dict()), ours))
    ids = torch.randint(3, 50, (3, 280))
    mask = torch.ones_like(ids)
    mask[0, 7:] = 0
    mask[2, 1:] = 0
    ids[mask == 0] = config.pad_token_id
    with torch.inference_mode():
        expected = theirs(input_ids=ids, attention_mask=mask).last_hidden_state
        found = ours(ids, mask).last_hidden_state
    seen = mask.bool()
    assert torch.cosine_similarity(found[seen], expected[seen], dim=-1).min() > 0.9995
    assert torch.nn.functional.mse_loss(found[seen], expected[seen]).sqrt() < 0.02  # of values about 1 in size


def test_buckets_are_those_of_transformers() -> None:
    theirs: Any = encoder("mpnet")
    table = torch.arange(32.0)[:, None].expand(32, 4)
    theirs.encoder.relative_attention_bias.weight.data = table.clone()
    expected = theirs.encoder.compute_position_bias(torch.zeros(1, 280, 48))[0, 0].detach()
    assert torch.equal(distance_buckets(280, 32), expected.long())


@pytest.mark.parametrize(
    "other",
    [
        {"model_type": "roberta"},
        {"hidden_act": "relu"},
        {"position_embedding_type": "relative_key"},
        {"is_decoder": True},
    ],
)
def test_another_kind_of_encoder_is_left_to_transformers(other: dict[str, object]) -> None:
    config = BertConfig(**SIZES).to_dict()
    assert supports(config)
    assert not supports({**config, **other})


def test_the_shipped_model_loads_without_transformers() -> None:
    code = (
        "import sys; from disproof.neural.tagger import Tagger, model_folder; Tagger.load(model_folder('small')); "
        "print('transformers' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
