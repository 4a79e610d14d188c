"""Which facts of the lexicons a story can use: those that its own words lead to.

A lexicon has tens of thousands of facts and a story needs a few hundred. A fact can matter only where a rule joins it
to something, so each place where a rule uses a lexicon's predicate gets a guard: one position whose string must already
be in play: the rule says it, a story's or a derived atom binds it, or it goes into a head at a position where only
strings in play are ever asked for. A fact is selected when the string at a guard is in play, and brings into play the
strings that rules pass on from it. What has no guard is always selected. So selecting facts changes no conflict.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from clingo import Symbol, SymbolType, parse_term

from .atoms import Atom, Signature
from .rulebook import Rule


@dataclass(frozen=True, eq=False)
class Fact:
    """A rule file's own fact; ``texts`` are its arguments as clingo prints them.

    Its symbols are made only when a story needs them: a lexicon has tens of thousands.
    """

    rule: Rule
    predicate: str
    texts: tuple[str, ...]

    @property
    def signature(self) -> Signature:
        """Its predicate and number of arguments."""
        return self.predicate, len(self.texts)

    @property
    def text(self) -> str:
        """The fact as clingo prints it."""
        return f"{self.predicate}({','.join(self.texts)})" if self.texts else self.predicate

    @cached_property
    def symbol(self) -> Symbol:
        """The fact as a symbol."""
        return parse_term(self.text)

    @cached_property
    def arguments(self) -> tuple[Symbol, ...]:
        """Its arguments as symbols."""
        return tuple(self.symbol.arguments)

    def strings(self, position: int) -> Iterator[str]:
        """The strings of one argument."""
        text = self.texts[position]
        if text.startswith('"') and "\\" not in text:
            yield text[1:-1]
        elif '"' in text:
            yield from strings_in(self.arguments[position])


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The facts of a rule book that conflicts can rest on, found by the strings that are in play.

    ``always`` are selected for any story: the ``unguarded`` and what these and the strings that rules say lead to.
    ``by_string`` has the others by the string at a guard; ``passed_on`` are the strings that a fact brings into play.
    """

    always: tuple[Fact, ...] = field(repr=False)
    unguarded: tuple[Fact, ...] = field(repr=False)
    by_string: Mapping[str, Sequence[Fact]] = field(repr=False)
    passed_on: Mapping[Signature, tuple[int, ...]] = field(repr=False)

    @cached_property
    def constant(self) -> frozenset[int]:
        """The identities of the facts in ``always``."""
        return frozenset(map(id, self.always))

    def concerning(self, words: Iterable[str]) -> list[Fact]:
        """The facts beside ``always`` that can matter to a story with these strings, in an order of their own."""
        return self.reached(words, self.constant)

    def reached(self, words: Iterable[str], known_facts: Collection[int] = ()) -> list[Fact]:
        """The guarded facts that some strings lead to, in an order of their own; no further than ``known_facts``."""
        found: dict[int, Fact] = {}
        frontier = sorted(words)
        known = set(frontier)
        while frontier:
            for fact in self.by_string.get(frontier.pop(), ()):
                if id(fact) not in found and id(fact) not in known_facts:
                    found[id(fact)] = fact
                    for string in self.brought(fact):
                        if string not in known:
                            known.add(string)
                            frontier.append(string)
        return list(found.values())

    def brought(self, fact: Fact) -> Iterator[str]:
        """The strings that rules may pass on from a fact."""
        for position in self.passed_on.get(fact.signature, ()):
            yield from fact.strings(position)


def strings_in(symbol: Symbol) -> Iterator[str]:
    """The strings of a term, also those within functions and tuples."""
    if symbol.type == SymbolType.String:
        yield symbol.string
    elif symbol.type == SymbolType.Function:
        for argument in symbol.arguments:
            yield from strings_in(argument)


def select(
    facts: Sequence[Fact], forms: Sequence[Form], derived: frozenset[Signature], asked: Sequence[Signature]
) -> Lexicon:
    """Find the guards of each predicate of ``facts`` in the rules (``forms``, without pools).

    ``derived`` are the predicates of the rules' heads, and ``asked`` those that the facts are selected for.
    """
    guards = _Guards(facts, derived)
    guards.open.update((signature, position) for signature in asked for position in range(signature[1]))
    guards.read_heads(forms)
    guards.read_uses(forms)
    for form in forms:
        guards.read(form)
    always = [fact for fact in facts if fact.signature in guards.unguarded]
    by_string: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        if fact.signature not in guards.unguarded:
            for string in sorted({s for k in guards.guards[fact.signature] for s in fact.strings(k)}):
                by_string[string].append(fact)
    passed_on = {signature: tuple(sorted(positions)) for signature, positions in guards.passed_on.items()}
    general = Lexicon(tuple(always), tuple(always), by_string, passed_on)
    # What rules and the general facts say is in play in every story.
    said = guards.constants.union(*(said_by(fact) for fact in always))
    return Lexicon((*always, *general.reached(said)), tuple(always), by_string, passed_on)


def said_by(fact: Fact) -> Iterator[str]:
    """All strings of a fact."""
    for position in range(len(fact.texts)):
        yield from fact.strings(position)


