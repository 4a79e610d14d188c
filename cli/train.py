"""``train``: the parts that learn."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ..neural import DEFAULT_MODEL
from ..symbolic.errors import UsageError
from .options import (
    ConflictsName,
    File,
    Limit,
    ModelName,
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

ShippedModel = Literal["base", "small"]

Run = Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder of the run; a stopped run goes on there.")]
Encoder = Annotated[str, typer.Option("--encoder", metavar="NAME_OR_DIR", help="minilm, or any Hugging Face encoder.")]
Folds = Annotated[
    int | None,
    typer.Option(
        "--folds",
        min=2,
        metavar="N",
        help="Cross-validate by base story in N folds instead of training on all pairs.",
        show_default=False,
    ),
]
Fold = Annotated[
    list[int],
    typer.Option("--fold", min=0, metavar="K", help="With --folds, this fold only. May be given again."),
]
PairsEach = Annotated[
    int | None,
    typer.Option(
        "--pairs",
        min=2,
        metavar="N",
        help="Each fold learns from N annotated pairs of those outside it, the same for tagger and weights.",
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
    out: Run,
    encoder: Encoder = "minilm",
    epochs: Annotated[
        int | None, typer.Option("--epochs", min=1, help="Passes over the data.", show_default="the encoder's own")
    ] = None,
    learning_rate: Annotated[
        float | None,
        typer.Option(
            "--learning-rate",
            help="Of the encoder; what is above it learns ten times as fast. A large encoder wants less.",
            show_default="1.5e-4",
        ),
    ] = None,
    seed: Seed = 0,
    folds: Folds = None,
    fold: Fold = [],  # noqa: B006
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
    teacher: Annotated[
        Path | None,
        typer.Option(
            "--teacher",
            metavar="DIR",
            help="Learn the states of stories that have none from this run (of as many folds) or model, a larger one.",
            show_default=False,
        ),
    ] = None,
    pairs_each: PairsEach = None,
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

    _check_folds(folds, fold)
    if pairs_each is not None and folds is None:
        raise UsageError("--pairs is for the folds of --folds: give that too, or --limit to train on fewer pairs")
    if learning_rate is not None:
        _check_rate(learning_rate)
    pairs = list(itertools.islice(read_pairs(file), limit))
    also = [one for twin in twins for one in itertools.islice(read_twins(twin), limit)]
    from ..bridge.training import train_tagger as train  # after the input is read: this takes seconds

    with progress("training") as report:
        figures = train(
            pairs,
            out,
            twins=also,
            start=start,
            teacher=teacher,
            encoder=encoder,
            epochs=epochs,
            learning_rate=learning_rate,
            seed=seed,
            folds=folds,
            only=fold or None,
            size=pairs_each,
            progress=lambda step, steps, losses: report(step, steps, f"loss {losses['total']:.2f}"),
        )
    print_figures(figures, format)


@train_app.command(
    "model",
    epilog=examples(
        "disproof train model base dev.jsonl.gz --twins examples/twins.jsonl --out runs/base",
        "disproof train model base dev.jsonl.gz --twins examples/twins.jsonl --out runs/base --fold 0",
        "disproof train model small dev.jsonl.gz --twins examples/twins.jsonl --out runs/small --teacher runs/base",
    ),
)
def train_model(
    name: Annotated[ShippedModel, typer.Argument(help="The shipped model whose encoder and settings to take.")],
    file: File,
    out: Run,
    twins: Twins = [],  # noqa: B006
    encoder: Annotated[
        str | None,
        typer.Option(
            "--encoder",
            metavar="NAME_OR_DIR",
            help="Where all-mpnet-base-v2 lies, of which base and the teacher are made.",
            show_default="the hub",
        ),
    ] = None,
    teacher: Annotated[
        Path | None,
        typer.Option(
            "--teacher",
            metavar="DIR",
            help="The --out of an earlier run, whose teacher to take. Without it one is trained first.",
            show_default=False,
        ),
    ] = None,
    seed: Seed = 0,
    fold: Annotated[
        list[int],
        typer.Option("--fold", min=0, metavar="K", help="Train this fold only, of 0 to 4. May be given again."),
    ] = [],  # noqa: B006
    limit: Limit = None,
    format: OutputFormat = "text",
) -> None:
    """Make a model from data with one command: folds, tagger and weights of rules.

    The model is the folder "model" in --out, for --model; the figures of its folds are printed. This takes hours; what
    was stopped goes on where it was.
    """
    from ..bridge.output import progress
    from ..bridge.readers import read_pairs
    from ..bridge.twins import read_twins

    pairs = list(itertools.islice(read_pairs(file), limit))
    also = [one for twin in twins for one in itertools.islice(read_twins(twin), limit)]
    from ..bridge.recipes import LARGE, RECIPES, steps  # after the input is read: this takes seconds
    from ..bridge.training import FOLDS

    _check_folds(FOLDS, fold)
    figures: dict[str, Any] = {}
    large, only = encoder or LARGE, fold or None
    for step in steps(RECIPES[name], pairs, also, out, large=large, teacher=teacher, seed=seed, only=only):
        with progress(step.name) as report:
            figures = step.work(report)
    print_figures(figures, format)


@train_app.command(
    "tiered",
    epilog=examples(
        "disproof train tiered dev.jsonl.gz --out runs/tiered --folds 5",
        "disproof train tiered dev.jsonl.gz --out runs/tiered --folds 5 --fold 0 --encoder roberta-large",
        "disproof train tiered dev.jsonl.gz --out runs/ablations --folds 5 --ablate",
    ),
)
def train_tiered(
    file: File,
    out: Run,
    encoder: Encoder = "minilm",
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="Passes over the data; the best one is kept.")] = 10,
    losses: Annotated[
        str | None,
        typer.Option(
            "--losses",
            metavar="P,E,C,S",
            help="Weights of the losses of preconditions, effects, conflicts and story, which sum to 1.",
            show_default="0.4,0.4,0.2,0: the paper's best",
        ),
    ] = None,
    learning_rate: Annotated[
        float, typer.Option("--learning-rate", help="Of the encoder and of all above it; the paper's.")
    ] = 1e-5,
    pairs_per_step: Annotated[
        int, typer.Option("--pairs-per-step", min=1, metavar="N", help="Pairs whose gradients make one step.")
    ] = 1,
    truncate: Annotated[
        int | None,
        typer.Option(
            "--truncate",
            min=8,
            metavar="N",
            help="Cut entity and sentence to N tokens together; the published code cuts to 16.",
            show_default=False,
        ),
    ] = None,
    conflicts: ConflictsName = "top-two",
    ablate: Annotated[
        bool,
        typer.Option("--ablate", help="Train with all losses, without story, without conflict and without states."),
    ] = False,
    seed: Seed = 0,
    folds: Folds = None,
    fold: Fold = [],  # noqa: B006
    limit: Limit = None,
    format: OutputFormat = "text",
) -> None:
    """Train the purely neural baseline (Storks et al., 2021): states, conflicts and story, each from the one before.

    Writes a model folder with its metrics.json, curves.json and curves.svg; with --folds, one for each fold, with what
    is said of the held-out pairs. A tenth of the base stories trained on is set aside and chooses the epoch.
    """
    from ..bridge.documents import to_json
    from ..bridge.output import Output, progress
    from ..bridge.readers import read_pairs
    from ..bridge.text import comparison_view

    _check_folds(folds, fold)
    weights = _loss_weights(losses)
    _check_rate(learning_rate)
    if ablate and losses is not None:
        raise UsageError("--ablate has loss weights of its own: leave out --losses")
    pairs = list(itertools.islice(read_pairs(file), limit))
    from ..bridge import tiered_training as tiered  # after the input is read: what it calls takes seconds to import

    config = tiered.training_config(
        encoder=encoder,
        epochs=epochs,
        losses=weights,
        learning_rate=learning_rate,
        pairs_per_step=pairs_per_step,
        truncate=truncate,
        conflicts=conflicts,
        seed=seed,
    )
    with progress("training") as report:

        def tell(setting: str) -> Callable[[int, int, dict[str, float]], None]:
            def told(step: int, steps: int, now: dict[str, float]) -> None:
                report(step, steps, f"{setting} loss {now['total']:.2f}".strip())

            return told

        if not ablate:
            figures = tiered.train_tiered(pairs, out, config, folds=folds, only=fold or None, progress=tell(""))
        else:
            figures = tiered.ablate(pairs, out, config, folds=folds, only=fold or None, progress=tell)
            tiered.write_table(out, figures)
    if not ablate:
        print_figures(figures, format)
        return
    output = Output(None, "")
    if format == "json":
        output.write(to_json(figures) + "\n")
    else:
        output.show(comparison_view(tiered.ablation_rows(figures), tiered.PUBLISHED_NOTE))


def _loss_weights(text: str | None) -> tuple[float, float, float, float] | None:
    """The four weights of ``--losses``.

    Raises:
        UsageError: they are not four numbers from 0 that sum to 1.
    """
    if text is None:
        return None
    try:
        precondition, effect, conflict, story = (float(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"--losses takes four numbers such as 0.4,0.4,0.2,0, not {text!r}") from None
    weights = (precondition, effect, conflict, story)
    if not all(weight >= 0 for weight in weights) or not math.isclose(sum(weights), 1.0, abs_tol=1e-6):
        raise UsageError(f"the weights of --losses are 0 or more and sum to 1: {text} does not")
    return weights


def _check_rate(rate: float) -> None:
    if not (math.isfinite(rate) and rate > 0):
        raise UsageError("--learning-rate must be above 0")


def _check_folds(folds: int | None, fold: list[int]) -> None:
    """Refuse folds that are not there.

    Raises:
        UsageError: one is not, or there are none to pick from.
    """
    if fold and folds is None:
        raise UsageError("--fold picks folds of --folds: give that too")
    if folds is not None and any(number >= folds for number in fold):
        raise UsageError(f"the folds of --folds {folds} are 0 to {folds - 1}: give one of these to --fold")


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
    pairs_each: PairsEach = None,
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
        figures = train(
            pairs, folds_dir, out, twins=also, rules=rules, without=no_rule, size=pairs_each, progress=report
        )
    print_figures(figures, format)


@train_app.command(
    "piqa",
    epilog=examples(
        "disproof train piqa train.jsonl.gz --out runs/piqa --rank 16",
        "disproof train piqa train.jsonl.gz --model small --out runs/piqa-small",
    ),
)
def train_piqa(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help='Labelled items, one a line: {"goal", "sol1", "sol2", "label"}.')
    ],
    out: Run,
    model: ModelName = DEFAULT_MODEL,
    held_out: Annotated[
        int,
        typer.Option("--held-out", min=10, metavar="N", help="The last N items weigh the signals and measure them."),
    ] = 1113,
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="Passes over the data.")] = 4,
    learning_rate: Annotated[float, typer.Option("--learning-rate", help="Of the adapter.")] = 3e-4,
    rank: Annotated[
        int, typer.Option("--rank", min=1, metavar="N", help="Of the adapter's matrices; a wide encoder wants less.")
    ] = 64,
    alpha: Annotated[
        int | None,
        typer.Option(
            "--alpha",
            min=1,
            metavar="N",
            help="What the adapter adds is scaled by alpha / rank.",
            show_default="the rank",
        ),
    ] = None,
    frozen: Annotated[
        float,
        typer.Option(
            "--frozen", min=0, max=0.99, metavar="SHARE", help="Lower layers without adapter, computed once: quicker."
        ),
    ] = 0.0,
    begin: Annotated[
        Literal["pretrained", "tagger"],
        typer.Option("--begin", help="The adapter starts from the encoder before it learned states, or after."),
    ] = "pretrained",
    answer_only: Annotated[
        bool, typer.Option("--answer-only", help="The neural preference reads no goals: how far style alone gets.")
    ] = False,
    seed: Seed = 0,
    limit: Limit = None,
    format: OutputFormat = "text",
) -> None:
    """Train what PIQA needs over a model: counted facts, a low-rank adapter and a head, and the weights of each.

    The encoder stays as it is, so that one serves stories and solutions.
    """
    from ..bridge.output import progress
    from ..bridge.piqa_data import read_piqa

    _check_rate(learning_rate)
    items = list(itertools.islice(read_piqa(file), limit))
    from ..bridge.piqa_training import train_piqa as train  # after the input is read: this takes seconds
    from ..neural.choice import ChoiceConfig
    from ..neural.choice_training import ChoiceTraining

    network = ChoiceConfig(frozen=frozen, rank=rank, alpha=alpha or rank, answer_only=answer_only)
    config = ChoiceTraining(epochs=epochs, learning_rate=learning_rate, seed=seed, begin=begin, network=network)
    with progress("training") as bar:
        figures = train(
            items,
            model,
            out,
            held_out=held_out,
            config=config,
            report=lambda what, done, total: bar(done, total, what),
        )
    print_figures(figures, format)
