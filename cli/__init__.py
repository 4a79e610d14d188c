"""The command line: ``disproof explain``, ``choose``, ``piqa``, ``evaluate``, ``rules``, ``train`` and more.

Commands are thin: they read files, call the engine and hand its data to a view. Whatever is slow to import is imported
inside the command that needs it, so that ``--help`` is quick. Results go to standard output, progress and errors to
standard error. Exit status: 0 done, 1 implausible (only with ``--exit-code``)
or an example of a rule that fails, 2 bad input or usage (one line).
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any, NoReturn

import typer

from ..symbolic.errors import DisproofError
from .compare import compare_app, predict_app
from .diff import diff_app
from .evaluate import evaluate_app
from .options import BAD_INPUT, BROKEN_PIPE, DONE, INTERRUPTED
from .piqa import piqa_app
from .project import Project, find_project
from .rules import rules_app
from .stories import stories_app
from .train import train_app
from .why import why_app

_HELP = frozenset({"-h", "--help"})

app = typer.Typer(
    help="Find the two sentences of a story that cannot both happen in the physical world, and prove it.",
    epilog="Example:\n\n$ disproof explain story.txt",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": sorted(_HELP)},
)
app.add_typer(stories_app)
app.add_typer(piqa_app)
app.add_typer(evaluate_app, name="evaluate")
app.add_typer(compare_app, name="compare")
app.add_typer(predict_app, name="predict")
rules_app.add_typer(diff_app)
rules_app.add_typer(why_app)
app.add_typer(rules_app, name="rules")
app.add_typer(train_app, name="train")


def _version(shown: bool) -> None:
    if shown:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"disproof {version('disproof')}")
        except PackageNotFoundError:  # run from a checkout that is not installed
            typer.echo("disproof (not installed)")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    no_config: Annotated[
        bool,
        typer.Option(
            "--no-config",
            envvar="DISPROOF_NO_CONFIG",
            help="Take no defaults from disproof.toml, or from the table tool.disproof of pyproject.toml.",
        ),
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    if context.obj is None:
        context.obj = Project() if no_config else find_project()
    context.default_map = context.obj.default_map(context.command)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit; every error that is the user's to mend is told in one line."""
    status = run(sys.argv[1:] if arguments is None else list(arguments))
    # The process ends here: searching all that it loaded for garbage once more would take most of a second.
    gc.freeze()
    sys.exit(status)


def run(arguments: list[str]) -> int:
    """Run one command and return its exit status; what goes to the terminal, and how errors look, is settled here."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show a character must not end the run
            stream.reconfigure(errors="backslashreplace")
    # A proof over a story of many sentences is as deep as the story is long.
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 10_000))
    # Start-up makes a million objects that stay; looking among them for garbage took a fifth of its time.
    thresholds = gc.get_threshold()
    gc.set_threshold(100_000, 50, 50)
    try:
        # Help can be had, and is the same, whatever the project file says.
        project = None if _HELP.isdisjoint(arguments) else Project()
        status = typer.main.get_command(app).main(
            args=arguments, prog_name="disproof", standalone_mode=False, obj=project
        )
        sys.stdout.flush()
    except DisproofError as error:
        return _complain(str(error))
    except BrokenPipeError:  # the reader has seen enough; nothing more may be flushed into the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except Exception as error:
        # typer's usage errors; it keeps their class to itself.
        if not hasattr(error, "format_message"):
            raise
        return _misused(error)
    finally:
        sys.setrecursionlimit(limit)
        gc.set_threshold(*thresholds)
    return status if isinstance(status, int) else DONE


def _misused(error: Any) -> int:
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(f"{error.format_message()}\n")
        return BAD_INPUT
    command = context.command_path if context is not None else "disproof"
    message = error.format_message().rstrip(".").replace(": Value error, ", ": ")
    return _complain(f"{message}; see '{command} --help'")


def _complain(message: str) -> int:
    line = " ".join(message.split())
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    sys.stderr.write(f"disproof: {shown}\n")
    return BAD_INPUT
