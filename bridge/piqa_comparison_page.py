"""The page of a comparison on PIQA: its sections, and each item on which systems choose differently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from . import page
from .difference import Difference
from .outline import Step
from .piqa import HEARD, PiqaChoice
from .piqa_comparison import PiqaComparison, PiqaRun
from .piqa_comparison_plots import piqa_plots
from .piqa_comparison_views import piqa_summary, piqa_tables
from .wording import percent, printable

# Each section's key, title, tables, and plot.
_SECTIONS: Final = (
    ("right", "Right choices", ("accuracy",), "accuracy"),
    ("basis", "What choices rest on", ("bases", "reasons"), "bases"),
    ("tests", "Do two systems differ?", ("paired",), ""),
    ("distances", "How much the solutions differ", ("by_distance",), "by_distance"),
    ("words", "Which words differ", ("by_word",), ""),
)


@dataclass(frozen=True)
class _Proof:
    """Why a solution cannot be done: it as a story, the places of the sentences that conflict, and the steps."""

    lead: str
    sentences: tuple[str, ...]
    conflict: tuple[int, ...]
    steps: Step


@dataclass(frozen=True)
class _Fact:
    """A counted fact: its log-odds for the choice (against it: below zero), what it says, and where it is from."""

    weight: str
    text: str
    source: str


@dataclass(frozen=True)
class _Said(page.Said):
    """What one system says of an item, and why; ``notes`` stand where there is no proof or fact to show."""

    proof: _Proof | None
    facts: tuple[_Fact, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Shown(page.Shown):
    """An item: each solution in pieces that the other has or not, and whether it is the right one."""

    solutions: tuple[tuple[tuple[tuple[str, bool], ...], bool], ...]


def piqa_comparison_page(comparison: PiqaComparison, title: str, notes: Sequence[str] = ()) -> str:
    """The page; ``notes`` are shown first, such as that a system was trained on these items.

    The same comparison gives the same text.
    """
    choosers = [place for place, run in enumerate(comparison.runs) if run.kind != "random"]
    return page.page(
        "piqa_comparison_page.html",
        title,
        piqa_summary(comparison),
        notes,
        page.sections(_SECTIONS, piqa_tables(comparison), piqa_plots(comparison)),
        [run.name for run in comparison.runs],
        choosers,
        [_shown(comparison, choosers, number) for number in comparison.disagreements],
        len(comparison.items),
    )


def _shown(comparison: PiqaComparison, choosers: Sequence[int], number: int) -> _Shown:
    item = comparison.items[number]
    systems: list[_Said] = []
    for place in choosers:
        systems.append(_without_repeating(_said(place, comparison.runs[place], number), systems))
    between = comparison.runs[choosers[0]].choices[number].reasons.difference
    return _Shown(
        f"item {item.index}",
        printable(item.goal),
        "".join(str(int(comparison.runs[place].right[number])) for place in choosers),
        tuple(systems),
        tuple((_pieces(between, side), item.label == side) for side in (0, 1)),
    )


def _pieces(between: Difference, side: int) -> tuple[tuple[str, bool], ...]:
    """A solution in pieces that can be shown, with the blanks between them."""
    found = []
    for text, changed in between.pieces(side):
        before, after = (" " if end.isspace() else "" for end in (text[:1], text[-1:]))
        found.append((f"{before}{printable(text)}{after}", changed))
    return tuple(found)


def _said(place: int, run: PiqaRun, number: int) -> _Said:
    choice = run.choices[number]
    right = run.right[number]
    by_neural = choice.basis == "neural preference" and "neural" in HEARD[run.kind]
    has_basis = choice.basis != "neural preference"
    basis = f"by {choice.basis}" if has_basis or by_neural else "with no reason that is strong enough"
    sure = percent(choice.probabilities[choice.choice])
    return _Said(
        place,
        printable(run.name),
        ("✓" if right else "✗") + (f" {choice.basis}" if has_basis else ""),
        f"{'Right' if right else 'Wrong'}: chooses solution {choice.choice + 1} ({sure} sure), {basis}.",
        _proof(choice),
        () if by_neural else _facts(choice),
        () if has_basis else (_preference(run, choice),),
    )


def _preference(run: PiqaRun, choice: PiqaChoice) -> str:
    """What a choice without reasons rests on."""
    if "neural" not in HEARD[run.kind]:
        tied = choice.probabilities[0] == choice.probabilities[1]
        return "Nothing that it listens to tells the two apart." if tied else "Its evidence is faint."
    if HEARD[run.kind] == ("neural",):
        return "It listens to nothing else: this is how the solutions sound to the model."
    return "No rule and no strong evidence speaks for it: this is how the solutions sound to the model."


def _proof(choice: PiqaChoice) -> _Proof | None:
    """The proof that a choice rests on, or the one that speaks against it and is outvoted."""
    if choice.reasons.verdicts is None:
        return None
    based = choice.basis == "proof"
    refuted = 1 - choice.choice if based else choice.choice
    verdict = choice.reasons.verdicts[refuted]
    if verdict.conflict is None:
        return None
    said = "cannot be done as it stands." if based else "cannot be done as it stands, says a rule that is outvoted."
    return _Proof(
        f"Solution {refuted + 1} {said} Read as a story that ends with its goal:",
        tuple(printable(sentence) for sentence in verdict.sentences),
        verdict.pair or (),
        page.shown_proof(verdict.conflict.proof),
    )


def _facts(choice: PiqaChoice) -> tuple[_Fact, ...]:
    found = []
    for one in choice.reasons.evidence:
        sign = "+" if (one.weight < 0) == bool(choice.choice) else "−"
        found.append(_Fact(f"{sign}{abs(one.weight):.1f}", printable(one.fact), printable(one.source)))
    return tuple(found)


def _without_repeating(said: _Said, before: Sequence[_Said]) -> _Said:
    """What a system says, without a proof or facts that one before it has said."""
    notes = list(said.notes)
    of_proof = next((each.name for each in before if said.proof is not None and each.proof == said.proof), None)
    of_facts = next((each.name for each in before if said.facts and each.facts == said.facts), None)
    if of_proof is not None:
        notes.append(f"Its proof is that of {of_proof}.")
    if of_facts is not None:
        notes.append(f"Its facts are those of {of_facts}.")
    return replace(
        said,
        proof=None if of_proof is not None else said.proof,
        facts=() if of_facts is not None else said.facts,
        notes=tuple(notes),
    )
