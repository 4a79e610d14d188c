"""The page of a comparison on TRIP: its sections, and each pair on which systems disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ..symbolic.story import StoryPair
from . import comparison_tables as tables
from . import page
from .comparison import TIERS, Comparison, Disagreement, SystemRun
from .comparison_plots import plots
from .comparison_tables import TIER_NAMES
from .metrics import PairOutcome, gold_of
from .outline import Step
from .wording import listed, percent, printable

# Each section's key, title, tables, and plot.
_SECTIONS: Final = (
    ("tiers", "Right stories, sentences and states", ("tiers", "uncued"), "tiers"),
    ("fall", "From accuracy to verifiability", ("fall",), "fall"),
    ("paired", "Do two systems differ?", ("paired",), ""),
    ("modes", "What goes wrong", ("failure_modes",), "failure_modes"),
    ("states", "States", ("f1", "attributes"), "attributes"),
    ("proofs", "Proofs", ("proofs",), ""),
    ("single", "One story at a time", ("single",), ""),
    ("reliability", "Confidence", ("calibration",), "reliability"),
    ("kinds", "Kinds of conflict", ("by_kind",), "by_kind"),
    ("distances", "Distance", ("by_distance",), "by_distance"),
    ("costs", "Cost", ("cost",), "cost"),
)


@dataclass(frozen=True)
class _Said(page.Said):
    """What one system says of a pair; ``unproved`` stands where a proof would."""

    tiers: tuple[tuple[str, bool], ...]
    proof: Step | None
    unproved: str


@dataclass(frozen=True)
class _Shown(page.Shown):
    """A pair on which systems differ: the story that cannot happen, and what its twin has instead.

    A system is right where it finds the two sentences.
    """

    sentences: tuple[str, ...]
    gold: tuple[int, int]
    twin: tuple[tuple[int, str], ...]
    twin_whole: bool


def comparison_page(comparison: Comparison, title: str, notes: Sequence[str] = ()) -> str:
    """The page; ``notes`` are shown first, such as that a system was trained on these pairs.

    The same comparison gives the same text.
    """
    return page.page(
        "comparison_page.html",
        title,
        tables.summary(comparison),
        notes,
        page.sections(_SECTIONS, tables.all_tables(comparison), plots(comparison)),
        [run.name for run in comparison.runs],
        range(len(comparison.runs)),
        [_shown(comparison, found) for found in comparison.disagreements],
        len(comparison.pairs),
    )


def _shown(comparison: Comparison, found: Disagreement) -> _Shown:
    pair = comparison.pairs[found.pair]
    label, gold, _ = gold_of(pair)
    broken, twin = pair.stories[1 - label].sentences, pair.stories[label].sentences
    whole = len(broken) != len(twin)
    other = [(k + 1, printable(s)) for k, s in enumerate(twin) if whole or s != broken[k]]
    systems: list[_Said] = []
    for place, run in enumerate(comparison.runs):
        said = _said(place, run, found, pair, label)
        before = next((each.name for each in systems if said.proof is not None and each.proof == said.proof), None)
        if before is not None:
            said = replace(said, proof=None, unproved=f"Its proof is that of {before}.")
        systems.append(said)
    return _Shown(
        printable(pair.id),
        "",
        "".join(str(int(found.outcomes[run.name].consistent)) for run in comparison.runs),
        tuple(systems),
        tuple(printable(sentence) for sentence in broken),
        gold,
        tuple(other),
        whole,
    )


def _said(place: int, run: SystemRun, found: Disagreement, pair: StoryPair, label: int) -> _Said:
    outcome, choice = found.outcomes[run.name], found.choices[run.name]
    which = "this story" if choice == label else "the twin"
    named: Sequence[int] = run.predictions[found.pair].stories[1 - choice].conflict or ()
    proof, unproved, sure = None, "This system gives no explanation.", ""
    if run.choices is not None:
        verdict = run.choices[found.pair].verdicts[1 - choice]
        named = verdict.pair or ()
        sure = f" ({percent(verdict.confidence)} sure)"
        unproved = (
            "It finds no two sentences that conflict."
            if verdict.pair is None
            else "No rule proves it: this is the neural prior’s judgement alone."
        )
        if verdict.conflict is not None:
            proof = page.shown_proof(verdict.conflict.proof)
    where = f"sentence{'s' if len(named) > 1 else ''} {listed([str(k + 1) for k in sorted(named)])} of {which}"
    says = f"{'Right' if choice == label else 'Wrong'}: calls {which} impossible{sure}, "
    return _Said(
        place,
        printable(run.name),
        _grade(outcome),
        says + (f"naming {where}." if named else "naming no sentences."),
        tuple((TIER_NAMES[tier], bool(getattr(outcome, field))) for tier, field in TIERS.items()),
        proof,
        unproved,
    )


def _grade(outcome: PairOutcome) -> str:
    """The letter of the last tier that is reached."""
    if outcome.all_states or outcome.proof:
        return "c"
    return "b" if outcome.consistent else "a" if outcome.accurate else "✗"
