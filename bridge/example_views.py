"""The examples of rules for people: those of one rule, an example that failed, and how all of them went."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..symbolic.example import Example
from ..symbolic.program import CONFLICT
from ..symbolic.rulebook import Rule, RuleBook
from .examples import Outcome
from .wording import counted, listed, printable, state_words


def rule_examples(statements: Sequence[Rule]) -> list[RenderableType]:
    """The examples of the statements of one name, those in which it fires first."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for fires in (True, False):
        for example in (e for rule in statements for e in rule.examples if e.fires is fires):
            table.add_row("fires in:" if fires else "silent in:", Text(printable(example.text)))
            if example.states:
                table.add_row("", Text(given(example), "dim"))
    return [Text(), table] if table.row_count else []


def given(example: Example) -> str:
    """The states that an example gives: "given: after sentence 1 the lamp is unpowered"."""
    return f"given: {listed([state_words(state) for state in example.states])}" if example.states else ""


def failure_view(outcome: Outcome, book: RuleBook) -> RenderableType:
    """One example that failed: its story as it was read, what was expected and what happened; ``book`` is what ran."""
    rule, example = outcome.rule, outcome.example
    parts: list[RenderableType] = [
        Text.assemble((rule.name, "bold red"), ": ", printable(_verdict(outcome, book))),
        Padding(Text(printable(outcome.place), "dim"), (0, 0, 0, 4)),
    ]
    sentences = outcome.sentences or (example.text,)
    numbers = [f"{number}  " for number in range(1, len(sentences) + 1)] if outcome.sentences else [""]
    lines = [number + printable(sentence) for number, sentence in zip(numbers, sentences, strict=True)]
    if example.states:
        lines.append(given(example))
    if not outcome.problem:
        conflicts, others = _by_kind(outcome, book)
        lines.append(f"conflicts found by: {listed(conflicts) if conflicts else 'no rule'}")
        lines.append(f"other rules that fire: {listed(others) if others else 'none'}")
    parts += [Padding(Text(line), (0, 0, 0, 4)) for line in lines]
    return Group(*parts)


def summary_view(book: RuleBook, outcomes: Sequence[Outcome]) -> RenderableType:
    """How many examples passed, and which named rules of ``book`` (what was tested) lack one."""
    failed = sum(not outcome.passed for outcome in outcomes)
    named = [name for name in book.names if book.named(name)[0].named]
    having = [name for name in named if any(rule.examples for rule in book.named(name))]
    line = f"{counted(len(outcomes), 'example')}: {len(outcomes) - failed} passed, {failed} failed"
    parts = [
        Text(line, "bold red" if failed else "bold"),
        Text(f"{counted(len(having), 'named rule')} with examples, {len(named) - len(having)} without"),
    ]
    for fires, words in ((True, "in which it fires"), (False, "in which it is silent")):
        lacking = [n for n in named if not any(e.fires is fires for rule in book.named(n) for e in rule.examples)]
        if lacking:
            parts.append(Text(f"without an example {words} ({len(lacking)}): {', '.join(lacking)}", "dim"))
    return Group(*parts)


def _verdict(outcome: Outcome, book: RuleBook) -> str:
    if outcome.problem:
        return outcome.problem
    if not outcome.example.fires:
        return "should be silent, but fires"
    statements = book.named(outcome.rule.name) if outcome.rule.name in book.names else ()
    if all(rule.fact is not None for rule in statements):
        return "should fire, but facts never do: give the example to a rule that uses them"
    return "should fire, but is silent"


def _by_kind(outcome: Outcome, book: RuleBook) -> tuple[list[str], list[str]]:
    """The rules that fired, but for the one tested: those that derive conflicts, and the others."""
    names = [name for name in book.names if name in outcome.fired and name != outcome.rule.name]
    conflicts = [name for name in names if any(CONFLICT in rule.derives for rule in book.named(name))]
    return conflicts, [name for name in names if name not in conflicts]
