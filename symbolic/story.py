"""Stories, pairs of stories and tables of states: what every reader yields and every layer takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .vocabulary import ATTRIBUTES, N_ATTRIBUTES, N_VALUES, SIDES, Side

IntArray = npt.NDArray[np.int8]
FloatArray = npt.NDArray[np.float32]


@dataclass(frozen=True, order=True)
class State:
    """One asserted state: ``entity``'s ``attribute`` has ``value`` before or after sentence ``sentence``."""

    side: Side
    sentence: int
    entity: str
    attribute: str
    value: int
    probability: float = field(default=1.0, compare=False)


@dataclass(frozen=True, eq=False)
class StateTable:
    """Annotated states, ``values`` of shape (entities, sentences, 2, 20): precondition then effect; 0 = unknown."""

    entities: tuple[str, ...]
    values: IntArray

    def __post_init__(self) -> None:
        if self.values.shape[:1] + self.values.shape[2:] != (len(self.entities), 2, N_ATTRIBUTES):
            raise ValueError(f"states of shape {self.values.shape} for {len(self.entities)} entities")

    def nontrivial(self, sentence: int, side: int) -> Iterator[State]:
        """The states at one side of one sentence that say something (neither unknown nor the default)."""
        for e, entity in enumerate(self.entities):
            for attribute in ATTRIBUTES:
                value = int(self.values[e, sentence, side, attribute.index])
                if not attribute.is_trivial(value):
                    yield State(SIDES[side], sentence, entity, attribute.name, value)


@dataclass(frozen=True, eq=False)
class Tagging:
    """What the tagger believes about one story.

    ``probabilities`` has shape (entities, sentences, 2, 20, 9) and sums to 1 over the last axis (values an attribute
    does not have get 0). ``pair_scores`` has shape (sentences, sentences): the pair prior's log-odds that sentences
    i < j conflict, -inf elsewhere; None where the tagger has no pair prior.
    """

    entities: tuple[str, ...]
    probabilities: FloatArray
    pair_scores: FloatArray | None = None

    def __post_init__(self) -> None:
        shape = self.probabilities.shape
        if shape[:1] + shape[2:] != (len(self.entities), 2, N_ATTRIBUTES, N_VALUES):
            raise ValueError(f"probabilities of shape {shape} for {len(self.entities)} entities")

    def argmax(self) -> StateTable:
        """The likeliest value of every state."""
        return StateTable(self.entities, self.probabilities.argmax(-1).astype(np.int8))


@dataclass(frozen=True, eq=False)
class Gold:
    """A story's annotation: ``conflict`` is (evidence, breakpoint), sentences from 0, None in a plausible story."""

    plausible: bool
    conflict: tuple[int, int] | None = None
    states: StateTable | None = None


@dataclass(frozen=True, eq=False)
class Story:
    """A short story or procedure: a sentence each; ``entities`` None means "take them from the text".

    ``goal`` is the sentence that says what the others are to reach (``bridge/procedures.py``), counted from 0.
    """

    sentences: tuple[str, ...]
    entities: tuple[str, ...] | None = None
    id: str = ""
    gold: Gold | None = None
    goal: int | None = None


@dataclass(frozen=True, eq=False)
class StoryPair:
    """Two stories of which one is plausible; ``label`` is its index, None where it is not known.

    ``group`` names the pairs that are too alike to be told apart fairly, such as those of one author.
    """

    stories: tuple[Story, Story]
    label: int | None = None
    id: str = ""
    group: str = ""

    @property
    def base(self) -> str:
        """What folds keep together: the ``group``, else the story both were made from (``id`` up to ``-C``, ``-O``)."""
        if self.group:
            return self.group
        for mark in ("-C", "-O"):
            head, found, _ = self.id.partition(mark)
            if found:
                return head
        return self.id
