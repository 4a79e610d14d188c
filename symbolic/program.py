"""The rule book as programs for clingo: one that tells what holds, and one that tells how it was derived.

The first holds the rules as they are. The second, the trace, is grounded after it and only where a conflict was found:
for a rule ``h :- b, c, not d.`` numbered 7 it holds ``_r7(h, (b,c,), (d,), (X,Y,)) :- b, c, not d.``, whose ground
instances name the rule's head, what it used, what it relied on being absent, and the values of the wording's variables.

Compiling a rule costs clingo more than grounding it over a story's facts, so a story gets only the rules whose positive
conditions could all be met (``Program.live``) and the facts that its words lead to (``relevance``). Neither changes
what follows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from clingo import Symbol, SymbolType, parse_term
from clingo.ast import AST, ASTType, Sign, Transformer, Variable

from .dependency import Signature
from .pack import variables
from .relevance import Fact, Lexicon, select
from .rulebook import Rule, RuleBook
from .safety import ARGUMENT

TRACE = "_r"
CONFLICT: Signature = ("conflict", 5)
RESOLVED: Signature = ("resolved", 3)
# What the engine reads back from the rules; all else serves these.
ANSWERS = (CONFLICT, RESOLVED)


class _Name(Transformer):
    """Give every ``_`` and every interval of a literal a name, so that the trace can say what it matched."""

    def __init__(self) -> None:
        self.count = 0
        self.anonymous = True  # whether ``_`` is named as well: not under "not", where it means "for no value"
        self.intervals: list[str] = []  # "Name = 1..3": what the named intervals still have to satisfy

    def visit_Variable(self, variable: AST) -> AST:
        return variable.update(name=self._fresh()) if self.anonymous and variable.name == "_" else variable

    def visit_Interval(self, interval: AST) -> AST:
        name = self._fresh()
        self.intervals.append(f"{name} = {interval}")
        return Variable(interval.location, name)

    def _fresh(self) -> str:
        self.count += 1
        return f"_Any{self.count}"


class _Forget(Transformer):
    """Replace ``_`` by a constant, for atoms under ``not``: there it means "for no value"."""

    def visit_Variable(self, variable: AST) -> AST:
        return variable if variable.name != "_" else variable.update(name="any")


@dataclass(frozen=True)
class Condition:
    """A positive condition of a rule: a predicate, and the constants that it fixes as (position, constant)."""

    signature: Signature
    positions: tuple[int, ...]
    constants: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class TracedRule:
    """One rule (one case of it, where it has pools): as it is and as a trace, and what a story must meet for it.

    ``number`` is its place among all, and in the name of its trace's predicate; ``words`` are the variables whose
    values the trace gives for the wording; ``reason`` is the name of a conflict's third argument, where it is fixed.
    """

    number: int
    rule: Rule
    plain: str
    trace: str
    head: Signature
    conditions: tuple[Condition, ...]
    words: tuple[str, ...]
    reason: str | None


class FactIndex:
    """Facts by predicate, and which constants they have at which positions."""

    def __init__(self, facts: Iterable[Fact] = ()) -> None:
        self.by_signature: defaultdict[Signature, list[tuple[Symbol, ...]]] = defaultdict(list)
        for fact in facts:
            self.by_signature[fact.signature].append(fact.arguments)
        self._seen: dict[tuple[Signature, tuple[int, ...]], set[tuple[str, ...]]] = {}

    def add(self, signature: Signature, arguments: tuple[Symbol, ...]) -> None:
        """Add one fact (before any question is asked)."""
        self.by_signature[signature].append(arguments)

    def meets(self, condition: Condition) -> bool:
        """Whether some fact has the condition's predicate and constants."""
        rows = self.by_signature.get(condition.signature)
        if not rows:
            return False
        if not condition.positions:
            return True
        key = (condition.signature, condition.positions)
        if key not in self._seen:
            self._seen[key] = {tuple(str(row[p]) for p in condition.positions) for row in rows}
        return condition.constants in self._seen[key]


@dataclass(frozen=True, eq=False)
class Program:
    """A compiled rule book: its ``traced`` rules in order, its own ``facts`` by their text, and how to find those."""

    traced: tuple[TracedRule, ...]
    facts: Mapping[str, Fact] = field(repr=False)
    lexicon: Lexicon = field(repr=False)

    def live(self, index: FactIndex) -> list[TracedRule]:
        """The rules whose positive conditions can all be met by these facts and by other such rules."""
        found: set[int] = set()
        reached: set[Signature] = set()
        missing: list[set[Signature]] = []
        waiting: defaultdict[Signature, list[int]] = defaultdict(list)
        frontier: list[int] = []
        for number, rule in enumerate(self.traced):
            unmet = {c.signature for c in rule.conditions if not index.meets(c)}
            missing.append(unmet)
            for signature in unmet:
                waiting[signature].append(number)
            if not unmet:
                frontier.append(number)
        while frontier:
            number = frontier.pop()
            found.add(number)
            head = self.traced[number].head
            if head not in reached:
                reached.add(head)
                for other in waiting[head]:
                    missing[other].discard(head)
                    if not missing[other]:
                        frontier.append(other)
        return [self.traced[number] for number in sorted(found)]


def program_text(live: Sequence[TracedRule], facts: FactIndex) -> str:
    """The program that tells what holds: the live rules over some facts.

    Facts enter through one function each, as symbols: nothing of a story is ever parsed.
    """
    lines = [rule.plain for rule in live]
    used = {condition.signature for rule in live for condition in rule.conditions}
    used.update(use.signature for rule in live for use in rule.rule.uses if use.negative)
    for name, arity in sorted(used & facts.by_signature.keys()):
        terms = ",".join(f"A{k}" for k in range(arity))
        given, atom = (f"({terms},)", f"{name}({terms})") if arity else ("1", name)
        lines.append(f'{atom} :- {given} = @facts("{name}",{arity}).')
    return "\n".join(lines)


