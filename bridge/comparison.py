"""Systems side by side on the same annotated pairs: what a comparison says, as data.

A system is known by its predictions alone, so that people's own systems, read from files, are compared with this one's
on the same terms; what a file does not hold (confidence, proofs, cost) is None. Views of a comparison are in
``comparison_views`` (terminal, CSV) and ``comparison_page`` (HTML).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from ..symbolic.story import StoryPair
from ..symbolic.vocabulary import ATTRIBUTES, EFFECT, PRECONDITION, UNKNOWN
from .measures import FScores, expected_calibration_error, reliability_table
from .metrics import PairOutcome, PairPrediction, fraction, gold_of, judge_levels, judge_pair
from .resampling import mcnemar, share_interval
from .verdict import Choice

# The tiers of a verdict, each of which needs those before it (``PairOutcome``'s fields by the names of the output).
TIERS: Final[Mapping[str, str]] = {
    "accuracy": "accurate",
    "consistency": "consistent",
    "all_states": "all_states",
    "proof": "proof",
    "proof_both_sides": "proof_both_sides",
}
NO_KIND: Final = "no opposite states"
_LOCATIONS: Final = ("location", "h_location")


@dataclass(frozen=True)
class Cost:
    """Seconds a story (median of the distinct ones; None: not measured apart) and the bytes of the model's files."""

    tagging: float | None
    solving: float | None
    total: float | None
    model_bytes: int | None


@dataclass(frozen=True, eq=False)
class SystemRun:
    """What one system said of every pair.

    ``figures`` are those that ``evaluate`` gives; ``confidences`` the probability that it gives its choice, and
    ``choices`` its explanations, where it has them.
    """

    name: str
    figures: Mapping[str, Any]
    predictions: Sequence[PairPrediction]
    confidences: Sequence[float] | None = None
    choices: Sequence[Choice] | None = None
    cost: Cost = Cost(None, None, None, None)


