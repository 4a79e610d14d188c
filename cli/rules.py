"""``rules``: reading, checking and changing the physics."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..neural import DEFAULT_MODEL
from .options import (
    BAD_INPUT,
    FAILED,
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

if TYPE_CHECKING:
    from ..bridge.engine import Engine
    from ..bridge.rule_stats import Firings

rules_app = typer.Typer(help="Read and check the physics: the rules that proofs are made of.", no_args_is_help=True)


@rules_app.command(
    "list",
    epilog=examples(
        "disproof rules list",
        "disproof rules list --rules my_rules.lp --format json",
        "disproof rules list dev.jsonl.gz --states gold",
    ),
)
def rules_list(
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="[DATA]",
            help="Annotated pairs of TRIP, or broken stories with twins, to count on what each rule does.",
            show_default=False,
        ),
    ] = None,
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
    """List the named rules: name, file and line, weight, and what each says when it fires.

    With DATA it lists the rules of conflicts with what each does there. It "fires" once for each two sentences of a
    story that it proves to conflict ("in plausible": of stories that can happen), and "hits" where these are the gold
    pair; "precision" is the share of hits. A story that several pairs share counts once.
    """
    from ..bridge.documents import rule_document, to_json
    from ..bridge.engine import require_weights
    from ..bridge.output import Output
    from ..bridge.rule_stats import Firings, rule_weight
    from ..bridge.rule_views import firings_view, listed_rule, weights_view
    from ..symbolic.rulebook import load

    book = load(overlays=rules, without=no_rule)
    engine = make_engine(model, system=fitting_system(system, states), states=states, rules=rules, without=no_rule)
    firings: dict[str, Firings] | None = None
    if data is None:
        require_weights(model)
    else:
        firings, stories = _firings(engine, data, partition, limit)
    weights = {name: rule_weight(book, name, engine.weights) for name in book.names}
    named = [
        name for name in book.names if book.named(name)[0].named or (firings is not None and weights[name] is not None)
    ]
    listed = {name: rule_document(book.named(name)) for name in named}
    output = Output(out, f"rules.{SUFFIX[format]}")
    if format == "json":
        for name, rule in listed.items():
            counts = None if firings is None else firings.get(name, Firings())
            output.write(to_json(listed_rule(rule, weights[name], counts)) + "\n")
    elif firings is None:
        output.show(weights_view([(rule, weights[name]) for name, rule in listed.items()]))
    else:
        rows = [(rule, weights[name], firings.get(name, Firings())) for name, rule in listed.items() if weights[name]]
        output.show(firings_view(rows, stories))
    output.close()


def _firings(engine: Engine, data: str, partition: str | None, limit: int | None) -> tuple[dict[str, Firings], int]:
    """What each rule does on the stories of a file, and how many stories these are."""
    from ..bridge.data_file import read_data
    from ..bridge.evaluation import analyse_pairs
    from ..bridge.files import display_name
    from ..bridge.metrics import distinct_stories
    from ..bridge.output import progress
    from ..bridge.rule_stats import count_firings
    from ..symbolic.errors import Location, StoryError

    pairs = read_data(data, engine.split, partition, limit).pairs
    if not pairs:
        message = "these are plain stories: rules list counts on annotated pairs, or on broken stories with twins"
        raise StoryError(message, Location(display_name(data)))
    with progress("solving") as report:
        analysed = analyse_pairs(engine, pairs, report)
    return count_firings(pairs, analysed), len(distinct_stories(pairs))


@rules_app.command("show", epilog=examples("disproof rules show broken_then_used"))
def rules_show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The rule's name, as proofs and 'rules list' give it.")],
    format: OutputFormat = "text",
    rules: Rules = [],  # noqa: B006
    out: Out = None,
) -> None:
    """Show one rule: its wording, its description and its text, with file and line."""
    from ..bridge.documents import rule_document, to_json
    from ..bridge.output import Output
    from ..symbolic.rulebook import load

    statements = load(overlays=rules).named(name)
    output = Output(out, f"rule.{SUFFIX[format]}")
    if format == "json":
        output.write(to_json(rule_document(statements)) + "\n")
    else:
        from ..bridge.text import rule_view

        output.show(rule_view(statements, rule_document(statements)))
    output.close()


@rules_app.command(
    "check", epilog=examples("disproof rules check my_rules.lp", "disproof rules check --format json rules/")
)
def rules_check(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE", help="Rule files or folders; the shipped rules where none is given.", show_default=False
        ),
    ] = None,
    format: OutputFormat = "text",
    out: Out = None,
) -> None:
    """Check rule files without running them: syntax, safety, misspelt words, missing names, wordings and examples.

    Prints a finding a line, "file:line: error: what to do"; exits with 2 if there is an error.
    """
    from ..bridge.documents import finding_document, to_json
    from ..bridge.output import Output
    from ..bridge.wording import counted, printable
    from ..symbolic.check import check

    findings = check(files or None)
    output = Output(out, f"check.{SUFFIX[format]}")
    for finding in findings:
        line = to_json(finding_document(finding)) if format == "json" else printable(str(finding))
        output.write(line + "\n")
    errors = sum(finding.severity == "error" for finding in findings)
    if format == "text":
        output.write(f"{counted(errors, 'error')}, {counted(len(findings) - errors, 'warning')}\n")
    output.close()
    if errors:
        raise typer.Exit(BAD_INPUT)


@rules_app.command(
    "test",
    epilog=examples("disproof rules test", "disproof rules test my_rules.lp", "disproof rules test --rules x.lp"),
)
def rules_test(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE_OR_DIR",
            help="Rule files or folders, tested together with the shipped rules; these where none is given.",
            show_default=False,
        ),
    ] = None,
    rules: Rules = [],  # noqa: B006
    format: OutputFormat = "text",
    out: Out = None,
) -> None:
    """Run the examples that rule files give of their rules: a story in which a rule fires, a near miss in which not.

    Shows what fails, and which named rules lack an example. Exits with 1 if an example fails, with 2 if a file or an
    example cannot be used.
    """
    from ..bridge.documents import to_json
    from ..bridge.example_views import failure_view, summary_view
    from ..bridge.examples import examples_of, outcome_document, run_examples
    from ..bridge.output import Output, progress
    from ..symbolic.errors import Location, RuleError
    from ..symbolic.rulebook import load, outside

    tested = load(list(dict.fromkeys(files))) if files else load()
    engine = make_engine(DEFAULT_MODEL, rules=[*rules, *outside(files or ())])
    output = Output(out, f"test.{SUFFIX[format]}")
    outcomes = []
    total = len(examples_of(tested))
    with progress("examples") as report:
        for outcome in run_examples(tested, engine.parser, engine.solver):
            outcomes.append(outcome)
            report(len(outcomes), total)
            if format == "json":
                output.write(to_json(outcome_document(outcome)) + "\n")
            elif not outcome.passed:
                output.show(failure_view(outcome, engine.solver.book))
    if format == "text":
        output.show(summary_view(tested, outcomes))
    output.close()
    for outcome in outcomes:
        if outcome.problem:
            raise RuleError(outcome.problem, Location(outcome.rule.file, outcome.example.line))
    if not all(outcome.passed for outcome in outcomes):
        raise typer.Exit(FAILED)


@rules_app.command("init", epilog=examples("disproof rules init my_rules"))
def rules_init(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder to write it into; made where there is none.")
    ],
) -> None:
    """Write a first rule file of your own: two rules that work, and comments that say how to write more.

    A folder that holds rule files already is left as it is.
    """
    from ..bridge.output import Output
    from ..bridge.starter import write_starter
    from ..bridge.wording import printable

    file = printable(str(write_starter(folder)))
    Output(None, "init.txt").write(f"wrote {file}\ntry it: disproof rules check {file}; disproof rules test {file}\n")
