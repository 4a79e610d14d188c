"""PIQA: which of two solutions reaches a goal, and why.

Three things speak for a solution, and learned weights add up their log-odds:

- **proof**: a rule that fires in one solution and not in the other, with its steps and its goal read as a story;
- **evidence**: counted facts about the words in which the solutions differ (``evidence``);
- **neural preference**: the head on the tagger's encoder (``neural/choice.py``).

The basis of a choice is the first of these, in this order, that speaks for it loudly enough. Changing how PIQA is
decided means changing this module; the numbers it uses are in the task's weights file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal

from ..neural import DEFAULT_MODEL
from ..symbolic.errors import Location, ModelError
from ..symbolic.proof import Conflict
from . import logistic
from .calibration import TemperedTagger
from .difference import Difference, difference
from .engine import Analysis, Engine, certainty, verdict_of, weights_file
from .evidence import ASSOCIATIONS, Evidence, EvidenceBase, Weighed
from .piqa_data import PiqaItem, sampled_digests
from .procedures import read
from .rule_trust import RuleTrust, is_shipped, kind_of
from .scoring import Candidate, Judged, candidates, load_temperatures
from .verdict import Verdict

if TYPE_CHECKING:
    from ..neural.choice import Chooser
    from ..neural.tagger import Tagger

PiqaSystem = Literal["neurosymbolic", "symbolic", "neural", "random"]
PiqaBasis = Literal["proof", "evidence", "neural preference"]

# Evidence is a choice's basis from this probability on, by itself.
LOUD: Final = 0.65
# Proofs are too rare to learn a weight on a thousand items. Their trust is log-odds of itself (``rule_trust``), which
# counts double: a proof can be checked, a preference cannot.
FIXED: Final = MappingProxyType({"proof": 2.0})
# The folder of a model that holds what PIQA needs of its own, its numbers, and where the counts lie that all share.
TASK, WEIGHTS = "piqa", "weights.json"
COUNTS: Final = Path(__file__).resolve().parent.parent / "rules" / TASK
_L2: Final = 0.5
_DECIMALS: Final = 4
# Files share an item here and there; a tenth is more than chance.
_SEEN: Final = 0.1
_LARGEST: Final = 30.0


@dataclass(frozen=True)
class Signals:
    """What speaks for the first solution, in log-odds: each may be negative, and 0 where it says nothing."""

    proof: float = 0.0
    together: float = 0.0
    contrasts: float = 0.0
    style: float = 0.0
    neural: float = 0.0


SIGNALS: Final = tuple(field.name for field in fields(Signals))
# What a system listens to. Style is what counts say beside physics: it is no evidence, but a preference.
HEARD: Final[Mapping[PiqaSystem, tuple[str, ...]]] = {
    "neurosymbolic": SIGNALS,
    "symbolic": ("proof", "together", "contrasts"),
    "neural": ("neural",),
    "random": (),
}


@dataclass(frozen=True)
class PiqaWeights:
    """How much each signal counts, by name."""

    signals: Mapping[str, float]

    def log_odds(self, signals: Signals, names: Sequence[str] = SIGNALS) -> float:
        """The log-odds of the first solution by some of the signals."""
        return sum(self.signals.get(name, 0.0) * float(getattr(signals, name)) for name in names)


@dataclass(frozen=True)
class PiqaReasons:
    """How two solutions differ, and why one is preferred.

    ``verdicts`` are those on both solutions read as stories, by the rules that fire in one of them alone; None where
    the system has no rules. ``evidence`` are the facts that weigh most.
    """

    difference: Difference
    verdicts: tuple[Verdict, Verdict] | None
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class PiqaChoice:
    """The chosen solution (0 or 1), the probability of each, what that rests on, and why."""

    item: PiqaItem
    choice: int
    probabilities: tuple[float, float]
    basis: PiqaBasis
    reasons: PiqaReasons
    signals: Signals


class PiqaEngine:
    """Chooses between solutions under one model, rule book and set of weights.

    Args:
        model: a shipped model by name or a folder made by ``train tagger``.
        system: what is listened to, see ``HEARD``.
        folder: a folder made by ``train piqa``; None takes what ships for the model.
        rules: rule files or folders that add to the shipped rules or replace them by name.
        without: names of rules to leave out.

    Raises:
        ModelError: a part cannot be loaded.
        RuleError: a rule file is refused.
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        system: PiqaSystem = "neurosymbolic",
        folder: Path | None = None,
        rules: Sequence[str | Path] = (),
        without: Collection[str] = (),
    ) -> None:
        self.model = model
        self.system: PiqaSystem = system
        self._folder = folder
        self._rules = tuple(rules)
        self._without = tuple(without)

    def __repr__(self) -> str:
        return f"PiqaEngine({self.model!r}, system={self.system!r})"

    @cached_property
    def tagger(self) -> Tagger:
        """The tagger, whose encoder the chooser shares."""
        from ..neural.tagger import Tagger, model_folder

        return Tagger.load(model_folder(self.model))

    @cached_property
    def engine(self) -> Engine:
        """What reads solutions as stories and runs the rules."""
        temperatures = load_temperatures(weights_file(self.model, "predicted"))
        return Engine(
            self.model,
            system="symbolic",
            rules=self._rules,
            without=self._without,
            tagger=TemperedTagger(self.tagger, temperatures),
        )

    @cached_property
    def chooser(self) -> Chooser:
        """The neural preference."""
        from ..neural.choice import Chooser

        return Chooser.load(self._place, self.tagger)

    @cached_property
    def evidence(self) -> EvidenceBase:
        """The counted facts."""
        own = (self._place / ASSOCIATIONS).is_file()
        return EvidenceBase.load(self._place if own else COUNTS, self._file["evidence"])

    def weights_of(self, system: PiqaSystem) -> PiqaWeights:
        """How much each signal counts in a system."""
        return PiqaWeights(self._file["systems"].get(system, {}))

    @cached_property
    def trust(self) -> RuleTrust:
        """How far each rule is trusted."""
        trust: RuleTrust = self._file["trust"]
        return trust

    def trained_on(self, items: Sequence[PiqaItem]) -> bool:
        """Whether it seems to have been trained on a good part of these items (their figures then say little)."""
        measured = sampled_digests(items)
        return len(measured & self._file["seen"]) > _SEEN * len(measured)

    @cached_property
    def _place(self) -> Path:
        from ..neural.tagger import model_folder

        return self._folder if self._folder is not None else model_folder(self.model) / TASK

    @cached_property
    def _file(self) -> Mapping[str, Any]:
        return load_numbers(self._place / WEIGHTS)

    def choose(self, item: PiqaItem) -> PiqaChoice:
        """Choose one of an item's solutions."""
        return decide(item, *self.listen(item), self.weights_of(self.system))

    def listen(self, item: PiqaItem) -> tuple[Signals, PiqaReasons]:
        """What speaks for the solutions, and why: as much of it as the system listens to."""
        found = difference(*item.solutions)
        heard = HEARD[self.system]
        weighed = self.evidence.weigh(item.goal, found) if "together" in heard else Weighed(0.0, 0.0, 0.0)
        verdicts = None
        proof = 0.0
        if "proof" in heard and found.edits:
            verdicts, proof = self._proofs(item)
        neural = self.chooser.prefer(item.goal, item.solutions) if "neural" in heard and found.edits else 0.0
        signals = Signals(proof, weighed.together, weighed.contrasts, weighed.style, neural)
        return signals, PiqaReasons(found, verdicts, weighed.facts)

    def _proofs(self, item: PiqaItem) -> tuple[tuple[Verdict, Verdict], float]:
        """Both solutions judged by the trusted rules that fire in one of them alone, and what that weighs."""
        trust = self.trust
        told = (_only(found, lambda c: trust.of(c) > 0) for found in told_apart(self.engine, item))
        first, second = (_verdict(found, trust) for found in told)
        loud = [0.0 if verdict.conflict is None else trust.of(verdict.conflict) for verdict in (first, second)]
        return (first, second), loud[1] - loud[0]