@dataclass(frozen=True)
class Disagreement:
    """A pair on which systems differ: by the number of the pair, what each chose and which tiers it reached."""

    pair: int
    choices: Mapping[str, int]
    outcomes: Mapping[str, PairOutcome]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Several systems on the same pairs; ``systems`` and ``paired`` are the JSON output of ``compare trip``."""

    pairs: Sequence[StoryPair]
    runs: Sequence[SystemRun]
    systems: Sequence[Mapping[str, Any]]
    paired: Sequence[Mapping[str, Any]]
    disagreements: Sequence[Disagreement]

    def to_json(self) -> dict[str, Any]:
        """The output of ``compare trip``."""
        return {
            "task": "trip",
            "systems": list(self.systems),
            "paired": list(self.paired),
            "disagreements": [
                {
                    "id": self.pairs[found.pair].id,
                    "label": self.pairs[found.pair].label,
                    "systems": {
                        name: {"choice": found.choices[name], **_tiers(outcome)}
                        for name, outcome in found.outcomes.items()
                    },
                }
                for found in self.disagreements
            ],
        }


def compare(pairs: Sequence[StoryPair], runs: Sequence[SystemRun], seed: int = 0) -> Comparison:
    """Compare systems on annotated pairs; ``seed`` is the bootstrap's.

    Raises:
        StoryError: there are no pairs, or one lacks its annotation.
        ValueError: a system has not as many predictions as there are pairs.
    """
    outcomes = {
        run.name: [judge_pair(pair, said) for pair, said in zip(pairs, run.predictions, strict=True)] for run in runs
    }
    bases = [pair.base for pair in pairs]
    systems = [_system(pairs, run, outcomes[run.name], bases, seed) for run in runs]
    paired = [
        {
            "systems": [first, second],
            "tier": tier,
            **asdict(mcnemar(*(_hits(outcomes[n], tier) for n in (first, second)))),
        }
        for first, second in itertools.combinations(outcomes, 2)
        for tier in TIERS
    ]
    disagreements = [
        Disagreement(
            number,
            {run.name: run.predictions[number].choice for run in runs},
            {run.name: outcomes[run.name][number] for run in runs},
        )
        for number in range(len(pairs))
        if len({(o[number].accurate, o[number].consistent) for o in outcomes.values()}) > 1
    ]
    return Comparison(pairs, runs, systems, paired, disagreements)


def conflict_kinds(pair: StoryPair) -> tuple[str, ...]:
    """Of what kinds a pair's gold conflict is: the attributes of one thing that gold has opposite at its two ends.

    ``NO_KIND`` where there is none: the conflict is one of two things, or of what a sentence does.
    """
    _, (evidence, break_at), table = gold_of(pair)
    found = []
    for attribute in ATTRIBUTES:
        after = table.values[:, evidence, EFFECT, attribute.index]
        before = table.values[:, break_at, PRECONDITION, attribute.index]
        told = (after != UNKNOWN) & (before != UNKNOWN)
        if attribute.name not in _LOCATIONS and bool((told & (after != before)).any()):
            found.append(attribute.name)
    return tuple(found) or (NO_KIND,)


def distance(pair: StoryPair) -> int:
    """How many sentences apart the two of the gold conflict are."""
    _, (evidence, break_at), _ = gold_of(pair)
    return break_at - evidence


def _system(
    pairs: Sequence[StoryPair], run: SystemRun, outcomes: Sequence[PairOutcome], bases: Sequence[str], seed: int
) -> dict[str, Any]:
    return {
        **run.figures,
        "system": run.name,
        "intervals": {
            tier: list(asdict(share_interval(_hits(outcomes, tier), bases, seed)).values()) for tier in TIERS
        },
        "attributes": _attributes(pairs, run.predictions),
        "failure_modes": failure_modes(pairs, run.predictions),
        "by_kind": _grouped(pairs, outcomes, conflict_kinds),
        "by_distance": _grouped(pairs, outcomes, lambda pair: (str(distance(pair)),)),
        "by_proof": _by_proof(run.predictions, outcomes),
        "calibration": _calibration(run, outcomes),
        "cost": asdict(run.cost),
    }


def failure_modes(pairs: Sequence[StoryPair], predictions: Sequence[PairPrediction]) -> dict[str, int]:
    """How many pairs have each of story, conflict and states right or wrong, each by itself, as "right wrong wrong".

    States are right by the official check (``all_states``), made where gold has the conflict (Storks et al., 2021,
    figure 3).
    """
    found: Counter[tuple[bool, ...]] = Counter()
    for pair, said in zip(pairs, predictions, strict=True):
        alone = judge_levels(pair, said)
        found[alone.accurate, alone.consistent, alone.all_states] += 1
    return {
        " ".join("right" if right else "wrong" for right in mode): found[mode]
        for mode in itertools.product((True, False), repeat=3)
    }


def _hits(outcomes: Sequence[PairOutcome], tier: str) -> list[bool]:
    return [getattr(outcome, TIERS[tier]) for outcome in outcomes]


def _tiers(outcome: PairOutcome) -> dict[str, bool]:
    return {tier: getattr(outcome, field) for tier, field in TIERS.items()}


def _shares(outcomes: Sequence[PairOutcome]) -> dict[str, Any]:
    return {"n": len(outcomes), **{tier: fraction(_hits(outcomes, tier)) for tier in TIERS}}


def _grouped(
    pairs: Sequence[StoryPair], outcomes: Sequence[PairOutcome], groups_of: Callable[[StoryPair], Iterable[str]]
) -> dict[str, dict[str, Any]]:
    """The tiers within each group of pairs, the largest group first; a pair may be in several."""
    members: dict[str, list[PairOutcome]] = {}
    for pair, outcome in zip(pairs, outcomes, strict=True):
        for group in groups_of(pair):
            members.setdefault(group, []).append(outcome)
    return {group: _shares(members[group]) for group in sorted(members, key=lambda g: (-len(members[g]), g))}


def _attributes(
    pairs: Sequence[StoryPair], predictions: Sequence[PairPrediction]
) -> dict[str, dict[str, float | None]]:
    """F1 of each attribute's preconditions and effects, over both stories of every pair."""
    scores = FScores()
    for pair, prediction in zip(pairs, predictions, strict=True):
        for story, said in zip(pair.stories, prediction.stories, strict=True):
            if story.gold is not None and story.gold.states is not None and said.states is not None:
                scores.add(story.gold.states, said.states)
    before, after = scores.by_attribute(PRECONDITION), scores.by_attribute(EFFECT)
    return {
        attribute.name: {
            "precondition_f1": before.get(attribute.name),
            "effect_f1": after.get(attribute.name),
        }
        for attribute in ATTRIBUTES
        if attribute.name in before or attribute.name in after
    }


def _by_proof(predictions: Sequence[PairPrediction], outcomes: Sequence[PairOutcome]) -> dict[str, Any]:
    """The tiers of the pairs whose story called implausible has a proof, and of those whose story has none."""
    proved = [said.stories[1 - said.choice].proof_states is not None for said in predictions]
    parts = {
        "proven": [o for o, has in zip(outcomes, proved, strict=True) if has],
        "unproven": [o for o, has in zip(outcomes, proved, strict=True) if not has],
    }
    return {name: _shares(part) if part else {"n": 0} for name, part in parts.items()}


def _calibration(run: SystemRun, outcomes: Sequence[PairOutcome]) -> dict[str, Any] | None:
    """How honest the confidence in the choices is; None for a system that gives none."""
    if run.confidences is None:
        return None
    table = reliability_table(run.confidences, _hits(outcomes, "accuracy"))
    return {
        "expected_calibration_error": expected_calibration_error(table),
        "reliability": [asdict(row) for row in table],
    }
