"""The documents of ``--format json``: verdicts, choices, states and rules as plain JSON objects.

Their shapes are part of what other programs rely on. Sentences count from 0, as in TRIP's files; probabilities have
four decimals; the same input gives the same bytes. They are typed dictionaries, not pydantic models: nothing here needs
checking, and a proof over a long story nests deeper than pydantic can write.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NotRequired, TypedDict

from ..symbolic.check import Finding
from ..symbolic.proof import Conflict, ProofNode
from ..symbolic.rulebook import Rule
from ..symbolic.story import State, Story, Tagging
from .assertions import likely_states
from .verdict import Choice, Verdict
from .wording import absence_words, said

DECIMALS: Final = 4


class ConflictDocument(TypedDict):
    """The two sentences; ``rule``, ``entity`` and ``attribute`` are null where no rule proves their conflict."""

    evidence: int
    breakpoint: int
    rule: str | None
    entity: str | None
    attribute: str | None


class StateDocument(TypedDict):
    """One state at one side of one sentence."""

    side: str
    sentence: int
    entity: str
    attribute: str
    value: int
    probability: float


class AssertedStateDocument(StateDocument):
    """A state that a verdict asserts: the proof rests on it (``cited``), or it bears the proof out."""

    cited: bool


class AbsenceDocument(TypedDict):
    """An atom that a step relied on not to hold."""

    text: str
    atom: str


class ProofDocument(TypedDict):
    """One step of a proof; ``basis`` is rule, lexicon, state or text, and only the first two have a file and line.

    ``cut`` is there, and true, where what the step rests on was left out.
    """

    text: str
    atom: str
    rule: str | None
    file: str | None
    line: int | None
    children: list[ProofDocument]
    basis: str
    absent: list[AbsenceDocument]
    cut: NotRequired[bool]


class OtherProofDocument(TypedDict):
    """Another proof of the same two sentences."""

    conflict: ConflictDocument
    states: list[StateDocument]
    proof: ProofDocument


class VerdictDocument(TypedDict):
    """The output of ``explain``."""

    id: str
    sentences: list[str]
    entities: list[str]
    plausible: bool
    confidence: float
    basis: str
    conflict: ConflictDocument | None
    states: list[AssertedStateDocument]
    proof: ProofDocument | None
    others: NotRequired[list[OtherProofDocument]]


class ChoiceDocument(TypedDict):
    """The output of ``choose``."""

    choice: int
    probabilities: list[float]
    stories: list[VerdictDocument]


class StatesDocument(TypedDict):
    """The output of ``states``: the likeliest value of each state that is not trivial."""

    id: str
    sentences: list[str]
    entities: list[str]
    states: list[StateDocument]


class ExampleDocument(TypedDict):
    """A story in which a rule "fires", or in which it should be "silent", with the states given for it."""

    file: str
    line: int
    story: str
    states: list[StateDocument]
    expected: str


class RuleDocument(TypedDict):
    """One rule: its place, its text (a statement each) and what it says of itself, with variables in braces."""

    name: str
    pack: str
    file: str
    line: int
    wording: str | None
    description: str
    text: list[str]
    unless: str
    examples: list[ExampleDocument]


class FindingDocument(TypedDict):
    """One finding of ``rules check``."""

    file: str
    line: int | None
    column: int | None
    severity: str
    message: str
    rule: str | None


def verdict_document(verdict: Verdict, every: bool = False, depth: int | None = None) -> VerdictDocument:
    """A verdict with its whole proof, or ``depth`` levels of it; with ``every`` also its other proofs, best first."""
    document: VerdictDocument = {
        "id": verdict.id,
        "sentences": list(verdict.sentences),
        "entities": list(verdict.entities),
        "plausible": verdict.plausible,
        "confidence": verdict.confidence,
        "basis": verdict.basis,
        "conflict": _conflict(verdict),
        "states": [{**state_document(state), "cited": state not in verdict.support} for state in verdict.states],
        "proof": None if verdict.conflict is None else proof_document(verdict.conflict.proof, depth),
    }
    if every:
        document["others"] = [other_proof_document(conflict, depth) for conflict in verdict.others]
    return document


def other_proof_document(conflict: Conflict, depth: int | None = None) -> OtherProofDocument:
    """A proof by itself, with the states that it cites at its two ends."""
    return {
        "conflict": _proved(conflict),
        "states": [state_document(state) for state in conflict.states()],
        "proof": proof_document(conflict.proof, depth),
    }


def choice_document(choice: Choice) -> ChoiceDocument:
    """A choice with both verdicts."""
    return {
        "choice": choice.choice,
        "probabilities": list(choice.probabilities),
        "stories": [verdict_document(verdict) for verdict in choice.verdicts],
    }


def state_document(state: State) -> StateDocument:
    """One state."""
    return {
        "side": state.side,
        "sentence": state.sentence,
        "entity": state.entity,
        "attribute": state.attribute,
        "value": state.value,
        "probability": state.probability,
    }


def proof_document(node: ProofNode, depth: int | None = None) -> ProofDocument:
    """A proof: every step of it, or those of ``depth`` levels below the first."""
    document: ProofDocument = {
        "text": said(node),
        "atom": node.atom,
        "rule": node.rule,
        "file": node.file,
        "line": node.line,
        "children": [],
        "basis": node.basis,
        "absent": [{"text": absence_words(atom), "atom": atom} for atom in node.absent],
    }
    if depth is None or depth > 0:
        below = None if depth is None else depth - 1
        document["children"] = [proof_document(child, below) for child in node.children]
    elif node.children:
        document["cut"] = True
    return document


def states_document(story: Story, tagging: Tagging) -> StatesDocument:
    """The tagger's states of one story."""
    return {
        "id": story.id,
        "sentences": list(story.sentences),
        "entities": list(tagging.entities),
        "states": [state_document(state) for state in likely_states(tagging)],
    }


