"""``rules diff``: what a change of the rules does to stories."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ..neural import DEFAULT_MODEL
from ..symbolic.errors import UsageError
from .options import (
    SUFFIX,
    ChosenSystem,
    Limit,
    ModelName,
    NoRule,
    Out,
    OutputFormat,
    Partition,
    Rules,
    StatesName,
    examples,
    fitting_system,
    make_engine,
)

diff_app = typer.Typer()

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="Annotated pairs of TRIP, broken stories with twins, or stories as 'explain' reads them (verdicts only).",
    ),
]


@diff_app.command(
    "diff",
    epilog=examples(
        "disproof rules diff --rules my_rules.lp dev.jsonl.gz",
        "disproof rules diff --no-rule state_clash --states gold --limit 50 dev.jsonl.gz --format json",
        "disproof rules diff --rules my_rules.lp stories.jsonl",
    ),
)
def diff(
    file: Data,
    format: OutputFormat = "text",
    rules: Rules = [],  # noqa: B006
    no_rule: NoRule = [],  # noqa: B006
    states: StatesName = "predicted",
    system: ChosenSystem = None,
    model: ModelName = DEFAULT_MODEL,
    partition: Partition = None,
    limit: Limit = None,
    out: Out = None,
) -> None:
    """Compare the shipped rules with changed ones: each story of which something else is said, and the figures.

    A story changes when its verdict by itself, its two sentences or its best proof's rule changes; a pair when the
    other story is chosen. Where the stories are annotated, each change is marked better or worse. Every story is
    tagged once. The JSON has "stories" (how many), "before" and "after" (figures, or null) and "changed".
    """
    from ..bridge.data_file import read_data
    from ..bridge.documents import to_json
    from ..bridge.evaluation import seen_in_training
    from ..bridge.output import Output, progress
    from ..bridge.rule_diff import diff_pairs, diff_stories, diff_twins
    from ..bridge.rule_views import diff_document, diff_view

    if not rules and not no_rule:
        raise UsageError("there is nothing to compare: give the changed rules with --rules or --no-rule")
    chosen = fitting_system(system, states)
    before = make_engine(model, system=chosen, states=states)
    after = make_engine(model, system=chosen, states=states, rules=rules, without=no_rule)
    data = read_data(file, before.split, partition, limit)
    _ = after.solver  # a refused rule is told before the stories are tagged
    if data.kind == "pairs" and seen_in_training(before, data.pairs):
        sys.stderr.write("disproof: warning: the model was trained on these stories; the figures mean little\n")
    with progress("comparing") as report:
        if data.kind == "stories":
            found = diff_stories(before, after, data.stories, report)
        elif data.kind == "twins":
            found = diff_twins(before, after, data.twins, report)
        else:
            found = diff_pairs(before, after, data.pairs, report)
    output = Output(out, f"diff.{SUFFIX[format]}")
    if format == "json":
        output.write(to_json(diff_document(found)) + "\n")
    else:
        output.show(diff_view(found))
    output.close()
