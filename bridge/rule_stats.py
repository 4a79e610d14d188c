"""What each rule of conflicts does on annotated stories: how often it fires, and how often rightly.

A firing is a distinct (story, pair of sentences), however many proofs the rule has there; a story that several pairs
share counts once. A hit is a firing on the gold pair of an implausible story.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..symbolic.program import CONFLICT
from ..symbolic.story import StoryPair

if TYPE_CHECKING:
    from ..symbolic.rulebook import RuleBook
    from .engine import AnalysedPair
    from .scoring import Weights


@dataclass(frozen=True)
class Firings:
    """Of one rule: firings in all, those on gold pairs, and those in plausible stories."""

    fires: int = 0
    hits: int = 0
    in_plausible: int = 0

    @property
    def precision(self) -> float | None:
        """The share of hits; None where it never fires."""
        return self.hits / self.fires if self.fires else None


def count_firings(pairs: Sequence[StoryPair], analysed: Sequence[AnalysedPair]) -> dict[str, Firings]:
    """The firings of every rule that fires, by name."""
    fires: defaultdict[str, int] = defaultdict(int)
    hits: defaultdict[str, int] = defaultdict(int)
    in_plausible: defaultdict[str, int] = defaultdict(int)
    seen: set[tuple[str, ...]] = set()
    for pair, both in zip(pairs, analysed, strict=True):
        for k, (story, analysis) in enumerate(zip(pair.stories, both, strict=True)):
            if story.sentences in seen:
                continue
            seen.add(story.sentences)
            gold = story.gold.conflict if story.gold is not None else None
            for candidate in analysis.candidates:
                for name in {conflict.rule for conflict in candidate.conflicts}:
                    fires[name] += 1
                    in_plausible[name] += k == pair.label
                    hits[name] += k != pair.label and (candidate.evidence, candidate.breakpoint) == gold
    return {name: Firings(fires[name], hits[name], in_plausible[name]) for name in sorted(fires)}


def rule_weight(book: RuleBook, name: str, weights: Weights) -> tuple[float, bool] | None:
    """A rule's weight and whether it was learned (else it is the default); None for a rule that derives no conflict."""
    if not any(CONFLICT in rule.derives for rule in book.named(name)):
        return None
    learned = weights.features.get(f"rule {name}")
    return (weights.default, False) if learned is None else (learned, True)