@dataclass(frozen=True, eq=False)
class Form:
    """What the guards need to know of a rule.

    ``elsewhere`` are the predicates within aggregates and conditions, ``constants`` the strings that it says, and
    ``counts`` how often each variable occurs.
    """

    head: Atom
    positive: tuple[Atom, ...]
    negative: tuple[Atom, ...]
    elsewhere: frozenset[Signature]
    constants: frozenset[str]
    counts: Mapping[str, int]


class _Guards:
    """Collects, rule by rule, at which positions a predicate's facts must have a string that is in play."""

    def __init__(self, facts: Iterable[Fact], derived: frozenset[Signature]) -> None:
        self.guards: defaultdict[Signature, set[int]] = defaultdict(set)
        self.passed_on: defaultdict[Signature, set[int]] = defaultdict(set)
        self.constants: set[str] = set()
        # Positions of derived predicates where a string may be asked for that is not in play.
        self.open: set[tuple[Signature, int]] = set()
        self._derived = derived
        self._values: defaultdict[Signature, dict[int, set[str]]] = defaultdict(dict)
        for fact in facts:
            columns = self._values[fact.signature]
            for position, text in enumerate(fact.texts):
                columns.setdefault(position, set()).add(text)
        self.unguarded: set[Signature] = {s for s in self._values if not s[1]}
        # Positions of derived predicates that only ever hold strings of the story (see ``read_heads``).
        self._told: set[tuple[Signature, int]] = {(s, k) for s in derived if s not in self._values for k in range(s[1])}
        # Guards are strings only, and the position with the most of them is the most selective.
        self._spread = {
            signature: {
                position: len(found)
                for position, found in columns.items()
                if all(text.startswith('"') for text in found)
            }
            for signature, columns in self._values.items()
        }

    def read_heads(self, forms: Sequence[Form]) -> None:
        """Find the positions of derived predicates that only ever hold strings of the story: done first of all.

        They are those at which every rule's head has a variable that the story binds, or such a position of another.
        """
        changed = True
        while changed:
            changed = False
            for form in forms:
                told = self._told_by(form)
                for position, term in enumerate(form.head.terms):
                    place = (form.head.signature, position)
                    if place in self._told and not (term.kind == "variable" and term.text in told):
                        self._told.discard(place)
                        changed = True

    def _told_by(self, form: Form) -> set[str]:
        """The variables of a rule that the story itself binds."""
        told: set[str] = set()
        for atom in form.positive:
            if atom.signature not in self._derived and atom.signature not in self._values:
                told.update(atom.variables)
            else:
                told.update(
                    term.text
                    for position, term in enumerate(atom.terms)
                    if term.kind == "variable" and (atom.signature, position) in self._told
                )
        return told

    def read_uses(self, forms: Sequence[Form]) -> None:
        """See where the derived predicates in the rules' bodies take their strings from: done before ``read``.

        A body asks for what the story binds, or for what is asked of the rule's head.
        """
        for form in forms:
            self.open.update((signature, k) for signature in form.elsewhere for k in range(signature[1]))
        told = [self._told_by(form) for form in forms]
        known = -1
        while known != len(self.open):
            known = len(self.open)
            for form, by_story in zip(forms, told, strict=True):
                bound = by_story | self._asked_in_play(form.head)
                for atom in form.positive:
                    if atom.signature in self._derived:
                        self.open.update(
                            (atom.signature, position)
                            for position, term in enumerate(atom.terms)
                            if term.kind not in ("constant", "string")
                            if not (term.kind == "variable" and term.text in bound)
                        )

    def _asked_in_play(self, head: Atom) -> set[str]:
        """The variables of a head at positions where only strings in play are asked for."""
        return {
            term.text
            for position, term in enumerate(head.terms)
            if term.kind == "variable" and (head.signature, position) not in self.open
        }

    def read(self, form: Form) -> None:
        """Find the guards of the facts that one rule uses."""
        self.constants |= form.constants
        bound = self._asked_in_play(form.head)
        self.unguarded.update(signature for signature in form.elsewhere if signature in self._values)
        for atom in form.negative:
            # All its variables have values by then, all of them in play.
            if atom.signature in self._values:
                self._guard(atom, set(form.counts))
        lexical: list[Atom] = []
        for atom in form.positive:
            if atom.signature in self._values and atom.signature not in self.unguarded:
                lexical.append(atom)
            else:
                bound.update(atom.variables)
        while lexical:
            # A lexicon joined to what is bound binds its other variables in turn.
            atom = next((a for a in lexical if self._position(a, bound) is not None), lexical[0])
            lexical.remove(atom)
            self._guard(atom, bound)
            for position, term in enumerate(atom.terms):
                if any(form.counts[name] > 1 for name in term.variables if name not in bound):
                    self.passed_on[atom.signature].add(position)
            bound.update(atom.variables)

    def _guard(self, atom: Atom, bound: set[str]) -> None:
        position = self._position(atom, bound)
        if position is None:
            self.unguarded.add(atom.signature)
        else:
            self.guards[atom.signature].add(position)

    def _position(self, atom: Atom, bound: set[str]) -> int | None:
        spread = self._spread[atom.signature]
        usable = [
            position
            for position, term in enumerate(atom.terms)
            if position in spread and (term.kind == "string" or (term.kind == "variable" and term.text in bound))
        ]
        return max(usable, key=lambda position: (spread[position], -position)) if usable else None
