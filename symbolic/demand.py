"""Which classes of verbs the rules ask for: a class that none asks for says nothing, however many verbs it has.

A rule asks for a class by name (``verb_class(V,opens)``), or for those of a list that other facts give
(``verb_class(V,C), loss_class(C,Why)``), or for any (``verb_class(V,_)``). Where the text of a rule does not tell
which, it counts as asking for all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, Final

from clingo import Symbol, parse_term
from clingo.ast import AST, ASTType, Sign

from .atoms import Signature
from .pack import Entry
from .rulebook import Rule

VERB_CLASS: Final = ("verb_class", 2)
_CLASS: Final = 1  # the argument of verb_class that is the class


def classes_asked_for(rules: Iterable[Rule | Entry]) -> frozenset[str] | None:
    """The classes of verbs that some rule asks for; None where a rule may ask for any, or where no rule asks at all."""
    rules = list(rules)
    lists = _Lists(rules)
    asked: set[str] = set()
    for rule in rules:
        if not any(use.signature == VERB_CLASS for use in rule.uses):
            continue
        for statement in _tree(rule).unpool():
            found = _asked(statement, lists)
            if found is None:
                return None
            asked |= found
    return frozenset(asked) or None


def _asked(statement: Any, lists: _Lists) -> set[str] | None:
    """The classes that one rule asks for, None for any."""
    asked: set[str] = set()
    atoms = list(_atoms(statement))
    for term in (atom.arguments[_CLASS] for atom, _ in atoms if _signature(atom) == VERB_CLASS):
        name = _constant(term)
        if name is not None:
            asked.add(name)
            continue
        given = [
            values
            for atom, positive in atoms
            if positive and _signature(atom) != VERB_CLASS
            for position, other in enumerate(atom.arguments)
            if term.ast_type == ASTType.Variable and other.ast_type == ASTType.Variable and other.name == term.name
            if (values := lists.values(_signature(atom), position)) is not None
        ]
        if not given or term.name == "_":
            return None
        asked |= set.intersection(*given)
    return asked


class _Lists:
    """The predicates that facts alone define, and what these have at each position."""

    def __init__(self, rules: Iterable[Rule | Entry]) -> None:
        self._facts: defaultdict[Signature, list[Rule | Entry]] = defaultdict(list)
        self._derived: set[Signature] = set()
        for rule in rules:
            for signature in rule.derives:
                if rule.uses:
                    self._derived.add(signature)
                else:
                    self._facts[signature].append(rule)

    def values(self, signature: Signature, position: int) -> set[str] | None:
        """The constants at one position of a predicate; None where rules derive it, or the story gives it."""
        if signature in self._derived or signature not in self._facts:
            return None
        try:
            return {str(s.arguments[position]) for rule in self._facts[signature] for s in _symbols(rule, signature)}
        except RuntimeError:  # an interval or a sum: the grounder's business
            return None


def _symbols(rule: Rule | Entry, signature: Signature) -> Iterator[Symbol]:
    if rule.fact is not None:
        yield rule.fact
        return
    for statement in _tree(rule).unpool():
        if _signature(statement.head.atom.symbol) == signature:
            yield parse_term(str(statement.head.atom.symbol))


def _tree(rule: Rule | Entry) -> AST:
    return rule.ast if isinstance(rule, Rule) else rule.node


def _atoms(statement: Any) -> Iterator[tuple[Any, bool]]:
    """The atoms of a rule's body, wherever they stand, with whether each must hold."""
    for literal in statement.body:
        plain = literal.ast_type == ASTType.Literal and literal.atom.ast_type == ASTType.SymbolicAtom
        if plain:
            yield literal.atom.symbol, literal.sign == Sign.NoSign
        else:
            yield from ((atom, False) for atom in _inside(literal))


def _inside(node: Any) -> Iterator[Any]:
    if node.ast_type == ASTType.SymbolicAtom and node.symbol.ast_type == ASTType.Function:
        yield node.symbol
        return
    for key in node.child_keys:
        child = getattr(node, key)
        for part in () if child is None else [child] if hasattr(child, "ast_type") else child:
            yield from _inside(part)


def _signature(atom: Any) -> Signature:
    return atom.name, len(atom.arguments)


def _constant(term: Any) -> str | None:
    if term.ast_type == ASTType.SymbolicTerm:
        return str(term.symbol)
    return str(term) if term.ast_type == ASTType.Function and not term.arguments else None
