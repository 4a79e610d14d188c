"""Temperatures: fitted where the truth is known, and what they change and do not change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disproof.bridge.calibration import TemperedTagger, fit_temperatures, tempered
from disproof.bridge.training import StoredTaggings
from disproof.symbolic.story import StateTable, Tagging
from disproof.symbolic.vocabulary import ATTRIBUTE, ATTRIBUTES, N_ATTRIBUTES, N_VALUES

THINGS = tuple(f"thing {k}" for k in range(40))
POWER, WET = ATTRIBUTE["power"], ATTRIBUTE["wet"]


def tagging(seed: int, sharpness: float = 2.0) -> Tagging:
    """Probabilities drawn at random: the sharper, the surer."""
    scores = np.random.default_rng(seed).normal(size=(len(THINGS), 5, 2, N_ATTRIBUTES, N_VALUES)) * sharpness
    for attribute in ATTRIBUTES:
        scores[..., attribute.index, len(attribute.values) :] = -np.inf
    powers = np.exp(scores)
    return Tagging(THINGS, (powers / powers.sum(-1, keepdims=True)).astype(np.float32), np.ones((5, 5), np.float32))


def drawn(told: Tagging, seed: int) -> StateTable:
    """An annotation that holds just as often as it is told to."""
    chance = np.random.default_rng(seed).random(told.probabilities.shape[:-1])[..., None]
    values = (told.probabilities.cumsum(-1) < chance).sum(-1)
    most = np.array([len(attribute.values) - 1 for attribute in ATTRIBUTES])
    return StateTable(told.entities, np.minimum(values, most).astype(np.int8))


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.5])
def test_the_temperature_that_was_taken_away_is_found_again(temperature: float) -> None:
    truths = [tagging(seed) for seed in range(4)]
    hotter = dict.fromkeys(ATTRIBUTE, 1 / temperature)
    found = fit_temperatures([(tempered(truth, hotter), drawn(truth, 9 + k)) for k, truth in enumerate(truths)])
    assert list(found) == list(ATTRIBUTE)
    assert found == pytest.approx(dict.fromkeys(ATTRIBUTE, temperature), rel=0.15)


def test_each_attribute_has_a_temperature_of_its_own() -> None:
    truths = [tagging(seed) for seed in range(3)]
    found = fit_temperatures([(tempered(truth, {"power": 0.4}), drawn(truth, 7)) for truth in truths])
    assert found["power"] == pytest.approx(2.5, rel=0.15)
    assert found["wet"] == pytest.approx(1.0, rel=0.2)


def test_on_a_few_labels_an_attribute_is_near_the_others() -> None:
    truth = tagging(0)
    few = Tagging(THINGS[:1], truth.probabilities[:1, :1])
    wrong = few.argmax().values.copy()
    wrong[..., POWER.index] = (wrong[..., POWER.index] + 1) % len(POWER.values)
    alone = fit_temperatures([(few, StateTable(few.entities, wrong))])
    assert alone["power"] < 2 * alone["wet"]


def test_without_an_annotation_there_are_no_temperatures() -> None:
    assert fit_temperatures([]) == {}
    nothing = Tagging((), np.zeros((0, 5, 2, N_ATTRIBUTES, N_VALUES), np.float32))
    assert fit_temperatures([(nothing, nothing.argmax())]) == {}
    assert tempered(nothing, {"power": 2.0}).probabilities.shape == nothing.probabilities.shape


@given(st.integers(0, 20), st.floats(0.2, 5.0))
def test_tempering_changes_no_likeliest_value_and_leaves_probabilities(seed: int, temperature: float) -> None:
    told = tagging(seed)
    told.probabilities[0, 0, 0, POWER.index] = np.eye(N_VALUES, dtype=np.float32)[1]  # a certainty stays one
    after = tempered(told, {"power": temperature})
    assert (after.argmax().values == told.argmax().values).all()
    assert after.probabilities.sum(-1) == pytest.approx(1.0, abs=1e-5)
    assert (after.probabilities[..., POWER.index, len(POWER.values) :] == 0).all()
    assert after.probabilities[0, 0, 0, POWER.index, 1] == 1.0
    assert after.probabilities[..., WET.index, :] == pytest.approx(told.probabilities[..., WET.index, :], abs=1e-6)
    assert after.pair_scores is told.pair_scores


def test_a_tempered_tagger_tells_less_surely_what_it_tells() -> None:
    told = tagging(3)
    tagger = TemperedTagger(StoredTaggings({("a.",): told}), dict.fromkeys(ATTRIBUTE, 3.0))
    assert repr(tagger) == "TemperedTagger(StoredTaggings(1 stories))"
    found = tagger.tag(("a.",), THINGS)
    assert found.probabilities.max(-1).mean() < told.probabilities.max(-1).mean() - 0.1
    assert tagger.config == {}
