"""Learning the weights of rules and prior, on examples made from weights that are known."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from disproof.bridge.learning import (
    Example,
    LearningConfig,
    _balanced_threshold,
    _slope,
    learn,
    learn_calibrated,
)
from disproof.bridge.scoring import ANY_RULE, PRIOR, Candidate, Features, Weights, judge

PLANTED = {"rule good": 2.0, "rule poor": -1.0, "rule idle": 0.0, PRIOR: 0.5}
FREE = LearningConfig(l2=1e-3, belief=0.0, single=0.0, prior=None)
# Settings of the tests' own, since the defaults are chosen by what real data show.
USUAL = LearningConfig(l2=2.0, belief=0.5, prior=None, single=0.5, minimum=2)


def candidate(i: int, j: int, **features: float) -> Candidate:
    named = {k if k in ("prior",) else f"rule {k}": v for k, v in features.items()}
    if "prior" in named:
        named[PRIOR] = named.pop("prior")
    return Candidate(i, j, named, ())


def pair(first: list[Candidate], second: list[Candidate], gold: tuple[int, int, int], group: str = "g") -> Example:
    return Example((tuple(first), tuple(second)), (5, 5), gold, group)


def drawn(count: int, planted: dict[str, float] | None = None, seed: int = 0) -> list[Example]:
    """Examples whose gold pair is drawn by the very model that is learned."""
    planted = planted or PLANTED
    rng = np.random.default_rng(seed)
    weights = Weights(planted, default=0.0)
    examples = []
    for number in range(count):
        stories: list[tuple[Candidate, ...]] = []
        for _ in range(2):
            story = []
            for j in range(1, 4):
                for i in range(j):
                    features: Features = {n: 1.0 for n in planted if n.startswith("rule") and rng.random() < 0.4}
                    features[PRIOR] = float(rng.normal(scale=2))
                    story.append(Candidate(i, j, features, ()))
            stories.append(tuple(story))
        everything = [(s, c) for s in (0, 1) for c in stories[s]]
        scores = np.exp([weights.score(c) for _, c in everything])
        s, chosen = everything[int(rng.choice(len(everything), p=scores / scores.sum()))]
        gold = (s, chosen.evidence, chosen.breakpoint)
        examples.append(Example((stories[0], stories[1]), (4, 4), gold, f"base {number % 20}"))
    return examples


# ---- Weights


def test_planted_weights_are_recovered() -> None:
    learned = learn(drawn(800), FREE)
    assert learned.features.keys() == PLANTED.keys()
    for name, weight in PLANTED.items():
        assert learned.features[name] == pytest.approx(weight, abs=0.25), name


def test_the_weight_of_the_prior_can_be_held_while_all_others_are_learned() -> None:
    held = learn(drawn(100), replace(USUAL, prior=0.2))
    assert held.features[PRIOR] == 0.2
    assert held.features["rule good"] > 1


def test_learning_is_deterministic() -> None:
    examples = drawn(40)
    assert learn_calibrated(examples, USUAL) == learn_calibrated(examples, USUAL)


def test_the_order_of_the_examples_does_not_matter() -> None:
    examples = drawn(40)
    first, second = learn(examples, USUAL), learn(examples[::-1], USUAL)
    for name in first.features:
        assert first.features[name] == pytest.approx(second.features[name], abs=2e-3)


def test_a_rule_that_training_shows_little_of_stays_near_the_belief() -> None:
    fires = pair([candidate(0, 1, seen=1.0), candidate(0, 2, rare=0.001)], [candidate(0, 1)], (0, 0, 1))
    learned = learn([fires] * 50, replace(USUAL, belief=0.7))
    assert learned.features["rule rare"] == pytest.approx(0.7, abs=0.1)
    assert learned.features["rule seen"] > 1
    assert learned.default == 0.7


def test_a_rule_that_fires_on_the_gold_pair_counts_more_than_one_that_fires_elsewhere() -> None:
    example = pair([candidate(0, 1, right=1.0), candidate(1, 2, wrong=1.0)], [candidate(0, 1, wrong=1.0)], (0, 0, 1))
    learned = learn([example] * 20, USUAL)
    assert learned.features["rule right"] > 1 > 0 > learned.features["rule wrong"]


def test_more_regularisation_draws_every_weight_to_its_centre() -> None:
    examples = drawn(60)
    loose, tight = (learn(examples, replace(USUAL, l2=l2)) for l2 in (0.1, 1000.0))
    assert tight.features["rule good"] == pytest.approx(0.5, abs=0.1)
    assert tight.features[PRIOR] == pytest.approx(0, abs=0.1)
    assert abs(loose.features["rule good"] - 0.5) > abs(tight.features["rule good"] - 0.5)


def test_a_case_seen_too_seldom_has_no_weight_of_its_own() -> None:
    seldom = Candidate(0, 1, {"rule r": 1.0, "case r/power": 1.0, ANY_RULE: 1.0}, ())
    often = Candidate(0, 1, {"rule r": 1.0, "case r/open": 1.0, ANY_RULE: 1.0}, ())
    examples = [pair([seldom], [], (0, 0, 1)), pair([often], [], (0, 0, 1)), pair([often], [], (0, 0, 1))]
    assert set(learn(examples, USUAL).features) == {"rule r", "case r/open", ANY_RULE}


def test_an_example_whose_gold_pair_nobody_proposes_still_says_which_story_is_wrong() -> None:
    # The rule fires in the implausible story only, but on another pair than the gold one.
    example = pair([candidate(0, 1, r=1.0)], [candidate(0, 1)], (0, 2, 3))
    learned = learn([example] * 30, replace(USUAL, belief=0.0))
    assert learned.features["rule r"] > 1


@pytest.mark.parametrize("stories", [([], []), ([], [candidate(0, 1)]), ([candidate(0, 1)], [])])
def test_stories_without_candidates_do_no_harm(stories: tuple[list[Candidate], list[Candidate]]) -> None:
    learned = learn_calibrated([pair(*stories, (0, 0, 1), g) for g in "abcdef"])
    assert all(math.isfinite(v) for k, v in learned.to_json().items() if k != "features")
    for found in stories:
        assert math.isfinite(judge(found, learned, 5).log_odds)


def test_a_score_that_is_beyond_all_measure_does_not_break_the_others() -> None:
    examples = drawn(60)
    spoilt = pair([candidate(0, 1, prior=-1e4)], [candidate(0, 1, prior=1e4)], (0, 0, 1))
    learned = learn([*examples, spoilt], USUAL)
    assert all(math.isfinite(v) for v in learned.features.values())


# ---- A story by itself


def test_no_conflict_is_learned_from_single_stories() -> None:
    """A strong rule fires once in each implausible story, a weak one once in each plausible story."""
    example = Example(((candidate(0, 1, strong=1.0),), (candidate(0, 1, weak=1.0),)), (4, 4), (0, 0, 1), "g")
    learned = learn([example] * 50, replace(USUAL, l2=0.1))
    strong, weak = (judge(story, learned, 4).log_odds for story in example.candidates)
    assert strong > 0 > weak


def test_the_same_stories_told_at_greater_length_have_the_same_odds() -> None:
    """The verdict on one story does not come from its length: every pair of every story looks alike."""
    odds = []
    for n in (3, 6, 12):
        story = [candidate(i, j, r=1.0) for j in range(n) for i in range(j)]
        odds.append(judge(story, Weights({"rule r": 0.8}, no_conflict=0.3), n).log_odds)
    assert odds == pytest.approx([0.5] * 3)


# ---- Threshold and calibration


def balanced_accuracy(odds: np.ndarray, truths: np.ndarray, cut: float) -> float:
    return float((((odds > cut)[truths]).mean() + ((odds <= cut)[~truths]).mean()) / 2)


def test_the_threshold_has_the_best_balanced_accuracy() -> None:
    rng = np.random.default_rng(1)
    truths = rng.random(200) < 0.2
    odds = np.round(rng.normal(size=200) + truths, 1)  # with ties
    cut = _balanced_threshold(odds, truths)
    best = max(balanced_accuracy(odds, truths, c) for c in np.arange(-4, 4, 0.01))
    assert balanced_accuracy(odds, truths, cut) == pytest.approx(best)


def test_the_threshold_lies_halfway_between_two_scores() -> None:
    assert _balanced_threshold(np.array([0.0, 1.0, 3.0, 4.0]), np.array([False, False, True, True])) == 2.0
    assert _balanced_threshold(np.array([1.0, 1.0]), np.array([False, True])) == 0.0


def test_a_logistic_curve_through_zero_is_recovered() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(scale=2, size=20_000)
    y = rng.random(20_000) < 1 / (1 + np.exp(-0.7 * x))
    assert _slope(x, y) == pytest.approx(0.7, abs=0.03)


def test_a_heavier_example_counts_as_often_as_it_weighs() -> None:
    x, y = np.array([1.0, 1.0, -1.0, -2.0]), np.array([True, False, False, True])
    assert _slope(x, y, np.array([3.0, 1.0, 1.0, 1.0])) == pytest.approx(
        _slope(np.array([1.0, 1.0, 1.0, 1.0, -1.0, -2.0]), np.array([True, True, True, False, False, True]))
    )


def test_scores_that_tell_all_apart_have_a_steep_curve_and_no_overflow() -> None:
    slope = _slope(np.array([-1e6, -1.0, 1.0, 1e6]), np.array([False, False, True, True]))
    assert slope > 1
    assert math.isfinite(slope)


@pytest.mark.parametrize("seed", range(6))
def test_calibration_keeps_the_order_of_the_scores(seed: int) -> None:
    """Also on data so small, or so wrong, that what was left out says the opposite of what was learned."""
    examples = drawn(12, seed=seed)
    flipped = [
        replace(e, candidates=e.candidates[::-1]) if e.group in ("base 0", "base 1", "base 2") else e for e in examples
    ]
    for data in (examples, flipped):
        learned = learn_calibrated(data, USUAL)
        assert learned.slope > 0
        assert learned.pair_slope > 0


def test_confidence_is_honest_on_stories_from_the_same_source() -> None:
    learned = learn_calibrated(drawn(400), USUAL)
    fresh = drawn(800, seed=9)
    margins = np.array(
        [judge(e.candidates[0], learned, 4).total - judge(e.candidates[1], learned, 4).total for e in fresh]
    )
    chances = 1 / (1 + np.exp(-learned.pair_slope * margins))
    first_is_wrong = np.array([e.gold[0] == 0 for e in fresh])
    assert chances.mean() == pytest.approx(first_is_wrong.mean(), abs=0.05)
    sure = chances > 0.7
    assert first_is_wrong[sure].mean() == pytest.approx(chances[sure].mean(), abs=0.07)


def test_one_base_story_alone_is_not_calibrated() -> None:
    learned = learn_calibrated([pair([candidate(0, 1, r=1.0)], [], (0, 0, 1))] * 4)
    assert (learned.threshold, learned.slope, learned.pair_slope) == (0, 1, 1)
