"""Systems side by side on PIQA: shares with intervals, paired tests, and how they depend on what differs.

Systems of one model and one rule book listen once: what is heard of an item is weighed anew for each of them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, Final, get_args

from ..symbolic.errors import UsageError, did_you_mean
from .evaluation import Progress
from .piqa import HEARD, PiqaChoice, PiqaEngine, PiqaReasons, PiqaSystem, Signals, decide
from .piqa_data import PiqaItem
from .piqa_evaluation import measure, require_labels, tossed
from .resampling import mcnemar

SYSTEMS: Final[tuple[PiqaSystem, ...]] = get_args(PiqaSystem)
_OPTIONS: Final = ("piqa", "rules", "system")


@dataclass(frozen=True)
class PiqaSpec:
    """A system to compare: what it listens to, and over which model, folder of ``train piqa`` and rules."""

    name: str
    kind: PiqaSystem
    model: str
    folder: Path | None = None
    rules: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class PiqaRun:
    """A system's choices, in the order of the items; ``kind`` is what it listens to."""

    name: str
    kind: PiqaSystem
    choices: tuple[PiqaChoice, ...]
    seconds: float

    @property
    def right(self) -> tuple[bool, ...]:
        """Which items it gets right."""
        return tuple(choice.choice == choice.item.label for choice in self.choices)


@dataclass(frozen=True)
class PiqaComparison:
    """All systems on the same items."""

    items: tuple[PiqaItem, ...]
    runs: tuple[PiqaRun, ...]

    @cached_property
    def systems(self) -> tuple[dict[str, Any], ...]:
        """What ``evaluate piqa`` says of each."""
        return tuple(measure(run.choices, run.name, run.seconds) for run in self.runs)

    @cached_property
    def paired(self) -> tuple[dict[str, Any], ...]:
        """McNemar's exact test for each two systems."""
        found = []
        for first, second in combinations(self.runs, 2):
            test = mcnemar(first.right, second.right)
            only = {"only_first": test.only_first, "only_second": test.only_second}
            found.append({"systems": [first.name, second.name], **only, "p": test.p})
        return tuple(found)

    @cached_property
    def proved(self) -> tuple[dict[str, Any], ...]:
        """For each system with reasons, how all systems do on the items where it has a proof or evidence."""
        found = []
        for run in self.runs:
            places = [k for k, choice in enumerate(run.choices) if choice.basis != "neural preference"]
            if places:
                shares = {other.name: sum(other.right[k] for k in places) / len(places) for other in self.runs}
                found.append({"system": run.name, "n": len(places), "accuracy": shares})
        return tuple(found)

    @cached_property
    def disagreements(self) -> tuple[int, ...]:
        """The items on which systems with reasons choose differently, a coin's tosses aside."""
        told = [run for run in self.runs if run.kind != "random"]
        return tuple(k for k in range(len(self.items)) if len({run.choices[k].choice for run in told}) > 1)

    def to_json(self) -> dict[str, Any]:
        """The comparison as plain data."""
        return {
            "task": "piqa",
            "n": len(self.items),
            "systems": list(self.systems),
            "paired": list(self.paired),
            "on_items_with_reasons": list(self.proved),
            "disagreements": [
                {
                    "item": self.items[k].index,
                    "label": self.items[k].label,
                    "choices": {run.name: run.choices[k].choice for run in self.runs},
                    "bases": {run.name: run.choices[k].basis for run in self.runs},
                }
                for k in self.disagreements
            ],
        }


