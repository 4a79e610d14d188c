"""What the rules are told about one story: its text and the tagger's beliefs, as clingo symbols.

Nothing is ever pasted into a program as text: names are ASP strings made by clingo itself, so quotes, line ends and
any script survive. ``disproof facts`` prints the same facts, and a rule file gives the same conflicts with them under
plain ``clingo``.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt
from clingo import Function, Number, String, Symbol

from .aliases import head, lemma, modifiers
from .parse import Parse
from .story import StateTable, Tagging
from .vocabulary import ATTRIBUTE, ATTRIBUTES, EFFECT, LOCATION_VALUES, N_VALUES, UNKNOWN, is_human

# Labels less likely than this are no candidates: no proof may cite them.
PROBABILITY_FLOOR = 0.1
# How clingo writes what a string cannot hold as it is.
_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", '"': '\\"'})
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
    """One story's facts, in an order of their own; the ``tagging`` is kept so that a proof can be priced and read.

    ``predicates`` and ``arguments`` are those of each fact, ``texts`` the arguments as clingo prints them, and
    ``strings`` all strings among them: they decide which facts of a lexicon concern the story. ``tagging`` has shape
    (entities, sentences, 2, 20, 9), see :class:`~disproof.symbolic.story.Tagging`.
    """

    sentences: int
    tagging: Tagging
    predicates: tuple[str, ...] = field(repr=False)
    arguments: tuple[tuple[Symbol, ...], ...] = field(repr=False)
    texts: tuple[tuple[str, ...], ...] = field(repr=False)
    strings: frozenset[str] = field(repr=False)

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The facts as atoms, sorted; solving needs their arguments only."""
        return tuple(sorted(Function(name, of) for name, of in zip(self.predicates, self.arguments, strict=True)))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {entity: place for place, entity in enumerate(self.tagging.entities)}

    def probability(self, side: int, sentence: int, entity: str, attribute: str, value: int) -> float:
        """The tagger's belief in one state; 0 for an entity it did not tag."""
        e = self._places.get(entity)
        if e is None:
            return 0.0
        return float(self.tagging.probabilities[e, sentence, side, ATTRIBUTE[attribute].index, value])


def certain(states: StateTable) -> Tagging:
    """Annotated states as a tagging that is sure of each (how ``--states gold`` enters the solver)."""
    return Tagging(states.entities, np.eye(N_VALUES, dtype=np.float32)[states.values])


def story_facts(parse: Parse, tagging: Tagging, synonyms: Set[tuple[str, str]] = frozenset()) -> Facts:
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
        rows.update(("modifier", thing, word) for word in modifiers(thing))
        if is_human(thing):
            rows.add(("human", thing))
    for a, b in aliases:
        rows.add(("alias", a, b))
        rows.add(("alias", b, a))
    rows.update(_text(parse))
    if parse.goal is not None:
        rows.add(("goal", parse.goal))
    rows.update(_labels(tagging))
    rows.update(_previous(parse, tagging, aliases))
    return _facts(rows, len(parse.sentences), tagging)


@dataclass(frozen=True, eq=False)
class _Constant:
    """A word of the rules' own (a role, an attribute), not a string of the story; there is one of each name."""

    name: str


_constant = cache(_Constant)


_Row = tuple[str | int | _Constant, ...]  # a predicate and its arguments


def _facts(rows: Iterable[_Row], sentences: int, tagging: Tagging) -> Facts:
    """Each distinct value becomes a symbol once, since each takes a call into clingo."""
    terms: dict[str | int | _Constant, tuple[str, Symbol]] = {}
    found: list[tuple[str, tuple[str, ...], tuple[Symbol, ...]]] = []
    for name, *values in rows:
        for value in values:
            if value not in terms:
                terms[value] = _term(value)
        read = [terms[value] for value in values]
        found.append((str(name), tuple([text for text, _ in read]), tuple([symbol for _, symbol in read])))
    found.sort(key=lambda fact: fact[:2])
    words = frozenset(value for value in terms if isinstance(value, str))
    return Facts(
        sentences,
        tagging,
        tuple([name for name, _, _ in found]),
        tuple([arguments for _, _, arguments in found]),
        tuple([texts for _, texts, _ in found]),
        words,
    )


