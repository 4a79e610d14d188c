"""Solving one story: facts and rules in, every conflict with its likeliest proof out.

The rules are stratified, so there is exactly one stable model, and grounding alone decides it (but for rules whose
order rests on the sentences, for which clingo searches). The trace atoms of ``program.py`` make a hypergraph of
derivations, in which the cheapest proof of each conflict is found by Knuth's generalisation of Dijkstra's algorithm
(1977); a proof's cost is -ln of the probability of the labels it cites and of the absences it relies on.
"""

from __future__ import annotations

import heapq
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clingo import Control, Number, String, Symbol, SymbolicAtom, SymbolicAtoms, SymbolType, Tuple_, parse_term

from .atoms import Signature
from .errors import RuleError
from .facts import Facts, absence_cost, constant_value, story_facts
from .liveness import FactIndex
from .parse import Parse
from .program import (
    CONFLICT,
    RESOLVED,
    TRACE,
    Program,
    TracedRule,
    compile_program,
    named_traces,
    program_text,
    trace_of,
    trace_text,
)
from .proof import Basis, Conflict, ProofNode
from .rulebook import Rule, RuleBook
from .safety import STRING
from .story import State, Tagging
from .vocabulary import ATTRIBUTE, EFFECT, PRECONDITION

if TYPE_CHECKING:
    from .gaps import Nearest

# ``not changed(T, E, A)`` relies on the tagger predicting no change there, and is priced by that.
PRICED_ABSENCE = ("changed", 3)
_VARIABLE = re.compile(rf"{STRING}|(?<![\w'])_*[A-Z][\w']*")
_STATE_SIDE = {"effect": EFFECT, "precondition": PRECONDITION}


@dataclass(frozen=True, eq=False)
class _Derivation:
    """One ground instance of a rule; ``words`` are the values of the wording's variables."""

    traced: TracedRule
    head: Symbol
    used: tuple[Symbol, ...]
    absent: tuple[Symbol, ...]
    words: tuple[Symbol, ...]

    @property
    def rule(self) -> Rule:
        """The rule."""
        return self.traced.rule

    @property
    def values(self) -> dict[str, Symbol]:
        """The values of the wording's variables by name."""
        return dict(zip(self.traced.words, self.words, strict=True))


# A rule, an atom of its trace, and what this says beside the head.
_Trace = tuple[TracedRule, SymbolicAtom, Symbol]


class _FactSource:
    """Hands facts to the grounder as symbols (clingo calls ``facts`` for every ``@facts(Name, Arity)``)."""

    def __init__(self, index: FactIndex) -> None:
        self._index = index

    def facts(self, name: Symbol, arity: Symbol) -> list[Symbol]:
        rows = self._index.by_signature[name.string, arity.number]
        return [Tuple_(row) for row in rows] if arity.number else [Number(1)]


class _Derivations:
    """The ground instances of rules by the atom they derive, read from the grounder only where they are asked for."""

    def __init__(self, control: Control, live: Sequence[TracedRule], facts: FactIndex) -> None:
        self._control = control  # its atoms die with it
        self._facts = facts
        self._given: dict[Signature, set[tuple[Symbol, ...]]] = {}
        self._atoms = control.symbolic_atoms
        self._rules: defaultdict[Signature, list[TracedRule]] = defaultdict(list)
        for traced in live:
            self._rules[traced.head].append(traced)
        self._read: dict[Signature, dict[Symbol, list[_Trace]]] = {}
        self._true: frozenset[Symbol] | None = None

    def of(self, signature: Signature) -> dict[Symbol, list[_Trace]]:
        """Every atom of a predicate that some rule may derive, with the rules and the rest of their traces.

        There are many and few are asked for: what costs clingo a call each waits until then.
        """
        if signature not in self._read:
            found: dict[Symbol, list[_Trace]] = {}
            for traced in self._rules.get(signature, ()):
                for atom in self._atoms.by_signature(f"{TRACE}{traced.number}", 2):
                    head, rest = atom.symbol.arguments
                    found.setdefault(head, []).append((traced, atom, rest))
            self._read[signature] = found
        return self._read[signature]

    def given(self, atom: Symbol) -> bool:
        """Whether an atom is a fact, be it derived as well or not."""
        signature = (atom.name, len(atom.arguments))
        if signature not in self._given:
            self._given[signature] = set(self._facts.by_signature.get(signature, ()))
        return tuple(atom.arguments) in self._given[signature]

    def heads(self, traced: TracedRule) -> Iterator[Symbol]:
        """What the ground instances of one rule that hold derive."""
        for atom in self._atoms.by_signature(f"{TRACE}{traced.number}", 2):
            if self._holds(atom):
                yield atom.symbol.arguments[0]

    def derive(self, atom: Symbol) -> list[_Derivation] | None:
        """The derivations of one atom; None for a fact."""
        found = self.of((atom.name, len(atom.arguments))).get(atom)
        if found is None:
            return None
        return [
            _Derivation(traced, atom, *(tuple(part.arguments) for part in rest.arguments))
            for traced, trace, rest in found
            if self._holds(trace)
        ]

    def _holds(self, atom: SymbolicAtom) -> bool:
        return atom.is_fact or atom.symbol in self._model()

    def true_atoms(self, signature: Signature) -> list[Symbol]:
        """Every atom of a predicate that holds, without its derivations."""
        return [atom.symbol for atom in self._atoms.by_signature(*signature) if self._holds(atom)]

    def _model(self) -> frozenset[Symbol]:
        """The true atoms, where grounding has left some open."""
        if self._true is None:
            with self._control.solve(yield_=True) as handle:
                model = handle.model()
                assert model is not None, "stratified rules have a model"
                self._true = frozenset(model.symbols(atoms=True))
        return self._true