def parse_piqa_system(text: str, model: str, folder: Path | None, without: Sequence[str] = ()) -> PiqaSpec:
    """``NAME[=MODEL][,piqa=DIR][,rules=DIR][,system=KIND]``; a name alone is one of ``SYSTEMS``.

    Raises:
        UsageError: it is none of these.
    """
    name, given, rest = text.partition("=")
    if not given:
        if name not in SYSTEMS:
            raise UsageError(
                f"--system {text!r}: no such system{did_you_mean(name, SYSTEMS)}; "
                f"use {', '.join(SYSTEMS)} or NAME=MODEL"
            )
        return PiqaSpec(name, name, model, folder, (), tuple(without))
    own, *options = rest.split(",")
    if not name or not own:
        raise UsageError(f"--system {text!r}: write NAME=MODEL, then options such as ,piqa=DIR")
    spec = PiqaSpec(name, name if name in SYSTEMS else "neurosymbolic", own, without=tuple(without))
    for option in options:
        key, _, value = option.partition("=")
        if key == "piqa" and value:
            spec = replace(spec, folder=Path(value))
        elif key == "rules" and value:
            spec = replace(spec, rules=(*spec.rules, value))
        elif key == "system" and value in SYSTEMS:
            spec = replace(spec, kind=value)
        else:
            raise UsageError(
                f"--system {text!r}: {option!r} is no option of a system{did_you_mean(key, _OPTIONS)}; "
                f"use piqa=DIR, rules=DIR or system={'|'.join(SYSTEMS)}"
            )
    return spec


def compare_piqa(
    items: Sequence[PiqaItem], specs: Sequence[PiqaSpec], seed: int = 0, progress: Progress | None = None
) -> PiqaComparison:
    """Run systems on the same items.

    Raises:
        StoryError: an item has no label, or there are none.
    """
    require_labels(items)
    heard: dict[tuple[object, ...], tuple[PiqaEngine, list[tuple[Signals, PiqaReasons]], float]] = {}
    runs = []
    for spec in specs:
        if spec.kind == "random":
            runs.append(PiqaRun(spec.name, spec.kind, tuple(tossed(items, seed)), 0.0))
            continue
        key = (spec.model, spec.folder, spec.rules, spec.without)
        if key not in heard:
            kinds = {one.kind for one in specs if (one.model, one.folder, one.rules, one.without) == key} - {"random"}
            # Where there are several, what the one with the most to listen to hears is enough for all.
            widest = spec.kind if len(kinds) == 1 else "neurosymbolic"
            heard[key] = _listen(spec, widest, items, progress)
        engine, told, seconds = heard[key]
        weights = engine.weights_of(spec.kind)
        choices = tuple(
            decide(item, signals, _kept(reasons, spec.kind), weights)
            for item, (signals, reasons) in zip(items, told, strict=True)
        )
        runs.append(PiqaRun(spec.name, spec.kind, choices, seconds))
    return PiqaComparison(tuple(items), tuple(runs))


def seen_by(spec: PiqaSpec, items: Sequence[PiqaItem]) -> bool:
    """Whether a system seems to have been trained on a good part of the items (its figures then say little)."""
    return spec.kind != "random" and _engine(spec, spec.kind).trained_on(items)


def _engine(spec: PiqaSpec, kind: PiqaSystem) -> PiqaEngine:
    return PiqaEngine(spec.model, system=kind, folder=spec.folder, rules=spec.rules, without=spec.without)


def _listen(
    spec: PiqaSpec, kind: PiqaSystem, items: Sequence[PiqaItem], progress: Progress | None
) -> tuple[PiqaEngine, list[tuple[Signals, PiqaReasons]], float]:
    engine = _engine(spec, kind)
    began = time.perf_counter()
    told = []
    for number, item in enumerate(items, 1):
        told.append(engine.listen(item))
        if progress is not None:
            progress(number, len(items))
    return engine, told, time.perf_counter() - began


def _kept(reasons: PiqaReasons, kind: PiqaSystem) -> PiqaReasons:
    """The reasons of a system: those that it did not listen to are none."""
    if "proof" in HEARD[kind]:
        return reasons
    return PiqaReasons(reasons.difference, None, ())


def choices_jsonl(comparison: PiqaComparison) -> str:
    """Every system's choice of every item, an item a line."""
    lines = []
    for k, item in enumerate(comparison.items):
        said = {
            run.name: {
                "choice": run.choices[k].choice,
                "probability": run.choices[k].probabilities[0],
                "basis": run.choices[k].basis,
            }
            for run in comparison.runs
        }
        lines.append(json.dumps({"item": item.index, "label": item.label, "systems": said}, ensure_ascii=False) + "\n")
    return "".join(lines)
