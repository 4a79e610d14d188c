"""Verdicts and choices as data: what the engine concludes, before anything is printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..symbolic.proof import Conflict
from ..symbolic.story import State

# What a verdict rests on: a proof by rules, the neural pair prior alone, or that nothing spoke against the story.
Basis = Literal["proof", "neural prior", "no conflict"]


@dataclass(frozen=True)
class Verdict:
    """Whether one story can happen.

    ``pair`` is (evidence, breakpoint), sentences from 0, None in a plausible story. ``conflict`` is the proof's own,
    None where no rule proves the pair (``basis`` then says "neural prior"); ``others`` are further proofs of the same
    pair, best first. ``support`` are states on which the proof does not rest but which bear it out (``assertions``).
    ``confidence`` is the calibrated probability that the verdict is right.
    """

    id: str
    sentences: tuple[str, ...]
    entities: tuple[str, ...]
    plausible: bool
    confidence: float
    basis: Basis
    pair: tuple[int, int] | None = None
    conflict: Conflict | None = None
    others: tuple[Conflict, ...] = ()
    support: tuple[State, ...] = ()

    @property
    def states(self) -> tuple[State, ...]:
        """The states that are asserted at the two ends of the proof, those it cites and those that bear it out."""
        return tuple(sorted({*self.conflict.states(), *self.support})) if self.conflict else ()


@dataclass(frozen=True)
class Choice:
    """Which of two stories is the plausible one: ``choice`` 0 or 1, with the probability of each."""

    choice: int
    probabilities: tuple[float, float]
    verdicts: tuple[Verdict, Verdict]
