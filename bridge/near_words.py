"""Conditions of rules in plain English: those that hold, those that are missing, and those that must not hold but do.

A rule's own wording comes first. What has none is worded here by predicate where all of it is known; else the condition
is shown as it stands, with ``_`` for what has no value. Sentences are counted from 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from clingo import Symbol

from ..symbolic.gaps import Gap
from ..symbolic.proof import ProofNode
from ..symbolic.safety import STRING
from .outline import Step, outline
from .wording import (
    Signature,
    arguments,
    fact_words,
    label_state,
    percent,
    printable,
    said,
    state_words,
    symbol_of,
    worded_absence,
)

# What a missing fact would say is denied; the holes are the arguments in order, sentences already counted from 1.
_LACKING: Final[Mapping[Signature, str]] = {
    ("verb", 2): "sentence {0} has no verb “{1}”",
    ("mention", 2): "sentence {0} does not name {1:the}",
    ("property", 3): "sentence {0} does not call {1:the} “{2}”",
    ("becomes", 3): "sentence {0} does not make {1:the} “{2}”",
    ("not_property", 3): "sentence {0} does not say that {1:the} is not “{2}”",
    ("direction", 2): "sentence {0} does not say “{1}”",
    ("goal", 1): "sentence {0} is not what is to be reached",
    ("previous", 3): "sentence {2} is not the last before sentence {0} that touches {1:the}",
    ("again", 2): "sentence {0} does not tell “{1}” as a return",
    ("noun", 2): "{0:the} is no “{1}”",
    ("modifier", 2): "{0:the} has no “{1}” in its name",
    ("name", 2): "{0:the} is not called “{1}”",
    ("alias", 2): "“{0}” and “{1}” are two things",
    ("kind", 2): "“{0}” is not of the kind “{1}”",
}
# The same of the arguments of a verb, by role; any other role is a preposition.
_LACKING_ROLE: Final[Mapping[str, str]] = {
    "agent": "it is not {3:the} that does “{1}” in sentence {0}",
    "object": "sentence {0} does not “{1}” {3:the}",
    "recipient": "sentence {0} does not “{1}” to {3:the}",
}
# Conditions that rules without a wording derive.
_CONDITION: Final[Mapping[Signature, str]] = {
    ("happens", 2): "“{1}” happens in sentence {0}",
    ("changed", 3): "sentence {0} changes {1:the}’s {2}",
    ("acts_on", 3): "“{1}” in sentence {0} acts on {2:the}",
    ("kind_of", 2): "{0:the} is of the kind “{1}”",
    ("same", 2): "“{0}” and “{1}” are one thing",
    ("touched", 2): "sentence {0} touches {1:the}",
}
_ATOM: Final = re.compile(r"[a-z]\w*\(.*\)")
_OPEN: Final = re.compile(rf"{STRING}|(?<=[(,])_(?=[,)])")


def condition_words(gap: Gap, proofs: Mapping[str, ProofNode]) -> str:
    """The condition that is not met, as it would be if it held (or, where it is in the way, as it does hold)."""
    if gap.kind == "comparison":
        return printable(gap.atom)
    proof = proofs.get(gap.atom)
    wording = proof.wording if proof is not None else gap.wording
    if wording is not None:
        return said(proof or ProofNode(gap.atom, "rule", wording=wording))
    symbol = _known(gap.atom)
    if symbol is None:
        return printable(gap.atom)
    template = _CONDITION.get((symbol.name, len(symbol.arguments)))
    return fact_words(str(symbol)) if template is None else printable(template.format(*arguments(symbol)))


def lacking_words(gap: Gap) -> str:
    """What is not there, said of a gap that nothing is below."""
    if gap.kind == "comparison":
        return f"not so: {printable(gap.atom)}"
    symbol = _known(gap.atom)
    if symbol is None:
        return f"there is nothing like {printable(gap.atom)}"
    state = label_state(symbol)
    if state is not None:
        sure = "" if gap.probability is None else f" ({percent(gap.probability)})"
        return f"the tagger does not see that {state_words(state)}{sure}"
    signature = (symbol.name, len(symbol.arguments))
    if signature == ("arg", 4):
        role = _LACKING_ROLE.get(symbol.arguments[2].name, "sentence {0} does not “{1}” {2} {3:the}")
        return printable(role.format(*arguments(symbol)))
    if signature in _LACKING:
        return printable(_LACKING[signature].format(*arguments(symbol)))
    if signature in (("causes", 4), ("requires", 4)):
        return f"no rule file says that {fact_words(gap.atom)}"
    return worded_absence(gap.atom) or f"there is no {printable(gap.atom)}"


def held_words(proof: ProofNode) -> list[str]:
    """What a condition that holds says; where it has no words, what it rests on, and nothing where that is no news."""
    symbol = symbol_of(proof.atom)
    if symbol is None or symbol.match("opposite", 2):
        return []
    if symbol.match("same", 2) and symbol.arguments[0] == symbol.arguments[1]:
        return []
    if proof.basis == "lexicon" and fact_words(proof.atom) == printable(proof.atom):
        return []  # a turn of the rules' own
    template = _CONDITION.get((symbol.name, len(symbol.arguments)))
    if proof.basis == "rule" and proof.wording is None:
        if template is not None:
            return [printable(template.format(*arguments(symbol)))]
        return [_with_probability(step) for step in outline(proof).children if not _ATOM.fullmatch(step.text)]
    labelled = proof.state is not None and any(child.basis == "state" for child in proof.children)
    sure = f" ({percent(proof.state.probability)})" if labelled and proof.state is not None else ""
    return [f"{said(proof)}{sure}"]


def _with_probability(step: Step) -> str:
    return step.text if step.probability is None else f"{step.text} ({percent(step.probability)})"


def _known(atom: str) -> Symbol | None:
    """An atom as a symbol; None where something of it has no value (but the cost of a label, which is not needed)."""
    if atom.startswith("label(") and atom.endswith(",_)"):
        atom = f"{atom[:-2]}0)"
    if any(found[0] == "_" for found in _OPEN.finditer(atom)):
        return None
    return symbol_of(atom)
