"""Training from data files: taggers by fold, rule weights from out-of-fold taggings, and the figures of both.

``train tagger --folds N`` leaves every story's out-of-fold tagging; ``train weights`` solves those stories, learns the
weights of rules and prior, and measures them by the same folds. What ships is trained on all pairs.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ..symbolic.errors import Location, ModelError, StoryError
from ..symbolic.story import StoryPair, Tagging
from ..symbolic.vocabulary import N_ATTRIBUTES, N_VALUES, SIDES
from .calibration import Temperatures, fit_temperatures, tempered
from .engine import AnalysedPair, Analysis, Engine, certainty
from .evaluation import Progress, analyse_pairs, data_digest, measure
from .files import write_atomic
from .learning import Example, LearningConfig, learn_calibrated
from .measures import expected_calibration_error, reliability_table
from .scoring import PRIOR, RESOLVED, Candidate, Weights
from .twins import Twins, measure_twins, with_entities

FOLDS = 5


class StoredTaggings:
    """A tagger that looks up what was tagged before: the out-of-fold taggings of a training run.

    ``temperatures`` are those that a tagger of such a run is to be tempered by.
    """

    def __init__(
        self, taggings: Mapping[tuple[str, ...], Tagging], temperatures: Temperatures = MappingProxyType({})
    ) -> None:
        self._taggings = dict(taggings)
        self.temperatures = temperatures

    def __repr__(self) -> str:
        return f"StoredTaggings({len(self._taggings)} stories)"

    def tag(self, sentences: Sequence[str], entities: Sequence[str]) -> Tagging:
        """The stored tagging of this story.

        Raises:
            ModelError: the story was not among those tagged, or with other entities.
        """
        found = self._taggings.get(tuple(sentences))
        if found is None or found.entities != tuple(entities):
            raise ModelError("a story has no stored states; run 'disproof train tagger' with --folds on this file")
        return found


def load_heldout(
    folder: Path, pairs: Sequence[StoryPair], folds: int = FOLDS, size: int | None = None
) -> StoredTaggings:
    """The out-of-fold taggings that ``train tagger --folds`` left in ``folder``.

    Those of each fold are tempered by temperatures that were fitted on the other folds (``size``: on so many of their
    pairs).

    Raises:
        ModelError: a fold is missing, or belongs to other data.
    """
    from ..neural.training import folds as split

    raw = [_load_fold(folder / f"fold-{k}" / "heldout.safetensors", pairs) for k in range(folds)]
    place = {text: k for k, fold in enumerate(raw) for text in fold}

    def temperatures(held_out: Sequence[int]) -> Temperatures:
        gold = {
            story.sentences: story.gold.states
            for i in learned_from(pairs, held_out, size)
            for story in pairs[i].stories
            if story.gold is not None and story.gold.states is not None
        }
        return fit_temperatures((raw[place[text]][text], states) for text, states in gold.items() if text in place)

    taggings: dict[tuple[str, ...], Tagging] = {}
    for held_out, fold in zip(split(pairs, folds), raw, strict=True):
        others = temperatures(held_out)
        taggings.update((text, tempered(found, others)) for text, found in fold.items())
    return StoredTaggings(taggings, temperatures(()))


def learned_from(pairs: Sequence[StoryPair], held_out: Collection[int], size: int | None = None) -> list[int]:
    """Indices of the pairs from which what judges a fold may learn; ``size`` of those with states, if one is given."""
    from ..neural.training import part

    held = set(held_out)
    outside = [i for i in range(len(pairs)) if i not in held]
    return [outside[k] for k in part([pairs[i] for i in outside], size)]


def _load_fold(path: Path, pairs: Sequence[StoryPair]) -> dict[tuple[str, ...], Tagging]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    taggings: dict[tuple[str, ...], Tagging] = {}
    try:
        arrays = load_file(path)
    except (OSError, SafetensorError):
        raise ModelError(
            "this fold is not trained yet; run 'disproof train tagger' with --folds", Location(str(path))
        ) from None
    for name, probabilities in arrays.items():
        number, _, kind = name.partition(".")
        story_index, _, kind = kind.partition(".")
        if kind == "pairs":
            continue
        known = kind == "probabilities" and number.isdecimal() and story_index in ("0", "1")
        if not known or int(number) >= len(pairs):
            raise ModelError("these states belong to other data", Location(str(path)))
        story = pairs[int(number)].stories[int(story_index)]
        scores = arrays.get(f"{number}.{story_index}.pairs")
        names = story.entities or ()
        if probabilities.shape != (len(names), len(story.sentences), len(SIDES), N_ATTRIBUTES, N_VALUES):
            raise ModelError("these states belong to other data", Location(str(path)))
        taggings[story.sentences] = Tagging(names, probabilities, scores)
    return taggings


def code_version() -> str:
    """The version of this program, to be kept with what it trained."""
    try:
        return version("disproof")
    except PackageNotFoundError:  # run from a checkout that is not installed
        return "not installed"


def make_folder(out: Path) -> None:
    """Make the folder of a run, if it is not there.

    Raises:
        ModelError: it cannot be made.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ModelError(f"cannot be the folder of a run: {error.strerror or error}", Location(str(out))) from None