@dataclass(frozen=True)
class Solution:
    """What the rules say of one story.

    Its ``conflicts``, cheapest proof first, and in ``resolved`` the pairs of sentences (i, j) between which what i did
    to a thing is undone.
    """

    conflicts: tuple[Conflict, ...] = ()
    resolved: frozenset[tuple[int, int]] = frozenset()


class Solver:
    """Finds the conflicts of stories under one rule book. One Control a story, so that nothing leaks between them."""

    def __init__(self, book: RuleBook) -> None:
        self.book = book
        self.program: Program = compile_program(book)
        self.synonyms = book.pairs("synonym")

    def __repr__(self) -> str:
        return f"Solver({len(self.program.traced)} rules, {len(self.program.facts)} facts)"

    def solve_story(self, parse: Parse, tagging: Tagging) -> Solution:
        """What the rules say of a story given as its text and states.

        Raises:
            RuleError: the rules cannot be grounded.
        """
        facts = story_facts(parse, tagging, self.synonyms)
        derivations = self._ground(facts)
        return Solution(self._conflicts(derivations, facts), _resolved(derivations, facts))

    def solve(self, facts: Facts) -> tuple[Conflict, ...]:
        """All conflicts of a story, the cheapest proof of each, cheapest first.

        Raises:
            RuleError: the rules cannot be grounded.
        """
        return self._conflicts(self._ground(facts), facts)

    def fired(self, parse: Parse, tagging: Tagging) -> frozenset[str]:
        """The names of the rules that hold somewhere in a story: those of conflicts and those that serve them.

        A rule of conflicts fires when it names two sentences of the story in order, as only such conflicts count. Facts
        do not fire, nor do rules on which neither a conflict nor ``resolved`` can rest.

        Raises:
            RuleError: the rules cannot be grounded.
        """
        facts = story_facts(parse, tagging, self.synonyms)
        control, live, index = self._grounded(facts, named_traces, whole=True)
        derivations = _Derivations(control, live, index)
        return frozenset(
            traced.rule.name
            for traced in live
            if traced.rule.named
            and any(traced.head != CONFLICT or _well_formed(head, facts) for head in derivations.heads(traced))
        )

    def nearest(
        self, parse: Parse, tagging: Tagging, pair: tuple[int, int], name: str | None = None, limit: int = 3
    ) -> Nearest:
        """The rules that come nearest to proving that two sentences conflict, see :func:`nearest.nearest`."""
        from .nearest import nearest

        return nearest(self, story_facts(parse, tagging, self.synonyms), pair, name, limit)

    def true_atoms(self, facts: Facts) -> dict[Signature, list[tuple[str, ...]]]:
        """Every atom that holds in a story, facts and derived ones, by predicate: its arguments as clingo prints them.

        Raises:
            RuleError: the rules cannot be grounded.
        """
        control, live, index = self._grounded(facts, lambda *_: "", whole=True)
        found = dict(index.texts)
        derivations = _Derivations(control, live, index)
        for head in sorted({traced.head for traced in live}):
            derived = [tuple(map(str, symbol.arguments)) for symbol in derivations.true_atoms(head)]
            found[head] = list(dict.fromkeys([*found.get(head, ()), *derived]))
        return found

    def prove(self, facts: Facts, atoms: Iterable[Symbol]) -> dict[Symbol, ProofNode]:
        """The cheapest proof of each atom that holds; of a fact that is the fact itself.

        Raises:
            RuleError: the rules cannot be grounded.
        """
        goals = list(dict.fromkeys(atoms))
        predicates = {(goal.name, len(goal.arguments)) for goal in goals}
        derivations = _Derivations(*self._grounded(facts, lambda live, _: trace_of(live, predicates), whole=True))
        costs, best = _cheapest(derivations, goals, facts)
        return {goal: self._node(goal, costs, best, facts) for goal in goals if goal in costs}

    def _conflicts(self, derivations: _Derivations, facts: Facts) -> tuple[Conflict, ...]:
        goals = [head for head in derivations.of(CONFLICT) if _well_formed(head, facts)]
        costs, best = _cheapest(derivations, goals, facts)
        conflicts = [self._conflict(goal, costs, best, facts) for goal in goals if goal in best]
        return tuple(
            sorted(conflicts, key=lambda c: (c.cost, c.evidence, c.breakpoint, c.reason, c.entity, c.attribute))
        )

    def _ground(self, facts: Facts) -> _Derivations:
        def trace(live: list[TracedRule], atoms: SymbolicAtoms) -> str:
            conflicts = [atom.symbol for atom in atoms.by_signature(*CONFLICT)]
            return trace_text(live, conflicts) if conflicts else ""

        return _Derivations(*self._grounded(facts, trace))

    def _grounded(
        self, facts: Facts, trace: Callable[[list[TracedRule], SymbolicAtoms], str], whole: bool = False
    ) -> tuple[Control, list[TracedRule], FactIndex]:
        """The live rules grounded over a story, with the ``trace`` that is made of them and of the atoms found.

        ``whole`` keeps also the rules on which no answer rests in this story.
        """
        index = self.program.concerning(facts)
        live = self.program.live(index, whole)
        messages: list[str] = []
        control = Control(["--warn=none", "--parallel-mode=1"], logger=lambda _, text: messages.append(text))
        try:
            control.add("base", [], program_text(live, index))
            control.ground([("base", [])], context=_FactSource(index))
            text = trace(live, control.symbolic_atoms)
            if text:
                control.add("trace", [], text)
                control.ground([("trace", [])])
        except RuntimeError as error:
            raise RuleError(f"the rules cannot be grounded: {' '.join(messages) or error}") from None
        return control, live, index

    def _conflict(
        self, goal: Symbol, costs: dict[Symbol, float], best: dict[Symbol, _Derivation], facts: Facts
    ) -> Conflict:
        evidence, breakpoint_, reason, entity, attribute = goal.arguments
        root = self._node(goal, costs, best, facts)
        return Conflict(
            evidence.number,
            breakpoint_.number,
            best[goal].rule.name,
            _text(reason),
            _text(entity),
            _text(attribute),
            root,
        )

    def _node(
        self, goal: Symbol, costs: dict[Symbol, float], best: dict[Symbol, _Derivation], facts: Facts
    ) -> ProofNode:
        """The proof of a goal, made from its leaves up and without recursion: a state can persist over any length."""
        done: dict[Symbol, ProofNode] = {}
        stack = [goal]
        while stack:
            atom = stack[-1]
            derivation = best.get(atom)
            waiting = [used for used in derivation.used if used not in done] if derivation else []
            if atom in done or not waiting:
                stack.pop()
            if atom in done:
                continue
            if waiting:
                stack += reversed(waiting)
            elif derivation is None:
                done[atom] = self._leaf(atom, costs[atom])
            else:
                rule = derivation.rule
                done[atom] = ProofNode(
                    str(atom),
                    "rule",
                    rule.name,
                    rule.file,
                    rule.line,
                    fill(rule.wording, words(rule.wording_terms, derivation.values)),
                    tuple(done[used] for used in derivation.used),
                    tuple(str(gone) for gone in derivation.absent),
                    _state(atom, facts),
                    costs[atom],
                )
        return done[goal]

    def _leaf(self, atom: Symbol, cost: float) -> ProofNode:
        fact = self.program.facts.get(str(atom))
        if fact is not None:
            rule = fact.rule
            return ProofNode(str(atom), "lexicon", rule.name, rule.file, rule.line, cost=cost)
        basis: Basis = "state" if atom.name == "label" else "text"
        return ProofNode(str(atom), basis, cost=cost)


