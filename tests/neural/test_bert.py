"""The forward pass for inference against that of transformers."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from transformers import BertConfig, BertModel

from disproof.neural.bert import BertEncoder, supports

CONFIG = BertConfig(
    vocab_size=50,
    hidden_size=24,
    num_hidden_layers=3,
    num_attention_heads=4,
    intermediate_size=40,
    max_position_embeddings=32,
)


def test_hidden_states_are_those_of_transformers_also_where_tokens_are_masked() -> None:
    torch.manual_seed(0)
    theirs = BertModel(CONFIG, add_pooling_layer=False)
    theirs.train(False)
    ours = BertEncoder(CONFIG.to_dict())
    ours.load_state_dict(theirs.state_dict())
    ids = torch.randint(0, 50, (3, 11))
    mask = torch.ones_like(ids)
    mask[0, 7:] = 0
    mask[2, 1:] = 0
    with torch.inference_mode():
        expected = theirs(input_ids=ids, attention_mask=mask).last_hidden_state
        found = ours(ids, mask).last_hidden_state
    seen = mask.bool()
    assert torch.allclose(found[seen], expected[seen], atol=1e-5)


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
    assert supports(CONFIG.to_dict())
    assert not supports({**CONFIG.to_dict(), **other})


def test_the_shipped_model_loads_without_transformers() -> None:
    code = (
        "import sys; from disproof.neural.tagger import Tagger, model_folder; Tagger.load(model_folder('small')); "
        "print('transformers' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