def _verdict(analysis: Analysis, trust: RuleTrust) -> Verdict:
    """A solution is as surely wrong as the rule that is trusted most of those that fire in it.

    What rules weigh in stories does not count here: there they compete with every other two sentences.
    """

    def ranked(candidate: Candidate) -> list[Conflict]:
        return sorted(candidate.conflicts, key=lambda conflict: (-trust.of(conflict), conflict.cost))

    scores = tuple(max(map(trust.of, one.conflicts)) for one in analysis.candidates)
    judged = Judged(analysis.candidates, scores, max(scores, default=-math.inf), not scores)
    return verdict_of(analysis, judged, judged.plausible, certainty(judged), ranked)


def told_apart(engine: Engine, item: PiqaItem) -> tuple[Analysis, Analysis]:
    """Both solutions read as stories, with the conflicts that the other does not have.

    A goal is reached by the steps, it does not happen after them: rules of stories say nothing of it.
    """
    first, second = (engine.analyse(read(item.goal, one, engine.split)) for one in item.solutions)
    first, second = (_without_goal(found) for found in (first, second))
    both = {_what(c) for c in first.conflicts} & {_what(c) for c in second.conflicts}
    return _only(first, lambda c: _what(c) not in both), _only(second, lambda c: _what(c) not in both)


