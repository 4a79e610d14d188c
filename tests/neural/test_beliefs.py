"""Choices and conflicting sentences read off beliefs, and how they are kept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from disproof.neural.beliefs import Beliefs, PairBeliefs, arrays, choose, conflicting, load_heldout
from disproof.neural.training import save_arrays
from disproof.symbolic.errors import ModelError
from disproof.symbolic.story import StoryPair


def beliefs(*rows: Sequence[float]) -> Beliefs:
    """Beliefs of things called 0, 1, ...; a row each, a number for each sentence."""
    conflict = np.array(rows, np.float32).reshape(len(rows), -1)
    states = np.zeros((*conflict.shape, 2, 20), np.int8)
    return Beliefs(tuple(map(str, range(len(rows)))), states, conflict)


CALM = beliefs([0.1, 0.0, 0.1], [0.0, 0.2, 0.0])


def test_the_story_with_the_smaller_sum_of_beliefs_is_chosen_by_softmax() -> None:
    loud = beliefs([0.9, 0.0, 0.8])
    choice, probabilities = choose((loud, CALM))  # sums of 1.7 and 0.4
    assert choice == 1
    assert probabilities[1] == pytest.approx(math.exp(-0.4) / (math.exp(-0.4) + math.exp(-1.7)))
    assert sum(probabilities) == pytest.approx(1)
    assert choose((CALM, loud))[0] == 0
    assert choose((CALM, loud))[1] == pytest.approx(probabilities[::-1])


def test_far_apart_sums_do_not_overflow_and_equal_ones_choose_the_first() -> None:
    huge = beliefs([1.0] * 2000)
    assert choose((huge, CALM)) == (1, (0.0, 1.0))
    assert choose((CALM, huge)) == (0, (1.0, 0.0))
    assert choose((CALM, CALM)) == (0, (0.5, 0.5))


def test_the_two_sentences_with_the_largest_sums_over_entities_conflict() -> None:
    story = beliefs([0.4, 0.0, 0.9, 0.3], [0.0, 0.0, 0.0, 0.4])  # sums .4 0 .9 .7
    assert conflicting((story, CALM), 0) == (2, 3)
    assert conflicting((CALM, story), 1) == (2, 3)


def test_of_sentences_that_are_believed_alike_the_earlier_are_taken() -> None:
    assert conflicting((beliefs([0.2, 0.2, 0.2]), CALM), 0) == (0, 1)


def test_by_threshold_every_sentence_of_either_story_counts_that_any_entity_marks() -> None:
    story = beliefs([0.5, 0.0, 0.4], [0.0, 0.0, 0.4])
    assert conflicting((story, CALM), 0, "threshold") == (0,)
    other = beliefs([0.0, 0.7, 0.0], [0.9, 0.0, 0.0])
    assert conflicting((story, other), 0, "threshold") == (0, 1)
    assert conflicting((CALM, CALM), 0, "threshold") == ()


def test_beliefs_and_states_of_other_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="beliefs of shape"):
        Beliefs(("a",), np.zeros((1, 2, 2, 20), np.int8), np.zeros((1, 3), np.float32))


# ---- How they are kept


@pytest.fixture
def said(pairs: Sequence[StoryPair]) -> dict[int, PairBeliefs]:
    """Beliefs of pairs 1 and 4 at random."""
    rng = np.random.default_rng(0)

    def one(pair: StoryPair, k: int) -> Beliefs:
        names = pair.stories[k].entities or ()
        shape = (len(names), len(pair.stories[k].sentences))
        return Beliefs(names, rng.integers(0, 3, (*shape, 2, 20), np.int8), rng.random(shape, np.float32))

    return {i: (one(pairs[i], 0), one(pairs[i], 1)) for i in (1, 4)}


def test_what_is_kept_of_a_fold_can_be_read_again(
    said: dict[int, PairBeliefs], pairs: Sequence[StoryPair], tmp_path: Path
) -> None:
    file = tmp_path / "heldout.safetensors"
    kept = arrays(said)
    assert {int(kept[f"{i}.choice"][0]) for i in (1, 4)} == {choose(said[i])[0] for i in (1, 4)}
    save_arrays(file, kept)
    found = load_heldout(file, pairs)
    assert found.keys() == {1, 4}
    for i, both in said.items():
        for before, after in zip(both, found[i], strict=True):
            assert after.entities == before.entities
            assert np.array_equal(after.states, before.states)
            assert np.array_equal(after.conflict, before.conflict)


def test_beliefs_of_other_data_are_refused(
    said: dict[int, PairBeliefs], pairs: Sequence[StoryPair], tmp_path: Path
) -> None:
    file = tmp_path / "heldout.safetensors"
    with pytest.raises(ModelError, match="not trained yet"):
        load_heldout(file, pairs)
    save_arrays(file, arrays(said))
    with pytest.raises(ModelError, match="other data"):
        load_heldout(file, pairs[:4])
    file.write_bytes(b"damaged")
    with pytest.raises(ModelError, match="not trained yet"):
        load_heldout(file, pairs)
