"""A tagger without a model: states written down by hand, for tests and for trying out rules.

It needs neither torch nor weights, so what the rules make of given states can be seen at once::

    tagger = FakeTagger({"Maria unplugged the phone.": {("effect", "phone", "power"): 1}})
    Engine(tagger=tagger).explain(story)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..symbolic.story import Tagging
from ..symbolic.vocabulary import ATTRIBUTE, N_ATTRIBUTES, N_VALUES, SIDES, UNKNOWN, Side

States = Mapping[tuple[Side, str, str], int | tuple[int, float]]


class FakeTagger:
    """Tags the sentences it knows with the states it was given, and everything else as unknown.

    Args:
        states: by sentence, then by (side, entity, attribute), a value or a value with its probability; what a
            probability leaves goes to "unknown".
        pairs: the score (log-odds) that two sentences conflict, by their text, the earlier first; None for a tagger
            without a pair prior. Pairs that it does not name get ``other_pairs``.
    """

    def __init__(
        self,
        states: Mapping[str, States] | None = None,
        pairs: Mapping[tuple[str, str], float] | None = None,
        other_pairs: float = -5.0,
    ) -> None:
        self._states = dict(states or {})
        self._pairs = None if pairs is None else dict(pairs)
        self._other_pairs = other_pairs

    def __repr__(self) -> str:
        return f"FakeTagger({len(self._states)} sentences)"

    def tag(self, sentences: Sequence[str], entities: Sequence[str]) -> Tagging:
        """The given states, (entities, sentences, 2, 20, 9); entities that the story does not have are left out."""
        table = np.zeros((len(entities), len(sentences), len(SIDES), N_ATTRIBUTES, N_VALUES), np.float32)
        table[..., UNKNOWN] = 1.0
        rows = {entity: row for row, entity in enumerate(entities)}
        for t, sentence in enumerate(sentences):
            for (side, entity, attribute), given in self._states.get(sentence, {}).items():
                if entity in rows:
                    value, probability = given if isinstance(given, tuple) else (given, 1.0)
                    cell = table[rows[entity], t, SIDES.index(side), ATTRIBUTE[attribute].index]
                    cell[UNKNOWN] = 1.0 - probability
                    cell[value] = probability
        return Tagging(tuple(entities), table, self._scores(sentences))

    def _scores(self, sentences: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]] | None:
        if self._pairs is None:
            return None
        scores = np.full((len(sentences), len(sentences)), -np.inf, np.float32)
        for j in range(len(sentences)):
            for i in range(j):
                scores[i, j] = self._pairs.get((sentences[i], sentences[j]), self._other_pairs)
        return scores
