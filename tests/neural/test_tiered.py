"""The tiered network: shapes, what each part sees, its losses, and that how inputs are put together changes nothing."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from disproof.neural import tiered
from disproof.neural.encoders import Encoder
from disproof.neural.tiered import (
    Tiered,
    TieredConfig,
    TieredNetwork,
    TieredOutput,
    TieredTargets,
    TieredWeights,
    collate_cells,
    conflict_labels,
    encode_cells,
    make_targets,
    tiered_losses,
)
from disproof.symbolic.errors import ModelError, StoryError
from disproof.symbolic.story import Gold, StateTable, Story, StoryPair
from disproof.symbolic.vocabulary import ATTRIBUTE, EFFECT, N_ATTRIBUTES, PRECONDITION

SMALL = TieredConfig(projection=8, layers=2, heads=2)
MakeTiered = Callable[[], Tiered]


@pytest.fixture(scope="module")
def make(over_encoder: Callable[..., tuple[Any, ...]]) -> MakeTiered:
    """Makes baselines that are all alike, each with weights of its own."""
    return lambda: Tiered(*over_encoder(3, lambda encoder: TieredNetwork(encoder.network, encoder.width, SMALL)))


@pytest.fixture(scope="module")
def baseline(make: MakeTiered) -> Tiered:
    return make()


def run(baseline: Tiered, stories: Sequence[Story], chunk: int = tiered.CHUNK) -> TieredOutput:
    with torch.no_grad():
        output: TieredOutput = baseline.network(
            collate_cells([baseline.encode(s) for s in stories], baseline.special.pad, chunk)
        )
    return output


LONG = Story(("Tom sat on the sofa in the a on.", "Ann used a cup.", "The fan sat."), ("Tom", "cup"), "long")
SHORT = Story(("Tom sat.", "Ann used a cup."), ("Ann", "cup", "table"), "short")


# ---- Inputs


def texts(encoder: Encoder, cells: tiered.Cells) -> list[list[str]]:
    return [[encoder.tokenizer.decode(list(cell), skip_special_tokens=False) for cell in line] for line in cells]


def test_the_entity_comes_first(encoder: Encoder) -> None:
    cells = encode_cells(encoder.tokenizer, encoder.special, ["Tom sat.", "a cup"], ["tom", "cup"], 60)
    assert texts(encoder, cells) == [
        ["[CLS] tom [SEP] tom sat . [SEP]", "[CLS] tom [SEP] a cup [SEP]"],
        ["[CLS] cup [SEP] tom sat . [SEP]", "[CLS] cup [SEP] a cup [SEP]"],
    ]


def test_what_is_too_long_loses_the_end_of_its_sentence(encoder: Encoder) -> None:
    cells = encode_cells(encoder.tokenizer, encoder.special, ["tom sat on the sofa in a cup"], ["ann"], 8)
    assert texts(encoder, cells) == [["[CLS] ann [SEP] tom sat on the [SEP]"]]
    assert len(cells[0][0]) == 8
    long = encode_cells(encoder.tokenizer, encoder.special, ["tom sat on a cup"], ["the the the the the"], 9)
    assert texts(encoder, long) == [["[CLS] the the the [SEP] tom sat on [SEP]"]]


def test_an_input_that_occurs_twice_is_encoded_once(baseline: Tiered, pairs: Sequence[StoryPair]) -> None:
    stories = pairs[0].stories  # two entities, three sentences, of which both stories share two
    batch = collate_cells([baseline.encode(s) for s in stories], 0)
    assert [len(ids) for ids, _ in batch.chunks] == [2 * 4]
    assert batch.inputs.shape == batch.mask.shape == (4, 3)
    assert torch.equal(batch.inputs[:2, 1:], batch.inputs[2:, 1:])
    assert not (batch.inputs[:2, 0] == batch.inputs[2:, 0]).any()
    assert batch.story.tolist() == [0, 0, 1, 1]


def test_encoding_each_input_once_gives_what_encoding_each_place_gives(
    baseline: Tiered, pairs: Sequence[StoryPair]
) -> None:
    stories = [*pairs[0].stories, *pairs[1].stories]
    together = run(baseline, stories)
    network, line = baseline.network, 0
    for story in stories:
        for row in baseline.encode(story):
            for s, cell in enumerate(row):
                batch = collate_cells([((cell,),)], 0)
                with torch.no_grad():
                    alone = network(batch)
                assert torch.allclose(alone.state_logits[0, 0], together.state_logits[line, s], atol=1e-5)
            line += 1
    assert line == len(together.state_logits)


@pytest.mark.parametrize("chunk", [1, 2, 5, 64])
def test_how_inputs_are_grouped_changes_nothing(chunk: int, baseline: Tiered, pairs: Sequence[StoryPair]) -> None:
    stories = [*pairs[0].stories, LONG, SHORT]
    whole, parts = run(baseline, stories, 1000), run(baseline, stories, chunk)
    assert torch.allclose(whole.state_logits, parts.state_logits, atol=1e-5)
    assert torch.allclose(whole.story_scores, parts.story_scores, atol=1e-5)


def test_a_story_says_the_same_whatever_it_is_padded_to(baseline: Tiered) -> None:
    alone, both = run(baseline, [SHORT]), run(baseline, [LONG, SHORT])
    assert both.state_logits.shape[:2] == (5, 3)
    assert torch.allclose(alone.state_logits, both.state_logits[2:, :2], atol=1e-5)
    assert torch.allclose(alone.conflict_logits, both.conflict_logits[2:, :2], atol=1e-5)
    assert both.story_scores[1] == pytest.approx(alone.story_scores[0].item(), abs=1e-5)


# ---- The network


def test_the_network_scores_every_place(baseline: Tiered) -> None:
    output = run(baseline, [LONG])
    assert output.state_logits.shape == (2, 3, 2, 20, 9)
    assert output.conflict_logits.shape == (2, 3)
    assert output.story_scores.shape == (1,)
    values = torch.isfinite(output.state_logits).sum(-1)
    assert set(values[..., ATTRIBUTE["location"].index].flatten().tolist()) == {9}
    assert set(values[..., ATTRIBUTE["wet"].index].flatten().tolist()) == {3}


def test_a_storys_score_is_its_negated_sum_of_beliefs(baseline: Tiered) -> None:
    output = run(baseline, [LONG, SHORT])
    believed = torch.sigmoid(output.conflict_logits)
    assert output.story_scores[0] == pytest.approx(-believed[:2].sum().item(), rel=1e-5)
    assert output.story_scores[1] == pytest.approx(-believed[2:, :2].sum().item(), rel=1e-5)


def test_conflicts_are_seen_over_the_sentences_of_one_entity_alone(baseline: Tiered) -> None:
    other = replace(LONG, sentences=("A lamp plugged in.", *LONG.sentences[1:]))
    fewer = replace(LONG, entities=("cup",))
    before, changed, alone = (run(baseline, [s]).conflict_logits for s in (LONG, other, fewer))
    assert (before - changed).abs()[:, 1:].min() > 1e-6  # what happens first is seen from the later sentences
    assert torch.allclose(before[1], alone[0], atol=1e-5)


def test_the_order_of_sentences_counts(baseline: Tiered) -> None:
    turned = replace(LONG, sentences=LONG.sentences[::-1])
    assert not torch.allclose(
        run(baseline, [LONG]).conflict_logits, run(baseline, [turned]).conflict_logits.flip(1), atol=1e-3
    )


def gradients(baseline: Tiered, loss: Callable[[TieredOutput], torch.Tensor]) -> dict[str, torch.Tensor]:
    """The gradient of each parameter that a loss of the output reaches."""
    loss(baseline.network(collate_cells([baseline.encode(LONG)], 0))).backward()  # type: ignore[no-untyped-call]
    return {name: p.grad for name, p in baseline.network.named_parameters() if p.grad is not None}


def test_no_gradient_of_the_conflicts_reaches_the_classifiers(make: MakeTiered) -> None:
    found = gradients(make(), lambda output: output.conflict_logits.sum())
    assert not {"state_hidden.weight", "state_weight", "state_bias"} & found.keys()
    assert found["state_projection.0.weight"].abs().sum() > 0
    assert found["encoder.embeddings.word_embeddings.weight"].abs().sum() > 0


def test_the_classifiers_share_no_weights(make: MakeTiered) -> None:
    baseline = make()
    found = gradients(baseline, lambda output: output.state_logits[0, 0, EFFECT, 3, 1])
    hidden = found["state_hidden.weight"].abs().sum(1).reshape(-1, baseline.network.width).sum(1)
    for touched in (hidden, found["state_weight"].abs().sum((1, 2))):
        assert torch.nonzero(touched).flatten().tolist() == [N_ATTRIBUTES + 3]


# ---- Labels


def annotated(values: dict[tuple[int, int, int, str], int], conflict: tuple[int, int] | None) -> Story:
    table = np.zeros((2, 3, 2, 20), np.int8)
    for (entity, sentence, side, attribute), value in values.items():
        table[entity, sentence, side, ATTRIBUTE[attribute].index] = value
    gold = Gold(conflict is None, conflict, StateTable(("a", "b"), table))
    return Story(("x.", "y.", "z."), ("a", "b"), "s", gold)


def test_entities_labelled_in_either_conflicting_sentence_conflict_in_both() -> None:
    story = annotated({(1, 2, PRECONDITION, "wet"): 1, (0, 1, EFFECT, "wet"): 2}, (0, 2))
    assert conflict_labels(story).tolist() == [[False] * 3, [True, False, True]]


def test_defaults_do_not_make_a_conflict_entity_and_where_there_is_none_all_are() -> None:
    story = annotated({(1, 2, EFFECT, "exist"): 2, (0, 0, EFFECT, "wet"): 1}, (0, 2))
    assert conflict_labels(story)[1].tolist() == [False] * 3
    none = annotated({(1, 2, EFFECT, "exist"): 2}, (0, 2))
    assert conflict_labels(none).tolist() == [[True, False, True]] * 2


def test_a_plausible_story_has_no_conflict_labels() -> None:
    assert not conflict_labels(annotated({(1, 2, EFFECT, "wet"): 2}, None)).any()


# ---- Losses


def handmade() -> tuple[TieredOutput, TieredTargets, torch.Tensor]:
    """Two stories of one line each, of two sentences and one: logits 0 but for one attribute of one cell."""
    logits = torch.zeros(2, 2, 2, 20, 9)
    logits[..., 3:] = -math.inf  # three values each
    logits[0, 1, PRECONDITION, 0, 1] = math.log(2)  # 1, 2, 1: probabilities 1/4, 1/2, 1/4
    logits[1, 1] = 7.0  # padding
    beliefs = torch.tensor([[0.0, math.log(3)], [0.0, 99.0]])  # beliefs 1/2 and 3/4; 1/2 and padding
    scores = torch.tensor([-1.25, -0.5])
    states = make_targets(
        [np.zeros((1, 2, 2, 20)), np.zeros((1, 1, 2, 20))], [np.array([[1, 0]]), np.array([[0]])], [1]
    )
    states.states[0, 1, PRECONDITION, 0] = 1
    mask = torch.tensor([[True, True], [True, False]])
    return TieredOutput(logits, beliefs, scores), states, mask


def test_the_parts_of_the_loss_are_those_worked_out_by_hand() -> None:
    output, targets, mask = handmade()
    parts = tiered_losses(output, targets, mask, TieredWeights(0.4, 0.3, 0.2, 0.1))
    third = math.log(3)
    precondition = (59 * third + math.log(2)) / 60  # three cells of 20 attributes, one of which is likelier
    conflict = (math.log(2) + math.log(4) + math.log(2)) / 3
    story = -math.log(math.exp(-0.5) / (math.exp(-0.5) + math.exp(-1.25)))
    assert parts.precondition.item() == pytest.approx(precondition)
    assert parts.effect.item() == pytest.approx(third)
    assert parts.conflict.item() == pytest.approx(conflict)
    assert parts.story.item() == pytest.approx(story)
    total = 0.4 * precondition + 0.3 * third + 0.2 * conflict + 0.1 * story
    assert parts.total.item() == pytest.approx(total)


def test_the_papers_best_weights_are_the_default_and_sum_to_one() -> None:
    weights = TieredWeights()
    assert (weights.precondition, weights.effect, weights.conflict, weights.story) == (0.4, 0.4, 0.2, 0)


# ---- In use


def test_reading_a_pair_says_what_the_network_scores(baseline: Tiered, pairs: Sequence[StoryPair]) -> None:
    stories = pairs[2].stories
    output = run(baseline, stories)
    first, second = baseline.read(stories)
    assert first.entities == stories[0].entities
    assert np.array_equal(second.states, output.state_logits[2:].argmax(-1).numpy())
    assert np.allclose(first.conflict, torch.sigmoid(output.conflict_logits[:2]).numpy(), atol=1e-6)
    assert first.total == pytest.approx(-output.story_scores[0].item(), rel=1e-5)


def test_a_story_without_entities_is_believed_to_be_fine(baseline: Tiered) -> None:
    for stories in ([replace(LONG, entities=())], [replace(LONG, entities=()), SHORT]):
        said = baseline.read(stories)[0]
        assert (said.total, said.states.shape) == (0.0, (0, 3, 2, 20))


def test_a_story_whose_entities_are_not_known_is_refused(baseline: Tiered) -> None:
    with pytest.raises(StoryError, match="'long' names no entities"):
        baseline.read([replace(LONG, entities=None)])


def test_a_saved_baseline_says_nearly_the_same(make: MakeTiered, tmp_path: Path) -> None:
    baseline = make()
    baseline.save(tmp_path / "model")
    loaded = Tiered.load(tmp_path / "model")
    assert repr(loaded) == repr(baseline)
    assert loaded.network.config == SMALL
    before, after = baseline.read([LONG, SHORT]), loaded.read([LONG, SHORT])
    for one, other in zip(before, after, strict=True):
        assert np.allclose(one.conflict, other.conflict, atol=0.1)  # matrices are kept as 8 bits
    again = Tiered.load(tmp_path / "model").read([LONG, SHORT])
    assert all(np.array_equal(one.conflict, other.conflict) for one, other in zip(after, again, strict=True))


def test_folders_that_hold_no_baseline_are_refused(make: MakeTiered, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no model here"):
        Tiered.load(tmp_path)
    make().save(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "kind": "tagger"}))
    with pytest.raises(ModelError, match="not a tiered baseline"):
        Tiered.load(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({**config, "network": {"layers": 1}}))
    with pytest.raises(ModelError, match="do not fit together"):
        Tiered.load(tmp_path)
