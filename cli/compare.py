"""``compare`` and ``predict``: systems side by side on annotated data, and their predictions as files."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..neural import DEFAULT_MODEL
from ..symbolic.errors import UsageError
from .options import (
    File,
    Labels,
    Limit,
    ModelName,
    NoRule,
    OutputFormat,
    Partition,
    PiqaFolder,
    Seed,
    examples,
    require_one_standard_input,
)

if TYPE_CHECKING:
    from ..bridge.comparison import SystemRun
    from ..bridge.systems import SystemSpec
    from ..symbolic.story import StoryPair

_NO_TIERED = (
    "the purely neural tiered baseline is not here, as its weights do not ship: train it with 'disproof train tiered "
    "FILE --out DIR' and add --system tiered=DIR"
)
_DEFAULT = ["random", "symbolic", "neurosymbolic"]

Systems = Annotated[
    list[str],
    typer.Option(
        "--system",
        metavar="NAME[=FOLDER]",
        help="random, symbolic, neurosymbolic, or a name for a model of your own: NAME=FOLDER[,rules=DIR][,states=gold]"
        "[,system=symbolic]. A folder of folds stands for models that never saw the pair. May be given again.",
        show_default="random, symbolic and neurosymbolic",
    ),
]
CacheFolder = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="DIR",
        help="Where what was tagged and solved is kept.",
        show_default="the user's cache folder",
    ),
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Compute everything anew and keep nothing.")]

compare_app = typer.Typer(help="Compare systems on annotated data.", no_args_is_help=True)
predict_app = typer.Typer(help="Write a system's predictions to a file.", no_args_is_help=True)


@compare_app.command(
    "trip",
    epilog=examples(
        "disproof compare trip dev.jsonl.gz --out report",
        "disproof compare trip dev.jsonl.gz --predictions roberta=roberta_dev_predictions.json.gz",
        "disproof compare trip dev.jsonl.gz --system symbolic --system mine=runs/mine,rules=my_rules",
    ),
)
def compare_trip(
    file: File,
    format: OutputFormat = "text",
    system: Systems = [],  # noqa: B006
    predictions: Annotated[
        list[str],
        typer.Option(
            "--predictions",
            metavar="NAME=FILE",
            help="Predictions (official shape) to compare as a system of this name. May be given again.",
            show_default=False,
        ),
    ] = [],  # noqa: B006
    partition: Partition = None,
    no_rule: NoRule = [],  # noqa: B006
    model: ModelName = DEFAULT_MODEL,
    seed: Seed = 0,
    limit: Limit = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Also write the report into this folder: JSON, CSV tables and one HTML page.",
            show_default=False,
        ),
    ] = None,
    cache: CacheFolder = None,
    no_cache: NoCache = False,
) -> None:
    """Compare systems on the same annotated pairs: figures with intervals, paired tests, and where they disagree."""
    from ..bridge.comparison import compare
    from ..bridge.documents import to_json
    from ..bridge.output import Output
    from ..bridge.readers import read_pairs
    from ..bridge.report import write_report
    from ..bridge.systems import SystemSpec, parse_system

    specs = [parse_system(text, model, no_rule) for text in system or _DEFAULT]
    for text in predictions:
        name, given, path = text.partition("=")
        if not given or not name or not path:
            raise UsageError(f"--predictions {text!r}: write NAME=FILE")
        specs.append(SystemSpec(name, "predictions", path))
    _require_distinct([spec.name for spec in specs])
    require_one_standard_input([file, *(spec.model for spec in specs if spec.kind == "predictions")])
    if out is not None and out.exists() and not out.is_dir():
        raise UsageError(f"--out {out} is a file: give a folder")
    pairs = list(itertools.islice(read_pairs(file, partition), limit))
    notes = _notes(specs, pairs)
    if not any(spec.kind == "tiered" for spec in specs):
        notes.append(_NO_TIERED)
    comparison = compare(pairs, _runs(specs, pairs, cache, no_cache, seed), seed)
    if out is not None:
        write_report(comparison, out, Path(file).name, notes)
    output = Output(None, "")
    if format == "json":
        output.write(to_json(comparison.to_json()) + "\n")
    else:
        from ..bridge.comparison_views import comparison_view

        output.show(comparison_view(comparison, notes))
    output.close()


@compare_app.command(
    "piqa",
    epilog=examples(
        "disproof compare piqa valid.jsonl --out report",
        "disproof compare piqa valid.jsonl --system neural --system mine=base,piqa=runs/piqa",
    ),
)
def compare_piqa(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="Labelled items, as in 'evaluate piqa'."),
    ],
    format: OutputFormat = "text",
    system: Annotated[
        list[str],
        typer.Option(
            "--system",
            metavar="NAME[=MODEL]",
            help="random, neural, symbolic, neurosymbolic, or a name for one of your own: "
            "NAME=MODEL[,piqa=DIR][,rules=DIR][,system=neural]. May be given again.",
            show_default="random, neural, symbolic and neurosymbolic",
        ),
    ] = [],  # noqa: B006
    labels: Labels = None,
    no_rule: NoRule = [],  # noqa: B006
    model: ModelName = DEFAULT_MODEL,
    piqa_folder: PiqaFolder = None,
    seed: Seed = 0,
    limit: Limit = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Also write the report into this folder: JSON, CSV tables, every choice and one HTML page.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Compare systems on the same goals and solutions: shares with intervals, paired tests, what differs, reasons."""
    from ..bridge.documents import to_json
    from ..bridge.output import Output, progress
    from ..bridge.piqa_data import read_piqa

    if out is not None and out.exists() and not out.is_dir():
        raise UsageError(f"--out {out} is a file: give a folder")
    items = list(itertools.islice(read_piqa(file, labels), limit))
    from ..bridge import piqa_comparison as comparing  # after the input is read: this takes seconds
    from ..bridge.piqa_comparison_views import piqa_comparison_view
    from ..bridge.report import write_piqa_report

    names = system or list(comparing.SYSTEMS)
    specs = [comparing.parse_piqa_system(text, model, piqa_folder, no_rule) for text in names]
    _require_distinct([spec.name for spec in specs])
    notes = _seen_notes([spec.name for spec in specs if comparing.seen_by(spec, items)], "items")
    with progress("listening") as report:
        comparison = comparing.compare_piqa(items, specs, seed, report)
    if out is not None:
        write_piqa_report(comparison, out, Path(file).name, notes)
    output = Output(None, "")
    if format == "json":
        output.write(to_json(comparison.to_json()) + "\n")
    else:
        output.show(piqa_comparison_view(comparison))
    output.close()


