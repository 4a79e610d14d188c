"""What the commands share: options with their help, and how stories and an engine come from the command line."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..symbolic.errors import UsageError
from .project import Project

if TYPE_CHECKING:
    from ..bridge.engine import Engine
    from ..symbolic.story import Story

DONE, IMPLAUSIBLE, BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141
FAILED = 1  # an example of a rule did not do what it says

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="Stories: text (a sentence a line, or prose), JSON or JSON lines; '-' is standard input, .gz is read too.",
        show_default=False,
    ),
]
File = Annotated[
    str,
    typer.Argument(metavar="FILE", help="Annotated pairs of TRIP, plain or .gz; '-' is standard input."),
]
OutputFormat = Annotated[
    Literal["text", "json"], typer.Option("--format", "-f", help="A page, or JSON (one line a document).")
]
ProofFormat = Annotated[
    Literal["text", "json", "dot", "mermaid"],
    typer.Option(
        "--format", "-f", help="A page, JSON (one line a verdict), or the proof as a Graphviz or Mermaid graph."
    ),
]


def _after_the_projects(context: typer.Context, parameter: typer.CallbackParam, value: list[str]) -> list[str]:
    """Rule files of the command line, after those of the project file, which are the default."""
    project = context.find_root().obj
    source = context.get_parameter_source(parameter.name or "")
    given = source is not None and source.name == "COMMANDLINE"
    return [*project.rules, *value] if given and isinstance(project, Project) else value


Rules = Annotated[
    list[str],
    typer.Option(
        "--rules",
        metavar="FILE_OR_DIR",
        help="Rule files to add; a rule replaces the one of its name. May be given again.",
        show_default=False,
        callback=_after_the_projects,
    ),
]
NoRule = Annotated[
    list[str],
    typer.Option("--no-rule", metavar="NAME", help="A rule to leave out. May be given again.", show_default=False),
]
ModelName = Annotated[
    str, typer.Option("--model", metavar="NAME_OR_DIR", help="A shipped model, or a folder made by train.")
]
SystemName = Annotated[
    Literal["neurosymbolic", "symbolic"], typer.Option("--system", help="With or without the neural prior of pairs.")
]
StatesName = Annotated[
    Literal["predicted", "gold"],
    typer.Option("--states", help="The tagger's states, or the annotated ones (which have no neural prior)."),
]
PiqaSystemName = Annotated[
    Literal["neurosymbolic", "symbolic", "neural"],
    typer.Option("--system", help="Proofs, evidence and the neural preference; without the latter; or it alone."),
]
Labels = Annotated[str | None, typer.Option("--labels", metavar="FILE", help="Labels, one a line.", show_default=False)]
PiqaFolder = Annotated[
    Path | None,
    typer.Option(
        "--piqa-folder",
        metavar="DIR",
        help="A folder made by 'train piqa' over this model.",
        show_default="what ships for the model",
    ),
]
ChosenSystem = Annotated[
    Literal["neurosymbolic", "symbolic"] | None,
    typer.Option(
        "--system",
        help="With or without the neural prior of pairs.",
        show_default="neurosymbolic, or symbolic with gold states",
    ),
]
ConflictsName = Annotated[
    Literal["top-two", "threshold"],
    typer.Option(
        "--conflicts",
        help="How the tiered baseline names sentences: the two most believed, or all over .5 in either story "
        "(as the published code).",
    ),
]
Partition = Annotated[
    str | None,
    typer.Option(
        "--partition",
        metavar="NAME",
        help='The part of an official file to read: "dev", "cloze", "cloze/dev", ... (all of it without this).',
        show_default=False,
    ),
]
Limit = Annotated[
    int | None, typer.Option("--limit", min=1, metavar="N", help="Stop after N stories or pairs.", show_default=False)
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of what is random.")]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="PATH",
        help="Write the results to this file, or into this folder, not to standard output.",
        show_default=False,
    ),
]


def examples(*commands: str) -> str:
    """The end of a command's help; blank lines keep the examples on lines of their own."""
    return "\n\n".join(["Example:" if len(commands) == 1 else "Examples:", *(f"$ {command}" for command in commands)])


SUFFIX = {"text": "txt", "json": "json", "dot": "dot", "mermaid": "mmd"}


def print_figures(figures: Mapping[str, object], format: str, out: Path | None = None) -> None:
    """Print what was measured."""
    from ..bridge.documents import to_json
    from ..bridge.output import Output

    output = Output(out, f"evaluate.{SUFFIX[format]}")
    if format == "json":
        output.write(to_json(figures) + "\n")
    else:
        from ..bridge.text import metrics_view

        output.show(metrics_view(figures))
    output.close()


def fitting_system(system: str | None, states: str) -> str:
    """The system that was asked for; where none was, the one that goes with the states."""
    return system or ("symbolic" if states == "gold" else "neurosymbolic")


def make_engine(model: str, **options: Any) -> Engine:
    """The engine of a command; it loads its parts when they are needed."""
    from ..bridge.engine import Engine

    return Engine(model, **options)


def titled_stories(files: Sequence[str], engine: Engine, limit: int | None) -> Iterator[tuple[str, Story]]:
    """The stories of some files with a title each: its name, or its file where there is more than one story."""
    from ..bridge.files import display_name
    from ..bridge.readers import read_stories

    require_one_standard_input(files)

    def allstories() -> Iterator[tuple[str, Story]]:
        for file in files:
            for number, story in enumerate(read_stories(file, engine.split), 1):
                place = "" if len(files) == 1 else display_name(file)
                nth = f"story {number}" if number > 1 else ""
                yield story.id or ", ".join(filter(None, (place, nth))), story

    return itertools.islice(allstories(), limit)


def only_story(file: str, engine: Engine, wanted: str = "choose takes one from each file") -> Story:
    """The one story of a file.

    Raises:
        StoryError: there are more; ``wanted`` says which command takes one.
    """
    from ..bridge.files import display_name
    from ..bridge.readers import read_stories
    from ..symbolic.errors import Location, StoryError

    found = list(itertools.islice(read_stories(file, engine.split), 2))
    if len(found) > 1:
        raise StoryError(f"more than one story: {wanted}", Location(display_name(file)))
    return found[0]


def require_one_standard_input(files: Sequence[str]) -> None:
    """Refuse '-' given twice.

    Raises:
        UsageError: it is.
    """
    if list(files).count("-") > 1:
        raise UsageError("standard input ('-') can be read once only: give it for one of the files")
