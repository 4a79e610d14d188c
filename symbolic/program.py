"""The rule book as programs for clingo: one that tells what holds, and one that tells how it was derived.

The first holds the rules as they are. The second, the trace, is grounded after it and only where a conflict was found:
for a rule ``h :- b, c, not d.`` numbered 7 it holds ``_r7(h, ((b,c,), (d,), (X,Y,))) :- b, c, not d.``, whose ground
instances name the rule's head, what it used, what it relied on being absent, and the values of the wording's variables.

Compiling a rule costs clingo more than grounding it over a story's facts, so a story gets only the rules whose positive
conditions could be met together (``liveness``) and the facts that its words lead to (``relevance``). Neither changes
what follows.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from clingo import Symbol, SymbolicAtoms, SymbolType, parse_term
from clingo.ast import AST, ASTType, Transformer, Variable

from .atoms import Atom, Signature, read_atom, read_literal, says_unnamed, variables
from .facts import Facts
from .liveness import Clause, Condition, FactIndex, Liveness, condition, head_terms
from .relevance import Fact, Form, Lexicon, said_by, select
from .rulebook import Rule, RuleBook
from .safety import ARGUMENT, STRING

TRACE = "_r"
CONFLICT: Signature = ("conflict", 5)
RESOLVED: Signature = ("resolved", 3)
# What the engine reads back from the rules; all else serves these.
ANSWERS = (CONFLICT, RESOLVED)
_WITHOUT_ATOMS = (ASTType.Comparison, ASTType.BooleanConstant)


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


class _Atoms(Transformer):
    """Collects the predicates of a literal of any kind."""

    def of(self, literal: AST) -> set[Signature]:
        self._found: set[Signature] = set()
        self.visit(literal)
        return self._found

    def visit_SymbolicAtom(self, atom: AST) -> AST:
        self._found.add((atom.symbol.name, len(atom.symbol.arguments)))
        return atom


@dataclass(frozen=True, eq=False)
class TracedRule:
    """One rule (one case of it, where it has pools): as it is and as a trace, and what a story must meet for it.

    ``number`` is its place among all, and in the name of its trace's predicate; ``words`` are the variables whose
    values the trace gives for the wording; ``reason`` is the name of a conflict's third argument, where it is fixed.
    ``strings`` are those that it says.
    """

    number: int
    rule: Rule
    plain: str
    trace: str
    head: Signature
    conditions: tuple[Condition, ...]
    words: tuple[str, ...]
    reason: str | None
    strings: frozenset[str]

    @cached_property
    def digest(self) -> bytes:
        """A digest of what the rule says, by what name, and how it is worded."""
        told = (self.rule.name, self.rule.file, self.plain, self.rule.wording, self.rule.wording_terms)
        return hashlib.sha256(repr(told).encode()).digest()


@dataclass(frozen=True, eq=False)
class Program:
    """A compiled rule book: its ``traced`` rules in order and its own ``facts`` by their text.

    ``lexicon`` and ``liveness`` tell which of them concern a story.
    """

    traced: tuple[TracedRule, ...]
    facts: Mapping[str, Fact] = field(repr=False)
    lexicon: Lexicon = field(repr=False)
    liveness: Liveness = field(repr=False)

    @cached_property
    def _general(self) -> FactIndex:
        index = FactIndex()
        for fact in self.lexicon.always:
            index.add(fact.signature, fact.arguments, fact.texts)
        return index

    def concerning(self, facts: Facts) -> FactIndex:
        """A story's facts, with those of the rule book that can matter to them."""
        index = FactIndex(self._general)
        for name, arguments, texts in zip(facts.predicates, facts.arguments, facts.texts, strict=True):
            index.add((name, len(arguments)), arguments, texts)
        for fact in self.lexicon.concerning(facts.strings):
            index.add(fact.signature, fact.arguments, fact.texts)
        return index

    def fingerprint(self, facts: Facts) -> str:
        """A digest of all that a story's conflicts follow from: its facts, and the rules and lexicon that it meets.

        Rules that cannot fire in the story do not count, nor does where in its file a statement stands.
        """
        live = self.live(self.concerning(facts))
        words = facts.strings.union(self._said_of_all[1], *(rule.strings for rule in live))
        told = {*zip(facts.predicates, facts.texts, strict=True)}
        told.update((fact.predicate, fact.texts) for fact in self.lexicon.reached(words))
        digest = hashlib.sha256(repr(sorted(told)).encode())
        digest.update(self._said_of_all[0])
        for rule in live:
            digest.update(rule.digest)
        return digest.hexdigest()

    @cached_property
    def _said_of_all(self) -> tuple[bytes, frozenset[str]]:
        """A digest of the facts that every story has whatever rules say, and their strings."""
        facts = self.lexicon.unguarded
        told = sorted((fact.predicate, fact.texts) for fact in facts)
        return hashlib.sha256(repr(told).encode()).digest(), frozenset(s for fact in facts for s in said_by(fact))

    def live(self, index: FactIndex, whole: bool = False) -> list[TracedRule]:
        """The rules that may fire over these facts: all (``whole``), or only those on which an answer may rest."""
        return [self.traced[number] for number in self.liveness.live(index, whole)]


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
    told = [rule for rule in live if rule.head != CONFLICT or rule.reason in reasons or rule.reason is None]
    return trace_of(told, [CONFLICT])


