"""How near the rules are to a conflict of two sentences that none of them proves: which conditions hold, which do not.

For each rule of conflicts the evidence and the breakpoint are given, and its other variables are bound so that as few
conditions as possible are left unmet. A condition that is missing is followed down through the rules that could derive
it, to the facts of the text, the labels and the lexicon that are not there, or to the atom that a ``not`` does not
allow. What else would change if such a fact were there is not looked at. The search is of bounded size and its order is
fixed, so the same story gives the same answer.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from clingo import String, Symbol, parse_term

from .atoms import Signature, variables
from .dependency import recursive
from .errors import RuleError, UsageError
from .facts import Facts, constant_value
from .gaps import (
    BLOCKED,
    LEXICON,
    MOST_SURPRISE,
    NEVER,
    TEXT,
    UNFOLLOWED,
    Gap,
    Nearest,
    NearMiss,
    distance,
)
from .instances import Budget, Instance, instances
from .patterns import (
    Absence,
    Atom,
    Binding,
    Comparison,
    Literal,
    Pattern,
    Row,
    Unchecked,
    World,
    match,
    patterns,
    value,
)
from .program import CONFLICT
from .rulebook import INPUT_PREDICATES, Rule, RuleBook
from .solver import Solver, fill, words
from .vocabulary import ATTRIBUTE, EFFECT, PRECONDITION

# How many conditions a rule may miss, at the top and below, and how many steps may be spent on one rule of conflicts.
_MISSING: Final = 4
_MISSING_BELOW: Final = 3
_STEPS: Final = 1500
# How many conditions may come down to one fact.
_TOGETHER: Final = 2
# How many predicates a missing condition is followed down through.
_DEPTH: Final = 4
# How far off the nearest rules are looked for at first, and then, where there are too few.
_WIDER: Final = (2.0, 3.5, math.inf)

_Key: TypeAlias = tuple[Signature, tuple[str | None, ...]]


class _Near(NamedTuple):
    """An instance of a rule of conflicts, how far off it is, and what it lacks."""

    distance: float
    instance: Instance
    gaps: tuple[Gap, ...]


class _Followed(NamedTuple):
    """What a missing atom came down to: how deep and how far off it was looked for, and what was found, if any."""

    depth: int
    most: float
    gap: Gap | None


def conflict_rules(book: RuleBook, name: str | None = None) -> tuple[str, ...]:
    """The names of the rules that derive conflicts, in order; only ``name`` where one is given.

    Raises:
        RuleError: no rule has this name, or it derives no conflict.
    """
    if name is None:
        return tuple(dict.fromkeys(rule.name for rule in book.rules if CONFLICT in rule.derives))
    if not any(CONFLICT in rule.derives for rule in book.named(name)):
        raise RuleError(f"the rule '{name}' derives no conflict of its own: name one that derives conflict/5")
    return (name,)


class Search:
    """Looks for the rules nearest to conflicts of one story.

    Args:
        book: the rules.
        rows: every atom that holds, facts and derived ones, by predicate.
        facts: what the rules were told, for the probability of labels.
    """

    def __init__(self, book: RuleBook, rows: Mapping[Signature, Sequence[Row]], facts: Facts) -> None:
        self._book = book
        self._facts = facts
        self._rules: defaultdict[Signature, list[Rule]] = defaultdict(list)
        for rule in book.rules:
            if rule.uses or CONFLICT in rule.derives:
                for head in rule.derives:
                    self._rules[head].append(rule)
        lexicon = rows.keys() - self._rules.keys() - INPUT_PREDICATES.keys()
        self._world = World(rows, lexicon)
        self._compiled: dict[Signature, list[Pattern]] = {}
        self._followed: dict[_Key, _Followed] = {}
        self._open: set[_Key] = set()
        self._budget = Budget(0)  # of the rule at hand
        self._groups: dict[Signature, int] = recursive(book.rules)

    def nearest(self, pair: tuple[int, int], name: str | None = None, limit: int = 3) -> Nearest:
        """The rules nearest to a conflict of two sentences, without the proofs of what they speak of.

        Raises:
            RuleError: as :func:`conflict_rules`.
        """
        names = conflict_rules(self._book, name)
        cases = list(self._cases(names, pair))
        fired = self.fired(pair, names)
        cases = [(pattern, binding) for pattern, binding in cases if pattern.rule.name not in fired]
        best: dict[str, _Near] = {}
        for most in _WIDER:
            best = self._within(cases, most, limit)
            if len(best) >= min(limit, len(names) - len(fired)):
                break
        order = sorted((best[rule].distance, number, rule) for number, rule in enumerate(names) if rule in best)
        near = [self._near_miss(best[rule], pair) for _, _, rule in order[:limit]]
        return Nearest(tuple(near), tuple(rule for rule in names if rule in fired))

    def fired(self, pair: tuple[int, int], names: Sequence[str]) -> set[str]:
        """Which of some rules prove that two sentences conflict."""
        return {
            pattern.rule.name
            for pattern, binding in self._cases(names, pair)
            if instances(self._world, pattern, binding, 0, Budget(_STEPS))
        }

    def _within(self, cases: Sequence[tuple[Pattern, Binding]], most: float, limit: int) -> dict[str, _Near]:
        """The nearest instance of each rule of conflicts that is among the ``limit`` nearest, and no further off."""
        best: dict[str, _Near] = {}
        fewest: dict[int, int] = {}  # of each case of a rule, how many conditions it misses at least
        for unmet in range(1, _MISSING + 1):
            if unmet > max(_TOGETHER, most):
                break
            found: list[tuple[float, int, list[Instance]]] = []
            for number, (pattern, binding) in enumerate(cases):
                if unmet < fewest.get(number, unmet) + _TOGETHER and _at_best(pattern, unmet) <= most:
                    some = instances(self._world, pattern, binding, unmet, Budget(_STEPS))
                    if some:
                        fewest.setdefault(number, unmet)
                        found.append((some[0].share, number, some))
            for _, _, some in sorted(found, key=lambda one: one[:2]):
                self._budget = Budget(_STEPS)
                for instance in some:
                    rule = instance.pattern.rule.name
                    bound = min(most, best[rule].distance) if rule in best else most
                    near = self._near(instance, bound)
                    if near is not None and (rule not in best or near.distance < bound):
                        best[rule] = near
                        if len(best) >= limit:
                            most = min(most, sorted(one.distance for one in best.values())[limit - 1])
        return best

    def _cases(self, names: Sequence[str], pair: tuple[int, int]) -> Iterator[tuple[Pattern, Binding]]:
        """The cases of rules that can be about two sentences, with these bound."""
        for pattern in self._patterns(CONFLICT):
            binding: Binding = {}
            sentences = zip(pattern.head.arguments, map(str, pair), strict=False)
            # A head such as conflict(T-1,T,...) is read backwards; one that cannot be is no rule of this pair.
            if pattern.rule.name in names and all(match(term, sentence, binding) for term, sentence in sentences):
                yield pattern, binding

    def _near(self, instance: Instance, most: float) -> _Near | None:
        """What an instance of a rule of conflicts lacks, None where it is further off than ``most``."""
        # What is about nothing in particular is not followed.
        about = value(instance.pattern.head.arguments[3], instance.binding) is not None
        gaps = self._gaps(instance, _DEPTH if about else 0, most - instance.share)
        return _Near(distance(gaps) + instance.share, instance, gaps) if gaps else None

    def _patterns(self, signature: Signature) -> list[Pattern]:
        """The rules that derive a predicate, as patterns."""
        if signature not in self._compiled:
            found = [pattern for rule in self._rules[signature] for pattern in patterns(rule)]
            self._compiled[signature] = [p for p in found if p.head.signature == signature]
        return self._compiled[signature]

    # ---- Why conditions are not met

    def _gaps(self, instance: Instance, depth: int, most: float) -> tuple[Gap, ...]:
        """What an instance lacks, each once; nothing where it is further off than ``most``."""
        gaps: dict[Gap, None] = {}
        for literal, row in instance.failed:
            if isinstance(literal, Comparison):
                gap: Gap | None = Gap("comparison", _comparison(literal, instance.binding))
            elif isinstance(literal, Absence) and row is not None:
                gap = Gap("blocked", _text(literal.atom.name, row), surprise=BLOCKED)
            else:
                atom = literal.atom if isinstance(literal, Absence) else literal
                gap = self._missing(atom, instance.binding, depth, most)
            if gap is None:
                return ()
            gaps[gap] = None
            if distance(gaps) > most:
                return ()
        return tuple(gaps)

    def _missing(self, atom: Atom, binding: Binding, depth: int, most: float) -> Gap | None:
        """Why nothing is like an atom, as far down as the rules go; None where it is further off than ``most``."""
        values = atom.values(binding)
        plain = Gap("missing", _text(atom.name, values), cost=UNFOLLOWED, surprise=MOST_SURPRISE)
        if None in values and next(self._world.matches(atom, binding), None) is not None:
            return plain  # it is there, but not with values that the other conditions allow
        if not self._patterns(atom.signature):
            return self._missing_fact(atom, values)
        vague = None in values and not any(v is not None and v.startswith('"') for v in values)
        key = (atom.signature, values)
        if vague or depth <= 0 or key in self._open:
            return plain
        known = self._followed.get(key)
        if known is None or known.depth < depth or (known.gap is None and known.most < most):
            self._open.add(key)
            found = self._derived(atom, values, depth, most, plain)
            self._open.discard(key)
            known = self._followed[key] = _Followed(depth, most, found)
        return known.gap

    def _derived(self, atom: Atom, values: tuple[str | None, ...], depth: int, most: float, plain: Gap) -> Gap | None:
        """The gap of the rule that is nearest to deriving an atom."""
        best: Gap | None = None
        nearest = most
        group = self._groups.get(atom.signature)
        for pattern in self._patterns(atom.signature):
            binding: Binding = {}
            pairs = zip(pattern.head.arguments, values, strict=True)
            if not all(known is None or match(term, known, binding) for term, known in pairs):
                continue
            for unmet in range(1, _MISSING_BELOW + 1):
                if unmet > nearest and (best is not None or unmet > _TOGETHER):
                    break
                some = instances(self._world, pattern, binding, unmet, self._budget)
                for instance in some:
                    # Through rules that rest on each other a state is followed over any number of sentences.
                    within = group is not None and any(
                        isinstance(literal, Atom) and self._groups.get(literal.signature) == group
                        for literal, _ in instance.failed
                    )
                    gaps = self._gaps(instance, depth - (not within), nearest)
                    if gaps and (best is None or distance(gaps) < nearest):
                        nearest = distance(gaps)
                        best = _followed(plain, pattern, instance, gaps, within)
                if some:
                    break
        return plain if best is None and distance([plain]) <= most else best

    def _missing_fact(self, atom: Atom, values: tuple[str | None, ...]) -> Gap:
        text = _text(atom.name, values)
        if atom.name == "label":
            probability = _probability(values, self._facts)
            surprise = MOST_SURPRISE if probability is None else -math.log(max(probability, 1e-4))
            return Gap("missing", text, probability=probability, surprise=surprise)
        if atom.name == "alias":
            return Gap("missing", text, surprise=MOST_SURPRISE)
        if atom.signature in INPUT_PREDICATES:
            return Gap("missing", text, surprise=TEXT)
        if all(v is not None and not v.startswith('"') for v in values):
            # A fact that names no word is a turn of the rules' own, and will never hold.
            return Gap("missing", text, cost=NEVER, surprise=MOST_SURPRISE)
        return Gap("missing", text, surprise=LEXICON)

    def _near_miss(self, near: _Near, pair: tuple[int, int]) -> NearMiss:
        instance = near.instance
        rule = instance.pattern.rule
        body, binding = instance.pattern.body, instance.binding
        failed = {id(literal) for literal, _ in instance.failed}
        left = {id(test) for test in instance.left}
        met = [literal for literal in body if id(literal) not in failed | left and not isinstance(literal, Unchecked)]
        absent = [literal.atom for literal in met if isinstance(literal, Absence) and not literal.doubled]
        unchecked = [literal for literal in body if isinstance(literal, Unchecked) or id(literal) in left]
        return NearMiss(
            rule.name,
            rule.file,
            rule.line,
            _text(instance.pattern.head.name, instance.pattern.head.values(binding)),
            _wording(instance.pattern, binding, String("…")),
            *pair,
            len(body),
            len(met),
            tuple(dict.fromkeys(self._row(literal, binding) for literal in met if isinstance(literal, Atom))),
            tuple(dict.fromkeys(_text(atom.name, atom.values(binding)) for atom in absent)),
            near.gaps,
            tuple(_literal(literal, binding) for literal in unchecked),
        )

    def _row(self, atom: Atom, binding: Binding) -> str:
        """The true atom that a condition is met by."""
        return _text(atom.name, next(row for row, _ in self._world.matches(atom, binding)))


def _followed(plain: Gap, pattern: Pattern, instance: Instance, gaps: tuple[Gap, ...], within: bool) -> Gap:
    """A gap with what the nearest rule for it lacks."""
    rule = pattern.rule
    values = pattern.head.values(instance.binding)
    # A state that does not last is told once, by the sentence where it ends, not by all that follow.
    because = gaps[0].because if within and len(gaps) == 1 and gaps[0].because else gaps
    return replace(
        plain,
        atom=plain.atom if None in values else _text(pattern.head.name, values),
        wording=_wording(pattern, instance.binding, None),
        rule=rule.name,
        file=rule.file,
        line=rule.line,
        because=because,
    )


def _at_best(pattern: Pattern, unmet: int) -> float:
    """How near a rule of conflicts is at best that misses so many conditions: they come down to one ``not``."""
    return 1 + BLOCKED / 10 + unmet / max(1, len(pattern.body))


def _text(name: str, values: Sequence[str | None]) -> str:
    listed = ",".join("_" if v is None else v for v in values)
    return f"{name}({listed})" if listed else name


def _comparison(comparison: Comparison, binding: Binding) -> str:
    first, *others = (value(term, binding) or "_" for term in comparison.terms)
    text = first + "".join(f" {sign} {term}" for sign, term in zip(comparison.operators, others, strict=True))
    return f"not {text}" if comparison.negated else text


def _literal(literal: Literal, binding: Binding) -> str:
    if isinstance(literal, Unchecked):
        return literal.text
    if isinstance(literal, Comparison):
        return _comparison(literal, binding)
    if isinstance(literal, Absence):
        return f"not {'not ' if literal.doubled else ''}{_literal(literal.atom, binding)}"
    return _text(literal.name, literal.values(binding))


def _wording(pattern: Pattern, binding: Binding, unknown: Symbol | None) -> str | None:
    """What a rule says under a binding; ``unknown`` stands for what has no value, and None gives up on it."""
    rule = pattern.rule
    needed = {name for term in rule.wording_terms for name in variables(term)}
    if unknown is None and not needed <= binding.keys():
        return None
    values = {name: parse_term(binding[name]) if name in binding else unknown or String("") for name in needed}
    return fill(rule.wording, words(rule.wording_terms, values))


def _probability(values: tuple[str | None, ...], facts: Facts) -> float | None:
    """The tagger's belief in the state of a ``label`` of which all but the cost is known."""
    side, sentence, entity, attribute, constant = values[:5]
    if side is None or sentence is None or entity is None or attribute is None or constant is None:
        return None
    if attribute not in ATTRIBUTE:
        return None
    if not sentence.isdecimal() or int(sentence) >= facts.sentences or not entity.startswith('"'):
        return None
    try:
        number = constant_value(attribute, constant)
    except ValueError:
        return None
    at = EFFECT if side == "eff" else PRECONDITION
    return facts.probability(at, int(sentence), parse_term(entity).string, attribute, number)


def nearest(solver: Solver, facts: Facts, pair: tuple[int, int], name: str | None = None, limit: int = 3) -> Nearest:
    """The rules that come nearest to proving that two sentences of a story conflict.

    Args:
        solver: the rules.
        facts: what they are told of the story.
        pair: (evidence, breakpoint), sentences from 0.
        name: the one rule to look at; None looks at all that derive conflicts.
        limit: how many rules to give.

    Raises:
        RuleError: the rules cannot be grounded; no rule is called ``name``, or it derives no conflict.
        UsageError: the story has no two such sentences in this order.
    """
    if not 0 <= pair[0] < pair[1] < facts.sentences:
        raise UsageError(
            f"sentences {pair[0] + 1} and {pair[1] + 1} are no pair of this story: name two of its"
            f" {facts.sentences} sentences, the earlier one first"
        )
    found = Search(solver.book, solver.true_atoms(facts), facts).nearest(pair, name, limit)
    atoms = [parse_term(atom) for near in found.near for atom in near.atoms()]
    proofs = solver.prove(facts, atoms) if atoms else {}
    return replace(found, proofs={str(atom): proof for atom, proof in proofs.items()})