def _require_distinct(names: list[str]) -> None:
    """Refuse two systems of one name.

    Raises:
        UsageError: there are two.
    """
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two systems are called {twice!r}: give each its own name")


@predict_app.command(
    "trip",
    epilog=examples(
        "disproof predict trip test.jsonl.gz --out predictions.jsonl",
        "disproof predict trip test.jsonl.gz --system mine=runs/mine --out mine.jsonl",
    ),
)
def predict_trip(
    file: File,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The file to write, a prediction a line.")],
    system: Annotated[
        str,
        typer.Option("--system", metavar="NAME[=FOLDER]", help="The system, as in 'compare trip'."),
    ] = "neurosymbolic",
    partition: Partition = None,
    no_rule: NoRule = [],  # noqa: B006
    model: ModelName = DEFAULT_MODEL,
    seed: Seed = 0,
    limit: Limit = None,
    cache: CacheFolder = None,
    no_cache: NoCache = False,
) -> None:
    """Write a system's predictions in the shape of TRIP's official evaluation."""
    import json

    from ..bridge.files import write_atomic
    from ..bridge.predictions import official_item
    from ..bridge.readers import read_pairs
    from ..bridge.systems import parse_system

    spec = parse_system(system, model, no_rule)
    pairs = list(itertools.islice(read_pairs(file, partition), limit))
    _notes([spec], pairs)
    (run,) = _runs([spec], pairs, cache, no_cache, seed)
    items = [official_item(pair, said) for pair, said in zip(pairs, run.predictions, strict=True)]
    write_atomic(out, "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items))


def _notes(specs: list[SystemSpec], pairs: list[StoryPair]) -> list[str]:
    """What a reader of the figures must know: which models have seen the stories."""
    from ..bridge.systems import seen_by

    return _seen_notes([spec.name for spec in specs if seen_by(spec, pairs)], "stories")


def _seen_notes(names: list[str], what: str) -> list[str]:
    """A note on each system that was trained on what it is to be measured on, also told on standard error."""
    notes = [f"the model of {name!r} was trained on these {what}; its figures mean little" for name in names]
    for note in notes:
        sys.stderr.write(f"disproof: warning: {note}\n")
    return notes


def _runs(
    specs: list[SystemSpec], pairs: list[StoryPair], folder: Path | None, no_cache: bool, seed: int
) -> list[SystemRun]:
    """Run each system over the pairs, one after the other."""
    from ..bridge.cache import Cache, default_folder
    from ..bridge.output import progress
    from ..bridge.systems import run_system

    if no_cache and folder is not None:
        raise UsageError("--cache and --no-cache exclude each other: give one")
    cache = Cache(None if no_cache else folder or default_folder())
    runs = []
    for spec in specs:
        with progress(spec.name) as report:
            runs.append(run_system(spec, pairs, cache, seed, report))
    cache.save()
    return runs
