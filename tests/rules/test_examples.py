"""Every example of the shipped rules, by the real parser and no tagger: each fires where it should, and only there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

import pytest

from disproof.bridge.examples import Outcome, run_examples
from disproof.neural.parser import Parser
from disproof.symbolic.program import CONFLICT
from disproof.symbolic.rulebook import SHIPPED, RuleBook, load, open_pack
from disproof.symbolic.solver import Solver


def names_with_examples() -> Iterator[str]:
    """The rules that have examples; the lexicons have no annotations, and are too large to be read for a list."""
    for file in sorted(SHIPPED.glob("*.lp")):
        if b"%!" in file.read_bytes():
            yield from (entry.name for entry in open_pack(file).entries if entry.examples)


@pytest.fixture(scope="module")
def book() -> RuleBook:
    return load()


@pytest.fixture(scope="module")
def outcomes(book: RuleBook) -> Mapping[str, list[Outcome]]:
    """What came of every example, by rule."""
    found: defaultdict[str, list[Outcome]] = defaultdict(list)
    for outcome in run_examples(book, Parser(), Solver(book)):
        found[outcome.rule.name].append(outcome)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", dict.fromkeys(names_with_examples()))
def test_a_rule_fires_in_its_examples_and_not_in_its_near_misses(
    name: str, outcomes: Mapping[str, list[Outcome]]
) -> None:
    assert outcomes[name]
    failed = [
        f"{o.place}: {o.problem or o.example.expected}: {' | '.join(o.sentences)}; fired: {', '.join(sorted(o.fired))}"
        for o in outcomes[name]
        if not o.passed
    ]
    assert failed == []


def test_every_rule_of_conflicts_has_an_example_in_which_it_fires_and_one_in_which_it_does_not(book: RuleBook) -> None:
    lacking = []
    for name in book.names:
        statements = book.named(name)
        if statements[0].named and any(CONFLICT in rule.derives for rule in statements):
            kinds = {example.fires for rule in statements for example in rule.examples}
            if kinds != {True, False}:
                lacking.append(name)
    assert lacking == []
