"""What the rules are told about one story: its text and the tagger's beliefs, as clingo symbols.

Nothing is ever pasted into a program as text: names are ASP strings made by clingo itself, so quotes, line ends and
any script survive. ``disproof facts`` prints the same facts, and a rule file gives the same conflicts with them under
plain ``clingo``.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from clingo import Function, Number, String, Symbol

from .aliases import head, lemma
from .parse import Parse
from .story import StateTable, Tagging
from .vocabulary import ATTRIBUTE, ATTRIBUTES, EFFECT, LOCATION_VALUES, N_VALUES, UNKNOWN, is_human

# Labels less likely than this are no candidates: no proof may cite them.
PROBABILITY_FLOOR = 0.05
_SIDE = ("pre", "eff")
_BINARY = ("unknown", "false", "true")
LOCATION_CONSTANTS = (
    "unknown",
    "gone",
    "picked_up",
    "put_down",
    "put_on",
    "taken_off",
    "put_in",
    "taken_out",
    "moved",
)
assert len(LOCATION_CONSTANTS) == len(LOCATION_VALUES)


def value_constant(attribute: str, value: int) -> str:
    """The constant by which rules know a value: ``false``/``true``, or a location's own word."""
    if attribute == "location":
        return LOCATION_CONSTANTS[value]
    if attribute == "h_location":
        return ("unknown", "gone", "moved")[value]
    return _BINARY[value]


def constant_value(attribute: str, constant: str) -> int:
    """The inverse of :func:`value_constant`.

    Raises:
        ValueError: the attribute has no such value.
    """
    for value in range(len(ATTRIBUTE[attribute].values)):
        if value_constant(attribute, value) == constant:
            return value
    raise ValueError(f"{attribute} has no value {constant!r}")


@dataclass(frozen=True, eq=False)
class Facts:
    """One story's facts, sorted; the ``tagging`` is kept so that a proof can be priced and read.

    ``arguments`` are those of each symbol, and ``strings`` all that the facts mention: they decide which facts of a
    lexicon concern the story. ``tagging`` has shape (entities, sentences, 2, 20, 9), see
    :class:`~disproof.symbolic.story.Tagging`.
    """

    symbols: tuple[Symbol, ...]
    sentences: int
    tagging: Tagging
    arguments: tuple[tuple[Symbol, ...], ...] = field(repr=False)
    strings: frozenset[str] = field(repr=False)

    def probability(self, side: int, sentence: int, entity: str, attribute: str, value: int) -> float:
        """The tagger's belief in one state; 0 for an entity it did not tag."""
        try:
            e = self.tagging.entities.index(entity)
        except ValueError:
            return 0.0
        return float(self.tagging.probabilities[e, sentence, side, ATTRIBUTE[attribute].index, value])


def certain(states: StateTable) -> Tagging:
    """Annotated states as a tagging that is sure of each (how ``--states gold`` enters the solver)."""
    return Tagging(states.entities, np.eye(N_VALUES, dtype=np.float32)[states.values])


def story_facts(parse: Parse, tagging: Tagging, synonyms: Iterable[tuple[str, str]] = ()) -> Facts:
    """The facts of one story.

    ``synonyms`` are pairs of nouns for one kind of thing; names that are synonyms become aliases here, because which
    sentence touched a thing last (``previous``) must be known under all its names.
    """
    things = _things(parse)
    aliases = _aliases(parse, things, synonyms)
    rows: set[_Row] = {("sentence", t) for t in range(len(parse.sentences))}
    rows.update(("entity", entity) for entity in parse.entities)
    for thing in things:
        rows.add(("name", thing, lemma(thing)))
        rows.add(("noun", thing, head(thing)))
        if is_human(thing):
            rows.add(("human", thing))
    for a, b in aliases:
        rows.add(("alias", a, b))
        rows.add(("alias", b, a))
    rows.update(_text(parse))
    rows.update(_labels(tagging))
    rows.update(_previous(parse, tagging, aliases))
    return _facts(rows, len(parse.sentences), tagging)


@dataclass(frozen=True)
class _Constant:
    """A word of the rules' own (a role, an attribute), not a string of the story."""

    name: str


_Row = tuple[str | int | _Constant, ...]  # a predicate and its arguments


