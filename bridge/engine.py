"""The engine: a story in, a verdict out. It loads its parts once, when they are first needed.

How a verdict is reached is in ``scoring``; this module only brings text, states, rules and weights together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from ..neural import DEFAULT_MODEL
from ..symbolic.errors import ModelError, UsageError
from ..symbolic.facts import Facts, certain, story_facts
from ..symbolic.rulebook import SHIPPED
from ..symbolic.story import Story, Tagging
from ..symbolic.vocabulary import ATTRIBUTE
from .assertions import supporting_states
from .calibration import TemperedTagger
from .scoring import (
    Candidate,
    Judged,
    Weights,
    candidates,
    choose,
    judge,
    judge_beside,
    load_temperatures,
    load_weights,
    sigmoid,
)
from .verdict import Basis, Choice, Verdict

if TYPE_CHECKING:
    from ..symbolic.gaps import Nearest
    from ..symbolic.parse import Parse
    from ..symbolic.proof import Conflict
    from ..symbolic.rulebook import RuleBook
    from ..symbolic.solver import Solution

System = Literal["neurosymbolic", "symbolic"]
States = Literal["predicted", "gold"]
WEIGHTS = SHIPPED / "weights"


class StateTagger(Protocol):
    """Anything that tags states: the trained tagger, or a dictionary in a test."""

    def tag(self, sentences: Sequence[str], entities: Sequence[str]) -> Tagging:
        """Probabilities of states, and scores of pairs or None."""


class TextReader(Protocol):
    """Anything that reads text: the parser, or one that remembers."""

    def split(self, text: str) -> tuple[str, ...]:
        """The sentences of a piece of prose."""

    def parse(self, sentences: Sequence[str], entities: Sequence[str] | None = None) -> Parse:
        """A story's verbs, arguments and properties."""


class Reasoner(Protocol):
    """Anything that finds a story's conflicts: the solver, or the one that confines rules of strangers."""

    book: RuleBook

    def solve_story(self, parse: Parse, tagging: Tagging) -> Solution:
        """Every conflict that the rules derive, the likeliest proof of each, and what they know to be resolved."""

    def fired(self, parse: Parse, tagging: Tagging) -> frozenset[str]:
        """The names of the rules that hold somewhere in a story."""

    def nearest(
        self, parse: Parse, tagging: Tagging, pair: tuple[int, int], name: str | None = None, limit: int = 3
    ) -> Nearest:
        """The rules that come nearest to proving that two sentences conflict."""


@dataclass(frozen=True, eq=False)
class Reading:
    """One story, parsed and tagged: what any rules can then be run on."""

    story: Story
    parse: Parse
    tagging: Tagging


@dataclass(frozen=True, eq=False)
class Analysis:
    """One story, parsed, tagged and solved, but not yet weighed."""

    story: Story
    entities: tuple[str, ...]
    tagging: Tagging
    candidates: tuple[Candidate, ...]

    @property
    def conflicts(self) -> list[Conflict]:
        """Every proof, by pair of sentences."""
        return [conflict for one in self.candidates for conflict in one.conflicts]

    def judged(self, weights: Weights) -> Judged:
        """Weigh the candidates of this story by itself."""
        return judge(self.candidates, weights, len(self.story.sentences))


AnalysedPair = tuple[Analysis, Analysis]