def trace_text(live: Sequence[TracedRule], conflicts: Iterable[Symbol]) -> str:
    """The trace of all live rules that some conflicts can rest on; it is grounded on top of ``program_text``."""
    reasons = {_name(conflict.arguments[2]) for conflict in conflicts}
    by_head: defaultdict[Signature, list[TracedRule]] = defaultdict(list)
    for rule in live:
        if rule.head != CONFLICT or rule.reason in reasons or rule.reason is None:
            by_head[rule.head].append(rule)
    reached: set[Signature] = set()
    frontier = [CONFLICT]
    while frontier:
        signature = frontier.pop()
        if signature not in reached:
            reached.add(signature)
            frontier += [c.signature for rule in by_head[signature] for c in rule.conditions]
    return "\n".join(rule.trace for signature in sorted(reached) for rule in by_head[signature])


def _name(reason: Symbol) -> str:
    return reason.name if reason.type == SymbolType.Function else str(reason)


def compile_program(book: RuleBook) -> Program:
    """Split a rule book into facts and rules; what no answer can rest on is left out."""
    facts: dict[str, Fact] = {}
    traced: list[TracedRule] = []
    statements: list[AST] = []
    used = _predicates_of_answers(book)
    for rule in book.rules:
        if not used.intersection(rule.derives):
            continue
        # A conflict is always a rule, that its proof may have a root.
        found = None if CONFLICT in rule.derives else _facts(rule)
        if found is None:
            for statement in rule.ast.unpool():
                compiled = _traced(len(traced), rule, statement)
                traced.append(compiled)
                statements.append(statement)
            continue
        for fact in found:
            facts.setdefault(fact.text, fact)
    return Program(
        tuple(traced),
        facts,
        select(
            list(facts.values()),
            statements,
            frozenset(rule.head for rule in traced),
            ANSWERS,
        ),
    )


def _facts(rule: Rule) -> list[Fact] | None:
    """The facts that a statement stands for (several for a pool such as ``p(a;b).``); None for a proper rule."""
    plain = rule.entry.statement
    if plain.predicate is not None and "\\" not in plain.arguments:
        return [Fact(rule, plain.predicate, tuple(ARGUMENT.findall(plain.arguments)))]
    if len(rule.body):
        return None
    try:
        symbols = [parse_term(str(s.head.atom), logger=lambda *_: None) for s in rule.ast.unpool()]
    except RuntimeError:  # not ground, or an interval: the grounder's business
        return None
    return [Fact(rule, symbol.name, tuple(map(str, symbol.arguments))) for symbol in symbols]


def _predicates_of_answers(book: RuleBook) -> set[Signature]:
    """The predicates that an answer can rest on, also through what must be absent."""
    needs: defaultdict[Signature, set[Signature]] = defaultdict(set)
    for rule in book.rules:
        if rule.uses:
            for head in rule.derives:
                needs[head].update(use.signature for use in rule.uses)
    reached: set[Signature] = set()
    frontier = list(ANSWERS)
    while frontier:
        signature = frontier.pop()
        if signature not in reached:
            reached.add(signature)
            frontier += needs[signature]
    return reached


def _traced(number: int, rule: Rule, statement: AST) -> TracedRule:
    plain: list[str] = []
    body: list[str] = []
    used: list[str] = []
    absent: list[str] = []
    conditions: list[Condition] = []
    namer = _Name()
    for literal in statement.body:
        plain.append(str(literal))
        if literal.ast_type == ASTType.Literal and literal.atom.ast_type == ASTType.SymbolicAtom:
            if literal.sign == Sign.NoSign:
                conditions.append(_condition(literal.atom.symbol))
            namer.anonymous = literal.sign == Sign.NoSign
            literal = namer.visit(literal)
            if literal.sign == Sign.NoSign:
                used.append(str(literal.atom))
            elif literal.sign == Sign.Negation:
                absent.append(str(_Forget().visit(literal.atom)))
        body.append(str(literal))
    body += namer.intervals
    head = str(statement.head.atom)
    atom = statement.head.atom.symbol
    there = set(variables(str(statement)))  # one case of a pool need not have all variables
    words = tuple(dict.fromkeys(v for term in rule.wording_terms for v in variables(term) if v in there))
    trace = f"{TRACE}{number}({head},{_tuple(used)},{_tuple(absent)},{_tuple(words)})"
    return TracedRule(
        number,
        rule,
        _statement(head, plain),
        _statement(trace, body),
        (atom.name, len(atom.arguments)),
        tuple(conditions),
        words,
        _fixed_name(atom.arguments[2]) if (atom.name, len(atom.arguments)) == CONFLICT else None,
    )


def _fixed_name(term: AST) -> str | None:
    if term.ast_type == ASTType.Function:
        return str(term.name)
    if term.ast_type == ASTType.SymbolicTerm:
        return _name(term.symbol)
    return None


def _statement(head: str, body: Sequence[str]) -> str:
    return f"{head} :- {'; '.join(body)}." if body else f"{head}."


def _condition(atom: AST) -> Condition:
    fixed = {
        position: str(term)
        for position, term in enumerate(atom.arguments)
        if term.ast_type == ASTType.SymbolicTerm or (term.ast_type == ASTType.Function and not term.arguments)
    }
    return Condition((atom.name, len(atom.arguments)), tuple(fixed), tuple(fixed.values()))


def _tuple(terms: Iterable[Any]) -> str:
    listed = [str(t) for t in terms]
    return f"({','.join(listed)},)" if listed else "()"
