"""The instances of a rule that leave a given number of its conditions unmet: what the solver never looks at.

The variables are bound condition by condition, the one with the fewest atoms to choose from first; a condition may also
be left unmet. How many steps that may take is limited, since a rule whose conditions share little has very many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .patterns import Absence, Atom, Binding, Comparison, Pattern, Row, World, assigned, compares, match

Test: TypeAlias = Absence | Comparison
# A condition that is not met, and the true atom that a "not" does not allow.
Failure: TypeAlias = tuple[Atom | Absence | Comparison, Row | None]


@dataclass(frozen=True, eq=False)
class Instance:
    """A rule with its variables bound as far as they can be; ``failed`` conditions are unmet, ``left`` ones open."""

    pattern: Pattern
    binding: Binding
    failed: tuple[Failure, ...]
    left: tuple[Test, ...]

    def __repr__(self) -> str:
        return f"Instance({self.pattern.rule.name}, {self.binding}, {len(self.failed)} failed)"

    @property
    def share(self) -> float:
        """The share of the conditions that are not known to be met."""
        return (len(self.failed) + len(self.left)) / max(1, len(self.pattern.body))


@dataclass
class Budget:
    """How many steps may still be taken."""

    steps: int


def instances(world: World, pattern: Pattern, binding: Binding, unmet: int, budget: Budget) -> list[Instance]:
    """The instances of a rule that have exactly so many conditions unmet, as far as the budget goes.

    ``binding`` gives values to some of its variables. Two that differ in nothing but the order are one.
    """
    tests: list[Test] = [literal for literal in pattern.body if isinstance(literal, Absence | Comparison)]
    positives = [(atom, world.candidates(atom, binding)) for atom in pattern.body if isinstance(atom, Atom)]
    found: dict[tuple[object, ...], Instance] = {}
    for instance in _extend(world, pattern, dict(binding), (), positives, tests, unmet, budget):
        if len(instance.failed) == unmet:
            key = (frozenset(id(literal) for literal, _ in instance.failed), *sorted(instance.binding.items()))
            found.setdefault(key, instance)
    return list(found.values())


def _extend(
    world: World,
    pattern: Pattern,
    binding: Binding,
    failed: tuple[Failure, ...],
    positives: list[tuple[Atom, Sequence[Row]]],
    tests: list[Test],
    allowed: int,
    budget: Budget,
) -> Iterator[Instance]:
    """Bind what ``positives`` (each with the rows that it can be) leave open, one after the other."""
    budget.steps -= 1
    if budget.steps < 0:
        return
    if tests:
        before = len(binding)
        failed, tests = _settle(world, binding, failed, tests)
        if len(binding) > before:
            positives = [(atom, world.candidates(atom, binding)) for atom, _ in positives]
    if len(failed) > allowed:
        return
    if not positives:
        yield Instance(pattern, binding, failed, tuple(tests))
        return
    place = min(range(len(positives)), key=lambda k: len(positives[k][1]))
    chosen, rows = positives[place]
    rest = positives[:place] + positives[place + 1 :]
    for row in rows:
        extended = dict(binding)
        if all(match(term, text, extended) for term, text in zip(chosen.arguments, row, strict=True)):
            new = [name for name in extended if name not in binding]
            narrowed = [
                (atom, rows if atom.variables.isdisjoint(new) else world.candidates(atom, extended))
                for atom, rows in rest
            ]
            yield from _extend(world, pattern, extended, failed, narrowed, tests, allowed, budget)
            if not new:  # an atom that binds nothing is there or is not
                return
    if len(failed) < allowed:
        yield from _extend(world, pattern, dict(binding), (*failed, (chosen, None)), rest, tests, allowed, budget)


def _settle(
    world: World, binding: Binding, failed: tuple[Failure, ...], tests: list[Test]
) -> tuple[tuple[Failure, ...], list[Test]]:
    """Look at the tests whose variables have values by now, which equations may add; the others are left."""
    while any(isinstance(test, Comparison) and assigned(test, binding) for test in tests):
        pass
    left: list[Test] = []
    for test in tests:
        if not test.variables <= binding.keys():
            left.append(test)
        elif isinstance(test, Comparison):
            if not compares(test, binding):
                failed = (*failed, (test, None))
        else:
            row = next((row for row, _ in world.matches(test.atom, binding)), None)
            if (row is None) == test.doubled:
                failed = (*failed, (test, row))
    return failed, left
