"""Honest probabilities of states: temperature scaling (Guo et al., 2017), a temperature for each of the 20 attributes.

A network trained to the end is surer of itself than it is right. Dividing its log-probabilities by a temperature, which
changes no likeliest value, makes its probabilities mean what they say: to a reader, and to the solver, which prices the
states of a proof by them. Temperatures are fitted on stories that the tagger did not see.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ..symbolic.story import StateTable, Tagging
from ..symbolic.vocabulary import ATTRIBUTES

# By the attribute's name; those that are missing have 1, which changes nothing.
Temperatures = Mapping[str, float]

# How much an attribute is drawn to the temperature of all: it matters to those that are seldom annotated.
_PULL: Final = 20.0
_LEAST: Final = 1e-12
_STEPS: Final = 50


def fit_temperatures(taggings: Iterable[tuple[Tagging, StateTable]]) -> dict[str, float]:
    """The likeliest temperatures, given what a tagger says of stories that it has not seen and their annotation.

    None at all where there is nothing to fit them on.
    """
    told = list(taggings)
    if not any(table.values.size for _, table in told):
        return {}
    evidence = {attribute.name: _evidence(told, attribute.index) for attribute in ATTRIBUTES}
    overall = _sharpness(list(evidence.values()), 1.0, 0.0)
    return {name: round(1.0 / _sharpness([found], overall, _PULL), 4) for name, found in evidence.items()}


def tempered(tagging: Tagging, temperatures: Temperatures) -> Tagging:
    """The tagging with its log-probabilities divided by the temperatures."""
    if not temperatures:
        return tagging
    sharpness = np.array([1.0 / temperatures.get(attribute.name, 1.0) for attribute in ATTRIBUTES])
    powers = tagging.probabilities.astype(np.float64) ** sharpness[:, None]  # a value that is not there stays at 0
    return replace(tagging, probabilities=(powers / powers.sum(-1, keepdims=True)).astype(np.float32))


class TemperedTagger:
    """A tagger whose probabilities are tempered."""

    def __init__(self, tagger: Any, temperatures: Temperatures) -> None:
        self._tagger = tagger
        self._temperatures = temperatures

    def __repr__(self) -> str:
        return f"TemperedTagger({self._tagger!r})"

    @property
    def config(self) -> Mapping[str, Any]:
        """What the tagger says of itself."""
        return getattr(self._tagger, "config", {})

    def tag(self, sentences: Sequence[str], entities: Sequence[str]) -> Tagging:
        """See ``StateTagger.tag``."""
        return tempered(self._tagger.tag(sentences, entities), self._temperatures)


_Evidence = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]  # log-probabilities (labels, values), gold values


def _evidence(told: Sequence[tuple[Tagging, StateTable]], index: int) -> _Evidence:
    values = len(ATTRIBUTES[index].values)
    told_of = [tagging.probabilities[..., index, :values].reshape(-1, values) for tagging, _ in told]
    gold = [table.values[..., index].reshape(-1) for _, table in told]
    return np.log(np.clip(np.concatenate(told_of).astype(np.float64), _LEAST, 1.0)), np.concatenate(gold).astype(int)


def _sharpness(evidence: Sequence[_Evidence], expected: float, pull: float) -> float:
    """The inverse temperature of the least cross-entropy, by Newton's method: it is convex in it."""
    sharp = expected
    for _ in range(_STEPS):
        slope = 2 * pull * (sharp - expected) / expected**2
        curvature = 2 * pull / expected**2 + 1e-9
        for logs, gold in evidence:
            share = _softmax(sharp * logs)
            mean = (share * logs).sum(1)
            slope += float((mean - logs[np.arange(len(gold)), gold]).sum())
            curvature += float((share * logs**2).sum() - (mean**2).sum())
        step = float(np.clip(slope / curvature, -1.0, sharp / 2))  # never through 0, where all values are alike
        sharp -= step
        if abs(step) < 1e-6:
            break
    return sharp


def _softmax(scores: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    shares: np.ndarray[Any, Any] = powers / powers.sum(-1, keepdims=True)
    return shares