class Engine:
    """Explains stories and chooses between them under one model, rule book and set of weights.

    Args:
        model: a shipped model by name or a folder made by ``train``.
        system: "neurosymbolic", or "symbolic" to leave the neural pair prior out.
        states: "predicted" by the tagger, or "gold" to take the annotation that a story brings.
        rules: rule files or folders that add to the shipped rules or replace them by name.
        without: names of rules to leave out.
        tagger, parser, solver: parts to use in place of the engine's own (``rules`` and ``without`` are the solver's).
        weights: weights to use in place of the system's own.

    Raises:
        ModelError: the model or its weights cannot be loaded.
        RuleError: a rule file is refused.
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        system: System = "neurosymbolic",
        states: States = "predicted",
        rules: Sequence[str | Path] = (),
        without: Collection[str] = (),
        tagger: StateTagger | None = None,
        parser: TextReader | None = None,
        solver: Reasoner | None = None,
        weights: Weights | None = None,
    ) -> None:
        if states == "gold" and system != "symbolic":
            raise UsageError("gold states have no neural prior: use them with the system 'symbolic'")
        self.model = model
        self.system: System = system
        self.states: States = states
        self._rules = tuple(rules)
        self._without = tuple(without)
        self._tagger = tagger
        self._parser = parser
        self._solver = solver
        self._weights = weights

    def __repr__(self) -> str:
        return f"Engine({self.model!r}, system={self.system!r}, states={self.states!r})"

    @cached_property
    def tagger(self) -> StateTagger:
        """The state tagger; the model's own is tempered by what its weights file says."""
        if self._tagger is not None:
            return self._tagger
        from ..neural.tagger import Tagger, model_folder

        temperatures = load_temperatures(weights_file(self.model, "predicted"))
        return TemperedTagger(Tagger.load(model_folder(self.model)), temperatures)

    @cached_property
    def parser(self) -> TextReader:
        """The text layer."""
        if self._parser is not None:
            return self._parser
        from ..neural.parser import Parser

        return Parser()

    @cached_property
    def solver(self) -> Reasoner:
        """The rules, ready to solve; rules of the user's own are grounded in a process with limits."""
        if self._solver is not None:
            return self._solver
        if self._rules:
            from ..symbolic.confined import ConfinedSolver

            return ConfinedSolver(self._rules, self._without)
        from ..symbolic.rulebook import load
        from ..symbolic.solver import Solver

        return Solver(load(without=self._without))

    @cached_property
    def _synonyms(self) -> frozenset[tuple[str, str]]:
        return self.solver.book.pairs("synonym")

    @cached_property
    def weights(self) -> Weights:
        """The weights of rules and prior."""
        if self._weights is not None:
            return self._weights
        return load_weights(weights_file(self.model, self.states), self.system)

    def split(self, text: str) -> tuple[str, ...]:
        """The sentences of a piece of prose."""
        return self.parser.split(text)

    def read(self, story: Story) -> Reading:
        """Parse and tag a story, which needs no rules: engines that differ in these alone can share a reading."""
        parse = self.parser.parse(story.sentences, story.entities)
        if story.goal is not None:
            parse = replace(parse, goal=story.goal)
        return Reading(story, parse, self._states(story, parse))

    def tag(self, story: Story) -> Tagging:
        """The states of a story's entities (its own, or those found in the text)."""
        return self.read(story).tagging

    def facts(self, story: Story) -> Facts:
        """What the rules are told about a story."""
        reading = self.read(story)
        return story_facts(reading.parse, reading.tagging, self._synonyms)

    def solve(self, reading: Reading) -> Analysis:
        """Run the rules on a story that has been read: all that a verdict is then weighed from."""
        story, tagging = reading.story, reading.tagging
        solution = self.solver.solve_story(reading.parse, tagging)
        prior = tagging.pair_scores if self.system == "neurosymbolic" else None
        found = candidates(solution.conflicts, len(story.sentences), prior, solution.resolved)
        return Analysis(story, reading.parse.entities, tagging, tuple(found))

    def analyse(self, story: Story) -> Analysis:
        """Parse, tag and solve a story."""
        return self.solve(self.read(story))

    def proofs(self, story: Story, pair: tuple[int, int]) -> list[Conflict]:
        """Every proof that two sentences of a story conflict, best first; none where no rule proves it."""
        found = (c for c in self.analyse(story).candidates if (c.evidence, c.breakpoint) == pair)
        return [conflict for candidate in found for conflict in ranked_proofs(candidate, self.weights)]

    def nearest(self, story: Story, pair: tuple[int, int], name: str | None = None, limit: int = 3) -> Nearest:
        """The rules (or the one rule ``name``) that come nearest to proving that two sentences conflict.

        Raises:
            RuleError: no rule is called ``name``, or it derives no conflict.
            UsageError: the story has no two such sentences in this order.
        """
        reading = self.read(story)
        return self.solver.nearest(reading.parse, reading.tagging, pair, name, limit)

    def explain(self, story: Story) -> Verdict:
        """Judge one story by itself."""
        return self.verdict(self.analyse(story))

    def verdict(self, analysis: Analysis) -> Verdict:
        """Judge one story by itself, from what the rules and the prior say of it."""
        judged = analysis.judged(self.weights)
        return verdict_of(analysis, judged, judged.plausible, certainty(judged), _ranking(self.weights))

    def choose(self, first: Story, second: Story) -> Choice:
        """Choose the plausible one of two stories; the other's verdict says which two sentences clash.

        Where the stories differ in exactly one sentence, only pairs with that sentence are looked at: what both
        stories share cannot tell them apart.
        """
        return choice_of((self.analyse(first), self.analyse(second)), self.weights)

    def _states(self, story: Story, parse: Parse) -> Tagging:
        if self.states == "predicted":
            return self.tagger.tag(story.sentences, parse.entities)
        if story.gold is None or story.gold.states is None:
            raise UsageError(f"story {story.id!r} has no annotated states; use predicted ones")
        return certain(story.gold.states)


