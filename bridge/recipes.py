"""How models such as the shipped ones are made: the steps from data to a model folder with its weights of rules.

A teacher learns states from annotated pairs alone. Then a model learns states and pairs in one pass over the annotated
pairs and everyday stories that have no states of their own: there it learns the states that the teacher tells. Folds
tell what the weights of rules are learned from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..symbolic.errors import Location, ModelError
from ..symbolic.story import StoryPair
from .output import Report
from .training import FOLDS, make_folder, train_tagger, train_weights
from .twins import Twins


@dataclass(frozen=True)
class Recipe:
    """How a tagger is fine-tuned; ``learning_rate`` is the encoder's."""

    encoder: str
    learning_rate: float
    epochs: int


LARGE = "sentence-transformers/all-mpnet-base-v2"
TEACHER = Recipe(LARGE, 5e-5, 12)
RECIPES = {
    "base": Recipe(LARGE, 5e-5, 6),
    "small": Recipe("minilm", 1.5e-4, 8),
}


@dataclass(frozen=True)
class Step:
    """One step of a recipe: what it is called while it runs, and its work, which returns figures.

    Training that was done before takes no time again.
    """

    name: str
    work: Callable[[Report], dict[str, Any]]


def steps(
    recipe: Recipe,
    pairs: Sequence[StoryPair],
    twins: Sequence[Twins],
    out: Path,
    *,
    large: str = LARGE,
    teacher: Path | None = None,
    seed: int = 0,
    only: Sequence[int] | None = None,
) -> Iterator[Step]:
    """The steps of a recipe, in order; the last one gives the figures of the model in ``out/model``.

    ``large`` is where the larger encoder lies. ``teacher`` is the folder of an earlier run, of any recipe, whose
    teacher teaches this one, too. ``only`` some folds are trained and nothing else, so that several machines or
    sittings can share the work.

    Raises:
        ModelError: there is no teacher in ``teacher``.
    """
    train = partial(_train, pairs, large=large, seed=seed)
    if teacher is None:
        teacher = out
        alone = partial(train, TEACHER)
        yield Step("teacher, by folds", partial(alone, out / "teacher-cv", folds=FOLDS, only=only))
        if only is None:
            yield Step("teacher", partial(alone, out / "teacher"))
    elif not (teacher / "teacher-cv").is_dir():
        raise ModelError("there is no teacher of an earlier 'train model' here", Location(str(teacher)))
    taught = partial(train, recipe, twins=twins)
    yield Step("stories, by folds", partial(taught, out / "cv", folds=FOLDS, only=only, teacher=teacher / "teacher-cv"))
    if only is None:
        yield Step("stories", partial(taught, out / "model", teacher=teacher / "teacher"))
        yield Step("rules", partial(_weigh, pairs, twins, out))


def _train(
    pairs: Sequence[StoryPair], recipe: Recipe, out: Path, report: Report, *, large: str, **settings: Any
) -> dict[str, Any]:
    make_folder(out.parent)
    return train_tagger(
        pairs,
        out,
        encoder=large if recipe.encoder == LARGE else recipe.encoder,
        learning_rate=recipe.learning_rate,
        epochs=recipe.epochs,
        progress=lambda step, steps, losses: report(step, steps, f"loss {losses['total']:.2f}"),
        **settings,
    )


def _weigh(pairs: Sequence[StoryPair], twins: Sequence[Twins], out: Path, report: Report) -> dict[str, Any]:
    # Beside the model's own files, where the engine looks for them.
    return train_weights(pairs, out / "cv", out / "model" / "rule_weights.json", twins=twins, progress=report)
