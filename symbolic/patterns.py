"""The conditions of rules as patterns that can be matched against atoms one at a time, outside clingo.

The solver only needs to know which rules fire. To say how far a rule is from firing (``nearest``) its conditions must
be looked at one by one, with some of the variables bound. Terms without variables are their texts as clingo writes
them: two are equal exactly where their texts are. What cannot be looked at alone (aggregates, conditional literals,
intervals) is kept as text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, TypeAlias

from clingo import Symbol, SymbolType, parse_term
from clingo.ast import ASTType, BinaryOperator, ComparisonOperator, Sign, UnaryOperator

from .atoms import Signature
from .rulebook import Rule

Binding: TypeAlias = dict[str, str]
Row: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class Variable:
    """A variable."""

    name: str


@dataclass(frozen=True)
class Anything:
    """``_``: matches every term, each time on its own."""


@dataclass(frozen=True)
class Constant:
    """A term without variables."""

    text: str


@dataclass(frozen=True)
class Compound:
    """A function, or a tuple where the name is empty."""

    name: str
    arguments: tuple[Term, ...]


@dataclass(frozen=True)
class Operation:
    """Arithmetic; ``left`` is None where it has one operand."""

    operator: str
    left: Term | None
    right: Term


Term: TypeAlias = Variable | Anything | Constant | Compound | Operation

_BINARY: Final = {
    BinaryOperator.XOr: "^",
    BinaryOperator.Or: "?",
    BinaryOperator.And: "&",
    BinaryOperator.Plus: "+",
    BinaryOperator.Minus: "-",
    BinaryOperator.Multiplication: "*",
    BinaryOperator.Division: "/",
    BinaryOperator.Modulo: "\\",
    BinaryOperator.Power: "**",
}
_UNARY: Final = {UnaryOperator.Minus: "-", UnaryOperator.Negation: "~", UnaryOperator.Absolute: "|"}
_COMPARISON: Final = {
    ComparisonOperator.Equal: "=",
    ComparisonOperator.NotEqual: "!=",
    ComparisonOperator.LessThan: "<",
    ComparisonOperator.LessEqual: "<=",
    ComparisonOperator.GreaterThan: ">",
    ComparisonOperator.GreaterEqual: ">=",
}


@dataclass(frozen=True, eq=False)
class Atom:
    """A positive condition, or what a negative one is about; ``variables`` are those that must have values."""

    name: str
    arguments: tuple[Term, ...]
    variables: frozenset[str]
    signature: Signature = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "signature", (self.name, len(self.arguments)))

    def values(self, binding: Mapping[str, str]) -> tuple[str | None, ...]:
        """The arguments under a binding; None where one has no value yet."""
        return tuple([value(term, binding) for term in self.arguments])


@dataclass(frozen=True, eq=False)
class Absence:
    """``not atom``; with ``doubled`` it is ``not not atom``."""

    atom: Atom
    doubled: bool = False

    @property
    def variables(self) -> frozenset[str]:
        """The variables that must have values before it can be looked at."""
        return self.atom.variables


@dataclass(frozen=True, eq=False)
class Comparison:
    """``terms[0] operators[0] terms[1] operators[1] ...``; ``negated`` where a ``not`` stands before it."""

    terms: tuple[Term, ...]
    operators: tuple[str, ...]
    negated: bool
    variables: frozenset[str]


@dataclass(frozen=True, eq=False)
class Unchecked:
    """A condition that cannot be looked at alone."""

    text: str


Literal: TypeAlias = Atom | Absence | Comparison | Unchecked


@dataclass(frozen=True, eq=False)
class Pattern:
    """One case of a rule: its head and its conditions, in the order of the file."""

    rule: Rule
    head: Atom
    body: tuple[Literal, ...]


def patterns(rule: Rule) -> list[Pattern]:
    """A rule as patterns, one for each case that its pools stand for; a case with an odd head is left out."""
    found = []
    for case in rule.ast.unpool():
        head = _atom(case.head.atom.symbol)
        if head is not None:
            found.append(Pattern(rule, head, tuple(_literal(literal) for literal in case.body)))
    return found


class _NoPattern(Exception):
    """A term that no pattern stands for."""


def _term(term: Any, names: set[str]) -> Term:
    kind = term.ast_type
    if kind == ASTType.Variable:
        if term.name == "_":
            return Anything()
        names.add(term.name)
        return Variable(term.name)
    if kind == ASTType.SymbolicTerm:
        return Constant(str(term.symbol))
    if kind == ASTType.Function:
        arguments = tuple(_term(argument, names) for argument in term.arguments)
        if all(isinstance(argument, Constant) for argument in arguments):
            return Constant(_function(term.name, [a.text for a in arguments if isinstance(a, Constant)]))
        return Compound(term.name, arguments)
    if kind == ASTType.BinaryOperation:
        return Operation(_BINARY[term.operator_type], _term(term.left, names), _term(term.right, names))
    if kind == ASTType.UnaryOperation:
        return Operation(_UNARY[term.operator_type], None, _term(term.argument, names))
    raise _NoPattern


def _atom(symbol: Any) -> Atom | None:
    names: set[str] = set()
    try:
        arguments = tuple(_term(argument, names) for argument in symbol.arguments)
    except _NoPattern:
        return None
    return Atom(symbol.name, arguments, frozenset(names))


def _literal(literal: Any) -> Literal:
    kind = literal.atom.ast_type if literal.ast_type == ASTType.Literal else None
    if kind == ASTType.SymbolicAtom:
        atom = _atom(literal.atom.symbol)
        if atom is not None:
            return atom if literal.sign == Sign.NoSign else Absence(atom, literal.sign == Sign.DoubleNegation)
    if kind == ASTType.Comparison:
        names: set[str] = set()
        try:
            terms = [_term(t, names) for t in (literal.atom.term, *(guard.term for guard in literal.atom.guards))]
        except _NoPattern:
            return Unchecked(str(literal))
        operators = tuple(_COMPARISON[guard.comparison] for guard in literal.atom.guards)
        return Comparison(tuple(terms), operators, literal.sign == Sign.Negation, frozenset(names))
    return Unchecked(str(literal))


# ---- Terms under a binding


def value(term: Term, binding: Mapping[str, str]) -> str | None:
    """What a term stands for; None where a variable has no value, or arithmetic none (a sum with a name in it)."""
    if isinstance(term, Variable):
        return binding.get(term.name)
    if isinstance(term, Constant):
        return term.text
    if isinstance(term, Compound):
        values = [value(argument, binding) for argument in term.arguments]
        known = [v for v in values if v is not None]
        return _function(term.name, known) if len(known) == len(values) else None
    if isinstance(term, Operation):
        right = value(term.right, binding)
        left = "" if term.left is None else value(term.left, binding)
        if right is None or left is None:
            return None
        return _evaluated(f"|{right}|" if term.operator == "|" else f"{left}{term.operator}({right})")
    return None


def _function(name: str, arguments: Sequence[str]) -> str:
    comma = "," if not name and len(arguments) == 1 else ""
    return f"{name}({','.join(arguments)}{comma})" if arguments or not name else name


@lru_cache(maxsize=4096)
def _evaluated(text: str) -> str | None:
    # clingo's own arithmetic, which differs from Python's in division and at the ends of 32 bits.
    symbol = _symbol(text)
    return None if symbol is None else str(symbol)


@lru_cache(maxsize=4096)
def _symbol(text: str) -> Symbol | None:
    try:
        return parse_term(text, logger=lambda *_: None)
    except RuntimeError:
        return None


def match(term: Term, text: str, binding: Binding) -> bool:
    """Whether a term can be a given one; binds its variables (also where it fails: give a copy)."""
    if isinstance(term, Variable):
        return binding.setdefault(term.name, text) == text
    if isinstance(term, Constant):
        return term.text == text
    if isinstance(term, Anything):
        return True
    if isinstance(term, Compound):
        symbol = _symbol(text)
        return (
            symbol is not None
            and symbol.type == SymbolType.Function
            and symbol.positive
            and symbol.name == term.name
            and len(symbol.arguments) == len(term.arguments)
            and all(match(t, str(s), binding) for t, s in zip(term.arguments, symbol.arguments, strict=True))
        )
    known = value(term, binding)
    return known == text if known is not None else _invert(term, text, binding)


def _invert(term: Operation, text: str, binding: Binding) -> bool:
    """``T+1`` is 3 where T is 2: clingo reads sums and differences backwards as well."""
    if term.left is None or term.operator not in ("+", "-"):
        return False
    left, right = value(term.left, binding), value(term.right, binding)
    if right is not None:
        found = _evaluated(f"{text}{'-' if term.operator == '+' else '+'}({right})")
        return found is not None and match(term.left, found, binding)
    if left is not None:
        found = _evaluated(f"{text}-({left})" if term.operator == "+" else f"{left}-({text})")
        return found is not None and match(term.right, found, binding)
    return False


def compares(comparison: Comparison, binding: Mapping[str, str]) -> bool:
    """Whether a comparison holds, all its variables having values; one whose arithmetic has none does not."""
    symbols = [None if v is None else _symbol(v) for v in (value(term, binding) for term in comparison.terms)]
    if any(symbol is None for symbol in symbols):
        return False
    holds = all(
        _compare(left, operator, right)
        for left, operator, right in zip(symbols, comparison.operators, symbols[1:], strict=False)
    )
    return holds != comparison.negated


def _compare(left: Any, operator: str, right: Any) -> bool:
    if operator == "=":
        return bool(left == right)
    if operator == "!=":
        return bool(left != right)
    if operator in ("<", "<="):
        return bool(left < right or (operator == "<=" and left == right))
    return bool(right < left or (operator == ">=" and left == right))


def assigned(comparison: Comparison, binding: Binding) -> bool:
    """Bind the variables that an equation gives a value, such as E in ``E = f(X)``; whether it gave any."""
    if comparison.operators != ("=",) or comparison.negated or comparison.variables <= binding.keys():
        return False
    for term, other in (comparison.terms, comparison.terms[::-1]):
        known = value(other, binding)
        if known is not None and value(term, binding) is None:
            given = dict(binding)
            if match(term, known, given) and len(given) > len(binding):
                binding.update(given)
                return True
    return False


# ---- What holds


class World:
    """The true atoms of one story, found by any of their arguments.

    ``lexicon`` are the predicates of which words are listed; where such an atom is asked for without a word, ``few`` of
    the many that there can be stand for all.
    """

    few: Final = 3

    def __init__(self, rows: Mapping[Signature, Sequence[Row]], lexicon: Collection[Signature] = ()) -> None:
        self._rows = rows
        self._lexicon = frozenset(lexicon)
        self._indices: dict[tuple[Signature, tuple[int, ...]], dict[Row, list[Row]]] = {}

    def candidates(self, atom: Atom, binding: Mapping[str, str]) -> Sequence[Row]:
        """The rows that agree with an atom wherever it has a value (its open arguments may still not match)."""
        rows = self._rows.get(atom.signature)
        if not rows:
            return ()
        fixed: list[int] = []
        known: list[str] = []
        for place, term in enumerate(atom.arguments):
            text = binding.get(term.name) if isinstance(term, Variable) else value(term, binding)
            if text is not None:
                fixed.append(place)
                known.append(text)
        unnamed = atom.signature in self._lexicon and not any(text.startswith('"') for text in known)
        if not fixed:
            return rows[: self.few] if unnamed else rows
        key = (atom.signature, tuple(fixed))
        index = self._indices.get(key)
        if index is None:
            found: defaultdict[Row, list[Row]] = defaultdict(list)
            for row in rows:
                found[tuple([row[place] for place in fixed])].append(row)
            index = self._indices[key] = dict(found)
        found_rows = index.get(tuple(known), ())
        return found_rows[: self.few] if unnamed else found_rows

    def matches(self, atom: Atom, binding: Mapping[str, str]) -> Iterator[tuple[Row, Binding]]:
        """The rows that an atom can be, each with the binding that makes it so."""
        for row in self.candidates(atom, binding):
            extended = dict(binding)
            if all(match(term, text, extended) for term, text in zip(atom.arguments, row, strict=True)):
                yield row, extended
