"""``piqa``: which of two solutions reaches a goal, and why."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from ..neural import DEFAULT_MODEL
from ..symbolic.errors import UsageError
from .options import SUFFIX, Limit, ModelName, NoRule, Out, OutputFormat, PiqaFolder, PiqaSystemName, Rules, examples

if TYPE_CHECKING:
    from ..bridge.piqa_data import PiqaItem

piqa_app = typer.Typer()


@piqa_app.command(
    epilog=examples(
        'disproof piqa --goal "Knead dough." --sol1 "Use your feet." --sol2 "Use your hands."',
        "disproof piqa valid.jsonl --limit 10",
        "disproof piqa valid.jsonl --format json > choices.jsonl",
    )
)
def piqa(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help='Items, one a line: {"goal", "sol1", "sol2"}; \'-\' is standard input, .gz is read too.',
            show_default=False,
        ),
    ] = None,
    goal: Annotated[str | None, typer.Option("--goal", help="What is to be reached.", show_default=False)] = None,
    first: Annotated[str | None, typer.Option("--sol1", help="The first solution.", show_default=False)] = None,
    second: Annotated[str | None, typer.Option("--sol2", help="The second solution.", show_default=False)] = None,
    format: OutputFormat = "text",
    system: PiqaSystemName = "neurosymbolic",
    rules: Rules = [],  # noqa: B006
    no_rule: NoRule = [],  # noqa: B006
    model: ModelName = DEFAULT_MODEL,
    piqa_folder: PiqaFolder = None,
    limit: Limit = None,
    out: Out = None,
) -> None:
    """Choose the solution that reaches a goal, and say why.

    The choice rests on a proof, if a rule fires in one solution alone; else on evidence, if counted facts speak loudly
    enough for one; else on what sounds right to the model, and says so.
    """
    from ..bridge.documents import to_json
    from ..bridge.output import Output
    from ..bridge.piqa import PiqaEngine
    from ..bridge.piqa_views import piqa_document, piqa_view

    items = _items(file, goal, first, second)
    engine = PiqaEngine(model, system=system, folder=piqa_folder, rules=rules, without=no_rule)
    output = Output(out, f"piqa.{SUFFIX[format]}")
    for item in itertools.islice(items, limit):
        choice = engine.choose(item)
        if format == "json":
            output.write(to_json(piqa_document(choice)) + "\n")
        else:
            output.show(piqa_view(choice, f"Item {item.index}" if file is not None else ""))
    output.close()


def _items(file: str | None, goal: str | None, first: str | None, second: str | None) -> Iterator[PiqaItem]:
    """The items of a file, or the one that the options give.

    Raises:
        UsageError: there are both, or neither.
    """
    from ..bridge.piqa_data import PiqaItem, read_piqa

    given = [goal, first, second]
    if file is not None and any(part is not None for part in given):
        raise UsageError("give a file, or --goal with --sol1 and --sol2, not both")
    if file is not None:
        return read_piqa(file)
    if goal is None or first is None or second is None:
        raise UsageError("give a file of items, or all of --goal, --sol1 and --sol2")
    if not first.strip() or not second.strip():
        raise UsageError("a solution is empty: say in --sol1 and --sol2 what is to be done")
    return iter([PiqaItem(0, goal, (first, second))])
