"""Which rules can fire in one story: those whose conditions can be met together, as far as a cheap look can tell.

Compiling and grounding a rule costs clingo more than Python needs to see that it cannot fire. So before clingo sees a
story, the values that each argument of each predicate can take are followed through the rules: a fact has those of its
rows, a derived atom those that the conditions of its rules leave for the variables of the head (any, where the head
computes one). A variable whose conditions leave no value in common means that the rule cannot fire. Values are looked
at per argument, but for the facts of a lexicon, where the rows themselves are joined. So more rules may be kept than
fire, but never fewer; and of these only those remain on which an answer can rest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from clingo import Symbol

from .atoms import Atom, Signature

# Joining the rows of larger predicates costs more than the rules that it would leave out.
_JOINED_ROWS: Final = 400

Row = tuple[str, ...]
_Values = set[str]


@dataclass(frozen=True)
class Condition:
    """A positive condition of a rule: a predicate, the constants that it fixes and the variables that it binds.

    Both are (position, text) with the text as clingo prints it; other terms (sums, intervals, ``_``) say nothing.
    """

    signature: Signature
    fixed: tuple[tuple[int, str], ...]
    variables: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Clause:
    """What liveness knows of a rule: its head (a variable, a constant or anything in each place) and its conditions.

    ``needs`` are the predicates of all its conditions, also of those under ``not`` or in an aggregate.
    """

    head: Signature
    terms: tuple[tuple[bool, str] | None, ...]
    conditions: tuple[Condition, ...]
    needs: tuple[Signature, ...]


def condition(atom: Atom) -> Condition:
    """A condition's atom, read."""
    terms = list(enumerate(atom.terms))
    return Condition(
        atom.signature,
        tuple((position, term.text) for position, term in terms if term.kind in ("constant", "string")),
        tuple((position, term.text) for position, term in terms if term.kind == "variable"),
    )


def head_terms(atom: Atom) -> tuple[tuple[bool, str] | None, ...]:
    """For each place of a head whether a variable is there, and its text; None for what is no constant either."""
    return tuple(
        (term.kind == "variable", term.text) if term.kind in ("variable", "constant", "string") else None
        for term in atom.terms
    )


class FactIndex:
    """A story's facts and those of the lexicons that concern it, by predicate: as symbols and as clingo prints them.

    ``general`` holds the facts that every story has; they are shared, not copied, until a story adds to a predicate.
    """

    def __init__(self, general: FactIndex | None = None) -> None:
        self.by_signature: dict[Signature, list[tuple[Symbol, ...]]] = {}
        self.texts: dict[Signature, list[Row]] = {}
        self._shared: set[Signature] = set()
        if general is not None:
            self.by_signature.update(general.by_signature)
            self.texts.update(general.texts)
            self._shared.update(general.texts)
        self._by_constants: dict[tuple[Signature, tuple[int, ...]], dict[Row, list[Row]]] = {}

    def add(self, signature: Signature, arguments: tuple[Symbol, ...], texts: Row) -> None:
        """Add one fact (before any question is asked)."""
        if signature in self._shared:
            self.by_signature[signature] = list(self.by_signature[signature])
            self.texts[signature] = list(self.texts[signature])
            self._shared.discard(signature)
        elif signature not in self.texts:
            self.by_signature[signature] = []
            self.texts[signature] = []
        self.by_signature[signature].append(arguments)
        self.texts[signature].append(texts)

    def matching(self, signature: Signature, places: tuple[int, ...], constants: Row) -> Sequence[Row]:
        """The rows of a predicate that have some constants at some places."""
        if not places:
            return self.texts.get(signature, ())
        grouped = self._by_constants.get((signature, places))
        if grouped is None:
            grouped = self._by_constants[signature, places] = {}
            for row in self.texts.get(signature, ()):
                grouped.setdefault(tuple([row[p] for p in places]), []).append(row)
        return grouped.get(constants, ())


@dataclass(frozen=True, eq=False)
class _Compiled:
    """A clause as it is evaluated: which derived predicates and which rows of facts it takes, and its conditions.

    ``facts`` are numbers of requirements (a predicate with constants at places). A condition is (predicate, whether
    rules derive it, places and constants that are fixed, variables).
    """

    derived: frozenset[Signature]
    facts: frozenset[int]
    conditions: tuple[tuple[Signature, bool, tuple[int, ...], Row, tuple[tuple[int, str], ...]], ...]


