"""What the text layer hands to the rules: verbs, their arguments by role, properties, and links between names.

The parser (``neural/parser.py``, spaCy) makes these; ``symbolic/facts.py`` turns them into logic facts. Verbs are
lemmas, phrasal verbs with a space ("turn off"). Entities are the names given with the story, or, for a noun that is
none of them, the noun's own lemma.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, order=True)
class Event:
    """One verb of one sentence, with its arguments as (role, entity).

    Roles: ``agent``, ``object``, ``recipient``, or the preposition ("with", "into", "out_of", ...). ``negated``: the
    text says it did not happen. ``irrealis``: wanted, planned, tried or asked for, so it need not have happened.
    ``again``: told as a return ("put it on again", "plugged it back in"). ``order`` counts the events of a sentence
    from 0.
    """

    sentence: int
    order: int
    verb: str
    arguments: tuple[tuple[str, str], ...] = ()
    negated: bool = False
    irrealis: bool = False
    again: bool = False


@dataclass(frozen=True, order=True)
class Mention:
    """Where a thing is named: character offsets [start, end) within its sentence; ``pronoun`` when by a pronoun."""

    sentence: int
    start: int
    end: int
    entity: str
    pronoun: bool = False


@dataclass(frozen=True, order=True)
class Property:
    """A word the text itself says of a thing: "the cold soup", "the phone was dead"; ``predicative`` in the latter.

    ``result``: the sentence brings it about ("the soup turned cold", "shook him awake").
    """

    sentence: int
    entity: str
    word: str
    predicative: bool = False
    negated: bool = False
    result: bool = False


@dataclass(frozen=True, order=True)
class Quantity:
    """A number with a unit that a sentence names; ``amount`` is in the unit of ``kind`` (``neural/quantities.py``)."""

    sentence: int
    kind: str
    amount: int


@dataclass(frozen=True, order=True)
class Direction:
    """A word that a sentence says of a way or a side ("clockwise", "bottom"; ``neural/directions.py``)."""

    sentence: int
    word: str


@dataclass(frozen=True)
class Parse:
    """One story as the rules see its text; ``entities`` are the story's own, or those found.

    ``goal`` is the sentence that says what the others are to reach, if one does.
    """

    sentences: tuple[str, ...]
    entities: tuple[str, ...]
    events: tuple[Event, ...] = ()
    mentions: tuple[Mention, ...] = ()
    properties: tuple[Property, ...] = ()
    aliases: tuple[tuple[str, str], ...] = field(default=())
    quantities: tuple[Quantity, ...] = ()
    directions: tuple[Direction, ...] = ()
    goal: int | None = None
