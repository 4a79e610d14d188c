"""The official metrics of TRIP and PIQA, once, for every command: pure functions on plain data.

What is checked of a pair is the story that the GOLD says is implausible, as in the official evaluation of TRIP (Storks
et al., 2021): each level needs the one before it. Accuracy: the choice. Consistency: also exactly the gold pair of
sentences. Verifiability: also the states around it, under three protocols (see ``PairOutcome``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..symbolic.errors import StoryError
from ..symbolic.story import Gold, State, StateTable, Story, StoryPair
from ..symbolic.vocabulary import ATTRIBUTE, EFFECT, PRECONDITION, SIDES, Side
from .measures import FScores, area_under_roc, balanced_accuracy, binary_macro_f1


@dataclass(frozen=True, eq=False)
class StoryPrediction:
    """What a system says of one story of a pair, whatever it chose.

    ``conflict`` is the pair of sentences it finds likeliest to conflict (official-shape predictions may name any
    number; only exactly the gold pair is ever right), None for none. ``states`` is its whole state table.
    ``proof_states`` are the states that it asserts with its proof, None where no proof links the two sentences.
    """

    conflict: tuple[int, ...] | None = None
    states: StateTable | None = None
    proof_states: tuple[State, ...] | None = None


@dataclass(frozen=True, eq=False)
class PairPrediction:
    """What a system says of a pair: ``choice`` is the index of the story it judges plausible."""

    choice: int
    stories: tuple[StoryPrediction, StoryPrediction]


@dataclass(frozen=True)
class PairOutcome:
    """Which levels one pair reaches; the three last are protocols of verifiability.

    ``all_states`` (the official check): among the system's effects of the evidence and preconditions of the
    breakpoint, at least one is non-trivial and every non-trivial one, of any entity, equals gold. ``proof``: the same
    of the states it asserts with its proof at these two places, where there is a proof. ``proof_both_sides``: also at
    least one non-trivial state at each place.
    """

    accurate: bool
    consistent: bool
    all_states: bool
    proof: bool
    proof_both_sides: bool


@dataclass(frozen=True)
class SingleMetrics:
    """How well stories are judged without their twins; a figure is None where it is not defined."""

    n: int = 0
    auroc: float | None = None
    balanced_accuracy: float | None = None


@dataclass(frozen=True)
class Metrics:
    """Figures of one system on TRIP, as fractions; None where the predictions hold nothing to measure."""

    n: int
    accuracy: float
    consistency: float
    all_states: float
    proof: float
    proof_both_sides: float
    precondition_f1: float | None
    effect_f1: float | None
    conflict_f1: float
    proof_coverage: float
    single: SingleMetrics = SingleMetrics()
    system: str = ""
    seconds: float = 0.0

    def to_json(self) -> dict[str, object]:
        """The output of ``evaluate trip``."""
        return {
            "system": self.system,
            "n": self.n,
            "accuracy": self.accuracy,
            "consistency": self.consistency,
            "verifiability": {
                "all_states": self.all_states,
                "proof": self.proof,
                "proof_both_sides": self.proof_both_sides,
            },
            "precondition_f1": self.precondition_f1,
            "effect_f1": self.effect_f1,
            "conflict_f1": self.conflict_f1,
            "proof_coverage": self.proof_coverage,
            "single": {
                "n": self.single.n,
                "auroc": self.single.auroc,
                "balanced_accuracy": self.single.balanced_accuracy,
            },
            "seconds": self.seconds,
        }


@dataclass(frozen=True)
class PiqaMetrics:
    """Figures of one system on PIQA, as fractions; ``accuracy_with_proof`` is None where nothing was proved."""

    n: int
    accuracy: float
    proof_coverage: float
    accuracy_with_proof: float | None
    system: str = ""
    seconds: float = 0.0

    def to_json(self) -> dict[str, object]:
        """The output of ``evaluate piqa``."""
        return {
            "system": self.system,
            "n": self.n,
            "accuracy": self.accuracy,
            "proof_coverage": self.proof_coverage,
            "accuracy_with_proof": self.accuracy_with_proof,
            "seconds": self.seconds,
        }


def judge_pair(pair: StoryPair, prediction: PairPrediction) -> PairOutcome:
    """The levels that a prediction reaches on one pair, each of which needs the one before it.

    Raises:
        StoryError: the pair has no gold label, or its implausible story no gold conflict or states.
    """
    alone = judge_levels(pair, prediction)
    consistent = alone.accurate and alone.consistent
    return PairOutcome(
        alone.accurate,
        consistent,
        consistent and alone.all_states,
        consistent and alone.proof,
        consistent and alone.proof_both_sides,
    )


def judge_levels(pair: StoryPair, prediction: PairPrediction) -> PairOutcome:
    """The same levels, each by itself: is the choice right; whatever the choice, the pair of sentences; the states?

    Raises:
        StoryError: as ``judge_pair``.
    """
    label, (evidence, break_at), table = gold_of(pair)
    predicted = prediction.stories[1 - label]
    asserted: list[State] = []
    if predicted.states is not None:
        asserted += predicted.states.nontrivial(evidence, EFFECT)
        asserted += predicted.states.nontrivial(break_at, PRECONDITION)
    places: set[tuple[Side, int]] = {("effect", evidence), ("precondition", break_at)}
    cited = [
        state
        for state in predicted.proof_states or ()
        if (state.side, state.sentence) in places and not ATTRIBUTE[state.attribute].is_trivial(state.value)
    ]
    proof = _all_true(cited, table)
    return PairOutcome(
        prediction.choice == label,
        predicted.conflict is not None and tuple(sorted(predicted.conflict)) == (evidence, break_at),
        _all_true(asserted, table),
        proof,
        proof and {(state.side, state.sentence) for state in cited} == places,
    )


def score_pairs(
    pairs: Sequence[StoryPair],
    predictions: Sequence[PairPrediction],
    single: SingleMetrics | None = None,
    system: str = "",
    seconds: float = 0.0,
) -> Metrics:
    """All figures over all pairs.

    The two state F1s are of both stories of a pair, where both gold and predicted tables are given (``FScores`` says
    what is averaged). ``conflict_f1``: every sentence of the gold-implausible stories is in the conflict or is not;
    F1 of either class, averaged. ``proof_coverage``: of the stories judged implausible, one a pair, those with a proof.

    Raises:
        StoryError: as ``judge_pair``; also when there are no pairs.
        ValueError: there are not as many predictions as pairs.
    """
    if not pairs:
        raise StoryError("no story pairs to measure on: give a file that has some, or a higher --limit")
    outcomes = [judge_pair(pair, prediction) for pair, prediction in zip(pairs, predictions, strict=True)]
    states = FScores()
    in_conflict: list[bool] = []
    claimed: list[bool] = []
    for pair, prediction in zip(pairs, predictions, strict=True):
        for story, said in zip(pair.stories, prediction.stories, strict=True):
            if story.gold is not None and story.gold.states is not None and said.states is not None:
                states.add(story.gold.states, said.states)
        label, gold, _ = gold_of(pair)
        count = len(pair.stories[1 - label].sentences)
        in_conflict += [sentence in gold for sentence in range(count)]
        claimed += [sentence in (prediction.stories[1 - label].conflict or ()) for sentence in range(count)]
    return Metrics(
        n=len(pairs),
        accuracy=fraction(outcome.accurate for outcome in outcomes),
        consistency=fraction(outcome.consistent for outcome in outcomes),
        all_states=fraction(outcome.all_states for outcome in outcomes),
        proof=fraction(outcome.proof for outcome in outcomes),
        proof_both_sides=fraction(outcome.proof_both_sides for outcome in outcomes),
        precondition_f1=states.macro(PRECONDITION),
        effect_f1=states.macro(EFFECT),
        conflict_f1=binary_macro_f1(in_conflict, claimed),
        proof_coverage=fraction(
            prediction.stories[1 - prediction.choice].proof_states is not None for prediction in predictions
        ),
        single=single or SingleMetrics(),
        system=system,
        seconds=seconds,
    )


def score_single(
    implausible: Sequence[bool], scores: Sequence[float], judged_implausible: Sequence[bool]
) -> SingleMetrics:
    """One story at a time: gold, the system's score (higher is less plausible) and its verdict, a story each.

    Raises:
        ValueError: the three differ in length.
    """
    return SingleMetrics(
        len(implausible),
        area_under_roc(implausible, scores),
        balanced_accuracy(implausible, judged_implausible),
    )


def score_piqa(
    labels: Sequence[int],
    choices: Sequence[int],
    proved: Sequence[bool],
    system: str = "",
    seconds: float = 0.0,
) -> PiqaMetrics:
    """PIQA: how often the choice is right, over all items and over those whose choice has a proof.

    Raises:
        StoryError: there are no items.
        ValueError: the three differ in length.
    """
    if not labels:
        raise StoryError("no labelled items to measure on: give a file that has some, or a higher --limit")
    right = [label == choice for label, choice in zip(labels, choices, strict=True)]
    with_proof = [correct for correct, has in zip(right, proved, strict=True) if has]
    return PiqaMetrics(
        len(right), fraction(right), fraction(proved), fraction(with_proof) if with_proof else None, system, seconds
    )


def distinct_stories(pairs: Iterable[StoryPair]) -> list[Story]:
    """Each story once, in order of first appearance: pairs made from one base story share the plausible one."""
    stories: dict[tuple[str, ...], Story] = {}
    for pair in pairs:
        for story in pair.stories:
            stories.setdefault(story.sentences, story)
    return list(stories.values())


def fraction(hits: Iterable[bool]) -> float:
    """The share of true ones; there must be at least one item."""
    values = list(hits)
    return sum(values) / len(values)


def gold_of(pair: StoryPair) -> tuple[int, tuple[int, int], StateTable]:
    """The label, and the implausible story's conflict and states.

    Raises:
        StoryError: one of them is missing.
    """
    named = f'the pair "{pair.id}"'
    if pair.label is None:
        raise StoryError(f"{named} has no gold label: measure on annotated pairs")
    gold = pair.stories[1 - pair.label].gold or Gold(False)
    if gold.conflict is None or gold.states is None:
        missing = "conflict" if gold.conflict is None else "states"
        raise StoryError(f"{named} has no gold {missing}: measure on annotated pairs, or leave it out")
    return pair.label, gold.conflict, gold.states


def _all_true(asserted: Sequence[State], gold: StateTable) -> bool:
    """Whether something is asserted and all of it is gold's; a thing that gold does not know has no states there."""
    rows = {entity: row for row, entity in enumerate(gold.entities)}
    return bool(asserted) and all(
        state.entity in rows
        and state.value
        == gold.values[rows[state.entity], state.sentence, SIDES.index(state.side), ATTRIBUTE[state.attribute].index]
        for state in asserted
    )