class Liveness:
    """The clauses of a rule book in an order in which each mostly comes after those that it rests on."""

    def __init__(self, clauses: Sequence[Clause], answers: Iterable[Signature]) -> None:
        self._clauses = tuple(clauses)
        self._answers = tuple(answers)
        self._of_head: defaultdict[Signature, list[int]] = defaultdict(list)
        for number, clause in enumerate(clauses):
            self._of_head[clause.head].append(number)
        self._order = self._bottom_up()
        rank = {number: place for place, number in enumerate(self._order)}
        users: defaultdict[Signature, set[int]] = defaultdict(set)
        for number, clause in enumerate(clauses):
            for needed in clause.conditions:
                users[needed.signature].add(rank[number])
        self._users = {signature: sorted(places) for signature, places in users.items()}
        self._requirements: dict[tuple[Signature, tuple[int, ...], Row], int] = {}
        self._compiled = tuple(self._compile(clause) for clause in clauses)

    def __repr__(self) -> str:
        return f"Liveness({len(self._clauses)} rules)"

    def _compile(self, clause: Clause) -> _Compiled:
        conditions = []
        facts: set[int] = set()
        for needed in clause.conditions:
            places = tuple(position for position, _ in needed.fixed)
            constants = tuple(constant for _, constant in needed.fixed)
            derived = needed.signature in self._of_head
            if not derived:
                key = (needed.signature, places, constants)
                facts.add(self._requirements.setdefault(key, len(self._requirements)))
            conditions.append((needed.signature, derived, places, constants, needed.variables))
        derived_ones = frozenset(signature for signature, derived, *_ in conditions if derived)
        return _Compiled(derived_ones, frozenset(facts), tuple(conditions))

    def _bottom_up(self) -> list[int]:
        order: list[int] = []
        done: set[Signature] = set()
        for answer in self._answers:
            stack: list[tuple[Signature, bool]] = [(answer, False)]
            while stack:
                signature, expanded = stack.pop()
                if expanded:
                    order += self._of_head.get(signature, ())
                elif signature not in done:
                    done.add(signature)
                    stack.append((signature, True))
                    stack += [
                        (needed, False)
                        for number in self._of_head.get(signature, ())
                        for needed in self._clauses[number].needs
                    ]
        return order

    def live(self, facts: FactIndex, whole: bool = False) -> list[int]:
        """The numbers of the clauses that may fire over these facts, in order.

        Unless the ``whole`` is asked for, only those on which an answer may rest.
        """
        columns: dict[Signature, list[_Values | None]] = {
            signature: found for signature in self._of_head if (found := self._columns_of(signature, facts)) is not None
        }
        met = {number for (of, at, as_), number in self._requirements.items() if facts.matching(of, at, as_)}
        alive: set[int] = set()
        possible = [self._compiled[number].facts <= met for number in self._order]
        waiting = list(possible)
        place, last = 0, len(self._order)
        while place < last:
            number = self._order[place]
            place += 1
            if not waiting[place - 1] or not self._compiled[number].derived <= columns.keys():
                continue
            waiting[place - 1] = False
            clause = self._clauses[number]
            values = self._values(self._compiled[number], facts, columns)
            if values is None:
                continue
            alive.add(number)
            if self._extend(clause, values, columns):
                for user in self._users.get(clause.head, ()):
                    if possible[user]:
                        waiting[user] = True
                        place = min(place, user)
        return sorted(alive) if whole else self._needed(alive)

    def _values(
        self, clause: _Compiled, facts: FactIndex, columns: dict[Signature, list[_Values | None]]
    ) -> dict[str, _Values | None] | None:
        """The values left for each variable (None: any); None where some condition cannot be met."""
        values: dict[str, _Values | None] = {}
        for signature, derived, places, constants, variables in clause.conditions:
            if derived:
                known = columns[signature]
                for position, constant in zip(places, constants, strict=True):
                    column = known[position]
                    if column is not None and constant not in column:
                        return None
                found: Iterable[tuple[str, _Values | None]] = [(name, known[p]) for p, name in variables]
            else:
                rows = facts.matching(signature, places, constants)
                if len(rows) <= _JOINED_ROWS:
                    for p, name in variables:
                        held = values.get(name)
                        if held is not None:
                            rows = [row for row in rows if row[p] in held]
                    if not rows:
                        return None
                found = [(name, {row[p] for row in rows}) for p, name in variables]
            for name, column in found:
                held = values.get(name)
                if held is None or column is None:
                    values[name] = column if held is None else held
                    continue
                both = held & column
                if not both:
                    return None
                values[name] = both
        return values

    def _columns_of(self, signature: Signature, facts: FactIndex) -> list[_Values | None] | None:
        """What the facts alone give a predicate that rules derive too."""
        rows = facts.texts.get(signature)
        return [set(column) for column in zip(*rows, strict=True)] if rows else None

    def _extend(
        self,
        clause: Clause,
        values: dict[str, _Values | None],
        columns: dict[Signature, list[_Values | None]],
    ) -> bool:
        """Add to a predicate what a clause can derive; whether that was new."""
        known = columns.get(clause.head)
        grown = known is None
        if known is None:
            known = [set() for _ in clause.terms]
            columns[clause.head] = known
        for position, term in enumerate(clause.terms):
            column = known[position]
            if column is None:
                continue
            if term is None:
                new = None
            elif term[0]:
                new = values.get(term[1])
            else:
                new = {term[1]}
            if new is None:
                known[position] = None
                grown = True
            elif not new <= column:
                known[position] = column | new
                grown = True
        return grown

    def _needed(self, alive: set[int]) -> list[int]:
        """Those clauses on which an answer can rest."""
        found: set[int] = set()
        reached: set[Signature] = set()
        frontier = list(self._answers)
        while frontier:
            signature = frontier.pop()
            if signature in reached:
                continue
            reached.add(signature)
            for number in self._of_head.get(signature, ()):
                if number in alive:
                    found.add(number)
                    frontier += self._clauses[number].needs
        return sorted(found)
