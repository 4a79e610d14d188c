"""What a change of the rules does to stories: verdicts, pairs, proofs and choices before and after, beside the gold.

Each story is parsed and tagged once, and solved under both rule books.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..symbolic.story import Gold, Story, StoryPair
from .engine import AnalysedPair
from .evaluation import Progress, measure, predict_pair
from .twins import Twins, measure_twins
from .verdict import Verdict

if TYPE_CHECKING:
    from .engine import Analysis, Engine

# Whether a change is for the better, beside the gold; None where there is no gold.
Judgement = Literal["better", "worse", "same"] | None
Figures: TypeAlias = dict[str, object]


@dataclass(frozen=True)
class Outcome:
    """What is said of one story by itself; ``rule`` is that of the best proof, None where there is none."""

    plausible: bool
    pair: tuple[int, int] | None = None
    rule: str | None = None


@dataclass(frozen=True)
class StoryChange:
    """A story of which something else is said; ``place`` is its number in its pair, or in a file of plain stories."""

    id: str
    place: int
    story: Story
    before: Outcome
    after: Outcome
    judgement: Judgement


@dataclass(frozen=True)
class ChoiceChange:
    """A pair of which the other story is chosen."""

    id: str
    before: int
    after: int
    judgement: Judgement


@dataclass(frozen=True)
class RuleDiff:
    """All that changed over so many ``stories`` (each distinct one once), and the figures where there is a gold."""

    stories: int
    changes: tuple[StoryChange, ...]
    choices: tuple[ChoiceChange, ...] = ()
    before: Figures | None = None
    after: Figures | None = None


_Both = tuple["Analysis", "Analysis"]  # of one story, under the old and the new rules


def compare_pairs(
    before: Engine, after: Engine, pairs: Sequence[StoryPair], progress: Progress | None = None
) -> tuple[RuleDiff, tuple[list[AnalysedPair], list[AnalysedPair]]]:
    """What changes on pairs of stories, without figures, and both analyses of each pair.

    The engines differ in their rules only: ``before`` reads the stories for both.
    """
    done: dict[tuple[str, ...], _Both] = {}
    changes: list[StoryChange] = []
    choices: list[ChoiceChange] = []
    old: list[AnalysedPair] = []
    new: list[AnalysedPair] = []
    for count, pair in enumerate(pairs, 1):
        for place, story in enumerate(pair.stories):
            if story.sentences not in done:
                done[story.sentences] = _both(before, after, story)
                changes += _changes(before, after, done[story.sentences], pair.id or story.id, place)
        first, second = (done[story.sentences] for story in pair.stories)
        old.append((first[0], second[0]))
        new.append((first[1], second[1]))
        choice = [predict_pair(both, engine.weights).choice for both, engine in ((old[-1], before), (new[-1], after))]
        if choice[0] != choice[1]:
            judgement: Judgement = None if pair.label is None else "better" if choice[1] == pair.label else "worse"
            choices.append(ChoiceChange(pair.id, choice[0], choice[1], judgement))
        if progress is not None:
            progress(count, len(pairs))
    return RuleDiff(len(done), tuple(changes), tuple(choices)), (old, new)


def diff_pairs(before: Engine, after: Engine, pairs: Sequence[StoryPair], progress: Progress | None = None) -> RuleDiff:
    """What changes on annotated pairs, with the figures of ``evaluate trip``.

    Raises:
        StoryError: there are no pairs, or one lacks its annotation.
    """
    return _measured(
        compare_pairs(before, after, pairs, progress),
        lambda engine, analysed: measure(pairs, analysed, [engine.weights] * len(pairs), engine.system).to_json(),
        before,
        after,
    )


def diff_twins(before: Engine, after: Engine, twins: Sequence[Twins], progress: Progress | None = None) -> RuleDiff:
    """What changes on broken stories and their twins, with the figures of ``evaluate twins``.

    Raises:
        StoryError: there are none.
    """
    return _measured(
        compare_pairs(before, after, [one.pair for one in twins], progress),
        lambda engine, analysed: dict(measure_twins(twins, analysed, [engine.weights] * len(twins)).to_json()),
        before,
        after,
    )


def diff_stories(before: Engine, after: Engine, stories: Iterable[Story], progress: Progress | None = None) -> RuleDiff:
    """What changes on stories by themselves."""
    listed = list(stories)
    changes: list[StoryChange] = []
    for count, story in enumerate(listed):
        changes += _changes(before, after, _both(before, after, story), story.id, count)
        if progress is not None:
            progress(count + 1, len(listed))
    return RuleDiff(len(listed), tuple(changes))


def _measured(
    compared: tuple[RuleDiff, tuple[list[AnalysedPair], list[AnalysedPair]]],
    figures: Callable[[Engine, list[AnalysedPair]], Figures],
    before: Engine,
    after: Engine,
) -> RuleDiff:
    found, (old, new) = compared
    return RuleDiff(found.stories, found.changes, found.choices, figures(before, old), figures(after, new))


def _both(before: Engine, after: Engine, story: Story) -> _Both:
    reading = before.read(story)
    return before.solve(reading), after.solve(reading)


def _changes(before: Engine, after: Engine, both: _Both, identifier: str, place: int) -> Iterable[StoryChange]:
    story = both[0].story
    old, new = _outcome(before.verdict(both[0])), _outcome(after.verdict(both[1]))
    if old != new:
        yield StoryChange(identifier, place, story, old, new, _judgement(old, new, story.gold))


def _outcome(verdict: Verdict) -> Outcome:
    rule = None if verdict.conflict is None else verdict.conflict.rule
    return Outcome(verdict.plausible, verdict.pair, rule)


def _judgement(before: Outcome, after: Outcome, gold: Gold | None) -> Judgement:
    if gold is None:
        return None
    old, new = _rightness(before, gold), _rightness(after, gold)
    return "better" if new > old else "worse" if new < old else "same"


def _rightness(outcome: Outcome, gold: Gold) -> int:
    """0 for a wrong verdict, 1 for a right one, 2 for a right one whose two sentences are right as well."""
    if outcome.plausible != gold.plausible:
        return 0
    return 2 if gold.plausible or outcome.pair == gold.conflict else 1