def _facts(rows: Iterable[_Row], sentences: int, tagging: Tagging) -> Facts:
    """Each distinct value becomes a symbol once, since each takes a call into clingo."""
    terms: dict[str | int | _Constant, Symbol] = {}

    def term(value: str | int | _Constant) -> Symbol:
        if value not in terms:
            if isinstance(value, str):
                terms[value] = String(value)
            else:
                terms[value] = Number(value) if isinstance(value, int) else Function(value.name)
        return terms[value]

    atoms: list[tuple[Symbol, tuple[Symbol, ...]]] = []
    for name, *values in rows:
        arguments = tuple(map(term, values))
        atoms.append((Function(str(name), arguments), arguments))
    atoms.sort(key=lambda atom: atom[0])
    words = frozenset(value for value in terms if isinstance(value, str))
    return Facts(tuple(a for a, _ in atoms), sentences, tagging, tuple(b for _, b in atoms), words)


def _things(parse: Parse) -> tuple[str, ...]:
    """The story's entities, then the other nouns that its verbs take as arguments."""
    names = dict.fromkeys(parse.entities)
    for event in parse.events:
        names.update(dict.fromkeys(thing for _, thing in event.arguments))
    names.update(dict.fromkeys(p.entity for p in parse.properties))
    return tuple(names)


def _aliases(parse: Parse, things: tuple[str, ...], synonyms: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    pairs = {(a, b) for a, b in parse.aliases if a != b}
    by_name: defaultdict[str, list[str]] = defaultdict(list)
    for thing in things:
        by_name[lemma(thing)].append(thing)
    for a, b in synonyms:
        pairs.update((x, y) for x in by_name.get(a, ()) for y in by_name.get(b, ()) if x != y)
    return frozenset(pairs)


def _text(parse: Parse) -> Iterable[_Row]:
    for event in parse.events:
        at, verb = event.sentence, event.verb
        yield ("verb", at, verb)
        for role, thing in event.arguments:
            yield ("arg", at, verb, _Constant(role), thing)
        if event.negated:
            yield ("negated", at, verb)
        if event.irrealis:
            yield ("irrealis", at, verb)
        if event.again:
            yield ("again", at, verb)
    for mention in parse.mentions:
        yield ("mention", mention.sentence, mention.entity)
    for said in parse.properties:
        name = "not_property" if said.negated else "becomes" if said.result else "property"
        yield (name, said.sentence, said.entity, said.word)


def _labels(tagging: Tagging) -> Iterable[_Row]:
    probabilities = tagging.probabilities
    for e, t, side, a, value in np.argwhere(probabilities >= PROBABILITY_FLOOR):
        if value == UNKNOWN:
            continue
        attribute = ATTRIBUTES[a]
        # Adding 0 turns -0 into 0.
        cost = round(-1000 * math.log(min(1.0, float(probabilities[e, t, side, a, value])))) + 0
        yield (
            "label",
            _Constant(_SIDE[side]),
            int(t),
            tagging.entities[e],
            _Constant(attribute.name),
            _Constant(value_constant(attribute.name, int(value))),
            cost,
        )


def _previous(parse: Parse, tagging: Tagging, aliases: frozenset[tuple[str, str]]) -> Iterable[_Row]:
    """``previous(T, E, P)``: before sentence T, the last one that touches E, under any of its names, is P.

    A sentence touches a thing by naming it, or by a state that the tagger thinks likely to change or matter there.
    """
    touched: defaultdict[str, set[int]] = defaultdict(set)
    for mention in parse.mentions:
        touched[mention.entity].add(mention.sentence)
    for event in parse.events:
        for _, thing in event.arguments:
            touched[thing].add(event.sentence)
    for said in parse.properties:
        touched[said.entity].add(said.sentence)
    best = tagging.probabilities.argmax(-1)
    defaults = np.array([a.default for a in ATTRIBUTES])
    says = ((best != UNKNOWN) & (best != defaults)).any(axis=(2, 3))
    for e, t in np.argwhere(says):
        touched[tagging.entities[e]].add(int(t))
    united = {thing: set(when) for thing, when in touched.items()}
    for a, b in aliases:
        united.setdefault(a, set()).update(touched.get(b, ()))
        united.setdefault(b, set()).update(touched.get(a, ()))
    for thing, when in united.items():
        order = sorted(when)
        for earlier, later in pairwise(order):
            yield ("previous", later, thing, earlier)


def absence_cost(facts: Facts, sentence: int, entity: str, attribute: str) -> float:
    """-ln of the chance that a sentence leaves an attribute of a thing alone (its effect is unknown or assumed)."""
    return -math.log(max(1e-6, 1.0 - _changes(facts, sentence, entity, attribute)))


def _changes(facts: Facts, sentence: int, entity: str, attribute: str) -> float:
    known = ATTRIBUTE[attribute]
    return sum(
        facts.probability(EFFECT, sentence, entity, attribute, value)
        for value in range(1, len(known.values))
        if not known.is_trivial(value)
    )
