"""The tiered baseline by the metrics of every other system."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from disproof.bridge.readers import read_pairs
from disproof.bridge.tiered import load_tiered, main_figures, measure_each_way, measure_tiered, predict_pair
from disproof.neural.beliefs import Beliefs, PairBeliefs
from disproof.symbolic.errors import ModelError
from disproof.symbolic.story import StoryPair


@pytest.fixture(scope="module")
def pairs(trip_file: Path) -> list[StoryPair]:
    return list(read_pairs(trip_file))


def said(pair: StoryPair, right: bool = True, extra: float = 0.0) -> PairBeliefs:
    """The annotation as beliefs; ``extra`` is that of the middle sentence, and ``right`` false swaps the stories."""
    beliefs = []
    for k, story in enumerate(pair.stories):
        assert story.gold is not None
        assert story.gold.states is not None
        conflict = np.full((2, 3), 0.1, np.float32)
        if (k != pair.label) == right:
            conflict[1] = [0.9, extra, 0.8]
        beliefs.append(Beliefs(story.entities or (), story.gold.states.values, conflict))
    return beliefs[0], beliefs[1]


def test_right_beliefs_and_states_are_verifiable_and_never_a_proof(pairs: Sequence[StoryPair]) -> None:
    metrics = measure_tiered(pairs, [said(pair) for pair in pairs])
    assert (metrics.accuracy, metrics.consistency, metrics.all_states) == (1, 1, 1)
    assert (metrics.proof, metrics.proof_coverage) == (0, 0)
    assert (metrics.precondition_f1, metrics.effect_f1, metrics.conflict_f1) == (1, 1, 1)
    assert (metrics.single.auroc, metrics.single.balanced_accuracy) == (1, 1)
    assert metrics.system == "tiered"


def test_wrong_choices_are_counted(pairs: Sequence[StoryPair]) -> None:
    metrics = measure_tiered(pairs, [said(pair, right=number > 1) for number, pair in enumerate(pairs)])
    assert main_figures(metrics)["accuracy"] == pytest.approx(5 / 7)
    assert main_figures(metrics)["verifiability"] == pytest.approx(5 / 7)


def test_a_third_sentence_over_the_threshold_costs_consistency_by_threshold_alone(pairs: Sequence[StoryPair]) -> None:
    beliefs = [said(pair, extra=0.6) for pair in pairs]
    ways = measure_each_way(pairs, beliefs)
    assert (ways["top-two"]["accuracy"], ways["top-two"]["consistency"]) == (1, 1)
    assert (ways["threshold"]["accuracy"], ways["threshold"]["consistency"]) == (1, 0)


def test_each_story_says_which_sentences_would_conflict(pairs: Sequence[StoryPair]) -> None:
    pair = pairs[0]
    prediction = predict_pair(said(pair))
    assert prediction.choice == pair.label
    assert prediction.stories[1 - (pair.label or 0)].conflict == (0, 2)
    assert all(story.proof_states is None for story in prediction.stories)


def test_weights_that_do_not_ship_are_said_to_be_trained_first() -> None:
    with pytest.raises(ModelError, match=r"do not ship: train them with 'disproof train tiered FILE --out DIR'"):
        load_tiered("small")