def _term(value: str | int | _Constant) -> tuple[str, Symbol]:
    """A value as clingo prints it and as a symbol."""
    if isinstance(value, str):
        return f'"{value.translate(_ESCAPES)}"', String(value)
    if isinstance(value, int):
        return str(value), Number(value)
    return value.name, Function(value.name)


def _things(parse: Parse) -> tuple[str, ...]:
    """The story's entities, then the other nouns that its verbs take as arguments."""
    names = dict.fromkeys(parse.entities)
    for event in parse.events:
        names.update(dict.fromkeys(thing for _, thing in event.arguments))
    names.update(dict.fromkeys(p.entity for p in parse.properties))
    return tuple(names)


def _aliases(parse: Parse, things: tuple[str, ...], synonyms: Set[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    pairs = {(a, b) for a, b in parse.aliases if a != b}
    by_name: defaultdict[str, list[str]] = defaultdict(list)
    for thing in things:
        by_name[lemma(thing)].append(thing)
    for a, b in combinations(by_name, 2):
        if (a, b) in synonyms or (b, a) in synonyms:
            pairs.update((x, y) for x in by_name[a] for y in by_name[b])
    return frozenset(pairs)


def _text(parse: Parse) -> Iterable[_Row]:
    for event in parse.events:
        at, verb = event.sentence, event.verb
        yield ("verb", at, verb)
        for role, thing in event.arguments:
            yield ("arg", at, verb, _constant(role), thing)
        if event.negated:
            yield ("negated", at, verb)
        if event.irrealis:
            yield ("irrealis", at, verb)
        if event.again:
            yield ("again", at, verb)
    for mention in parse.mentions:
        yield ("mention", mention.sentence, mention.entity)
    for told in parse.quantities:
        yield ("quantity", told.sentence, _constant(told.kind), told.amount)
    for way in parse.directions:
        yield ("direction", way.sentence, way.word)
    for said in parse.properties:
        name = "not_property" if said.negated else "becomes" if said.result else "property"
        yield (name, said.sentence, said.entity, said.word)


def _told(tagging: Tagging) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float32]]:
    """The (entity, sentence) rows of which the tagger says anything, and their probabilities (rows, 2, 20, 9).

    Most things are absent from most sentences of a long story, and only what is left is worth a closer look.
    """
    unknown = tagging.probabilities[..., UNKNOWN]
    rows = np.argwhere((unknown <= 1 - PROBABILITY_FLOOR + 1e-6).any(axis=(2, 3)))
    return rows, tagging.probabilities[rows[:, 0], rows[:, 1]]


def _labels(tagging: Tagging) -> Iterable[_Row]:
    rows, probabilities = _told(tagging)
    for k, side, a, value in np.argwhere(probabilities >= PROBABILITY_FLOOR).tolist():
        if value == UNKNOWN:
            continue
        e, t = rows[k]
        attribute = ATTRIBUTES[a]
        # Adding 0 turns -0 into 0.
        cost = round(-1000 * math.log(min(1.0, float(probabilities[k, side, a, value])))) + 0
        yield (
            "label",
            _constant(_SIDE[side]),
            int(t),
            tagging.entities[e],
            _constant(attribute.name),
            _constant(value_constant(attribute.name, value)),
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
    rows, probabilities = _told(tagging)
    best = probabilities.argmax(-1)
    defaults = np.array([a.default for a in ATTRIBUTES])
    for e, t in rows[((best != UNKNOWN) & (best != defaults)).any(axis=(1, 2))].tolist():
        touched[tagging.entities[e]].add(t)
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
