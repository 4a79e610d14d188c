"""``evaluate``: measuring a system on annotated data."""

from __future__ import annotations

import itertools
import sys
from typing import Annotated, Literal

import typer

from .options import (
    File,
    Limit,
    ModelName,
    NoRule,
    Out,
    OutputFormat,
    Partition,
    Rules,
    Seed,
    examples,
    make_engine,
    print_figures,
    require_one_standard_input,
)

evaluate_app = typer.Typer(help="Measure a system on annotated data.", no_args_is_help=True)


@evaluate_app.command(
    "trip",
    epilog=examples(
        "disproof evaluate trip dev.jsonl.gz",
        "disproof evaluate trip dev.jsonl.gz --system symbolic --states gold --format json",
        "disproof evaluate trip dev.jsonl.gz --predictions roberta_dev_predictions.json.gz",
    ),
)
def evaluate_trip(
    file: File,
    format: OutputFormat = "text",
    system: Annotated[
        Literal["neurosymbolic", "symbolic", "random"],
        typer.Option("--system", help="With the neural prior, rules and states alone, or a random floor."),
    ] = "neurosymbolic",
    states: Annotated[
        Literal["predicted", "gold"],
        typer.Option("--states", help="The tagger's states, or the file's own (the ceiling of --system symbolic)."),
    ] = "predicted",
    predictions: Annotated[
        str | None,
        typer.Option(
            "--predictions",
            metavar="FILE",
            help="Score these predictions (official shape) instead of a system.",
            show_default=False,
        ),
    ] = None,
    partition: Partition = None,
    rules: Rules = [],  # noqa: B006
    no_rule: NoRule = [],  # noqa: B006
    model: ModelName = "small",
    seed: Seed = 0,
    limit: Limit = None,
    out: Out = None,
) -> None:
    """Measure a system on annotated pairs of stories, by the official metrics and more."""
    from ..bridge.output import progress
    from ..bridge.readers import read_pairs

    if predictions is not None:
        require_one_standard_input([file, predictions])
    pairs = list(itertools.islice(read_pairs(file, partition), limit))
    if predictions is not None:
        from ..bridge.metrics import score_pairs
        from ..bridge.predictions import match_predictions, read_predictions

        matched = match_predictions(pairs, list(read_predictions(predictions)))
        figures = score_pairs(pairs, matched, system="predictions").to_json()
    elif system == "random":
        from ..bridge.evaluation import evaluate_random

        figures = evaluate_random(pairs, seed).to_json()
    else:
        from ..bridge.evaluation import evaluate, seen_in_training

        engine = make_engine(model, system=system, states=states, rules=rules, without=no_rule)
        if seen_in_training(engine, pairs):
            sys.stderr.write("disproof: warning: the model was trained on these stories; the figures mean little\n")
        with progress("evaluating") as report:
            figures = evaluate(engine, pairs, report).to_json()
    print_figures(figures, format, out)
