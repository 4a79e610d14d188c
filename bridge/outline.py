"""A proof in outline: the steps that tell a reader something, as a smaller tree.

The full proof (``symbolic/proof.py``, in JSON) has a node for every ground rule that fired. Here what only keeps the
books is left out: rules without a wording give way to what they rest on, an inertia that runs over many sentences is
said once, a fact is told where it is first used, and a state and the tagger's label for it are one step.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal

from clingo import Symbol, SymbolType

from ..symbolic.proof import ProofNode
from .wording import absence_words, arguments, fact_words, label_state, printable, said, source, state_words, symbol_of

Kind = Literal["rule", "lexicon", "state", "text", "absence"]
# What stands where an outline was cut off.
CUT: Final = "..."

# Facts that say nothing a reader does not see, or what the step above them says already.
_SILENT: Final = frozenset({"sentence", "entity", "human", "name", "noun", "modifier", "mention"})
# Absences that only keep a rule from firing twice, or that the sentence itself shows.
_SILENT_ABSENCES: Final = frozenset(
    "negated irrealis only_intransitive transitive relied_on met uses works relies_on uses_place effect leaves_place "
    "eats serves arg acts part_later later_touch stores_away treated renewed brings_about unreliable idle only_cut "
    "mere_piece measure put_aside cut_to_shape clears_away only_switched of_other_make by_the_door_yet lid_of_another "
    "poured_from".split()
)
# Steps that repeat in other words what they rest on.
_REPEATING: Final = frozenset({"begins", "verb_effect", "verb_precondition"})


@dataclass(frozen=True)
class Step:
    """One step of an outline; ``source`` is where it comes from, ``probability`` that of the state it asserts."""

    text: str
    kind: Kind
    source: str = ""
    probability: float | None = None
    children: tuple[Step, ...] = ()


def outline(proof: ProofNode) -> Step:
    """The outline of a proof; its root is always the proof's own."""
    told: set[str] = set()
    text = said(proof)
    told.add(text)
    return Step(text, "rule", source(proof), None, _below(proof, told))


def pruned(step: Step, depth: int | None) -> Step:
    """An outline down to ``depth`` levels below its root (None: all of it); "..." stands for what is cut off."""
    if depth is None or not step.children:
        return step
    if depth <= 0:
        return replace(step, children=(Step(CUT, "text"),))
    return replace(step, children=tuple(pruned(child, depth - 1) for child in step.children))


def _below(node: ProofNode, told: set[str], speak: bool = True) -> tuple[Step, ...]:
    """What a node rests on; not ``speak`` where the step above has told the node's part of the text."""
    steps: list[Step] = []
    for text in _spoken(node) if speak else ():
        if text not in told:
            told.add(text)
            steps.append(Step(text, "text"))
    for child in node.children:
        steps.extend(_steps(child, node, told))
    # "Nothing ... changes it" has said what it relies on.
    if not (node.wording or "").startswith("nothing"):
        steps.extend(_absences(node.absent, told))
    return tuple(steps)


def _steps(node: ProofNode, parent: ProofNode, told: set[str]) -> Iterable[Step]:
    """A node as a step, or, where it has nothing of its own to say, what it rests on."""
    if node.basis != "rule":
        return _leaf(node, told)
    if node.wording is None:
        return _below(node, told, speak=False)
    labelled = node.state is not None and any(child.basis == "state" for child in node.children)
    if not labelled and (node.rule in _REPEATING or node.rule == parent.rule):
        return _below(node, told)
    text = said(node)
    if text in told:
        return ()
    told.add(text)
    if node.state is not None and labelled:
        # The tagger's label and the state that follows from it are one step.
        return (Step(text, "state", "", node.state.probability),)
    return (Step(text, "rule", source(node), None, _below(node, told)),)


def _leaf(node: ProofNode, told: set[str]) -> Iterable[Step]:
    symbol = symbol_of(node.atom)
    if symbol is None or symbol.name in _SILENT or symbol.name in ("verb", "arg"):
        return ()
    if symbol.match("previous", 3) and not _leaves_a_gap(symbol):
        return ()
    # A fact of a rule file that names no word is a turn of the rules' own, such as ``place_role(into)``.
    if node.basis == "lexicon" and not any(argument.type == SymbolType.String for argument in symbol.arguments):
        return ()
    state = label_state(symbol)
    text = fact_words(node.atom) if state is None else state_words(state)
    if text in told:
        return ()
    told.add(text)
    if state is not None:
        return (Step(text, "state", "", state.probability),)
    return (Step(text, "lexicon" if node.basis == "lexicon" else "text", source(node)),)


def _leaves_a_gap(previous: Symbol) -> bool:
    later, _, earlier = previous.arguments
    return later.type == earlier.type == SymbolType.Number and later.number - earlier.number > 1


def _speaks_of_a_sentence(symbol: Symbol) -> bool:
    return any(argument.type == SymbolType.Number for argument in symbol.arguments)


def _spoken(node: ProofNode) -> Iterable[str]:
    """The verbs among the text that a node rests on, each with those of its arguments that the proof uses."""
    verbs: dict[tuple[str, str], list[str]] = {}
    for symbol in _text_of(node):
        at, verb, *argument = arguments(symbol)
        roles = verbs.setdefault((at, verb), [])
        if argument:
            named = " ".join(argument)
            if named not in roles:
                roles.append(named)
    for (number, verb_lemma), roles in verbs.items():
        yield printable(f"sentence {number}: {', '.join([verb_lemma, *roles])}")


def _text_of(node: ProofNode) -> Iterable[Symbol]:
    """The ``verb`` and ``arg`` facts below a node that no worded step stands between."""
    for child in node.children:
        if child.basis == "text":
            symbol = symbol_of(child.atom)
            if symbol is not None and (symbol.match("verb", 2) or symbol.match("arg", 4)):
                yield symbol
        elif child.basis == "rule" and child.wording is None:
            yield from _text_of(child)


def _absences(atoms: Iterable[str], told: set[str]) -> Iterable[Step]:
    for atom in atoms:
        symbol = symbol_of(atom)
        # What is not said of a sentence is an exception to the rule, which its wording need not go into.
        if symbol is not None and (symbol.name in _SILENT_ABSENCES or not _speaks_of_a_sentence(symbol)):
            continue
        text = absence_words(atom)
        if text not in told:
            told.add(text)
            yield Step(text, "absence")
