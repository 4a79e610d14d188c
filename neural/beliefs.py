"""What the tiered baseline says of a story, how it chooses between two, and how this is kept: plain arrays, no torch.

Source: TRIP (Storks et al., 2021), section 3. The detector believes of every (entity, sentence) that it is part of a
conflict; the story with the smaller sum of beliefs is the plausible one; two sentences of the other conflict.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, get_args

import numpy as np

from ..symbolic.errors import Location, ModelError
from ..symbolic.story import FloatArray, IntArray, StateTable, StoryPair

# How conflicting sentences are read off the beliefs; see ``conflicting``.
Conflicts = Literal["top-two", "threshold"]
CONFLICTS: Final[tuple[Conflicts, ...]] = get_args(Conflicts)
THRESHOLD: Final = 0.5


@dataclass(frozen=True, eq=False)
class Beliefs:
    """What the baseline says of one story.

    ``states`` (entities, sentences, 2, 20) are the likeliest values, precondition then effect; ``conflict``
    (entities, sentences) the belief, 0 to 1, that the sentence conflicts with another as to the entity.
    """

    entities: tuple[str, ...]
    states: IntArray
    conflict: FloatArray

    def __post_init__(self) -> None:
        if self.conflict.shape != self.states.shape[:2]:
            raise ValueError(f"beliefs of shape {self.conflict.shape} beside states of shape {self.states.shape}")

    @property
    def table(self) -> StateTable:
        """The states as a table."""
        return StateTable(self.entities, self.states)

    @property
    def total(self) -> float:
        """The sum of beliefs over entities and sentences: the higher, the less plausible is the story."""
        return float(self.conflict.sum(dtype=np.float64))


PairBeliefs = tuple[Beliefs, Beliefs]


def choose(both: PairBeliefs) -> tuple[int, tuple[float, float]]:
    """The plausible one of two stories, and the probability of each: the softmax of the negated sums of beliefs."""
    odds = both[1].total - both[0].total
    first = 1.0 / (1.0 + math.exp(-odds)) if odds >= 0 else math.exp(odds) / (1.0 + math.exp(odds))
    return 0 if odds >= 0 else 1, (first, 1.0 - first)


def conflicting(both: PairBeliefs, story: int, how: Conflicts = "top-two") -> tuple[int, ...]:
    """The sentences said to conflict when ``story``, 0 or 1, is the implausible one.

    "top-two": the two sentences of that story with the largest sums of beliefs over its entities (the sums that the
    choice of story is made of; the earlier sentence where two are alike), which is what the paper's task asks for:
    one pair. "threshold" is what the published code does: every sentence of which the belief is .5 or more for any
    entity of EITHER story; it is right only where exactly two are left.
    """
    if how == "threshold":
        marked = [one.conflict >= THRESHOLD for one in both]
        return tuple(sorted({int(s) for one in marked for s in np.nonzero(one.any(0))[0]}))
    sums = both[story].conflict.sum(0, dtype=np.float64)
    return tuple(sorted(int(s) for s in np.argsort(-sums, kind="stable")[:2]))


def arrays(beliefs: Mapping[int, PairBeliefs]) -> dict[str, np.ndarray]:
    """Beliefs by the number of their pair as named arrays: ``I.S.states``, ``I.S.conflict`` and ``I.choice``."""
    found: dict[str, np.ndarray] = {}
    for number, both in beliefs.items():
        for k, one in enumerate(both):
            found[f"{number}.{k}.states"] = one.states.astype(np.int8)
            found[f"{number}.{k}.conflict"] = one.conflict.astype(np.float32)
        found[f"{number}.choice"] = np.array([choose(both)[0]], np.int8)
    return found


def load_heldout(path: Path, pairs: Sequence[StoryPair]) -> dict[int, PairBeliefs]:
    """The beliefs that a fold of a run left of the pairs that it did not train on, by the number of the pair.

    Raises:
        ModelError: the file is absent, damaged, or of other data.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        found = load_file(path)
    except (OSError, SafetensorError):
        raise ModelError(
            "this fold is not trained yet; run 'disproof train tiered' with --folds", Location(str(path))
        ) from None
    try:
        return {
            int(name.removesuffix(".choice")): _both(found, int(name.removesuffix(".choice")), pairs)
            for name in found
            if name.endswith(".choice")
        }
    except (KeyError, IndexError, ValueError):
        raise ModelError("these beliefs belong to other data", Location(str(path))) from None


def _both(found: Mapping[str, np.ndarray], number: int, pairs: Sequence[StoryPair]) -> PairBeliefs:
    said = []
    for k, story in enumerate(pairs[number].stories):
        states = found[f"{number}.{k}.states"]
        if states.shape[:2] != (len(story.entities or ()), len(story.sentences)):
            raise ValueError("another story")
        said.append(Beliefs(story.entities or (), states, found[f"{number}.{k}.conflict"]))
    return said[0], said[1]
