"""``evaluate``: measuring a system on annotated data."""

from __future__ import annotations

import itertools
import sys
from typing import Annotated, Literal

import typer

from ..neural import DEFAULT_MODEL
from ..symbolic.errors import UsageError
from .options import (
    ConflictsName,
    File,
    Labels,
    Limit,
    ModelName,
    NoRule,
    Out,
    OutputFormat,
    Partition,
    PiqaFolder,
    Rules,
    Seed,
    SystemName,
    examples,
    make_engine,
    print_figures,
    require_one_standard_input,
)

_SEEN = "disproof: warning: the model was trained on these {}; the figures mean little\n"

evaluate_app = typer.Typer(help="Measure a system on annotated data.", no_args_is_help=True)


@evaluate_app.command(
    "trip",
    epilog=examples(
        "disproof evaluate trip dev.jsonl.gz",
        "disproof evaluate trip dev.jsonl.gz --system symbolic --states gold --format json",
        "disproof evaluate trip dev.jsonl.gz --entities own",
        "disproof evaluate trip dev.jsonl.gz --predictions roberta_dev_predictions.json.gz",
    ),
)
def evaluate_trip(
    file: File,
    format: OutputFormat = "text",
    system: Annotated[
        Literal["neurosymbolic", "symbolic", "tiered", "random"],
        typer.Option(
            "--system",
            help="With the neural prior, rules and states alone, the neural baseline (give its --model), or a random "
            "floor.",
        ),
    ] = "neurosymbolic",
    states: Annotated[
        Literal["predicted", "gold"],
        typer.Option("--states", help="The tagger's states, or the file's own (the ceiling of --system symbolic)."),
    ] = "predicted",
    entities: Annotated[
        Literal["gold", "own"],
        typer.Option("--entities", help="The things that the file names, or those that are found in the text."),
    ] = "gold",
    predictions: Annotated[
        str | None,
        typer.Option(
            "--predictions",
            metavar="FILE",
            help="Score these predictions (official shape) instead of a system.",
            show_default=False,
        ),
    ] = None,
    conflicts: ConflictsName = "top-two",
    partition: Partition = None,
    rules: Rules = [],  # noqa: B006
    no_rule: NoRule = [],  # noqa: B006
    model: ModelName = DEFAULT_MODEL,
    seed: Seed = 0,
    limit: Limit = None,
    out: Out = None,
) -> None:
    """Measure a system on annotated pairs of stories, by the official metrics and more."""
    from ..bridge.output import progress
    from ..bridge.readers import read_pairs

    if entities == "own" and (predictions is not None or system in ("tiered", "random")):
        raise UsageError("--entities own is for the systems neurosymbolic and symbolic")
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
    elif system == "tiered":
        from ..bridge.tiered import evaluate_tiered, load_tiered, seen_by

        tiered = load_tiered(model)
        if seen_by(tiered, pairs):
            sys.stderr.write(_SEEN.format("stories"))
        with progress("evaluating") as report:
            figures = evaluate_tiered(tiered, pairs, conflicts, report).to_json()
    else:
        from ..bridge.evaluation import evaluate, seen_in_training

        engine = make_engine(model, system=system, states=states, rules=rules, without=no_rule)
        if seen_in_training(engine, pairs):
            sys.stderr.write(_SEEN.format("stories"))
        with progress("evaluating") as report:
            figures = evaluate(engine, pairs, report, entities == "own").to_json()
    print_figures(figures, format, out)


@evaluate_app.command(
    "twins",
    epilog=examples(
        "disproof evaluate twins examples/twins.jsonl", "disproof evaluate twins twins.jsonl --format json"
    ),
)
def evaluate_twins(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help='Broken stories and twins, a pair a line: {"id", "broken", "restored", "conflict", "entity"}.',
        ),
    ],
    format: OutputFormat = "text",
    system: SystemName = "neurosymbolic",
    rules: Rules = [],  # noqa: B006
    no_rule: NoRule = [],  # noqa: B006
    model: ModelName = DEFAULT_MODEL,
    limit: Limit = None,
    out: Out = None,
) -> None:
    """Measure single verdicts, pairs and proofs on stories with one conflict and on twins in which it is mended."""
    from ..bridge.evaluation import analyse_pairs, seen_in_training
    from ..bridge.output import progress
    from ..bridge.twins import measure_twins, read_twins

    twins = list(itertools.islice(read_twins(file), limit))
    engine = make_engine(model, system=system, rules=rules, without=no_rule)
    if seen_in_training(engine, [one.pair for one in twins]):
        sys.stderr.write(_SEEN.format("stories"))
    with progress("evaluating") as report:
        analysed = analyse_pairs(engine, [one.pair for one in twins], report)
    figures = measure_twins(twins, analysed, [engine.weights] * len(twins)).to_json()
    print_figures({"system": system, **figures}, format, out)


@evaluate_app.command(
    "piqa",
    epilog=examples(
        "disproof evaluate piqa valid.jsonl", "disproof evaluate piqa valid.jsonl --system neural --format json"
    ),
)
def evaluate_piqa(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help='Items, one a line: {"goal", "sol1", "sol2", "label"}; labels may be in NAME-labels.lst beside it.',
        ),
    ],
    format: OutputFormat = "text",
    system: Annotated[
        Literal["neurosymbolic", "symbolic", "neural", "random"],
        typer.Option("--system", help="Everything; proofs and evidence; the neural preference; or a coin."),
    ] = "neurosymbolic",
    labels: Labels = None,
    rules: Rules = [],  # noqa: B006
    no_rule: NoRule = [],  # noqa: B006
    model: ModelName = DEFAULT_MODEL,
    piqa_folder: PiqaFolder = None,
    seed: Seed = 0,
    limit: Limit = None,
    out: Out = None,
) -> None:
    """Measure choices between solutions: how many are right, and on what basis."""
    from ..bridge.output import progress
    from ..bridge.piqa_data import read_piqa

    items = list(itertools.islice(read_piqa(file, labels), limit))
    from ..bridge import piqa_evaluation as measures  # after the input is read: this takes seconds

    if system == "random":
        print_figures(measures.evaluate_random(items, seed), format, out)
        return
    from ..bridge.piqa import PiqaEngine

    engine = PiqaEngine(model, system=system, folder=piqa_folder, rules=rules, without=no_rule)
    if engine.trained_on(items):
        sys.stderr.write(_SEEN.format("items"))
    with progress("evaluating") as report:
        figures = measures.evaluate_piqa(engine, items, report)
    print_figures(figures, format, out)