def example(pair: StoryPair, analysed: AnalysedPair) -> Example:
    """An analysed pair as a training example.

    Raises:
        StoryError: it has no label or no conflict.
    """
    gold = None if pair.label is None else pair.stories[1 - pair.label].gold
    if pair.label is None or gold is None or gold.conflict is None:
        raise StoryError(f"pair {pair.id!r} has no label or conflict; weights are learned from annotated pairs")
    lengths = [len(s.sentences) for s in pair.stories]
    return Example(
        (analysed[0].candidates, analysed[1].candidates),
        (lengths[0], lengths[1]),
        (1 - pair.label, *gold.conflict),
        pair.base,
    )


def fold_weights(
    pairs: Sequence[StoryPair],
    analysed: Sequence[AnalysedPair],
    folds: Sequence[Sequence[int]],
    config: LearningConfig | None = None,
    size: int | None = None,
) -> list[Weights]:
    """For each pair, weights learned and calibrated on the other folds (``size``: on so many of their pairs)."""
    examples = [example(p, s) for p, s in zip(pairs, analysed, strict=True)]
    weights: dict[int, Weights] = {}
    for held_out in folds:
        if held_out:
            learned = learn_calibrated([examples[i] for i in learned_from(pairs, held_out, size)], config)
            weights.update(dict.fromkeys(held_out, learned))
    return [weights[i] for i in range(len(pairs))]


def without_rules(analysed: Sequence[AnalysedPair]) -> list[AnalysedPair]:
    """The same stories with nothing but the neural prior: the pair head alone."""

    def prior(one: Analysis) -> Analysis:
        return replace(
            one,
            candidates=tuple(
                Candidate(c.evidence, c.breakpoint, {PRIOR: c.features[PRIOR]}, ())
                for c in one.candidates
                if PRIOR in c.features
            ),
        )

    return [(prior(a), prior(b)) for a, b in analysed]


def without_prior(analysed: Sequence[AnalysedPair]) -> list[AnalysedPair]:
    """The same stories with nothing but the rules."""

    def ruled(one: Analysis) -> Analysis:
        return replace(
            one,
            candidates=tuple(
                replace(c, features={k: v for k, v in c.features.items() if k not in (PRIOR, RESOLVED)})
                for c in one.candidates
                if c.conflicts
            ),
        )

    return [(ruled(a), ruled(b)) for a, b in analysed]


