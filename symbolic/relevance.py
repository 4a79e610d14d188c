"""Which facts of the lexicons a story can use: those that its own words lead to.

A lexicon has tens of thousands of facts and a story needs a few hundred. A fact can matter only where a rule joins it
to something, so each place where a rule uses a lexicon's predicate gets a guard: one position whose string must already
be in play: the rule says it, a story's or a derived atom binds it, or it goes into a head at a position where only
strings in play are ever asked for. A fact is selected when the string at a guard is in play, and brings into play the
strings that rules pass on from it. What has no guard is always selected. So selecting facts changes no conflict.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from clingo import Symbol, SymbolType, parse_term
from clingo.ast import AST, ASTType, Sign, Transformer

from .dependency import Signature
from .pack import variables
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

    ``always`` are selected for any story; ``by_string`` has the others by the string at a guard; ``passed_on`` are the
    strings that a fact brings into play.
    """

    always: tuple[Fact, ...] = field(repr=False)
    by_string: Mapping[str, Sequence[Fact]] = field(repr=False)
    passed_on: Mapping[Signature, tuple[int, ...]] = field(repr=False)

    @cached_property
    def constant(self) -> frozenset[int]:
        """The identities of the facts in ``always``."""
        return frozenset(map(id, self.always))

    def concerning(self, words: Iterable[str]) -> list[Fact]:
        """The facts beside ``always`` that can matter to a story with these strings, in an order of their own."""
        found: dict[int, Fact] = {}
        frontier = sorted(words)
        known = set(frontier)
        while frontier:
            for fact in self.by_string.get(frontier.pop(), ()):
                if id(fact) not in found and id(fact) not in self.constant:
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
    facts: Sequence[Fact], statements: Sequence[AST], derived: frozenset[Signature], asked: Sequence[Signature]
) -> Lexicon:
    """Find the guards of each predicate of ``facts`` in the rules (``statements``, without pools).

    ``derived`` are the predicates of the rules' heads, and ``asked`` those that the facts are selected for.
    """
    guards = _Guards(facts, derived)
    guards.open.update((signature, position) for signature in asked for position in range(signature[1]))
    for statement in statements:
        guards.read_uses(statement)
    for statement in statements:
        guards.read(statement)
    always = [fact for fact in facts if fact.signature in guards.unguarded]
    by_string: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        if fact.signature not in guards.unguarded:
            for string in sorted({s for k in guards.guards[fact.signature] for s in fact.strings(k)}):
                by_string[string].append(fact)
    passed_on = {signature: tuple(sorted(positions)) for signature, positions in guards.passed_on.items()}
    general = Lexicon(tuple(always), by_string, passed_on)
    # What rules and the general facts say is in play in every story.
    said = guards.constants.union(*(guards.said_by(fact) for fact in always))
    return Lexicon((*always, *general.concerning(said)), by_string, passed_on)


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
        # A predicate that rules derive as well can bring anything, from anywhere.
        self.unguarded: set[Signature] = {s for s in self._values if s in derived or not s[1]}
        # Guards are strings only, and the position with the most of them is the most selective.
        self._spread = {
            signature: {
                position: len(found)
                for position, found in columns.items()
                if all(text.startswith('"') for text in found)
            }
            for signature, columns in self._values.items()
        }

    def said_by(self, fact: Fact) -> Iterator[str]:
        """All strings of a fact that is always there."""
        for position in range(len(fact.texts)):
            yield from fact.strings(position)

    def read_uses(self, statement: AST) -> None:
        """See where the derived predicates in a rule's body take their strings from: done for all rules first."""
        told: set[str] = set()  # the variables that the story itself binds
        positive: list[Any] = []
        for literal in statement.body:
            if literal.ast_type != ASTType.Literal or literal.atom.ast_type != ASTType.SymbolicAtom:
                self.open.update((s, k) for s in _Atoms().of(literal) for k in range(s[1]))
            elif literal.sign == Sign.NoSign:
                atom = literal.atom.symbol
                signature = (atom.name, len(atom.arguments))
                if signature in self._derived:
                    positive.append((signature, atom))
                elif signature not in self._values:
                    told.update(variables(str(atom)))
        for signature, atom in positive:
            for position, term in enumerate(atom.arguments):
                if not (
                    term.ast_type == ASTType.SymbolicTerm or (term.ast_type == ASTType.Variable and term.name in told)
                ):
                    self.open.add((signature, position))

    def read(self, statement: AST) -> None:
        """Find the guards of the facts that one rule uses."""
        self.constants.update(_Strings().of(statement))
        counts = Counter(variables(str(statement)))
        head = statement.head.atom.symbol
        signature = (head.name, len(head.arguments))
        bound: set[str] = {
            term.name
            for position, term in enumerate(head.arguments)
            if term.ast_type == ASTType.Variable and (signature, position) not in self.open
        }
        positive: list[Any] = []
        for literal in statement.body:
            plain = literal.ast_type == ASTType.Literal and literal.atom.ast_type == ASTType.SymbolicAtom
            if not plain:
                self.unguarded.update(s for s in _Atoms().of(literal) if s in self._values)
                continue
            atom = literal.atom.symbol
            signature = (atom.name, len(atom.arguments))
            if literal.sign != Sign.NoSign:
                # All its variables have values by then, all of them in play.
                if signature in self._values:
                    self._guard(signature, atom, set(counts))
            elif signature in self._values and signature not in self.unguarded:
                positive.append((signature, atom))
            else:
                bound.update(variables(str(atom)))
        while positive:
            # A lexicon joined to what is bound binds its other variables in turn.
            ready = next((p for p in positive if self._position(p[0], p[1], bound) is not None), positive[0])
            positive.remove(ready)
            signature, atom = ready
            self._guard(signature, atom, bound)
            for position, term in enumerate(atom.arguments):
                new = [v for v in variables(str(term)) if v not in bound]
                if any(counts[v] > 1 for v in new):
                    self.passed_on[signature].add(position)
            bound.update(variables(str(atom)))

    def _guard(self, signature: Signature, atom: Any, bound: set[str]) -> None:
        position = self._position(signature, atom, bound)
        if position is None:
            self.unguarded.add(signature)
        else:
            self.guards[signature].add(position)

    def _position(self, signature: Signature, atom: Any, bound: set[str]) -> int | None:
        spread = self._spread[signature]
        usable = [
            position
            for position, term in enumerate(atom.arguments)
            if position in spread
            if (term.ast_type == ASTType.Variable and term.name in bound)
            or (term.ast_type == ASTType.SymbolicTerm and term.symbol.type == SymbolType.String)
        ]
        return max(usable, key=lambda position: (spread[position], -position)) if usable else None


class _Strings(Transformer):
    """Collects the strings that a statement says."""

    def of(self, statement: AST) -> set[str]:
        self._found: set[str] = set()
        self.visit(statement)
        return self._found

    def visit_SymbolicTerm(self, term: AST) -> AST:
        self._found.update(strings_in(term.symbol))
        return term


class _Atoms(Transformer):
    """Collects the predicates of a literal of any kind."""

    def of(self, literal: AST) -> set[Signature]:
        self._found: set[Signature] = set()
        self.visit(literal)
        return self._found

    def visit_SymbolicAtom(self, atom: AST) -> AST:
        self._found.add((atom.symbol.name, len(atom.symbol.arguments)))
        return atom
