"""The tagger without a model."""

from __future__ import annotations

import numpy as np

from disproof.neural.fake import FakeTagger
from disproof.symbolic.vocabulary import ATTRIBUTE, EFFECT

POWER = ATTRIBUTE["power"].index


def test_a_known_sentence_has_its_states_and_all_else_is_unknown() -> None:
    tagger = FakeTagger({"Off it goes.": {("effect", "lamp", "power"): (1, 0.75), ("effect", "ghost", "power"): 1}})
    tagging = tagger.tag(["It shines.", "Off it goes."], ["lamp", "desk"])
    assert tagging.probabilities[0, 1, EFFECT, POWER, :2].tolist() == [0.25, 0.75]
    assert tagging.probabilities.sum(-1).min() == tagging.probabilities.sum(-1).max() == 1
    assert np.count_nonzero(tagging.probabilities.argmax(-1)) == 1
    assert tagging.pair_scores is None


def test_pairs_are_scored_by_their_text_and_only_forwards() -> None:
    scores = FakeTagger(pairs={("a", "c"): 2.0}, other_pairs=-1.0).tag(["a", "b", "c"], []).pair_scores
    assert scores is not None
    assert scores.tolist() == [[-np.inf, -1, 2], [-np.inf, -np.inf, -1], [-np.inf] * 3]