def train_tagger(
    pairs: Sequence[StoryPair],
    out: Path,
    *,
    twins: Sequence[Twins] = (),
    encoder: str = "minilm",
    epochs: int | None = None,
    learning_rate: float | None = None,
    seed: int = 0,
    folds: int | None = None,
    start: Path | None = None,
    teacher: Path | None = None,
    only: Sequence[int] | None = None,
    size: int | None = None,
    progress: Callable[[int, int, dict[str, float]], None] | None = None,
) -> dict[str, Any]:
    """Train a tagger on annotated pairs into the folder ``out``, or cross-validate it by ``folds``.

    ``twins`` have no states and teach it which two sentences clash only; their states are learned from ``teacher``, a
    model or a run of as many folds, if one is given. ``start`` is a run of before, of as many folds, whose weights to
    go on from. ``learning_rate`` is the encoder's; what is above it learns ten times as fast. With folds, each learns
    from ``size`` annotated pairs of those outside it. A stopped run goes on where it was. Returns the losses of the
    last epoch and how long training took.

    Raises:
        StoryError: a pair lacks its annotation, a teacher has nothing to tell, or ``out`` holds a run with other
            settings.
        ModelError: the encoder cannot be loaded.
    """
    from ..neural import training as neural
    from ..neural import weights as weights_io

    if not pairs:
        raise StoryError("no story pairs to train on: give a file that has some, or a higher --limit")
    sources = [data_digest(part) for part in (pairs, [one.pair for one in twins]) if part]
    pairs = _all_pairs(pairs, twins)
    if teacher is not None and all(story.gold and story.gold.states for pair in pairs for story in pair.stories):
        raise StoryError("all stories have annotated states, so that a teacher tells nothing: give twins, or none")
    config = neural.TrainingConfig(encoder=encoder, seed=seed)
    if epochs is not None:
        config = replace(config, epochs=epochs)
    if learning_rate is not None:
        config = replace(config, learning_rate=learning_rate, head_learning_rate=neural.HEADS_FASTER * learning_rate)
    make_folder(out)
    if folds is not None:
        curves = neural.cross_validate(pairs, config, folds, out, progress, only, start, size, teacher)
        return {"folds": {str(k): _last(curve) for k, curve in sorted(curves.items())}}
    if (out / "config.json").exists():
        known = weights_io.load_config(out)
        asked = neural.settings(config, pairs, start, teacher)
        if known.get("data") != data_digest(pairs) or known.get("training") != asked:
            raise StoryError("there is a model with other settings or data; choose another --out", Location(str(out)))
        return dict(json.loads((out / "metrics.json").read_text("utf-8")))
    started = time.perf_counter()
    tagger, curve = neural.train(pairs, config, out, progress, start, teacher)
    tagger.config.update({"data": data_digest(pairs), "sources": sources, "code_version": code_version()})
    figures = {**_last(curve), "seconds": round(time.perf_counter() - started, 1)}
    tagger.save(out, {"metrics.json": json.dumps({**figures, **curve}, indent=1) + "\n"})
    shutil.rmtree(out / "checkpoint", ignore_errors=True)  # three times the model's size, and of no more use
    return figures


def train_weights(
    pairs: Sequence[StoryPair],
    folds_dir: Path | None,
    out: Path,
    *,
    twins: Sequence[Twins] = (),
    rules: Sequence[str | Path] = (),
    without: Collection[str] = (),
    size: int | None = None,
    progress: Progress | None = None,
    config: LearningConfig | None = None,
) -> dict[str, Any]:
    """Learn the weights of rules and prior, write them to ``out``, and measure them by the folds.

    ``folds_dir`` is where ``train tagger --folds`` left its out-of-fold states; None takes the annotated states, for
    the system "symbolic" alone. ``twins`` are learned from too, and have figures of their own; with out-of-fold states
    they must be those that the tagger was trained with. ``size`` annotated pairs are learned from, in each fold too; it
    is that of the tagger. Returns the cross-validated figures of each system.

    Raises:
        ModelError: a fold is missing or belongs to other data.
        StoryError: a pair lacks its annotation.
    """
    from ..neural.training import folds as split

    if not pairs:
        raise StoryError("no story pairs to learn from: give a file that has some, or a higher --limit")
    gold = folds_dir is None
    if gold and twins:
        raise StoryError("twins have no annotated states to learn from: leave them out, or give out-of-fold states")
    annotated = len(pairs)
    pairs = _all_pairs(pairs, twins)
    tagger = None if folds_dir is None else load_heldout(folds_dir, pairs, size=size)
    engine = Engine(
        system="symbolic" if gold else "neurosymbolic",
        states="gold" if gold else "predicted",
        rules=rules,
        without=without,
        tagger=tagger,
    )
    analysed = analyse_pairs(engine, pairs, progress)
    folds = split(pairs, FOLDS)
    variants: dict[str, list[AnalysedPair]] = {"symbolic": analysed if gold else without_prior(analysed)}
    if not gold:
        variants = {"neurosymbolic": analysed, **variants, "neural prior alone": without_rules(analysed)}
    figures: dict[str, Any] = {}
    systems: dict[str, Weights] = {}
    for name, variant in variants.items():
        weights = fold_weights(pairs, variant, folds, config, size)
        inside = [[i for i in held if i < annotated] for held in folds]
        figures[name] = {
            **measure(pairs[:annotated], variant[:annotated], weights[:annotated], name).to_json(),
            "over_folds": _spread(pairs, variant, weights, inside),
            "calibration": calibration(pairs[:annotated], variant[:annotated], weights[:annotated]),
        }
        if twins:
            figures[name]["twins"] = measure_twins(twins, variant[annotated:], weights[annotated:]).to_json()
        if name != "neural prior alone":
            examples = [example(pairs[i], variant[i]) for i in learned_from(pairs, (), size)]
            systems[name] = learn_calibrated(examples, config)
    about = {
        "data": data_digest(pairs),
        "pairs": annotated,
        "learned_from": size,
        "twins": len(twins),
        "states": "annotated" if gold else "out of fold",
        "code_version": code_version(),
        "cross_validated": figures,
    }
    file = {
        "about": about,
        "temperatures": {} if tagger is None else dict(tagger.temperatures),
        "systems": {name: learned.to_json() for name, learned in systems.items()},
    }
    write_atomic(out, json.dumps(file, indent=1) + "\n")
    return figures


