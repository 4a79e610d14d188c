"""Broken stories and their restored twins: everyday stories with one conflict, each beside one that is in order again.

A line a pair: ``{"id", "broken": [sentences], "restored": [sentences], "conflict": [evidence, breakpoint], "entity"}``,
sentences counted from 0, ``entity`` being what the conflict is about. An ``author`` may be named: cross-validation then
leaves out an author at a time. They have no annotated states: they teach and
measure single verdicts, right pairs and right proofs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ..symbolic.aliases import head
from ..symbolic.errors import Location, StoryError
from ..symbolic.story import Gold, Story, StoryPair
from .engine import ranked_proofs, weigh
from .files import Line, PathLike, json_values
from .schema import Strict, check_sentences, shorten, validated

if TYPE_CHECKING:
    from .engine import AnalysedPair
    from .scoring import Candidate, Weights

RESTORED, BROKEN = 0, 1  # their places in a pair

_SHAPE = 'a line with "id", "broken", "restored" (lists of sentences), "conflict" (two numbers from 0) and "entity"'


class _Line(Strict):
    id: str
    broken: list[str]
    restored: list[str]
    conflict: Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=2, max_length=2)]
    entity: str = ""
    author: str = ""


@dataclass(frozen=True, eq=False)
class Twins:
    """A broken story and its restored twin; ``entity`` is what the conflict is about, "" where it is not known."""

    pair: StoryPair
    entity: str = ""


@dataclass(frozen=True)
class TwinMetrics:
    """Shares of ``n`` pairs.

    ``right_pair``: the likeliest two sentences of the broken story are the conflicting ones; ``right_proof``: and they
    are proved of the right thing (by its head noun); ``broken_implausible`` and ``restored_plausible``: each judged by
    itself; ``broken_above_restored``: the broken story is the less plausible one of the two.

    ``accuracy`` and ``consistency`` are TRIP's: the restored story is chosen of the two, and the conflicting sentences
    of the other are named as well.
    """

    n: int
    right_pair: float
    right_proof: float
    broken_implausible: float
    restored_plausible: float
    broken_above_restored: float
    accuracy: float
    consistency: float

    def to_json(self) -> dict[str, float]:
        """The figures by name."""
        return asdict(self)


def read_twins(path: PathLike, lines: Iterator[Line] | None = None) -> Iterator[Twins]:
    """The pairs of a file, in its order, one at a time; ``lines`` are its lines, where the caller has read them.

    Raises:
        StoryError: names the file, the line and what is wrong.
    """
    for location, value in json_values(path, lines):
        line = validated(_Line, value, location, _SHAPE)
        for sentences in (line.restored, line.broken):
            check_sentences(sentences, location)
        evidence, breakpoint_ = line.conflict
        if not evidence < breakpoint_ < len(line.broken):
            raise StoryError(
                f'"{shorten(line.id)}": the conflict [{evidence}, {breakpoint_}] is no pair of sentences in order of a'
                f" story of {len(line.broken)}; count from 0",
                location,
            )
        restored = Story(tuple(line.restored), None, f"{line.id}, restored", Gold(True))
        group = f"author {line.author}" if line.author else ""
        broken = Story(tuple(line.broken), None, line.id, Gold(False, (evidence, breakpoint_)))
        yield Twins(StoryPair((restored, broken), RESTORED, line.id, group), line.entity)


def with_entities(pairs: Sequence[StoryPair]) -> list[StoryPair]:
    """The pairs with the entities found in the text, where their stories name none."""
    from ..neural.parser import Parser

    if all(story.entities is not None for pair in pairs for story in pair.stories):
        return list(pairs)
    parser = Parser()

    def named(story: Story) -> Story:
        return (
            story
            if story.entities is not None
            else replace(story, entities=parser.parse(story.sentences, None).entities)
        )

    return [replace(pair, stories=(named(pair.stories[0]), named(pair.stories[1]))) for pair in pairs]


def measure_twins(twins: Sequence[Twins], analysed: Sequence[AnalysedPair], weights: Sequence[Weights]) -> TwinMetrics:
    """The figures of analysed pairs, with the weights to use for each.

    Raises:
        StoryError: there are none.
    """
    if not twins:
        raise StoryError("no twins to measure: give a file that has some, or a higher --limit", Location("twins"))
    pair = proof = implausible = plausible = above = chosen = consistent = 0
    for one, both, weight in zip(twins, analysed, weights, strict=True):
        restored, broken = (analysis.judged(weight) for analysis in both)
        best, gold = broken.best, one.pair.stories[BROKEN].gold
        right = _is(best, gold)
        shown = ranked_proofs(best, weight)[:1] if best is not None else []
        pair += right
        proof += right and any(head(conflict.entity) == head(one.entity) for conflict in shown)
        implausible += not broken.plausible
        plausible += restored.plausible
        above += broken.log_odds > restored.log_odds
        (_, beside), (first, second) = weigh(both, weight)
        chosen += first >= second
        consistent += first >= second and _is(beside.best, gold)
    n = len(twins)
    counts = (pair, proof, implausible, plausible, above, chosen, consistent)
    return TwinMetrics(n, *(round(count / n, 4) for count in counts))


def _is(candidate: Candidate | None, gold: Gold | None) -> bool:
    """Whether a candidate is the gold pair."""
    return candidate is not None and gold is not None and (candidate.evidence, candidate.breakpoint) == gold.conflict
