"""The examples of a rule: stories in which it fires and near misses in which it must not, as its file gives them.

An example is a story on one line, and may end in braces that state what a tagger would read off it::

    %!fires Ann unplugged the lamp. Ann read by the lamp. {after 1 lamp power false; before 2 lamp power true}

An arrow sets apart what the sentences before it are to reach, as in a procedure::

    %!fires Cut the rope with a sponge. => Cut a rope.

Each state is a side (before or after), a sentence counted from 1, an entity of one word or more, an attribute and a
value. What is not stated is unknown, so an example rests on no trained model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from .errors import did_you_mean
from .facts import certain, constant_value, value_constant
from .story import State, StateTable, Tagging
from .vocabulary import ATTRIBUTE, N_ATTRIBUTES, SIDES, UNKNOWN, Attribute, Side

_BRACES: Final = re.compile(r"([^{}]*)(?:\{([^{}]*)\}\s*\.?)?\s*")
_SIDE: Final[dict[str, Side]] = {"before": "precondition", "after": "effect"}
# No sentence ends but here; a name such as "J. Smith" makes it too many, never too few.
_ARROW: Final = "=>"
_END: Final = re.compile(r"[.!?\"'”’)]\s*(?=\S)")


@dataclass(frozen=True)
class Example:
    """A story in which a rule ``fires``, or in which it does not, with the ``states`` that are given for it.

    ``line`` is that of its file; sentences of states are counted from 0. ``goal`` is "", or one more sentence, which
    says what the story is to reach.
    """

    story: str
    states: tuple[State, ...] = ()
    fires: bool = True
    line: int = 0
    goal: str = ""

    @property
    def text(self) -> str:
        """The story, and after an arrow its goal."""
        return f"{self.story} {_ARROW} {self.goal}" if self.goal else self.story

    @property
    def expected(self) -> Literal["fires", "silent"]:
        """What the rule should do."""
        return "fires" if self.fires else "silent"

    @property
    def entities(self) -> tuple[str, ...]:
        """The entities of its states, each once."""
        return tuple(dict.fromkeys(state.entity for state in self.states))

    def tagging(self, entities: Sequence[str], sentences: int) -> Tagging:
        """The given states as a tagging that is sure of each, of shape (entities, sentences, 2, 20, 9).

        Every other state is unknown, also where the vocabulary has a default: a default is no evidence.

        Raises:
            ValueError: a state is of a sentence or an entity that is not there.
        """
        values = np.full((len(entities), sentences, len(SIDES), N_ATTRIBUTES), UNKNOWN, np.int8)
        rows = {entity: row for row, entity in enumerate(entities)}
        for state in self.states:
            if state.entity not in rows:
                raise ValueError(f"the story has no '{state.entity}'{did_you_mean(state.entity, entities)}")
            if state.sentence >= sentences:
                counted = "1 sentence" if sentences == 1 else f"{sentences} sentences"
                raise ValueError(f"the braces name sentence {state.sentence + 1}, but the story has {counted}")
            values[rows[state.entity], state.sentence, SIDES.index(state.side), ATTRIBUTE[state.attribute].index] = (
                state.value
            )
        return certain(StateTable(tuple(entities), values))


def read_example(text: str, fires: bool, line: int) -> Example:
    """The example that an annotation gives.

    Raises:
        ValueError: there is no story, or a state cannot be read; the message says what to write.
    """
    match = _BRACES.fullmatch(text)
    if match is None:
        raise ValueError("the braces must stand once, at the story's end: {after 1 lamp power false; before 2 ...}")
    story, arrow, goal = (" ".join(part.split()) for part in match[1].partition(_ARROW))
    if not any(character.isalnum() for character in story):
        raise ValueError("the example has no story: write its sentences after the word, on one line")
    if arrow and not any(character.isalnum() for character in goal):
        raise ValueError("there is no goal after the arrow: write the sentence that says what is to be reached")
    states = [_state(part) for part in (match[2] or "").split(";") if part.strip()]
    most = len(_END.findall(story)) + 1 + bool(goal)
    for k, state in enumerate(states):
        if state.sentence >= most:
            counted = "1 sentence" if most == 1 else f"at most {most} sentences"
            raise ValueError(f"the braces name sentence {state.sentence + 1}, but the story has {counted}")
        if any(_cell(state) == _cell(other) and state.value != other.value for other in states[:k]):
            raise ValueError(f"the {state.attribute} of '{state.entity}' is given twice at one place: keep one")
    return Example(story, tuple(states), fires, line, goal)


def _cell(state: State) -> tuple[str, int, str, str]:
    return state.side, state.sentence, state.entity, state.attribute


def _state(text: str) -> State:
    words = text.split()
    if len(words) < 5:
        raise ValueError(f"the state '{' '.join(words)}' cannot be read: write one as in {{after 1 lamp power false}}")
    side, number, *entity, name, value = words
    if side not in _SIDE:
        raise ValueError(f"'{side}' is no side of a sentence{did_you_mean(side, _SIDE, ': write before or after')}")
    if re.fullmatch(r"[1-9]\d{0,8}", number) is None:
        raise ValueError(f"'{number}' is no sentence: count from 1, as in {{{side} 1 lamp power false}}")
    attribute = ATTRIBUTE.get(name)
    if attribute is None:
        hint = did_you_mean(name, ATTRIBUTE, f": use one of {', '.join(ATTRIBUTE)}")
        raise ValueError(f"'{name}' is no attribute{hint}")
    return State(_SIDE[side], int(number) - 1, " ".join(entity), name, _value(attribute, value))


def _value(attribute: Attribute, word: str) -> int:
    try:
        return constant_value(attribute.name, word)
    except ValueError:
        known = [value_constant(attribute.name, value) for value in range(1, len(attribute.values))]
        hint = did_you_mean(word, known, f": use one of {', '.join(known)}")
        raise ValueError(f"'{word}' is no value of {attribute.name}{hint}") from None
