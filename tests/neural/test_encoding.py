"""Stories as tensors."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from disproof.neural.encoders import Encoder
from disproof.neural.encoding import EncodedStory, collate, encode_story
from disproof.neural.tagger import Tagger

STORY = ["Maria sat on the sofa.", "Tom used the lamp and the table lamp.", "", "..."]
ENTITIES = ["Maria", "table lamp", "lamp", "ghost"]


def encode(encoder: Encoder, sentences: list[str], entities: list[str], limit: int = 500) -> EncodedStory:
    return encode_story(encoder.tokenizer, encoder.special, sentences, entities, limit)


def words(encoder: Encoder, story: EncodedStory, row: np.ndarray) -> str:
    """The tokens that a row of weights averages."""
    return " ".join(str(encoder.tokenizer.id_to_token(int(i))) for i in story.ids[row > 0])


def test_each_row_of_weights_sums_to_one_or_has_nothing_to_average(encoder: Encoder) -> None:
    story = encode(encoder, STORY, ENTITIES)
    assert story.sentence_weights.sum(-1) == pytest.approx([1, 1, 0, 1])
    assert story.mention_weights.sum(-1) == pytest.approx(
        np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
    )


def test_the_rows_pick_the_tokens_of_the_sentence_and_of_the_name(encoder: Encoder) -> None:
    story = encode(encoder, STORY, ENTITIES)
    assert words(encoder, story, story.sentence_weights[0]) == "maria sat on the sofa ."
    assert words(encoder, story, story.mention_weights[1, 1]) == "table lamp"
    assert words(encoder, story, story.mention_weights[2, 1]) == "lamp"
    split = encode(encoder, ["The gnu sat."], ["gnu"])
    assert words(encoder, split, split.mention_weights[0, 0]) == "g ##n ##u"


def test_blanks_around_a_sentence_change_nothing(encoder: Encoder) -> None:
    plain, padded = (encode(encoder, [s], ["sofa"]) for s in ("Tom sat on the sofa.", " \tTom sat on the sofa. "))
    assert plain.ids.tolist() == padded.ids.tolist()
    assert plain.mention_weights.tolist() == padded.mention_weights.tolist()


def test_the_story_stands_between_the_encoders_own_tokens(encoder: Encoder) -> None:
    ids = encode(encoder, STORY, []).ids.tolist()
    special = encoder.special
    assert (ids[0], ids[-1]) == (special.start, special.end)
    assert not {special.start, special.end, special.pad} & set(ids[1:-1])


def test_a_sentence_is_cut_at_the_limit(encoder: Encoder) -> None:
    story = encode(encoder, ["the " * 50, "a lamp"], ["lamp"], limit=10)
    assert len(story.ids) == 1 + 10 + 2 + 1
    assert story.mention_weights[0].sum(-1).tolist() == [0, 1]


def test_padding_is_masked_and_weighs_nothing(encoder: Encoder) -> None:
    short, long = encode(encoder, ["Tom sat."], []), encode(encoder, STORY, ENTITIES)
    batch = collate([short, long], encoder.special.pad)
    n = len(short.ids)
    assert batch.attention[0].tolist() == [1] * n + [0] * (len(long.ids) - n)
    assert set(batch.ids[0, n:].tolist()) == {encoder.special.pad}
    assert batch.sentence_mask.tolist() == [[True, False, False, False], [True] * 4]
    assert batch.entity_mask.tolist() == [[False] * 4, [True] * 4]
    assert batch.sentence_weights[0, :, n:].abs().sum() == batch.mention_weights[0].abs().sum() == 0


def test_a_story_alone_is_tagged_as_in_a_batch(encoder: Encoder, tagger: Tagger) -> None:
    stories = [
        encode(encoder, ["Maria sat on the sofa.", "Tom used the lamp."], ["Maria", "lamp", "ghost"]),
        encode(encoder, STORY, [*ENTITIES, "sofa", "Tom"]),
        encode(encoder, ["A cup.", "A phone.", "A fan."], []),
    ]
    with torch.inference_mode():
        together = tagger.network(collate(stories, encoder.special.pad))
        for k, story in enumerate(stories):
            alone = tagger.network(collate([story], encoder.special.pad))
            entities, sentences, _ = story.mention_weights.shape
            batched = together.state_logits[k, :entities, :sentences].softmax(-1)
            torch.testing.assert_close(batched, alone.state_logits[0, :entities].softmax(-1), atol=1e-5, rtol=0)
            scores = together.pair_scores[k, :sentences, :sentences]
            torch.testing.assert_close(scores, alone.pair_scores[0], atol=1e-4, rtol=1e-6)
            assert torch.isinf(together.pair_scores[k]).sum() == 16 - sentences * (sentences - 1) // 2
