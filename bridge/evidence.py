"""Evidence for one of two solutions: counted facts, in words, with what each weighs.

Three kinds of counts say something: how often words occur together (``associations``), how often they follow each other
(``phrases``), and how often a solution with a word was the right one where the other lacked it (``contrasts``). Learned
weights turn them into log-odds, of which each fact has a share. The length of solutions and how common their words are
is weighed too, but apart: that is style, not evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from . import associations, contrasts, logistic, phrases
from .associations import PLACES, Associations, Compared, information
from .contrasts import Contrasts, Found
from .difference import Difference, difference
from .evaluation import Progress
from .phrases import Phrases
from .piqa_data import PiqaItem

ASSOCIATIONS, PHRASES, CONTRASTS = "associations.npz", "phrases.npz", "contrasts.json.gz"
SOURCE: Final = "PIQA's training pairs"
# Facts that are shown of a choice.
SHOWN: Final = 5
FEATURES: Final = (*associations.FEATURES, *phrases.FEATURES)
_KINDS: Final = ("right", "wrong")
# What is style: features of no particular words.
_STYLE: Final = np.array([": " not in name for name in FEATURES])
_L2: Final = 1.7
_DECIMALS: Final = 5


@dataclass(frozen=True)
class Evidence:
    """One fact: what it says, where it comes from, and its log-odds for the first solution."""

    fact: str
    source: str
    weight: float


@dataclass(frozen=True)
class Weighed:
    """Log-odds for the first solution: by words that go together, by contrasts, and by style; and the facts."""

    together: float
    contrasts: float
    style: float
    facts: tuple[Evidence, ...] = ()


class EvidenceBase:
    """All counts, and what the ``FEATURES`` that are read off them weigh, by name."""

    def __init__(
        self, company: Associations, follow: Phrases, contrasted: Contrasts, weights: Mapping[str, float]
    ) -> None:
        self.associations = company
        self.phrases = follow
        self.contrasts = contrasted
        self.weights = dict(weights)
        self._weights = np.array([weights.get(name, 0.0) for name in FEATURES])
        self._of = dict(zip(FEATURES, self._weights.tolist(), strict=True))

    @classmethod
    def load(cls, folder: Path, weights: Mapping[str, float]) -> EvidenceBase:
        """The counts that ``save`` left in a folder.

        Raises:
            ModelError: a file is missing or damaged.
        """
        return cls(
            Associations.load(folder / ASSOCIATIONS),
            Phrases.load(folder / PHRASES),
            Contrasts.load(folder / CONTRASTS),
            weights,
        )

    def save(self, folder: Path, about: Mapping[str, Any]) -> None:
        """Write the counts into a folder; the weights go with those of the other signals (``piqa``)."""
        self.associations.save(folder / ASSOCIATIONS)
        self.phrases.save(folder / PHRASES)
        self.contrasts.save(folder / CONTRASTS, about)

    def weigh(self, goal: str, found: Difference) -> Weighed:
        """What the counts say of two solutions of a goal."""
        compared = Compared(goal, found)
        shares = _features(self.associations, self.phrases, compared, found) * self._weights
        told = self.contrasts.find(goal, found)
        facts = [*self._company(compared), *self._phrases(found), *(contrast_fact(one) for one in told)]
        strongest = sorted(facts, key=lambda one: (-abs(one.weight), one.fact))[:SHOWN]
        return Weighed(
            float(shares[~_STYLE].sum()),
            sum(one.log_odds for one in told),
            float(shares[_STYLE].sum()),
            tuple(strongest),
        )

    def _phrases(self, found: Difference) -> list[Evidence]:
        """Neighbours that only one solution has: their share of the log-odds, and their counts."""
        facts = []
        for side, sign in ((0, 1.0), (1, -1.0)):
            pairs = [pair for pair, _ in phrases.new_runs(found, side)]
            told = [phrases.surprise(self.phrases, pair) for pair in pairs]
            for pair, both in zip(pairs, told, strict=True):
                share = 0.0
                for kind, name in enumerate(_KINDS):
                    share += self._of[f"phrase: pairs, {name}"] * both[kind] / len(pairs)
                    share += self._of[f"phrase: sum of pairs, {name}"] * both[kind]
                right, wrong = self.phrases.seen(pair)
                said = quoted(pair)
                counted = f"{said}, one after the other: {_times(right, 'time')} in right solutions, {wrong} in wrong"
                facts.append(Evidence(counted, SOURCE, sign * share))
        return facts

    def _company(self, compared: Compared) -> list[Evidence]:
        """Each new word with each word beside it: their share of the log-odds, and their counts."""
        shares: dict[tuple[str, str], float] = {}
        for side, sign in ((0, 1.0), (1, -1.0)):
            here = compared.words[side]
            for place, others in zip(PLACES, compared.beside[side], strict=True):
                table = {(a, b): information(self.associations, a, b) for a in here for b in others}
                for kind, name in enumerate(_KINDS):
                    most = max(table, key=lambda pair: table[pair][kind], default=None)
                    for pair, both in table.items():
                        share = self._of[f"{place}: together, {name}"] * both[kind]
                        share += self._of[f"{place}: apart, {name}"] * min(0.0, both[kind])
                        share /= len(here)
                        if pair == most:
                            share += self._of[f"{place}: most, {name}"] * both[kind]
                        shares[pair] = shares.get(pair, 0.0) + sign * share
        return [Evidence(self._company_fact(*pair), SOURCE, share) for pair, share in shares.items()]

    def _company_fact(self, word: str, other: str) -> str:
        known = self.associations.company(word, other)
        if not any(self.associations.singles(word)):
            return f"“{word}” occurs in no solution"
        return (
            f"“{word}” with “{other}”: in {_times(known.right, 'right solution')} and {known.wrong} wrong, "
            f"{known.expected:.1f} right by chance"
        )


def contrast_fact(found: Found) -> Evidence:
    """A contrast in words."""
    fact, counted = found.fact, found.count
    said = (
        quoted(fact.words[-1:]) + f" for a goal with “{fact.words[0]}”" if fact.kind == "goal" else quoted(fact.words)
    )
    told = f"{said}, where the other solution has it not: right {counted.right}, wrong {_times(counted.wrong, 'time')}"
    return Evidence(told, SOURCE, found.log_odds)


def quoted(run: Sequence[str]) -> str:
    """Words in quotation marks; the start and end of a text in words."""
    said = f"“{' '.join(word for word in run if word not in (phrases.START, phrases.END))}”"
    if phrases.START in run:
        return f"{said} at the beginning"
    return f"{said} at the end" if phrases.END in run else said


def _times(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _features(
    company: Associations,
    follow: Phrases,
    compared: Compared,
    found: Difference,
    own: PiqaItem | None = None,
) -> np.ndarray:
    """``FEATURES`` of two solutions; ``own`` is the item itself, where it was counted."""
    if own is None:
        return np.concatenate([associations.features(company, compared), phrases.features(follow, found)])
    return np.concatenate(
        [
            associations.features(company, compared, associations.documents(own)),
            phrases.features(follow, found, phrases.own_runs(own)),
        ]
    )


def learn(items: Sequence[PiqaItem], progress: Progress | None = None) -> EvidenceBase:
    """Count and weigh all that labelled items have to say.

    An item itself is left out of the counts when it is learned from.
    """
    labelled = [item for item in items if item.label is not None]
    company, follow = associations.count(labelled), phrases.count(labelled)
    table = np.zeros((len(labelled), len(FEATURES)))
    for number, item in enumerate(labelled):
        found = difference(*item.solutions)
        table[number] = _features(company, follow, Compared(item.goal, found), found, item)
        if progress is not None:
            progress(number + 1, len(labelled))
    # Columns of one size, so that the penalty falls on all alike.
    size = np.where(table.any(0), table.std(0), 1.0) + 1e-9
    scaled = [dict(enumerate(row)) for row in (table / size).tolist()]
    weights = logistic.fit(scaled, [item.label == 0 for item in labelled], len(FEATURES), _L2)
    named = {name: round(w / s, _DECIMALS) for name, w, s in zip(FEATURES, weights, size.tolist(), strict=True)}
    return EvidenceBase(company, follow, contrasts.learn(labelled), named)