def _all_pairs(pairs: Sequence[StoryPair], twins: Sequence[Twins]) -> list[StoryPair]:
    """What is trained on, twins last, the entities of their stories being those found in the text.

    Raises:
        StoryError: two have one identifier, so that folds could not keep them apart.
    """
    everything = [*pairs, *with_entities([one.pair for one in twins])]
    names = {pair.id for pair in pairs}
    for pair in everything[len(pairs) :]:
        if pair.id in names:
            raise StoryError(f"the id {pair.id!r} of a pair of twins is taken: give each its own")
        names.add(pair.id)
    return everything


def calibration(
    pairs: Sequence[StoryPair], analysed: Sequence[AnalysedPair], weights: Sequence[Weights]
) -> dict[str, Any]:
    """How honest the confidence of single verdicts is, each story judged by weights that did not see it.

    Confidence is meant for stories that are as likely broken as not, so the two kinds weigh the same here.
    """
    judged: dict[tuple[str, ...], tuple[float, bool, bool]] = {}
    for pair, both, weight in zip(pairs, analysed, weights, strict=True):
        for k, one in enumerate(both):
            if one.story.sentences not in judged:
                verdict = one.judged(weight)
                truth = k == pair.label
                judged[one.story.sentences] = (certainty(verdict), verdict.plausible == truth, truth)
    plausible = [p for _, _, p in judged.values()]
    share = {True: 0.5 * len(plausible) / max(1, sum(plausible))}
    share[False] = 0.5 * len(plausible) / max(1, len(plausible) - sum(plausible))
    table = reliability_table(
        [c for c, _, _ in judged.values()], [r for _, r, _ in judged.values()], weights=[share[p] for p in plausible]
    )
    return {
        "expected_calibration_error": round(expected_calibration_error(table), 4),
        "reliability": {
            f"{row.low:.1f} to {row.high:.1f}": {
                "weight": round(row.count, 1),
                "confidence": round(row.confidence, 4),
                "accuracy": round(row.accuracy, 4),
            }
            for row in table
        },
    }


def _last(curve: Mapping[str, Any]) -> dict[str, float]:
    return {f"loss_{name}": round(value, 4) for name, value in curve["history"][-1].items()}


def _spread(
    pairs: Sequence[StoryPair],
    analysed: Sequence[AnalysedPair],
    weights: Sequence[Weights],
    folds: Sequence[Sequence[int]],
) -> dict[str, float]:
    """Standard deviation of the main figures over the folds."""
    each = [
        measure([pairs[i] for i in held], [analysed[i] for i in held], [weights[i] for i in held], "").metrics
        for held in folds
        if held
    ]
    return {
        name: round(float(np.std([getattr(m, name) for m in each])), 4)
        for name in ("accuracy", "consistency", "all_states", "proof")
    }
