"""What rules derive and use, and whether a rule book has exactly one answer.

:func:`read_rule` passes only plain rules and facts: no choices, disjunctions, constraints or theory atoms.
:func:`negative_cycle` finds a predicate that depends on its own absence. A dependency on an earlier sentence is no
cycle: ``inside(T,..)`` may rest on ``not moved(T,..)`` and ``moved(T,..)`` on ``inside(T-1,..)`` (Przymusinski's local
stratification, by the first argument). A book that passes has one stable model, whatever the facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

from clingo import ast

from .atoms import Atom, Signature, read_literal


@dataclass(frozen=True)
class Use:
    """A predicate in a rule's body; ``order`` tells its first argument (the sentence) from the head's.

    ``order`` is "earlier" (``T-1`` in the body for ``T`` in the head, or ``S`` with ``S < T``), "same", or "unknown".
    ``negative`` also covers aggregates and conditional literals: what they count must be settled before.
    """

    signature: Signature
    negative: bool
    order: str


_SHIFT: Final = re.compile(r"\(?(_*[A-Z][\w']*)(?:([-+])(\d+))?\)?$")


def _shifted(term: str) -> tuple[str, int] | None:
    match = _SHIFT.match(term)
    return (match[1], int((match[2] or "+") + (match[3] or "0"))) if match else None


def _order(head: str | None, body: str | None, before: set[tuple[str, str]]) -> str:
    h, b = _shifted(head or ""), _shifted(body or "")
    if h is None or b is None:
        return "unknown"
    if h[0] == b[0]:
        return "earlier" if b[1] < h[1] else "same" if b[1] == h[1] else "unknown"
    return "earlier" if (b[0], h[0]) in before and b[1] <= h[1] else "unknown"


def _functions(symbol: Any) -> Iterator[Any]:
    """The atoms of a symbolic atom (several for a pool ``p(1;2)``)."""
    kind = symbol.ast_type
    if kind == ast.ASTType.Function:
        yield symbol
    elif kind == ast.ASTType.Pool:
        for argument in symbol.arguments:
            yield from _functions(argument)
    else:
        raise ValueError(_STRONG)


def _atoms(literal: Any) -> Iterator[tuple[Signature, str | None, bool]]:
    """(signature, first argument, negated) of the atoms of a literal or conditional literal or aggregate."""
    kind = literal.ast_type
    if kind == ast.ASTType.ConditionalLiteral:
        for part in (literal.literal, *literal.condition):
            yield from ((s, f, True) for s, f, _ in _atoms(part))
        return
    if kind != ast.ASTType.Literal:
        return
    atom = literal.atom
    kind = atom.ast_type
    if kind == ast.ASTType.SymbolicAtom:
        negated = literal.sign != ast.Sign.NoSign
        for function in _functions(atom.symbol):
            arguments = function.arguments
            yield (function.name, len(arguments)), (str(arguments[0]) if arguments else None), negated
    elif kind == ast.ASTType.BodyAggregate:
        for element in atom.elements:
            for condition in element.condition:
                yield from ((s, f, True) for s, f, _ in _atoms(condition))
    elif kind == ast.ASTType.Aggregate:
        for element in atom.elements:
            yield from ((s, f, True) for s, f, _ in _atoms(element))


def _strictly_before(comparisons: list[Any]) -> set[tuple[str, str]]:
    """The pairs of variables (S, T) for which comparisons say S < T."""
    pairs = set()
    for literal in comparisons:
        if literal.sign != ast.Sign.NoSign:
            continue
        left = str(literal.atom.term)
        for guard in literal.atom.guards:
            right = str(guard.term)
            if guard.comparison == ast.ComparisonOperator.LessThan:
                pairs.add((left, right))
            elif guard.comparison == ast.ComparisonOperator.GreaterThan:
                pairs.add((right, left))
            left = right
    return pairs


_HEADS: Final = {
    ast.ASTType.Aggregate: "a choice rule gives several answers, and a rule book must have exactly one:"
    " derive the atom by a plain rule",
    ast.ASTType.HeadAggregate: "a choice rule gives several answers, and a rule book must have exactly one:"
    " derive the atom by a plain rule",
    ast.ASTType.Disjunction: "a disjunction gives several answers, and a rule book must have exactly one:"
    " write a rule for each case",
    ast.ASTType.TheoryAtom: "theory atoms are refused: use plain rules",
}
_CONSTRAINT: Final = (
    "an integrity constraint removes the answer instead of explaining it:"
    " derive conflict(I,J,rule_name,Entity,Attribute) in the head instead"
)
_STRONG: Final = "classical negation (-p) is a hidden constraint: use another predicate name, such as not_p"


def read_rule(node: ast.AST) -> tuple[tuple[Signature, ...], tuple[Use, ...]]:
    """The predicates that a rule derives and uses.

    Raises:
        ValueError: it is not a plain rule or fact (the message says what to write instead).
    """
    rule: Any = node
    heads = [(atom[0], atom[1]) for atom in _head(rule.head)]
    comparisons: list[Any] = []
    found: list[tuple[Signature, str | None, bool]] = []
    for literal in rule.body:
        plain = read_literal(str(literal))
        if plain is not None:
            found.append((plain[1].signature, _first(plain[1]), plain[0] > 0))
            continue
        if literal.ast_type == ast.ASTType.Literal:
            kind = literal.atom.ast_type
            if kind == ast.ASTType.TheoryAtom:
                raise ValueError(_HEADS[kind])
            if kind == ast.ASTType.Comparison:
                comparisons.append(literal)
                continue
        found.extend(_atoms(literal))
    before = _strictly_before(comparisons)
    uses = []
    for signature, first, negative in found:
        orders = {_order(head, first, before) for _, head in heads}
        uses.append(Use(signature, negative, orders.pop() if len(orders) == 1 else "unknown"))
    return tuple(dict.fromkeys(signature for signature, _ in heads)), tuple(uses)


def _first(atom: Atom) -> str | None:
    return atom.terms[0].text if atom.terms else None


def _head(head: Any) -> list[tuple[Signature, str | None]]:
    plain = read_literal(str(head))
    if plain is not None and not plain[0] and not plain[1].name.startswith("_"):
        return [(plain[1].signature, _first(plain[1]))]
    kind = head.ast_type
    if kind in _HEADS:
        raise ValueError(_HEADS[kind])
    if head.atom.ast_type in (ast.ASTType.BooleanConstant, ast.ASTType.Comparison):
        raise ValueError(_CONSTRAINT)
    if head.sign != ast.Sign.NoSign:
        raise ValueError("'not' in the head is a hidden constraint: derive an atom instead")
    if head.atom.ast_type != ast.ASTType.SymbolicAtom:
        raise ValueError("the head of a rule must be one atom")
    atoms = [(signature, first) for signature, first, _ in _atoms(head)]
    for (name, _), _ in atoms:
        if name.startswith("_"):
            raise ValueError(f"predicates that start with '_' ({name}) are reserved: use another name")
    return atoms


class Deriving(Protocol):
    """What :func:`negative_cycle` needs to know of a rule."""

    @property
    def derives(self) -> tuple[Signature, ...]:
        """The predicates of its head."""

    @property
    def uses(self) -> tuple[Use, ...]:
        """The predicates of its body."""


@dataclass(frozen=True)
class Cycle:
    """A predicate that depends on its own absence: ``path`` starts and ends with it; ``rule`` holds the ``not``."""

    path: tuple[Signature, ...]
    rule: Any

    def __str__(self) -> str:
        names = [f"{name}/{arity}" for name, arity in self.path]
        rest = ", which depends on ".join(names[1:])
        return f"{names[0]} depends on the absence (or a count) of {rest}"


_Labels = list[tuple[Use, Deriving]]


def negative_cycle(rules: Iterable[Deriving]) -> Cycle | None:
    """A cycle through negation that no order of the sentences breaks, or None (then there is one stable model)."""
    edges: dict[tuple[Signature, Signature], _Labels] = {}
    for rule in rules:
        for use in rule.uses:
            for head in rule.derives:
                edges.setdefault((head, use.signature), []).append((use, rule))
    edges = _cyclic(edges)
    if not any(use.negative for labels in edges.values() for use, _ in labels):
        return None
    for component in _components(edges):
        inner = {e: labels for e, labels in edges.items() if {*e} <= component}
        if all(use.order != "unknown" for labels in inner.values() for use, _ in labels):
            # Within one sentence only: what rests on an earlier sentence is settled before.
            same = {e: [x for x in labels if x[0].order == "same"] for e, labels in inner.items()}
            same = {e: labels for e, labels in same.items() if labels}
            candidates = [{e: x for e, x in same.items() if {*e} <= c} for c in _components(same)]
        else:
            candidates = [inner]
        for candidate in candidates:
            for (head, used), labels in sorted(candidate.items(), key=lambda item: item[0]):
                for use, rule in labels:
                    if use.negative:
                        return Cycle((head, *_path(candidate, used, head)), rule)
    return None


def _cyclic(edges: dict[tuple[Signature, Signature], _Labels]) -> dict[tuple[Signature, Signature], _Labels]:
    """The edges that may lie on a cycle: predicates that nothing reaches, or that reach nothing, are peeled off."""
    while True:
        inside = {head for head, _ in edges} & {used for _, used in edges}
        kept = {e: labels for e, labels in edges.items() if {*e} <= inside}
        if len(kept) == len(edges):
            return kept
        edges = kept


def _components(edges: Iterable[tuple[Signature, Signature]]) -> list[set[Signature]]:
    """The sets of predicates that depend on each other, each of them on itself.

    Without networkx, whose import takes a tenth of a second and which a worker that may open no file cannot import.
    """
    uses: dict[Signature, set[Signature]] = {}
    for head, used in edges:
        uses.setdefault(head, set()).add(used)
    size = -1
    while size != len(uses):  # what rests on no other predicate of these is on no cycle
        size = len(uses)
        uses = {head: kept for head, used in uses.items() if (kept := used & uses.keys())}
    reached = {head: _reached(head, uses) for head in uses}
    found: list[set[Signature]] = []
    placed: set[Signature] = set()
    for head in sorted(uses):
        if head in reached[head] and head not in placed:
            group = {other for other in reached[head] if head in reached[other]}
            placed |= group
            found.append(group)
    return found


def _path(edges: Iterable[tuple[Signature, Signature]], start: Signature, end: Signature) -> list[Signature]:
    import networkx as nx

    return list(nx.shortest_path(nx.DiGraph(list(edges)), start, end))


def recursive(rules: Iterable[Deriving]) -> dict[Signature, int]:
    """The predicates that depend on themselves, each with the number of its group (those that depend on each other)."""
    edges = {(head, use.signature) for rule in rules for use in rule.uses for head in rule.derives}
    return {signature: number for number, group in enumerate(_components(edges)) for signature in group}


def _reached(start: Signature, uses: dict[Signature, set[Signature]]) -> set[Signature]:
    found: set[Signature] = set()
    frontier = list(uses[start])
    while frontier:
        predicate = frontier.pop()
        if predicate not in found:
            found.add(predicate)
            frontier += uses[predicate]
    return found
