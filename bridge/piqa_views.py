"""Choices between solutions for people and for programs: the difference, the choice, its basis, and why."""

from __future__ import annotations

from typing import Final, TypedDict

from rich.console import Group, RenderableType
from rich.text import Text

from .difference import Difference, Edit
from .documents import VerdictDocument, verdict_document
from .piqa import PiqaChoice
from .text import judgement
from .wording import percent, printable

# Facts shown below a proof, which says enough.
_BESIDE_A_PROOF: Final = 2


class SpanDocument(TypedDict):
    """A part of a solution: its text and the characters [start, end) that it takes; "" where nothing stands there."""

    text: str
    start: int
    end: int


class EditDocument(TypedDict):
    """What the first solution says where the second says something else."""

    first: SpanDocument
    second: SpanDocument


class DifferenceDocument(TypedDict):
    """All edits in their order, and how many words they touch."""

    distance: int
    edits: list[EditDocument]


class EvidenceDocument(TypedDict):
    """One counted fact: where it comes from, and its log-odds for the first solution."""

    fact: str
    source: str
    weight: float


class PiqaDocument(TypedDict):
    """The choice (0 or 1), the probability of each solution, and why; ``solutions`` is empty without rules."""

    goal: str
    choice: int
    probabilities: tuple[float, float]
    basis: str
    difference: DifferenceDocument
    solutions: list[VerdictDocument]
    evidence: list[EvidenceDocument]


def piqa_document(choice: PiqaChoice) -> PiqaDocument:
    """A choice as plain data."""
    reasons = choice.reasons
    return {
        "goal": choice.item.goal,
        "choice": choice.choice,
        "probabilities": choice.probabilities,
        "basis": choice.basis,
        "difference": difference_document(reasons.difference),
        "solutions": [verdict_document(verdict) for verdict in reasons.verdicts or ()],
        "evidence": [{"fact": one.fact, "source": one.source, "weight": one.weight} for one in reasons.evidence],
    }


def difference_document(found: Difference) -> DifferenceDocument:
    """How two solutions differ, as plain data."""

    def span(edit: Edit, side: int) -> SpanDocument:
        start, end = found.characters(edit, side)
        return {"text": found.text(edit, side), "start": start, "end": end}

    edits: list[EditDocument] = [{"first": span(edit, 0), "second": span(edit, 1)} for edit in found.edits]
    return {"distance": found.distance, "edits": edits}


def piqa_view(choice: PiqaChoice, title: str = "") -> RenderableType:
    """The goal, both solutions with what differs in brackets, the choice and its basis, and the proof or the facts."""
    reasons = choice.reasons
    parts: list[RenderableType] = [Text(title, "bold underline")] if title else []
    parts.append(Text.assemble(("Goal: ", "dim"), printable(choice.item.goal)))
    for side in (0, 1):
        mark = ">" if side == choice.choice else " "
        parts.append(Text.assemble(f"{mark} {side + 1} ", marked(reasons.difference, side)))
    sure = percent(choice.probabilities[choice.choice])
    chosen = Text.assemble((f"Solution {choice.choice + 1}", "bold green"), f" ({sure} sure), by {choice.basis}.")
    parts += [Text(), chosen]
    if not reasons.difference.edits:
        parts.append(Text("The solutions say the same."))
    losing = reasons.verdicts[1 - choice.choice] if reasons.verdicts is not None else None
    if choice.basis == "proof" and losing is not None and losing.conflict is not None:
        parts += [Text(), Text(f"Solution {2 - choice.choice} cannot be done as it stands:")]
        parts += judgement(losing, sure=False)
    if reasons.evidence and choice.basis != "neural preference":
        shown = reasons.evidence[: _BESIDE_A_PROOF if choice.basis == "proof" else None]
        parts += [Text(), *(_fact(one.fact, one.weight, choice.choice) for one in shown)]
    if choice.basis == "neural preference":
        parts.append(Text("No rule and no strong evidence tells the two apart: this is how they sound to the model."))
    return Group(*parts)


def marked(found: Difference, side: int) -> Text:
    """A solution with the words in brackets that the other has not; a gap is "[]"."""
    shown, gap = "", False
    for piece, changed in found.pieces(side):
        if changed:
            gap = not piece  # a gap stands by itself
            shown += (" " if gap and shown and not shown.endswith(" ") else "") + f"[{piece}]"
        else:
            shown += (" " if gap and piece[:1].isalnum() else "") + piece
    return Text(printable(shown))


def _fact(said: str, weight: float, choice: int) -> Text:
    for_it = (weight < 0) == bool(choice)
    return Text.assemble(("+ " if for_it else "- "), printable(said), (f" ({abs(weight):.1f})", "dim"))
