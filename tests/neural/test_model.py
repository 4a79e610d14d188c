"""The network of the tagger."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch

from disproof.neural.encoders import Encoder
from disproof.neural.encoding import Batch, collate, encode_story
from disproof.neural.model import ModelOutput, value_mask
from disproof.neural.tagger import Tagger
from disproof.symbolic.vocabulary import ATTRIBUTE, ATTRIBUTES, N_ATTRIBUTES, N_VALUES

STORY = ["Maria sat on the sofa.", "Tom used the lamp.", "Maria used the lamp."]
ENTITIES = ["Maria", "lamp", "ghost"]


@pytest.fixture(scope="module")
def batch(encoder: Encoder) -> Batch:
    stories = [encode_story(encoder.tokenizer, encoder.special, STORY[:n], ENTITIES) for n in (3, 2)]
    return collate(stories, encoder.special.pad)


def run(tagger: Tagger, batch: Batch) -> ModelOutput:
    with torch.inference_mode():
        output: ModelOutput = tagger.network(batch)
    return output


def test_only_location_has_nine_values_and_all_others_three() -> None:
    mask = value_mask()
    assert mask[ATTRIBUTE["location"].index].all()
    assert mask.sum(-1).tolist() == [N_VALUES if a.name == "location" else 3 for a in ATTRIBUTES]


def test_a_value_that_an_attribute_lacks_has_probability_zero(tagger: Tagger, batch: Batch) -> None:
    logits = run(tagger, batch).state_logits
    assert logits.shape == (2, 3, 3, 2, N_ATTRIBUTES, N_VALUES)
    probabilities = logits.softmax(-1)
    assert probabilities[..., ~value_mask()].max() == 0
    assert probabilities[..., value_mask()].min() > 0
    torch.testing.assert_close(probabilities.sum(-1), torch.ones(probabilities.shape[:-1]))


def test_pairs_are_scored_only_forwards_and_within_the_story(tagger: Tagger, batch: Batch) -> None:
    finite = run(tagger, batch).pair_scores.isfinite()
    assert finite.tolist() == [
        [[False, True, True], [False, False, True], [False] * 3],
        [[False, True, False], [False] * 3, [False] * 3],
    ]


def test_an_entity_that_a_sentence_does_not_name_is_read_through_the_learned_vector(
    make_tagger: Callable[[], Tagger], batch: Batch
) -> None:
    tagger = make_tagger()
    before = run(tagger, batch).state_logits.softmax(-1)
    with torch.no_grad():
        tagger.network.absent.add_(torch.linspace(-1, 1, len(tagger.network.absent)))
    after = run(tagger, batch).state_logits.softmax(-1)
    changed = ((before - after).abs().amax((-1, -2, -3)) > 1e-4)[0]
    assert changed.tolist() == [
        [False, True, False],  # Maria
        [True, False, False],  # lamp
        [True, True, True],  # ghost
    ]


def test_the_order_of_the_entities_does_not_change_what_is_said_of_them(encoder: Encoder, tagger: Tagger) -> None:
    outputs = [
        run(tagger, collate([encode_story(encoder.tokenizer, encoder.special, STORY, names)], encoder.special.pad))
        for names in (ENTITIES, ENTITIES[::-1])
    ]
    first, second = (o.state_logits.softmax(-1)[0] for o in outputs)
    torch.testing.assert_close(first, second.flip(0), atol=1e-6, rtol=0)
    torch.testing.assert_close(outputs[0].pair_scores, outputs[1].pair_scores)


def test_an_entity_adds_to_the_score_of_a_pair(encoder: Encoder, tagger: Tagger) -> None:
    scores = [
        run(tagger, collate([encode_story(encoder.tokenizer, encoder.special, STORY, names)], encoder.special.pad))
        for names in (["Maria"], ["Maria", "lamp"])
    ]
    added = scores[1].pair_scores - scores[0].pair_scores
    assert added[scores[0].pair_scores > -math.inf].min() > 0  # a logarithm of a sum, of one more term


def test_scores_are_full_precision_under_autocast(tagger: Tagger, batch: Batch) -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output = run(tagger, batch)
    assert output.state_logits.dtype == output.pair_scores.dtype == torch.float32