def _resolved(derivations: _Derivations, facts: Facts) -> frozenset[tuple[int, int]]:
    found = (atom.arguments[:2] for atom in derivations.true_atoms(RESOLVED))
    return frozenset((i.number, j.number) for i, j in found if _in_order(i, j, facts))


def fill(wording: str | None, said: Sequence[Symbol]) -> str | None:
    """A rule's wording with its holes filled in.

    Numbers are those of sentences, counted from 1, as people do; the number of ``amount(N)`` stays as it is.
    """
    if wording is None:
        return None
    parts = wording.split("%")
    filled = [parts[0]]
    for part, word in zip(parts[1:], said, strict=False):
        if word.type == SymbolType.Number:
            filled.append(str(word.number + 1))
        elif word.match("amount", 1):
            filled.append(str(word.arguments[0]))
        else:
            filled.append(_text(word).replace("_", " "))
        filled.append(part)
    return "".join(filled)


def words(terms: Iterable[str], values: Mapping[str, Symbol]) -> list[Symbol]:
    """What the terms of a rule's wording stand for; most are variables, the others are worked out ("T+1")."""
    found = []
    for term in terms:
        if term in values:
            found.append(values[term])
            continue
        text = _VARIABLE.sub(lambda match: str(values.get(match[0], match[0])), term)
        try:
            found.append(parse_term(text, logger=lambda *_: None))
        except RuntimeError:  # it has no value here: a sum with a name in it, say
            found.append(String(text))
    return found


