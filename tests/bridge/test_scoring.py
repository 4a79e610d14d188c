"""From conflicts to scores, and from scores to verdicts."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from disproof.bridge.engine import certainty
from disproof.bridge.scoring import (
    ANY_RULE,
    PRIOR,
    RESOLVED,
    SHARED,
    Candidate,
    Judged,
    Weights,
    candidates,
    choose,
    judge,
    judge_beside,
    load_temperatures,
    load_weights,
    log_sum_exp,
    raw_log_odds,
    sigmoid,
)
from disproof.symbolic.errors import ModelError
from disproof.symbolic.proof import Conflict, ProofNode


def conflict(i: int, j: int, rule: str, cost: float, reason: str = "", attribute: str = "power") -> Conflict:
    proof = ProofNode("conflict", "rule", rule, cost=cost)
    return Conflict(i, j, rule, reason or rule, "phone", attribute, proof)


def scored(*scores: float) -> list[Candidate]:
    """Candidates that score this much each under ``Weights({"x": 1})``."""
    return [Candidate(k, k + 1, {"x": score}, ()) for k, score in enumerate(scores)]


X = Weights({"x": 1.0})


# ---- Candidates


def test_a_proof_counts_by_the_probability_of_what_it_cites() -> None:
    (found,) = candidates([conflict(0, 2, "r", math.log(2), "r(lost)")], 3)
    assert (found.evidence, found.breakpoint) == (0, 2)
    assert found.features == pytest.approx({"rule r": 0.5, "case r(lost)/power": 0.5, ANY_RULE: 0.5})


def test_of_several_proofs_of_one_rule_the_likeliest_counts() -> None:
    proofs = [conflict(0, 1, "r", math.log(4)), conflict(0, 1, "r", math.log(2)), conflict(0, 1, "s", 0.0)]
    (found,) = candidates(proofs, 2)
    assert found.features == pytest.approx(
        {"rule r": 0.5, "case r/power": 0.5, "rule s": 1.0, "case s/power": 1.0, ANY_RULE: 1.0}
    )
    assert [c.rule for c in found.conflicts] == ["s", "r", "r"]


def test_the_prior_speaks_for_every_two_sentences() -> None:
    scores = np.arange(9, dtype=np.float32).reshape(3, 3)
    found = candidates([conflict(1, 2, "r", 0.0)], 3, scores)
    assert [(c.evidence, c.breakpoint, c.features[PRIOR]) for c in found] == [(0, 1, 1.0), (0, 2, 2.0), (1, 2, 5.0)]
    assert [len(c.conflicts) for c in found] == [0, 0, 1]


def test_without_proof_and_prior_there_is_no_candidate() -> None:
    assert candidates([], 5) == []
    assert candidates([], 1, np.zeros((1, 1), np.float32)) == []


# ---- Scores


def test_a_rule_that_training_never_saw_counts_the_default_and_its_case_nothing() -> None:
    (new,) = candidates([conflict(0, 1, "new", math.log(2))], 2)
    assert Weights({"rule old": 9.0}, default=3.0).score(new) == pytest.approx(1.5)
    assert Weights({"rule new": 1.0}, default=3.0).score(new) == pytest.approx(0.5)
    assert Weights({ANY_RULE: 1.0, "case new/power": 2.0}, default=3.0).score(new) == pytest.approx(3.0)


def test_the_best_candidate_is_the_first_of_the_highest_score() -> None:
    judged = judge(scored(1.0, 3.0, 3.0), X, 5)
    assert judged.best is not None
    assert judged.best.evidence == 1
    assert judge([], X, 5).best is None


def test_the_total_sums_the_weight_of_all_candidates() -> None:
    assert judge(scored(0.0, 0.0, math.log(2)), X, 5).total == pytest.approx(math.log(4))
    assert judge([], X, 5).total == -math.inf


# ---- A story by itself


@pytest.mark.parametrize("sentences", [2, 5, 20, 100])
def test_the_verdict_on_one_story_does_not_depend_on_its_length(sentences: int) -> None:
    pairs = sentences * (sentences - 1) // 2
    judged = judge(scored(*[1.0] * pairs), Weights({"x": 1.0}, no_conflict=0.4), sentences)
    assert judged.log_odds == pytest.approx(0.6)
    assert not judged.plausible


def test_a_story_is_implausible_above_the_threshold_and_not_at_it() -> None:
    weights = Weights({"x": 1.0}, threshold=2.0)
    assert [judge(scored(score), weights, 2).plausible for score in (1.9, 2.0, 2.1)] == [True, True, False]


def test_calibration_changes_the_odds_and_not_the_verdict() -> None:
    plain = judge(scored(1.0), Weights({"x": 1.0}, threshold=-3.0), 2)
    calibrated = judge(scored(1.0), Weights({"x": 1.0}, threshold=-3.0, slope=0.5), 2)
    assert calibrated.log_odds == pytest.approx(0.5 * plain.log_odds)
    assert calibrated.plausible == plain.plausible


def test_confidence_in_implausible_grows_with_the_score() -> None:
    weights = Weights({"x": 1.0}, threshold=0.0, slope=0.3)
    sure = [certainty(judge(scored(score), weights, 2)) for score in (0.1, 1.0, 5.0, 50.0, 5000.0)]
    assert sure == sorted(sure)
    assert 0.5 < sure[0] < sure[-1] <= 1


def test_a_story_without_candidates_is_plausible_and_its_odds_are_finite() -> None:
    judged = judge([], X, 5)
    assert judged.plausible
    assert math.isfinite(judged.log_odds)
    assert judged.log_odds < -10


def test_odds_have_bounds() -> None:
    assert raw_log_odds(1e9, 0.0, 5) == 50
    assert raw_log_odds(-math.inf, 0.0, 5) == -50
    assert raw_log_odds(0.0, 0.0, 1) == 0


# ---- Two stories


def test_the_story_that_has_less_against_it_is_the_plausible_one() -> None:
    first, second = choose(judge(scored(3.0), X, 5), judge(scored(1.0, 0.5), X, 5), X)
    assert first < 0.5 < second
    assert first + second == pytest.approx(1)


def test_the_choice_is_the_same_whichever_story_comes_first() -> None:
    a, b = judge(scored(2.0), X, 5), judge(scored(0.5), X, 5)
    assert choose(a, b, X) == choose(b, a, X)[::-1]


def beside(here: Sequence[float], there: Sequence[float], differing: int) -> Judged:
    return judge_beside(scored(*here), scored(*there), X, len(here) + 1, differing)


def test_beside_a_twin_pairs_with_the_differing_sentence_count_in_full() -> None:
    assert beside([1.0, 2.0], [5.0, 5.0], 1).scores == (1.0, 2.0)


def test_what_both_twins_share_counts_by_what_it_weighs_more_here() -> None:
    judged = beside([1.0, math.log(5), math.log(2), 3.0], [1.0, math.log(2), 9.0, 3.0], 0)
    assert [(c.evidence, c.breakpoint) for c in judged.candidates] == [(0, 1), (1, 2)]
    assert judged.scores == pytest.approx((1.0, math.log(3) + SHARED))


def test_what_the_twin_does_not_know_of_is_not_shared() -> None:
    judged = judge_beside(scored(0.0, 2.0), scored(0.0), X, 3, 0)
    assert judged.scores == pytest.approx((0.0, 2.0 + SHARED))


def test_the_loudest_scores_are_weighed_beside_a_twin() -> None:
    assert math.isfinite(beside([0.0, 5000.0], [0.0, 1.0], 0).total)
    assert beside([0.0, 5000.0], [0.0, 5000.0], 0).scores == (0.0,)


def test_two_stories_without_candidates_are_equally_plausible() -> None:
    assert choose(judge([], X, 5), judge([], X, 5), X) == (0.5, 0.5)


def test_no_candidate_and_worthless_ones_weigh_the_same() -> None:
    nothing, little = judge([], X, 5), judge(scored(-100.0), X, 5)
    assert choose(nothing, little, X) == (0.5, 0.5)


def test_a_steeper_calibration_is_surer_of_the_same_choice() -> None:
    pair = judge(scored(2.0), X, 5), judge(scored(0.5), X, 5)
    flat, steep = (choose(*pair, Weights({"x": 1.0}, pair_slope=s))[1] for s in (0.5, 2.0))
    assert 0.5 < flat < steep


# ---- Arithmetic


def test_sums_of_exponentials_neither_overflow_nor_vanish() -> None:
    assert log_sum_exp([1e5, 1e5]) == pytest.approx(1e5 + math.log(2))
    assert log_sum_exp([-1e5, -1e5]) == pytest.approx(-1e5 + math.log(2))
    assert log_sum_exp([-math.inf, 0.0]) == 0
    assert log_sum_exp([-math.inf]) == log_sum_exp([]) == -math.inf


def test_the_logistic_function_is_safe_at_both_ends() -> None:
    assert (sigmoid(-1e9), sigmoid(0.0), sigmoid(1e9)) == (0.0, 0.5, 1.0)
    assert sigmoid(2.0) + sigmoid(-2.0) == pytest.approx(1)


# ---- Weights files


def test_weights_come_back_from_their_file(tmp_path: Path) -> None:
    weights = Weights({"rule a": 1.25, PRIOR: -0.5}, 0.75, 0.1, 0.2, 0.3, 0.4)
    (tmp_path / "w.json").write_text(json.dumps({"systems": {"symbolic": weights.to_json()}}))
    assert load_weights(tmp_path / "w.json", "symbolic") == weights


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"systems": {}}',
        '{"systems": {"symbolic": {}}}',
        json.dumps({"systems": {"symbolic": {**Weights().to_json(), "slope": "steep"}}}),
        json.dumps({"systems": {"symbolic": {**Weights().to_json(), "features": [1]}}}),
        json.dumps({"systems": {"symbolic": {**Weights().to_json(), "threshold": math.nan}}}),
        json.dumps({"systems": {"symbolic": {**Weights().to_json(), "features": {"rule a": math.inf}}}}),
    ],
)
def test_a_damaged_weights_file_is_told_in_one_line(content: str, tmp_path: Path) -> None:
    (tmp_path / "w.json").write_text(content)
    with pytest.raises(ModelError, match=r"w\.json: this is no weights file for the system 'symbolic'") as caught:
        load_weights(tmp_path / "w.json", "symbolic")
    assert "\n" not in str(caught.value)


def test_the_temperatures_of_states_come_from_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "w.json").write_text(json.dumps({"systems": {}, "temperatures": {"power": 2.5, "wet": 1}}))
    assert load_temperatures(tmp_path / "w.json") == {"power": 2.5, "wet": 1.0}
    (tmp_path / "w.json").write_text('{"systems": {}}')
    assert load_temperatures(tmp_path / "w.json") == {}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[]", "no weights file"),
        ('{"temperatures": [1]}', "no weights file"),
        ('{"temperatures": {"power": "hot"}}', "could not convert"),
        ('{"temperatures": {"power": 0}}', "not positive"),
        ('{"temperatures": {"power": NaN}}', "not positive"),
        ('{"temperatures": {"colour": 1}}', "no attribute: colour"),
    ],
)
def test_damaged_temperatures_are_told_in_one_line(content: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "w.json").write_text(content)
    with pytest.raises(
        ModelError, match=rf"w\.json: this is no weights file .*{told}|w\.json: this is {told}"
    ) as caught:
        load_temperatures(tmp_path / "w.json")
    assert "\n" not in str(caught.value)


def test_a_weights_file_that_cannot_be_read_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such weights file"):
        load_weights(tmp_path / "none.json", "symbolic")
    with pytest.raises(ModelError, match="cannot be read"):
        load_weights(tmp_path, "symbolic")


def test_the_priors_suspicion_counts_for_less_where_the_trouble_is_over() -> None:
    pairs = np.full((3, 3), -np.inf, np.float32)
    pairs[0, 1] = pairs[0, 2] = pairs[1, 2] = 4.0
    weights = Weights({PRIOR: 0.5, RESOLVED: -2.0})
    found = candidates((), 3, pairs, {(0, 2)})
    assert [weights.score(c) for c in found] == [2.0, 0.0, 2.0]