def rule_document(statements: Sequence[Rule]) -> RuleDocument:
    """The statements of one name; wording and description are the first that one of them has."""
    first = statements[0]
    return {
        "name": first.name,
        "pack": first.pack,
        "file": first.file,
        "line": first.line,
        "wording": next((_worded(rule) for rule in statements if rule.wording is not None), None),
        "description": next((rule.description for rule in statements if rule.description), ""),
        "text": [rule.text for rule in statements],
        "unless": "; ".join(dict.fromkeys(rule.unless for rule in statements if rule.unless)),
        "examples": [
            {
                "file": rule.file,
                "line": example.line,
                "story": example.text,
                "states": [state_document(state) for state in example.states],
                "expected": example.expected,
            }
            for rule in statements
            for example in rule.examples
        ],
    }


def _worded(rule: Rule) -> str:
    """A rule's wording with its variables in the holes: "the {E} is broken in sentence {S}"."""
    first, *rest = (rule.wording or "").split("%")
    terms = [f"{{{term}}}" for term in rule.wording_terms] + ["%"] * len(rest)
    return first + "".join(term + part for term, part in zip(terms, rest, strict=False))


def finding_document(finding: Finding) -> FindingDocument:
    """One finding."""
    return {
        "file": finding.location.file,
        "line": finding.location.line,
        "column": finding.location.column,
        "severity": finding.severity,
        "message": finding.message,
        "rule": finding.rule,
    }


def to_json(document: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> str:
    """A document on one line, without its end, also for readers that end lines at more than line feeds."""
    return json.dumps(_rounded(document), ensure_ascii=False, allow_nan=False).translate(_LINE_ENDS)


# What Python, JavaScript and others take for the end of a line, and JSON lets stand in a string.
_LINE_ENDS: Final = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return round(value, DECIMALS)
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value


def _conflict(verdict: Verdict) -> ConflictDocument | None:
    if verdict.conflict is not None:
        return _proved(verdict.conflict)
    if verdict.pair is None:
        return None
    evidence, breakpoint_ = verdict.pair
    return {"evidence": evidence, "breakpoint": breakpoint_, "rule": None, "entity": None, "attribute": None}


def _proved(found: Conflict) -> ConflictDocument:
    return {
        "evidence": found.evidence,
        "breakpoint": found.breakpoint,
        "rule": found.rule,
        "entity": found.entity,
        "attribute": found.attribute,
    }
