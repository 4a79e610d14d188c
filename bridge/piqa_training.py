"""Training what PIQA needs of its own: counts, the neural preference, and how much each signal counts.

The last rows of the file are kept out of all that is counted and trained; on them the few weights of the signals are
learned, and, by ten parts of which each is judged by weights of the other nine, every system is measured.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ..symbolic.errors import StoryError
from ..symbolic.facts import certain
from ..symbolic.proof import Conflict
from ..symbolic.story import StateTable, Tagging
from ..symbolic.vocabulary import N_ATTRIBUTES, SIDES, UNKNOWN
from .engine import Engine
from .evidence import learn
from .files import write_atomic
from .piqa import (
    HEARD,
    SIGNALS,
    WEIGHTS,
    PiqaEngine,
    PiqaSystem,
    PiqaWeights,
    Signals,
    decide,
    learn_weights,
    told_apart,
)
from .piqa_data import PiqaItem, sampled_digests
from .piqa_evaluation import measure, require_labels
from .rule_trust import RuleTrust, learn_trust
from .training import code_version, make_folder

if TYPE_CHECKING:
    from ..neural.choice_training import ChoiceTraining

HELD_OUT: Final = 1113
PARTS: Final = 10
# Rules are tried on so many of the items that are trained on: they are the slowest part to listen to.
RULE_ITEMS: Final = 6000
SYSTEMS: Final[tuple[PiqaSystem, ...]] = ("neurosymbolic", "symbolic", "neural")

Report = Callable[[str, int, int], None]


def train_piqa(
    items: Sequence[PiqaItem],
    model: str,
    out: Path,
    *,
    held_out: int = HELD_OUT,
    config: ChoiceTraining | None = None,
    report: Report | None = None,
) -> dict[str, Any]:
    """Train on labelled items over the encoder of ``model`` into the folder ``out``; a stopped run goes on.

    ``config`` is that of the neural preference; None takes the defaults. Returns the figures of each system on the
    ``held_out`` last items.

    Raises:
        StoryError: an item has no label, there are too few, or ``out`` holds a run with other settings.
        ModelError: the model cannot be loaded.
    """
    from ..neural.choice_training import ChoiceTraining, train_chooser
    from ..neural.tagger import model_folder

    if len(items) < held_out + PARTS or held_out < PARTS:
        raise StoryError(
            f"{len(items)} items, of which {held_out} are to be held out: give more items, or another --held-out "
            f"({PARTS} at least)"
        )
    require_labels(items)
    inside, outside = list(items[:-held_out]), list(items[-held_out:])
    make_folder(out)

    def told(what: str) -> Callable[..., None]:
        return lambda done, total, *_: report(what, done, total) if report is not None else None

    told_training = told("training")
    history = train_chooser(inside, outside, model_folder(model), config or ChoiceTraining(), out, told_training)
    base = learn(inside, told("counting"))
    base.save(out, {"items": len(inside), "source": "PIQA training pairs"})
    trust = try_rules(inside[-RULE_ITEMS:], told("trying rules"))
    numbers: dict[str, Any] = {
        "evidence": base.weights,
        "trust": trust.to_json(),
        "systems": {},
        "seen": " ".join(sorted(sampled_digests(inside))),
    }
    write_atomic(out / WEIGHTS, json.dumps(numbers) + "\n")
    engine = PiqaEngine(model, folder=out)
    heard = []
    for number, item in enumerate(outside, 1):
        heard.append(engine.listen(item))
        if report is not None:
            report("judging", number, len(outside))
    signals = [one for one, _ in heard]
    first = [item.label == 0 for item in outside]
    figures: dict[str, Any] = {}
    for name in SYSTEMS:
        weights = cross_fitted(signals, first, HEARD[name])
        choices = [
            decide(item, one, reasons, weight)
            for item, (one, reasons), weight in zip(outside, heard, weights, strict=True)
        ]
        figures[name] = measure(choices, name)
        numbers["systems"][name] = dict(learn_weights(signals, first, HEARD[name]).signals)
    numbers["about"] = {
        "model": model,
        "items": len(inside),
        "held_out": len(outside),
        "cross_validated": figures,
        "training": history["history"],
        "code_version": code_version(),
    }
    write_atomic(out / WEIGHTS, json.dumps(numbers, indent=1) + "\n")
    return figures


class _TextAlone:
    """In place of a tagger: knows no state of anything, so that only what the text says proves anything."""

    def tag(self, sentences: Sequence[str], entities: Sequence[str]) -> Tagging:
        """Nothing is known."""
        values = np.full((len(entities), len(sentences), len(SIDES), N_ATTRIBUTES), UNKNOWN, np.int8)
        return certain(StateTable(tuple(entities), values))


def try_rules(items: Sequence[PiqaItem], told: Callable[[int, int], None]) -> RuleTrust:
    """The trust that the rules earn on items, by every rule that fires in one solution alone; no model is asked."""
    engine = Engine(system="symbolic", tagger=_TextAlone())
    fired: list[tuple[Conflict, bool]] = []
    for number, item in enumerate(items, 1):
        for side, found in enumerate(told_apart(engine, item)):
            by_rule = {conflict.rule: conflict for conflict in found.conflicts}
            fired += [(conflict, side != item.label) for conflict in by_rule.values()]
        told(number, len(items))
    return learn_trust(fired)


def cross_fitted(
    signals: Sequence[Signals], first: Sequence[bool], names: Sequence[str] = SIGNALS
) -> list[PiqaWeights]:
    """For each item, weights that were learned without its part."""
    parts: dict[int, PiqaWeights] = {}
    for part in range(PARTS):
        inside = [k for k in range(len(signals)) if k % PARTS != part]
        parts[part] = learn_weights([signals[k] for k in inside], [first[k] for k in inside], names)
    return [parts[k % PARTS] for k in range(len(signals))]
