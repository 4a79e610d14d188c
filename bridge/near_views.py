"""``rules why`` and ``rules why-not``: all proofs of two sentences, or what comes nearest to one, as pages and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from ..symbolic.gaps import Gap, Nearest, NearMiss
from ..symbolic.proof import Conflict, ProofNode
from ..symbolic.story import Story
from .documents import OtherProofDocument, ProofDocument, other_proof_document, proof_document
from .near_words import condition_words, held_words, lacking_words
from .outline import outline
from .text import numbered, proof_tree
from .wording import absence_words, counted, listed, printable, said, worded_absence

Pair = tuple[int, int]


class WhyDocument(TypedDict):
    """The output of ``rules why``: the proofs of a pair of sentences, best first."""

    id: str
    sentences: list[str]
    evidence: int
    breakpoint: int
    proofs: list[OtherProofDocument]


class ConditionDocument(TypedDict):
    """A condition that is met."""

    text: str
    atom: str


class GapDocument(TypedDict):
    """A condition that is not met.

    ``kind`` is missing, blocked (the atom holds and must not) or comparison. ``rule`` could derive a missing atom and
    lacks ``because``; ``proof`` says why what is in the way holds; ``probability`` is the tagger's of a missing label.
    """

    kind: str
    text: str
    atom: str
    rule: str | None
    file: str | None
    line: int | None
    probability: float | None
    because: list[GapDocument]
    proof: ProofDocument | None


class NearMissDocument(TypedDict):
    """One rule that nearly proves the conflict: ``met`` of its ``conditions`` hold."""

    rule: str
    file: str
    line: int
    text: str | None
    atom: str
    conditions: int
    met: int
    holds: list[ConditionDocument]
    absent: list[ConditionDocument]
    gaps: list[GapDocument]
    unchecked: list[str]


class WhyNotDocument(TypedDict):
    """The output of ``rules why-not``: the rules that come nearest, and those that prove the pair already."""

    id: str
    sentences: list[str]
    evidence: int
    breakpoint: int
    proved_by: list[str]
    nearest: list[NearMissDocument]


def why_document(story: Story, pair: Pair, proofs: Sequence[Conflict]) -> WhyDocument:
    """The proofs of a pair."""
    return {
        "id": story.id,
        "sentences": list(story.sentences),
        "evidence": pair[0],
        "breakpoint": pair[1],
        "proofs": [other_proof_document(conflict) for conflict in proofs],
    }


def why_view(story: Story, pair: Pair, proofs: Sequence[Conflict], name: str) -> RenderableType:
    """The proofs of a pair as trees; ``name`` is what the story was called by, for the hint where there is none."""
    between = f"sentences {pair[0] + 1} and {pair[1] + 1}"
    if not proofs:
        hint = f"disproof rules why-not {printable(name)} --conflict {pair[0] + 1},{pair[1] + 1}"
        return Text(f"No rule proves that {between} conflict; for what comes nearest: {hint}")
    best = ", the best first" if len(proofs) > 1 else ""
    headline = Text(f"{counted(len(proofs), 'proof')} that {between} cannot both happen{best}.", "bold")
    parts: list[RenderableType] = [numbered(story.sentences, pair), Text(), headline]
    for conflict in proofs:
        parts += [Text(), proof_tree(outline(conflict.proof))]
    return Group(*parts)


def why_not_document(story: Story, pair: Pair, found: Nearest) -> WhyNotDocument:
    """The near misses of a pair."""
    return {
        "id": story.id,
        "sentences": list(story.sentences),
        "evidence": pair[0],
        "breakpoint": pair[1],
        "proved_by": list(found.fired),
        "nearest": [_near_document(near, found) for near in found.near],
    }


def why_not_view(story: Story, pair: Pair, found: Nearest) -> RenderableType:
    """The near misses of a pair, each as a tree of what holds and what does not."""
    between = f"sentences {pair[0] + 1} and {pair[1] + 1}"
    headline = f"No rule proves that {between} conflict."
    if found.fired:
        rules = f"{listed(found.fired)} {'prove' if len(found.fired) > 1 else 'proves'}"
        headline = f"{rules} that {between} conflict: see 'disproof rules why'."
    if found.near:
        headline += f" Nearest to it {'next' if found.fired else 'come'}:"
    parts: list[RenderableType] = [numbered(story.sentences, pair), Text(), Text(headline, "bold")]
    for near in found.near:
        parts += [Text(), _near_tree(near, found)]
    return Group(*parts)


def _near_tree(near: NearMiss, found: Nearest) -> Tree:
    root = Text.assemble(
        (near.rule, "bold"),
        f": {near.met} of {counted(near.conditions, 'condition')} {'holds' if near.conditions == 1 else 'hold'}",
        (f"  [{printable(near.file)}:{near.line}]", "dim"),
    )
    tree = Tree(root, guide_style="dim")
    words = _says(near)
    if words:
        tree.add(Text.assemble(("would say: ", "dim"), words))
    told: set[str] = set()
    for text in _held(near, found):
        if text not in told:
            told.add(text)
            tree.add(Text.assemble(("holds: ", "green"), text))
    for gap in near.gaps:
        _add_gap(tree, gap, found, told)
    for text in near.unchecked:
        tree.add(Text.assemble(("not looked at: ", "yellow"), printable(text)))
    return tree


def _held(near: NearMiss, found: Nearest) -> list[str]:
    held = [text for atom in near.holds if atom in found.proofs for text in held_words(found.proofs[atom])]
    return held + [words for atom in near.absent if (words := worded_absence(atom)) is not None]


def _add_gap(tree: Tree, gap: Gap, found: Nearest, told: set[str]) -> None:
    """A condition that is not met, and below it the facts that it comes down to, each told once."""
    leaves = [leaf for leaf in gap.leaves if leaf is not gap]
    text = condition_words(gap, found.proofs) if leaves or gap.kind == "blocked" else lacking_words(gap)
    mark = {"missing": "missing: ", "blocked": "in the way: ", "comparison": "missing: "}[gap.kind]
    branch = tree.add(Text.assemble((mark, "bold red"), text))
    told.add(text)
    if gap.kind == "blocked":
        _add_steps(branch, found.proofs.get(gap.atom))
    for leaf in leaves:
        blocked = leaf.kind == "blocked"
        words = condition_words(leaf, found.proofs) if blocked else lacking_words(leaf)
        if words in told:
            continue
        told.add(words)
        below = branch.add(Text.assemble(("in the way: ", "bold red"), words) if blocked else Text(words))
        if blocked:
            _add_steps(below, found.proofs.get(leaf.atom))


def _add_steps(branch: Tree, proof: ProofNode | None) -> None:
    """Why an atom holds, below what it says."""
    if proof is None or proof.basis != "rule":
        return
    for step in outline(proof).children:
        branch.add(proof_tree(step))


def _says(near: NearMiss) -> str:
    return "" if near.wording is None else said(ProofNode(near.atom, "rule", wording=near.wording))


def _near_document(near: NearMiss, found: Nearest) -> NearMissDocument:
    return {
        "rule": near.rule,
        "file": near.file,
        "line": near.line,
        "text": _says(near) or None,
        "atom": near.atom,
        "conditions": near.conditions,
        "met": near.met,
        "holds": [
            {"text": said(found.proofs[atom]) if atom in found.proofs else printable(atom), "atom": atom}
            for atom in near.holds
        ],
        "absent": [{"text": absence_words(atom), "atom": atom} for atom in near.absent],
        "gaps": [_gap_document(gap, found) for gap in near.gaps],
        "unchecked": list(near.unchecked),
    }


def _gap_document(gap: Gap, found: Nearest) -> GapDocument:
    plain = gap.kind != "blocked" and not gap.because
    proof = found.proofs.get(gap.atom) if gap.kind == "blocked" else None
    return {
        "kind": gap.kind,
        "text": lacking_words(gap) if plain else condition_words(gap, found.proofs),
        "atom": gap.atom,
        "rule": gap.rule,
        "file": gap.file,
        "line": gap.line,
        "probability": gap.probability,
        "because": [_gap_document(below, found) for below in gap.because],
        "proof": None if proof is None else proof_document(proof),
    }
