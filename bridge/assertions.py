"""Which states a verdict asserts: those that its proof rests on, and those that bear the proof out.

A proof by the text alone ("sentence 2 breaks the lamp, sentence 4 switches it on") needs no state. The tagger says all
the same what sentence 2 leaves of the lamp and what sentence 4 takes for granted of it. Where the proof is silent about
one of its two ends, the surest such state is asserted beside it, with the tagger's probability.

The whole table of a story's states, too, asserts only what the tagger is sure of: "unknown" is an honest answer, and
what is asserted is what a reader relies on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from clingo import Symbol, SymbolType

from ..symbolic.proof import Conflict
from ..symbolic.story import State, StateTable, Tagging
from ..symbolic.vocabulary import ATTRIBUTE, ATTRIBUTES, SIDES, Side
from .wording import symbol_of

# How sure the tagger must be of a state for it to be asserted: more than not. On TRIP's dev, folds held out, .4, .5,
# .65 and .8 give, of all pairs, 57, 59, 62 and 65% whose states beside the proof are all right (33, 31, 27 and 20%
# right at both ends) and 26, 31, 42 and 50% whose whole table is right there; the F1 of effects is 66, 65, 63 and 57.
SURE: Final = 0.5


def likely_states(tagging: Tagging) -> list[State]:
    """The likeliest value of every state that is not trivial, by sentence, entity, attribute and side."""
    return [
        state
        for sentence in range(tagging.probabilities.shape[1])
        for entity in range(len(tagging.entities))
        for state in _likely(tagging, entity, sentence)
    ]


def asserted_table(tagging: Tagging) -> StateTable:
    """The likeliest value of every state; "unknown" in place of one that is not trivial and less sure than ``SURE``."""
    table = tagging.argmax()
    defaults = np.array([attribute.default for attribute in ATTRIBUTES])
    says_something = (table.values != 0) & (table.values != defaults)
    doubted = says_something & (tagging.probabilities.max(-1) < SURE)
    return StateTable(table.entities, np.where(doubted, 0, table.values).astype(table.values.dtype))


def supporting_states(conflict: Conflict, tagging: Tagging) -> tuple[State, ...]:
    """The states that bear a proof out: of each of its two ends of which it cites no state, the likeliest one.

    They are effects of the evidence and preconditions of the breakpoint of things that the proof names, never trivial
    and never against what the proof derives. Those of which the tagger is less sure than ``SURE`` are left out, but
    for the surest where there is no other and the proof cites none.
    """
    cited = [state for state in conflict.states() if not ATTRIBUTE[state.attribute].is_trivial(state.value)]
    named = _named(conflict)
    derived = {_place(node.state): node.state.value for node in conflict.proof.walk() if node.state is not None}
    found: list[State] = []
    ends: tuple[tuple[Side, int], ...] = (("effect", conflict.evidence), ("precondition", conflict.breakpoint))
    for side, sentence in ends:
        if any(state.side == side for state in cited):
            continue
        likely = [
            state
            for row, entity in enumerate(tagging.entities)
            if entity in named
            for state in _likely(tagging, row, sentence)
            if state.side == side and derived.get(_place(state), state.value) == state.value
        ]
        found += sorted(likely, key=lambda state: (-state.probability, state))[:1]
    sure = [state for state in found if state.probability >= SURE]
    if not sure and not cited:
        sure = sorted(found, key=lambda state: (-state.probability, state))[:1]
    return tuple(sorted(sure))


def asserted_states(conflict: Conflict, tagging: Tagging) -> tuple[State, ...]:
    """All states that are asserted with a proof, those that it cites and those that bear it out."""
    return tuple(sorted({*conflict.states(), *supporting_states(conflict, tagging)}))


def _likely(tagging: Tagging, entity: int, sentence: int) -> Iterator[State]:
    belief = tagging.probabilities[entity, sentence]
    best = belief.argmax(-1)
    for attribute in ATTRIBUTES:
        for side, name in enumerate(SIDES):
            value = int(best[side, attribute.index])
            if not attribute.is_trivial(value):
                probability = float(belief[side, attribute.index, value])
                yield State(name, sentence, tagging.entities[entity], attribute.name, value, probability)


def _place(state: State) -> tuple[str, int, str, str]:
    return state.side, state.sentence, state.entity, state.attribute


def _named(conflict: Conflict) -> set[str]:
    """The strings in the atoms of a proof, of which those that are entities are what it is about."""
    found = {conflict.entity}
    stack: list[Symbol] = [symbol for node in conflict.proof.walk() if (symbol := symbol_of(node.atom)) is not None]
    while stack:
        symbol = stack.pop()
        if symbol.type == SymbolType.String:
            found.add(symbol.string)
        elif symbol.type == SymbolType.Function:
            stack += symbol.arguments
    return found
