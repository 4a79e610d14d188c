"""How sure a figure is, and whether two systems differ: bootstrap intervals and McNemar's exact test.

Pairs made from one base story share a story, so it is base stories that are drawn again, not pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Interval:
    """The middle 95% of what a share comes to when the data are drawn again."""

    low: float
    high: float


@dataclass(frozen=True)
class Paired:
    """Two systems on the same items: how many only the first got right, only the second, and the test's p."""

    only_first: int
    only_second: int
    p: float


def share_interval(hits: Sequence[bool], groups: Sequence[str], seed: int = 0, draws: int = 2000) -> Interval:
    """The bootstrap interval (percentiles 2.5 and 97.5) of the share of ``hits``, drawing whole ``groups`` again.

    Raises:
        ValueError: the two differ in length, or there are no items.
    """
    if len(hits) != len(groups) or not hits:
        raise ValueError(f"{len(hits)} items in {len(groups)} groups")
    place = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    totals = np.zeros((2, len(place)))
    for hit, group in zip(hits, groups, strict=True):
        totals[:, place[group]] += (hit, 1)
    drawn = np.random.default_rng(seed).integers(len(place), size=(draws, len(place)))
    right, count = totals[:, drawn].sum(-1)
    low, high = np.percentile(right / count, (2.5, 97.5))
    return Interval(float(low), float(high))


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> Paired:
    """McNemar's exact test: could two systems that are alike differ so much on the items where they differ?

    Two-sided binomial test of an even chance (McNemar, 1947); p is 1 where they never differ.

    Raises:
        ValueError: the two differ in length.
    """
    only_first = sum(a and not b for a, b in zip(first, second, strict=True))
    only_second = sum(b and not a for a, b in zip(first, second, strict=True))
    differing = only_first + only_second
    tail = sum(math.comb(differing, k) for k in range(min(only_first, only_second) + 1))
    return Paired(only_first, only_second, min(1.0, 2 * tail / 2**differing))
