"""``train``: the parts that learn."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..symbolic.errors import UsageError
from .options import (
    File,
    Limit,
    NoRule,
    OutputFormat,
    Rules,
    Seed,
    examples,
    print_figures,
)

Twins = Annotated[
    list[str],
    typer.Option(
        "--twins",
        metavar="FILE",
        help="Broken stories with restored twins to learn from as well (see 'evaluate twins'). May be given again.",
        show_default=False,
    ),
]

train_app = typer.Typer(help="Train the parts that learn, reproducibly, from data files.", no_args_is_help=True)


@train_app.command(
    "tagger",
    epilog=examples(
        "disproof train tagger dev.jsonl.gz --out runs/small --folds 5",
        "disproof train tagger dev.jsonl.gz --out runs/small",
    ),
)
def train_tagger(
    file: File,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="The folder of the run; a stopped run goes on there.")
    ],
    encoder: Annotated[
        str, typer.Option("--encoder", metavar="NAME_OR_DIR", help="minilm, or any Hugging Face encoder.")
    ] = "minilm",
    epochs: Annotated[
        int | None, typer.Option("--epochs", min=1, help="Passes over the data.", show_default="the encoder's own")
    ] = None,
    seed: Seed = 0,
    folds: Annotated[
        int | None,
        typer.Option(
            "--folds",
            min=2,
            metavar="N",
            help="Cross-validate by base story in N folds instead of training on all pairs.",
            show_default=False,
        ),
    ] = None,
    fold: Annotated[
        list[int],
        typer.Option("--fold", min=0, metavar="K", help="With --folds, this fold only. May be given again."),
    ] = [],  # noqa: B006
    twins: Twins = [],  # noqa: B006
    start: Annotated[
        Path | None,
        typer.Option(
            "--start",
            metavar="DIR",
            help="Begin with the weights of this run (of as many folds) or model, not with the bare encoder.",
            show_default=False,
        ),
    ] = None,
    limit: Limit = None,
    format: OutputFormat = "text",
) -> None:
    """Train the state tagger and the pair prior on annotated pairs.

    Writes a model folder with a metrics.json; with --folds, the states of every pair as told by a tagger that never saw
    it, which is what "train weights" learns from.
    """
    from ..bridge.output import progress
    from ..bridge.readers import read_pairs
    from ..bridge.twins import read_twins

    if fold and folds is None:
        raise UsageError("--fold picks folds of --folds: give that too")
    if folds is not None and any(number >= folds for number in fold):
        raise UsageError(f"the folds of --folds {folds} are 0 to {folds - 1}: give one of these to --fold")
    pairs = list(itertools.islice(read_pairs(file), limit))
    also = [one for twin in twins for one in itertools.islice(read_twins(twin), limit)]
    from ..bridge.training import train_tagger as train  # after the input is read: this takes seconds

    with progress("training") as report:
        figures = train(
            pairs,
            out,
            twins=also,
            start=start,
            encoder=encoder,
            epochs=epochs,
            seed=seed,
            folds=folds,
            only=fold or None,
            progress=lambda step, steps, losses: report(step, steps, f"loss {losses['total']:.2f}"),
        )
    print_figures(figures, format)


@train_app.command(
    "weights",
    epilog=examples(
        "disproof train weights dev.jsonl.gz --folds-dir runs/small --out rules/weights/small.json",
        "disproof train weights dev.jsonl.gz --states gold --out rules/weights/gold.json",
    ),
)
def train_weights(
    file: File,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The weights file to write.")],
    folds_dir: Annotated[
        Path | None,
        typer.Option(
            "--folds-dir",
            metavar="DIR",
            help="Where 'train tagger --folds' left its folds: needed with predicted states.",
            show_default=False,
        ),
    ] = None,
    states: Annotated[
        Literal["predicted", "gold"],
        typer.Option("--states", help="The out-of-fold states in --folds-dir, or the file's own (no prior then)."),
    ] = "predicted",
    twins: Twins = [],  # noqa: B006
    rules: Rules = [],  # noqa: B006
    no_rule: NoRule = [],  # noqa: B006
    limit: Limit = None,
    format: OutputFormat = "text",
) -> None:
    """Learn how much each rule and the neural prior count, and measure it by the same folds."""
    from ..bridge.output import progress
    from ..bridge.readers import read_pairs
    from ..bridge.twins import read_twins

    if states == "predicted" and folds_dir is None:
        raise UsageError("predicted states come from --folds-dir: give it, or --states gold to use the file's own")
    if states == "gold" and folds_dir is not None:
        raise UsageError("--states gold takes the file's own states: leave out --folds-dir")
    pairs = list(itertools.islice(read_pairs(file), limit))
    also = [one for twin in twins for one in itertools.islice(read_twins(twin), limit)]
    from ..bridge.training import train_weights as train  # after the input is read: this takes seconds

    with progress("solving") as report:
        figures = train(pairs, folds_dir, out, twins=also, rules=rules, without=no_rule, progress=report)
    print_figures(figures, format)
