"""The examples of rules, run: does each rule fire in the stories where it should, and only there?

An example is parsed as any story is, but its states are those that it gives itself, so no model is loaded and the
outcome rests on the rules and the parser alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict

from ..symbolic.errors import StoryError, did_you_mean
from ..symbolic.example import Example
from ..symbolic.rulebook import Rule, RuleBook
from .engine import Reasoner, TextReader

if TYPE_CHECKING:
    from ..symbolic.parse import Parse
    from ..symbolic.story import State, Tagging


@dataclass(frozen=True)
class Outcome:
    """What came of one example: the story's ``sentences`` as they were cut, and the names of the rules that ``fired``.

    ``problem`` says why the example could not be run; it has no sentences and nothing fired then.
    """

    rule: Rule
    example: Example
    sentences: tuple[str, ...] = ()
    fired: frozenset[str] = frozenset()
    problem: str = ""

    @property
    def passed(self) -> bool:
        """Whether the rule did what the example says."""
        return not self.problem and (self.rule.name in self.fired) == self.example.fires

    @property
    def place(self) -> str:
        """The file and line of the example."""
        return f"{self.rule.file}:{self.example.line}"


class OutcomeDocument(TypedDict):
    """One example in the JSON of ``rules test``."""

    rule: str
    file: str
    line: int
    story: str
    expected: str
    passed: bool


def outcome_document(outcome: Outcome) -> OutcomeDocument:
    """One outcome."""
    return {
        "rule": outcome.rule.name,
        "file": outcome.rule.file,
        "line": outcome.example.line,
        "story": outcome.example.text,
        "expected": outcome.example.expected,
        "passed": outcome.passed,
    }


def examples_of(book: RuleBook) -> list[tuple[Rule, Example]]:
    """Every example of a rule book, in the order of its files."""
    return [(rule, example) for rule in book.rules for example in rule.examples]


def run_examples(book: RuleBook, parser: TextReader, solver: Reasoner) -> Iterator[Outcome]:
    """The outcome of every example of ``book``, in order, under the rules of ``solver``.

    Raises:
        RuleError: the rules cannot be grounded, or a limit stopped them.
    """
    # Rules share stories: a near miss of one is an example of another.
    seen: dict[tuple[str, tuple[State, ...]], Outcome] = {}
    for rule, example in examples_of(book):
        key = (example.text, example.states)
        if key not in seen:
            seen[key] = run_example(rule, example, parser, solver)
        done = seen[key]
        yield Outcome(rule, example, done.sentences, done.fired, done.problem)


def run_example(rule: Rule, example: Example, parser: TextReader, solver: Reasoner) -> Outcome:
    """The outcome of one example.

    Raises:
        RuleError: the rules cannot be grounded, or a limit stopped them.
    """
    try:
        parse, tagging = read_example(example, parser)
    except (StoryError, ValueError) as error:
        return Outcome(rule, example, problem=str(error))
    return Outcome(rule, example, parse.sentences, solver.fired(parse, tagging))


def read_example(example: Example, parser: TextReader) -> tuple[Parse, Tagging]:
    """The example's story parsed, and the states that it gives.

    Raises:
        StoryError: it is no story.
        ValueError: a state is of a sentence or an entity that is not there.
    """
    sentences = parser.split(example.story)
    if example.goal:
        sentences = (*sentences, example.goal)
    parse = _parsed(sentences, example, parser)
    if example.goal:
        parse = replace(parse, goal=len(sentences) - 1)
    return parse, example.tagging(parse.entities, len(sentences))


def _parsed(sentences: tuple[str, ...], example: Example, parser: TextReader) -> Parse:
    """The story's parse; its entities are those found in the text and those that the example gives states of.

    Raises:
        ValueError: the text does not name an entity of the example.
    """
    parse = parser.parse(sentences)
    given = [entity for entity in example.entities if entity not in parse.entities]
    if not given:
        return parse
    entities = (*parse.entities, *given)
    wider = parser.parse(sentences, entities)
    named = {mention.entity for mention in wider.mentions}
    for entity in given:
        if entity not in named:
            raise ValueError(f"the story does not name '{entity}'{did_you_mean(entity, parse.entities)}")
    return wider
