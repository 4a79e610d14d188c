"""Measures of any classifier, small enough to be written out: F1, area under the ROC curve, calibration.

They are here and not scikit-learn's so that the installed program does not need it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..symbolic.story import IntArray, StateTable
from ..symbolic.vocabulary import ATTRIBUTES, N_ATTRIBUTES, N_VALUES, UNKNOWN

Counts = npt.NDArray[np.int64]

_DEFAULTS = np.array([attribute.default for attribute in ATTRIBUTES], np.int8)


class FScores:
    """Macro-F1 of states, gathered story by story.

    What is counted: every (entity, sentence) of a story, with no padding; entities that only one of the two tables
    has are all-unknown in the other. A default value counts as unknown (predictions in the official shape hold
    neither), so an attribute's classes are "nothing said" and its non-trivial values. What is averaged: F1 of each
    class that gold or the predictions hold, over the classes of an attribute; then over the attributes of which
    gold or the predictions say anything at all.
    """

    def __init__(self) -> None:
        self._counts: Counts = np.zeros((2, N_ATTRIBUTES, N_VALUES, N_VALUES), np.int64)  # side, attribute, gold, said

    def __repr__(self) -> str:
        return f"FScores({int(self._counts[0, 0].sum())} entities in sentences)"

    def add(self, gold: StateTable, predicted: StateTable) -> None:
        """Count one story.

        Raises:
            ValueError: the tables are of different numbers of sentences.
        """
        if gold.values.shape[1] != predicted.values.shape[1]:
            raise ValueError(f"tables of {gold.values.shape[1]} and {predicted.values.shape[1]} sentences")
        entities = tuple(dict.fromkeys(gold.entities + predicted.entities))
        left, right = _aligned(gold, entities), _aligned(predicted, entities)
        sides, attributes = np.ogrid[:2, :N_ATTRIBUTES]
        np.add.at(self._counts, (sides, attributes, left, right), 1)

    def by_attribute(self, side: int) -> dict[str, float]:
        """F1 of each attribute's preconditions (0) or effects (1), for the attributes of which anything is said."""
        return {
            attribute.name: _macro_f1(counts)
            for attribute, counts in zip(ATTRIBUTES, self._counts[side], strict=True)
            if counts.sum() > counts[UNKNOWN, UNKNOWN]
        }

    def macro(self, side: int) -> float | None:
        """The macro-F1 of preconditions (0) or effects (1); None while nothing has been said on either side."""
        scores = self.by_attribute(side).values()
        return sum(scores) / len(scores) if scores else None


def _aligned(table: StateTable, entities: tuple[str, ...]) -> IntArray:
    """The table's values, (entities, sentences, 2, 20), with rows in the order given and defaults as unknown."""
    values = np.zeros((len(entities), *table.values.shape[1:]), np.int8)
    for entity, row in zip(table.entities, table.values, strict=True):
        values[entities.index(entity)] = row
    values[values == _DEFAULTS] = UNKNOWN
    return values


def _macro_f1(counts: Counts) -> float:
    """F1 averaged over the classes that occur; ``counts[gold, predicted]``."""
    totals = counts.sum(0) + counts.sum(1)
    occurs = totals > 0
    return float((2 * counts.diagonal()[occurs] / totals[occurs]).mean())


def binary_macro_f1(gold: Sequence[bool], predicted: Sequence[bool]) -> float:
    """F1 of true and of false, averaged over those that gold or the predictions hold."""
    counts: Counts = np.zeros((2, 2), np.int64)
    for right, said in zip(gold, predicted, strict=True):
        counts[int(right), int(said)] += 1
    return _macro_f1(counts)


def area_under_roc(positive: Sequence[bool], scores: Sequence[float]) -> float | None:
    """How often a positive's score is above a negative's, ties counting half; None unless both kinds are there.

    Infinite scores are fine (two of one sign tie).

    Raises:
        ValueError: the two differ in length, or a score is not a number.
    """
    kinds = np.asarray(positive, bool)
    values = np.asarray(scores, np.float64)
    if kinds.shape != values.shape:
        raise ValueError(f"{kinds.size} labels and {values.size} scores")
    if np.isnan(values).any():
        raise ValueError("a score is not a number")
    high, low = values[kinds], np.sort(values[~kinds])
    if not high.size or not low.size:
        return None
    below = np.searchsorted(low, high, "left").sum()
    at_most = np.searchsorted(low, high, "right").sum()
    return float((below + at_most) / (2 * high.size * low.size))


def balanced_accuracy(gold: Sequence[bool], predicted: Sequence[bool]) -> float | None:
    """The mean of the recalls of true and of false; None unless gold holds both.

    Raises:
        ValueError: the two differ in length.
    """
    recalls = []
    for kind in (True, False):
        answers = [said == kind for right, said in zip(gold, predicted, strict=True) if right == kind]
        if not answers:
            return None
        recalls.append(sum(answers) / len(answers))
    return sum(recalls) / 2


@dataclass(frozen=True)
class ReliabilityBin:
    """Verdicts of about one confidence, in (``low``, ``high``] (the first bin holds 0 too), and how many were right."""

    low: float
    high: float
    count: float
    confidence: float
    accuracy: float


def reliability_table(
    confidences: Sequence[float], correct: Sequence[bool], bins: int = 10, weights: Sequence[float] | None = None
) -> tuple[ReliabilityBin, ...]:
    """Verdicts gathered by confidence in ``bins`` bins of equal width over 0 to 1; empty bins are left out.

    ``weights`` says how much each verdict counts (all alike without it), as when one class is rarer than where the
    confidence will be used; a bin's ``count`` is then their sum.

    Raises:
        ValueError: the two differ in length, or a confidence is not in [0, 1].
    """
    values = np.asarray(confidences, np.float64)
    right = np.asarray(correct, bool)
    if values.shape != right.shape:
        raise ValueError(f"{values.size} confidences and {right.size} verdicts")
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("a confidence is not between 0 and 1")
    importance = np.ones(values.size) if weights is None else np.asarray(weights, np.float64)
    edges = np.arange(bins + 1) / bins
    places = np.clip(np.searchsorted(edges, values, "left") - 1, 0, bins - 1)
    return tuple(
        ReliabilityBin(
            float(edges[place]),
            float(edges[place + 1]),
            float(importance[places == place].sum()),
            float(np.average(values[places == place], weights=importance[places == place])),
            float(np.average(right[places == place], weights=importance[places == place])),
        )
        for place in np.unique(places)
    )


def expected_calibration_error(table: Sequence[ReliabilityBin]) -> float:
    """The mean gap between confidence and accuracy over the bins, each by its count (Naeini et al., 2015).

    Raises:
        ValueError: the table is empty.
    """
    total = sum(row.count for row in table)
    if not total:
        raise ValueError("no verdicts")
    return sum(row.count * abs(row.confidence - row.accuracy) for row in table) / total
