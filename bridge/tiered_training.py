"""Training the tiered baseline from data: one run, a cross-validation, or the ablations of the paper's table 2."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..neural.beliefs import Conflicts, PairBeliefs, load_heldout
from ..symbolic.errors import Location, StoryError
from ..symbolic.story import StoryPair
from .curves import curves, write_curves
from .evaluation import data_digest
from .files import write_atomic
from .tiered import judge_by, main_figures, measure_each_way, measure_tiered
from .training import code_version, make_folder

if TYPE_CHECKING:
    from ..neural.tiered_training import TieredTraining
    from ..neural.training import Fold

Losses = tuple[float, float, float, float]
Tell = Callable[[int, int, dict[str, float]], None]

# Weights of the losses of preconditions, effects, conflicts and story. The two first are the paper's; the documents at
# hand do not give the others, where the share of what is left out goes to what stays.
ABLATIONS: Final[Mapping[str, Losses]] = {
    "all losses": (0.4, 0.4, 0.1, 0.1),
    "without story": (0.4, 0.4, 0.2, 0.0),
    "without conflict": (0.4, 0.4, 0.0, 0.2),
    "without states": (0.0, 0.0, 0.5, 0.5),
}
# Storks et al. (2021), RoBERTa-large with the weights of "without story", on TRIP's test split (351 pairs).
PUBLISHED: Final = {"accuracy": 0.729, "consistency": 0.191, "verifiability": 0.091}
PUBLISHED_NAME: Final = "published: without story"
PUBLISHED_NOTE: Final = "published: RoBERTa-large on TRIP's test split, trained on 799 pairs (Storks et al., 2021)"


def training_config(
    *,
    encoder: str = "minilm",
    epochs: int | None = None,
    losses: Losses | None = None,
    learning_rate: float | None = None,
    pairs_per_step: int | None = None,
    truncate: int | None = None,
    conflicts: Conflicts = "top-two",
    seed: int = 0,
) -> TieredTraining:
    """Settings of a run; None takes the paper's."""
    from ..neural.tiered import TieredConfig, TieredWeights
    from ..neural.tiered_training import TieredTraining

    given = {"epochs": epochs, "learning_rate": learning_rate, "pairs_per_step": pairs_per_step}
    config = TieredTraining(encoder=encoder, seed=seed, conflicts=conflicts, model=TieredConfig(truncate=truncate))
    if losses is not None:
        config = replace(config, losses=TieredWeights(*losses))
    return replace(config, **{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]


def train_tiered(
    pairs: Sequence[StoryPair],
    out: Path,
    config: TieredTraining,
    *,
    folds: int | None = None,
    only: Sequence[int] | None = None,
    progress: Tell | None = None,
) -> dict[str, Any]:
    """Train the baseline on annotated pairs into the folder ``out``, or cross-validate it by ``folds``.

    A stopped run goes on where it was. Returns the figures: those of the validation pairs for one run; for folds those
    of each fold's held-out pairs and, where all folds are there, of all pairs.

    Raises:
        StoryError: a pair lacks its annotation, or ``out`` holds a run with other settings.
        ModelError: the encoder cannot be loaded.
    """
    from ..neural import tiered_training as neural

    if not pairs:
        raise StoryError("no story pairs to train on: give a file that has some, or a higher --limit")
    make_folder(out)
    judge = judge_by(config.conflicts)

    def finishing(fold: Fold, metrics: dict[str, Any], beliefs: Mapping[int, PairBeliefs]) -> None:
        metrics["held_out"] = measure_each_way([pairs[i] for i in beliefs], list(beliefs.values()))
        write_curves(fold.place, curves(metrics["history"], metrics["best_epoch"]))

    if folds is not None:
        done = neural.cross_validate_tiered(pairs, config, folds, out, judge, progress, only, finishing)
        return _folds_figures(pairs, out, folds, done, config.conflicts)
    return _train_whole(pairs, out, config, progress)


def ablate(
    pairs: Sequence[StoryPair],
    out: Path,
    config: TieredTraining,
    *,
    folds: int | None = None,
    only: Sequence[int] | None = None,
    progress: Callable[[str], Tell] | None = None,
) -> dict[str, Any]:
    """Train each setting of ``ABLATIONS`` into a folder of its own below ``out``, and return the figures of each.

    ``progress`` is asked, with a setting's name, for what to tell its steps. The published row comes last.

    Raises:
        StoryError, ModelError: as ``train_tiered``.
    """
    from ..neural.tiered import TieredWeights

    found: dict[str, Any] = {}
    for name, losses in ABLATIONS.items():
        found[name] = train_tiered(
            pairs,
            out / name.replace(" ", "-"),
            replace(config, losses=TieredWeights(*losses)),
            folds=folds,
            only=only,
            progress=progress(name) if progress is not None else None,
        )
    return {**found, PUBLISHED_NAME: PUBLISHED}


def ablation_rows(found: Mapping[str, Any]) -> dict[str, dict[str, float | None]]:
    """The rows of the table: of all pairs where all folds are done, else of those at hand."""
    rows = {}
    for name, entry in found.items():
        figures = entry.get("all_folds") or entry.get("folds_done") or entry.get("validation") or entry
        rows[name] = {column: figures[column] for column in PUBLISHED}
    return rows


def _train_whole(
    pairs: Sequence[StoryPair], out: Path, config: TieredTraining, progress: Tell | None
) -> dict[str, Any]:
    from ..neural import tiered_training as neural
    from ..neural import weights as weights_io

    if (out / "config.json").exists():
        known = weights_io.load_config(out)
        if known.get("data") != data_digest(pairs) or known.get("training") != neural.plain_settings(config, pairs):
            raise StoryError("there is a model with other settings or data; choose another --out", Location(str(out)))
        return _whole_figures(json.loads((out / "metrics.json").read_text("utf-8")))
    started = time.perf_counter()
    tiered, curve = neural.train_tiered(pairs, config, out, judge_by(config.conflicts), progress)
    curve["seconds"] = round(time.perf_counter() - started, 1)
    tiered.config.update({"data": data_digest(pairs), "code_version": code_version()})
    write_curves(out, curves(curve["history"], curve["best_epoch"]))
    tiered.save(out, {"metrics.json": json.dumps(curve, indent=1) + "\n"})
    neural.forget(out)
    return _whole_figures(curve)


def _whole_figures(curve: Mapping[str, Any]) -> dict[str, Any]:
    """One run's figures: those of the validation pairs at the epoch that they chose, hence flattered."""
    best = curve["history"][curve["best_epoch"]]
    return {
        "validation": best["figures"],
        "loss": {f"loss_{name}": round(value, 4) for name, value in best["validation"].items()},
        "epoch": curve["best_epoch"] + 1,
        "seconds": curve["seconds"],
    }


def _folds_figures(
    pairs: Sequence[StoryPair], out: Path, n: int, done: Mapping[int, Mapping[str, Any]], how: Conflicts
) -> dict[str, Any]:
    """The figures of each fold, and of the held-out pairs of all that are done."""
    each: dict[str, Any] = {}
    for k, metrics in sorted(done.items()):
        figures = metrics["held_out"][how]
        each[f"fold {k}"] = {
            "accuracy": figures["accuracy"],
            "consistency": figures["consistency"],
            "verifiability": figures["verifiability"]["all_states"],
            "epoch": metrics["best_epoch"] + 1,
            "seconds": sum(metrics["epoch_seconds"]),
        }
    beliefs: dict[int, PairBeliefs] = {}
    for k in done:
        beliefs.update(load_heldout(out / f"fold-{k}" / "heldout.safetensors", pairs))
    numbers = sorted(beliefs)
    pooled = main_figures(measure_tiered([pairs[i] for i in numbers], [beliefs[i] for i in numbers], how))
    name = "all_folds" if len(done) == n else "folds_done"
    return {"folds": each, name: pooled}


def write_table(out: Path, found: Mapping[str, Any]) -> None:
    """Keep the ablations' figures as ``ablations.json`` in the folder of the runs."""
    write_atomic(out / "ablations.json", json.dumps(found, indent=1) + "\n")