def trace_of(live: Sequence[TracedRule], predicates: Iterable[Signature]) -> str:
    """The trace of all live rules that some predicates can rest on; it is grounded on top of ``program_text``."""
    by_head: defaultdict[Signature, list[TracedRule]] = defaultdict(list)
    for rule in live:
        by_head[rule.head].append(rule)
    reached: set[Signature] = set()
    frontier = list(predicates)
    while frontier:
        signature = frontier.pop()
        if signature not in reached:
            reached.add(signature)
            frontier += [c.signature for rule in by_head[signature] for c in rule.conditions]
    return "\n".join(rule.trace for signature in sorted(reached) for rule in by_head[signature])


def named_traces(live: Sequence[TracedRule], atoms: SymbolicAtoms) -> str:
    """The trace of the named rules that may have derived some of the ``atoms`` to which a story was grounded."""
    there = {(name, arity) for name, arity, _ in atoms.signatures}
    reasons = {_name(atom.symbol.arguments[2]) for atom in atoms.by_signature(*CONFLICT)}
    return "\n".join(
        rule.trace
        for rule in live
        if rule.rule.named and rule.head in there and (rule.reason is None or rule.reason in reasons)
    )


def _name(reason: Symbol) -> str:
    return reason.name if reason.type == SymbolType.Function else str(reason)


def compile_program(book: RuleBook) -> Program:
    """Split a rule book into facts and rules; what no answer can rest on is left out."""
    facts: dict[str, Fact] = {}
    traced: list[TracedRule] = []
    forms: list[Form] = []
    used = _predicates_of_answers(book)
    for rule in book.rules:
        if not used.intersection(rule.derives):
            continue
        # A conflict is always a rule, that its proof may have a root.
        found = None if CONFLICT in rule.derives else _facts(rule)
        if found is None:
            for statement in rule.ast.unpool():
                compiled, form = _traced(len(traced), rule, statement)
                traced.append(compiled)
                forms.append(form)
            continue
        for fact in found:
            facts.setdefault(fact.text, fact)
    return Program(
        tuple(traced),
        facts,
        select(
            list(facts.values()),
            forms,
            frozenset(rule.head for rule in traced),
            ANSWERS,
        ),
        Liveness([_clause(rule, form) for rule, form in zip(traced, forms, strict=True)], ANSWERS),
    )


def _clause(traced: TracedRule, form: Form) -> Clause:
    needs = tuple(dict.fromkeys(use.signature for use in traced.rule.uses))
    return Clause(traced.head, head_terms(form.head), traced.conditions, needs)


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


def _traced(number: int, rule: Rule, statement: AST) -> tuple[TracedRule, Form]:
    plain: list[str] = []
    body: list[str] = []
    used: list[str] = []
    absent: list[str] = []
    positive: list[Atom] = []
    negative: list[Atom] = []
    elsewhere: set[Signature] = set()
    namer = _Name()
    for literal in statement.body:
        text = str(literal)
        plain.append(text)
        read = read_literal(text)
        if read is not None:
            denials, atom = read
            (negative if denials else positive).append(atom)
            unnamed = says_unnamed(text)
            if unnamed:
                namer.anonymous = not denials
                literal = namer.visit(literal)
                text = str(literal)
            if not denials:
                used.append(text)
            elif denials == 1:
                absent.append(str(_Forget().visit(literal.atom)) if unnamed else text.removeprefix("not "))
        elif literal.ast_type != ASTType.Literal or literal.atom.ast_type not in _WITHOUT_ATOMS:
            elsewhere |= _Atoms().of(literal)
        body.append(text)
    body += namer.intervals
    head = str(statement.head.atom)
    atom = read_atom(head)
    whole = _statement(head, plain)
    there = Counter(variables(whole))  # one case of a pool need not have all variables
    words = tuple(dict.fromkeys(v for term in rule.wording_terms for v in variables(term) if v in there))
    trace = f"{TRACE}{number}({head},({_tuple(used)},{_tuple(absent)},{_tuple(words)}))"
    strings = frozenset(_strings_said(whole))
    traced = TracedRule(
        number,
        rule,
        whole,
        _statement(trace, body),
        atom.signature,
        tuple(map(condition, positive)),
        words,
        _fixed_name(statement.head.atom.symbol.arguments[2]) if atom.signature == CONFLICT else None,
        strings,
    )
    return traced, Form(atom, tuple(positive), tuple(negative), frozenset(elsewhere), strings, there)


def _strings_said(text: str) -> Iterator[str]:
    """The strings that a statement says, as clingo prints it."""
    for quoted in re.findall(STRING, text):
        yield parse_term(quoted).string if "\\" in quoted else quoted[1:-1]


def _fixed_name(term: AST) -> str | None:
    if term.ast_type == ASTType.Function:
        return str(term.name)
    if term.ast_type == ASTType.SymbolicTerm:
        return _name(term.symbol)
    return None


def _statement(head: str, body: Sequence[str]) -> str:
    return f"{head} :- {'; '.join(body)}." if body else f"{head}."


def _tuple(terms: Iterable[Any]) -> str:
    listed = [str(t) for t in terms]
    return f"({','.join(listed)},)" if listed else "()"