def weigh(both: AnalysedPair, weights: Weights, twin: bool = True) -> tuple[tuple[Judged, Judged], tuple[float, float]]:
    """Two stories' judgements and the probability of each to be the plausible one.

    ``twin`` uses the sentence in which the stories differ, if it is exactly one.
    """
    odd = differing_sentence((both[0].story, both[1].story)) if twin else None

    def beside(one: Analysis, other: Analysis) -> Judged:
        if odd is None:
            return one.judged(weights)
        return judge_beside(one.candidates, other.candidates, weights, len(one.story.sentences), odd)

    judged = (beside(both[0], both[1]), beside(both[1], both[0]))
    return judged, choose(*judged, weights)


def choice_of(both: AnalysedPair, weights: Weights) -> Choice:
    """Choose the plausible one of two analysed stories, see ``Engine.choose``."""
    judged, probabilities = weigh(both, weights)
    better = 0 if probabilities[0] >= probabilities[1] else 1
    ranked = _ranking(weights)
    verdicts = [verdict_of(both[k], judged[k], k == better, probabilities[better], ranked) for k in (0, 1)]
    return Choice(better, probabilities, (verdicts[0], verdicts[1]))


def verdict_of(
    analysis: Analysis,
    judged: Judged,
    plausible: bool,
    confidence: float,
    ranked: Callable[[Candidate], list[Conflict]],
) -> Verdict:
    """What a judgement says of a story; ``ranked`` puts the proofs of the likeliest candidate in order, best first."""
    best = judged.best
    pair: tuple[int, int] | None = None
    proofs: list[Conflict] = []
    basis: Basis = "no conflict" if plausible else "neural prior"
    if not plausible and best is not None:
        pair = (best.evidence, best.breakpoint)
        proofs = ranked(best)
        basis = "proof" if proofs else basis
    return Verdict(
        analysis.story.id,
        analysis.story.sentences,
        analysis.entities,
        plausible,
        min(1.0, max(0.0, confidence)),
        basis,
        pair,
        proofs[0] if proofs else None,
        tuple(proofs[1:]),
        supporting_states(proofs[0], analysis.tagging) if proofs else (),
    )


def weights_file(model: str, states: States) -> Path:
    """The weights that go with a model: its own if it brings any, else those shipped for its name."""
    if states == "gold":
        return WEIGHTS / "gold.json"
    own = Path(model) / "rule_weights.json"
    if own.is_file():
        return own
    named = WEIGHTS / f"{model}.json"
    return named if named.is_file() else WEIGHTS / "small.json"


def require_weights(model: str) -> None:
    """Refuse a model that is neither a folder nor one that weights are shipped for, without loading it.

    Raises:
        ModelError: it is neither.
    """
    shipped = sorted(path.stem for path in WEIGHTS.glob("*.json") if path.stem != "gold")
    if not Path(model).is_dir() and model not in shipped:
        raise ModelError(f"no model {model!r}: give a shipped one ({', '.join(shipped)}) or a folder made by train")


# How much the certainty of the states that a proof cites counts beside its rules' weights when proofs are ranked.
CERTAINTY_WEIGHT = 4.0


def ranked_proofs(candidate: Candidate, weights: Weights) -> list[Conflict]:
    """A candidate's proofs, best first: by what each adds to the score, and how sure the states are that it cites."""
    return sorted(candidate.conflicts, key=lambda c: (-_merit(c, weights), c.cost))


def _ranking(weights: Weights) -> Callable[[Candidate], list[Conflict]]:
    return lambda candidate: ranked_proofs(candidate, weights)


def _merit(conflict: Conflict, weights: Weights) -> float:
    alone = candidates([conflict], conflict.breakpoint + 1)
    score = weights.score(next(c for c in alone if c.conflicts))
    cited = [s for s in conflict.states() if not ATTRIBUTE[s.attribute].is_trivial(s.value)]
    return score + CERTAINTY_WEIGHT * (math.prod(s.probability for s in cited) if cited else 0.0)


def differing_sentence(stories: tuple[Story, Story]) -> int | None:
    """The one sentence in which two stories of the same length differ; None if it is not exactly one."""
    first, second = (s.sentences for s in stories)
    odd = [k for k, (a, b) in enumerate(zip(first, second, strict=False)) if a != b]
    return odd[0] if len(first) == len(second) and len(odd) == 1 else None


def certainty(judged: Judged) -> float:
    """The calibrated probability that a single verdict is right."""
    implausible = sigmoid(judged.log_odds)
    return 1.0 - implausible if judged.plausible else implausible
