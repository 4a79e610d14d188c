"""Which rules can ground for ever, to millions of atoms, or overflow, as far as their text shows it.

A rule that builds a larger term from what it derived itself, ``f(N+1) :- f(N).``, has no end unless something bounds
the term: a comparison (``N < 10``), or an atom outside the recursion (``sentence(N+1)``). Nothing here is needed to be
safe (that is ``sandbox``): it is to tell the author which rule it was.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from clingo import Symbol, SymbolType
from clingo.ast import ASTType, ComparisonOperator, Sign

from .atoms import Signature, read_literal, variables
from .dependency import recursive
from .rulebook import Rule

_INTERVAL: Final = re.compile(r"(-?\d+)\s*\.\.\s*(-?\d+)")
_LARGE: Final = 1_000_000
_NEAR_OVERFLOW: Final = 2**30
_BUILT: Final = (ASTType.BinaryOperation, ASTType.Function, ASTType.UnaryOperation)


def suspects(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules that can ground for ever or to millions of atoms, in order; those whose text does not tell are not."""
    proper = [rule for rule in rules if rule.fact is None]
    together = recursive(proper)
    return tuple(rule for rule in proper if _interval(rule) or _grows(rule, together))


def products(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules that put a million facts together which share no variable, as ``p(X,Y) :- n(X), n(Y).``, in order."""
    rules = list(rules)
    facts: Counter[Signature] = Counter()
    for rule in rules:
        if not rule.uses:
            facts.update(dict.fromkeys(rule.derives, _expanded(rule)))
    return tuple(rule for rule in rules if rule.uses and _combinations(rule, facts) >= _LARGE)


def blame(rules: Iterable[Rule]) -> str:
    """The end of a message about rules that were stopped: those suspected and what to do, or nothing."""
    rules = list(rules)
    for found, cure in (
        (suspects(rules), "bound what it counts, as in sentence(N)"),
        (products(rules), "its conditions share no variable: join them"),
    ):
        if found:
            named = ", ".join(f"'{rule.name}' ({rule.location})" for rule in found[:3])
            return f"likely rule: {named}: {cure}"
    return ""


def near_overflow(symbols: Iterable[Symbol]) -> Symbol | None:
    """An atom with a number beyond 2^30, if any: clingo's integers wrap at 32 bits without a word."""
    for symbol in symbols:
        stack = [symbol]
        while stack:
            term = stack.pop()
            if term.type == SymbolType.Number and abs(term.number) >= _NEAR_OVERFLOW:
                return symbol
            if term.type == SymbolType.Function:
                stack.extend(term.arguments)
    return None


def _expanded(rule: Rule) -> int:
    """How many facts a statement without a body stands for, as far as its intervals say it."""
    return math.prod(max(0, int(b) - int(a) + 1) for a, b in _INTERVAL.findall(rule.entry.statement.code))


def _combinations(rule: Rule, facts: Mapping[Signature, int]) -> int:
    """How many ways there are to choose a fact for each group of a rule's conditions that variables join."""
    groups: list[tuple[set[str], int]] = []
    for literal in rule.body:
        read = read_literal(str(literal))
        if read is None or read[0]:
            continue
        names, size = set(variables(str(literal))), max(1, facts.get(read[1].signature, 1))
        joined = [group for group in groups if group[0] & names]
        groups = [group for group in groups if not group[0] & names]
        # Those that are joined leave at most as many as the smallest of them has: good enough for a suspicion.
        groups.append((names.union(*(g for g, _ in joined)), min([size, *(n for _, n in joined)])))
    return math.prod(size for _, size in groups)


def _interval(rule: Rule) -> bool:
    return any(int(b) - int(a) >= _LARGE for a, b in _INTERVAL.findall(rule.entry.statement.code))


def _grows(rule: Rule, together: dict[tuple[str, int], int]) -> bool:
    group = {together.get(signature) for signature in rule.derives} - {None}
    if not group:
        return False
    inner: set[str] = set()  # the variables that the recursion brings
    outside: set[str] = set()  # the terms and variables that something else bounds
    equal: dict[str, Any] = {}
    for literal in rule.body:
        if literal.ast_type != ASTType.Literal or literal.sign != Sign.NoSign:
            continue
        atom = literal.atom
        if atom.ast_type == ASTType.Comparison:
            guard = atom.guards[0]
            if guard.comparison == ComparisonOperator.Equal and len(atom.guards) == 1:
                for left, right in ((atom.term, guard.term), (guard.term, atom.term)):
                    if left.ast_type == ASTType.Variable and right.ast_type in _BUILT:
                        equal[left.name] = right
            else:
                outside.update(variables(str(literal)))
        elif atom.ast_type == ASTType.SymbolicAtom and atom.symbol.ast_type == ASTType.Function:
            symbol = atom.symbol
            if together.get((symbol.name, len(symbol.arguments))) in group:
                inner.update(variables(str(symbol)))
            else:
                outside.update(str(argument) for argument in symbol.arguments)
    head = rule.head.atom.symbol
    if head.ast_type != ASTType.Function:
        return False
    return any(_unbounded(term, inner, outside, equal) for term in head.arguments)


def _unbounded(term: Any, inner: set[str], outside: set[str], equal: dict[str, Any]) -> bool:
    if str(term) in outside:
        return False
    if term.ast_type == ASTType.Variable:
        if term.name not in equal:
            return False
        term = equal[term.name]
    if term.ast_type not in _BUILT or str(term) in outside:
        return False
    used = set(variables(str(term)))
    return bool(used & inner) and not used & outside