def _text(symbol: Symbol) -> str:
    return symbol.string if symbol.type == SymbolType.String else str(symbol)


def _well_formed(goal: Symbol, facts: Facts) -> bool:
    """Whether a conflict names two sentences of the story in order; user rules may derive anything."""
    return _in_order(goal.arguments[0], goal.arguments[1], facts)


def _in_order(first: Symbol, second: Symbol, facts: Facts) -> bool:
    if first.type != SymbolType.Number or second.type != SymbolType.Number:
        return False
    return 0 <= first.number < second.number < facts.sentences


def _state(atom: Symbol, facts: Facts) -> State | None:
    """The state that an ``effect(T,E,A,V)`` or ``precondition(T,E,A,V)`` atom asserts."""
    side = _STATE_SIDE.get(atom.name)
    if side is None or len(atom.arguments) != 4 or atom.arguments[0].type != SymbolType.Number:
        return None
    sentence, entity, attribute, constant = atom.arguments[0].number, *map(_text, atom.arguments[1:])
    if attribute not in ATTRIBUTE:
        return None
    try:
        value = constant_value(attribute, constant)
    except ValueError:
        return None
    probability = facts.probability(side, sentence, entity, attribute, value)
    return State("effect" if side == EFFECT else "precondition", sentence, entity, attribute, value, probability)


def _price(derivation: _Derivation, facts: Facts) -> float:
    """What a derivation itself costs: the labels whose absence it relies on."""
    total = 0.0
    for atom in derivation.absent:
        if atom.match(*PRICED_ABSENCE):
            sentence, entity, attribute = atom.arguments
            if attribute.name in ATTRIBUTE and sentence.type == SymbolType.Number:
                total += absence_cost(facts, sentence.number, _text(entity), attribute.name)
    return total


def _leaf_cost(atom: Symbol) -> float:
    return atom.arguments[-1].number / 1000.0 if atom.match("label", 6) else 0.0


def _cheapest(
    derivations: _Derivations, goals: Sequence[Symbol], facts: Facts
) -> tuple[dict[Symbol, float], dict[Symbol, _Derivation]]:
    """The cheapest derivation of every atom that a goal may rest on (Knuth 1977), ties broken by rule number."""
    needed: set[Symbol] = set()
    waiting: defaultdict[Symbol, list[_Derivation]] = defaultdict(list)
    frontier = list(goals)
    costs: dict[Symbol, float] = {}
    best: dict[Symbol, _Derivation] = {}
    missing: dict[int, int] = {}
    spent: dict[int, float] = {}
    heap: list[tuple[float, int, int, Symbol, _Derivation | None]] = []
    count = 0
    while frontier:
        atom = frontier.pop()
        if atom in needed:
            continue
        needed.add(atom)
        options = derivations.derive(atom)
        if options is None or derivations.given(atom):
            heap.append((_leaf_cost(atom), -1, count, atom, None))
            count += 1
            continue
        for option in options:
            used = dict.fromkeys(option.used)
            missing[id(option)] = len(used)
            spent[id(option)] = _price(option, facts)
            for child in used:
                waiting[child].append(option)
                frontier.append(child)
            if not used:
                heap.append((spent[id(option)], option.traced.number, count, atom, option))
                count += 1
    heapq.heapify(heap)
    while heap:
        cost, _, _, atom, derivation = heapq.heappop(heap)
        if atom in costs:
            continue
        costs[atom] = cost
        if derivation is not None:
            best[atom] = derivation
        for option in waiting[atom]:
            missing[id(option)] -= 1
            spent[id(option)] += cost
            if not missing[id(option)] and option.head not in costs:
                count += 1
                heapq.heappush(heap, (spent[id(option)], option.traced.number, count, option.head, option))
    return costs, best