def decide(item: PiqaItem, signals: Signals, reasons: PiqaReasons, weights: PiqaWeights) -> PiqaChoice:
    """The choice that weights make of what was heard."""
    first = 1 / (1 + math.exp(-max(-_LARGEST, min(_LARGEST, weights.log_odds(signals)))))
    choice = 0 if first >= 0.5 else 1
    return PiqaChoice(item, choice, (first, 1 - first), basis_of(signals, weights, choice), reasons, signals)


def _what(conflict: Conflict) -> tuple[str, str]:
    return conflict.reason, conflict.entity


def _without_goal(analysis: Analysis) -> Analysis:
    goal = analysis.story.goal
    return _only(
        analysis,
        lambda conflict: not is_shipped(conflict) or conflict.breakpoint != goal or kind_of(conflict) != "story",
    )


def _only(analysis: Analysis, keep: Callable[[Conflict], bool]) -> Analysis:
    """A story's analysis with some of its conflicts."""
    kept = [conflict for conflict in analysis.conflicts if keep(conflict)]
    return replace(analysis, candidates=tuple(candidates(kept, len(analysis.story.sentences))))


def load_numbers(path: Path) -> Mapping[str, Any]:
    """The numbers of a PIQA model: weights of the features of evidence, trust in rules, weights of each system.

    ``seen`` are the ``sampled_digests`` of the items that it was trained on.

    Raises:
        ModelError: the file is missing or damaged.
    """
    try:
        file = json.loads(path.read_text("utf-8"))
        return {
            "evidence": {str(k): float(v) for k, v in file["evidence"].items()},
            "trust": RuleTrust.from_json(file["trust"]),
            "systems": {
                str(name): {str(k): float(v) for k, v in system.items()} for name, system in file["systems"].items()
            },
            "seen": frozenset(str(file["seen"]).split()),
        }
    except FileNotFoundError:
        raise ModelError(
            "this model cannot choose between solutions yet; run 'disproof train piqa'", Location(str(path.parent))
        ) from None
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"this is no file of PIQA's weights ({error})", Location(str(path))) from None


def basis_of(signals: Signals, weights: PiqaWeights, choice: int) -> PiqaBasis:
    """What a choice rests on: the first of proof and evidence that speaks for it loudly enough, else the preference."""
    sign = -1.0 if choice else 1.0
    if sign * weights.log_odds(signals, ("proof",)) > 0:
        return "proof"
    loud = math.log(LOUD / (1 - LOUD))
    return "evidence" if sign * weights.log_odds(signals, ("together", "contrasts")) >= loud else "neural preference"


def learn_weights(
    told: Sequence[Signals], first: Sequence[bool], names: Sequence[str] = SIGNALS, l2: float = _L2
) -> PiqaWeights:
    """Weights of some signals by which the right solutions are the likeliest; ``first`` says which is right."""
    heeded = [name for name in names if name not in FIXED]
    while True:
        rows = [{k: getattr(one, name) for k, name in enumerate(heeded)} for one in told]
        found = dict(zip(heeded, logistic.fit(rows, first, len(heeded), l2), strict=True))
        # What speaks for a solution must never count against it: on few items a weight can come out so.
        if all(weight >= 0 for weight in found.values()):
            learned = {name: round(weight, _DECIMALS) for name, weight in found.items()}
            return PiqaWeights({name: FIXED.get(name, learned.get(name, 0.0)) for name in names})
        heeded = [name for name in heeded if found[name] >= 0]
