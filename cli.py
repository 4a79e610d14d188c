"""The command line: ``disproof explain``, ``choose``, ``states``, ``facts``, ``evaluate``, ``rules`` and ``train``.

Commands are thin: they read files, call the engine and hand its data to a view. Whatever is slow to import is imported
inside the command that needs it, so that ``--help`` is quick. Results go to standard output, progress and errors to
standard error. Exit status: 0 done, 1 implausible (only with ``--exit-code``), 2 bad input or usage (one line).
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer

from .symbolic.errors import DisproofError, UsageError

if TYPE_CHECKING:
    from .bridge.engine import Engine
    from .symbolic.story import Story

DONE, IMPLAUSIBLE, BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141

app = typer.Typer(
    help="Find the two sentences of a story that cannot both happen in the physical world, and prove it.",
    epilog="Example:\n\n$ disproof explain story.txt",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
evaluate_app = typer.Typer(help="Measure a system on annotated data.", no_args_is_help=True)
rules_app = typer.Typer(help="Read and check the physics: the rules that proofs are made of.", no_args_is_help=True)
train_app = typer.Typer(help="Train the parts that learn, reproducibly, from data files.", no_args_is_help=True)
app.add_typer(evaluate_app, name="evaluate")
app.add_typer(rules_app, name="rules")
app.add_typer(train_app, name="train")

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
Rules = Annotated[
    list[str],
    typer.Option(
        "--rules",
        metavar="FILE_OR_DIR",
        help="Rule files to add; a rule replaces the one of its name. May be given again.",
        show_default=False,
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


def _examples(*commands: str) -> str:
    """The end of a command's help; blank lines keep the examples on lines of their own."""
    return "\n\n".join(["Example:" if len(commands) == 1 else "Examples:", *(f"$ {command}" for command in commands)])


_SUFFIX = {"text": "txt", "json": "json", "dot": "dot", "mermaid": "mmd"}


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
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


@app.command(
    epilog=_examples(
        "disproof explain story.txt",
        "disproof explain --format json stories.jsonl > verdicts.jsonl",
        "disproof explain --rules my_rules.lp --no-rule state_clash story.txt",
    )
)
def explain(
    files: Files,
    format: ProofFormat = "text",
    system: SystemName = "neurosymbolic",
    rules: Rules = [],  # noqa: B006  (typer copies it)
    no_rule: NoRule = [],  # noqa: B006
    model: ModelName = "small",
    limit: Limit = None,
    out: Out = None,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 if any story is implausible.")] = False,
) -> None:
    """Say whether each story can happen; if not, which two sentences clash and why."""
    from .bridge.documents import to_json, verdict_document
    from .bridge.output import Output

    engine = _engine(model, system=system, rules=rules, without=no_rule)
    output = Output(out, f"explain.{_SUFFIX[format]}")
    implausible = False
    for title, story in _stories(files, engine, limit):
        verdict = engine.explain(story)
        implausible |= not verdict.plausible
        if format == "json":
            output.write(to_json(verdict_document(verdict)) + "\n")
        elif format == "text":
            from .bridge.text import verdict_view

            output.show(verdict_view(verdict, title))
        else:
            from .bridge.graphs import dot, mermaid, verdict_graph

            output.write((dot if format == "dot" else mermaid)(verdict_graph(verdict)))
    output.close()
    if exit_code and implausible:
        raise typer.Exit(IMPLAUSIBLE)


@app.command(epilog=_examples("disproof choose first.txt second.txt", "disproof choose --format json pair.json"))
def choose(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FIRST [SECOND]",
            help='Two files with a story each, or one JSON file with both: {"stories": [{...}, {...}]}.',
            show_default=False,
        ),
    ],
    format: OutputFormat = "text",
    system: SystemName = "neurosymbolic",
    rules: Rules = [],  # noqa: B006
    no_rule: NoRule = [],  # noqa: B006
    model: ModelName = "small",
    out: Out = None,
) -> None:
    """Choose the plausible one of two stories, with a verdict on both."""
    from .bridge.documents import choice_document, to_json
    from .bridge.output import Output
    from .bridge.readers import read_pair

    engine = _engine(model, system=system, rules=rules, without=no_rule)
    if len(files) == 1:
        first, second = read_pair(files[0]).stories
    elif len(files) == 2:
        _require_one_standard_input(files)
        first, second = (_only_story(file, engine) for file in files)
    else:
        raise UsageError("choose takes two stories: give two files, or one with a pair")
    choice = engine.choose(first, second)
    output = Output(out, f"choose.{_SUFFIX[format]}")
    if format == "json":
        output.write(to_json(choice_document(choice)) + "\n")
    else:
        from .bridge.text import choice_view

        output.show(choice_view(choice))
    output.close()


@app.command(epilog=_examples("disproof states story.txt", "disproof states --format json story.txt"))
def states(
    files: Files,
    format: OutputFormat = "text",
    model: ModelName = "small",
    limit: Limit = None,
    out: Out = None,
) -> None:
    """Show what the tagger believes of every thing before and after each sentence.

    Only the likeliest value is shown, and only where it says something. The JSON of a story has "id", "sentences",
    "entities" and "states", a list of {"side", "sentence", "entity", "attribute", "value", "probability"}.
    """
    from .bridge.documents import states_document, to_json
    from .bridge.output import Output

    engine = _engine(model)
    output = Output(out, f"states.{_SUFFIX[format]}")
    for title, story in _stories(files, engine, limit):
        tagging = engine.tag(story)
        if format == "json":
            output.write(to_json(states_document(story, tagging)) + "\n")
        else:
            from .bridge.text import states_view

            output.show(states_view(story, tagging, title))
    output.close()


@app.command(
    epilog=_examples("disproof facts story.txt", "disproof facts story.txt > facts.lp && clingo facts.lp rules/*.lp")
)
def facts(
    files: Files,
    rules: Rules = [],  # noqa: B006
    no_rule: NoRule = [],  # noqa: B006
    model: ModelName = "small",
    limit: Limit = None,
    out: Out = None,
) -> None:
    """Print what the rules are told about a story, as facts for clingo."""
    from .bridge.output import Output
    from .bridge.wording import printable

    engine = _engine(model, rules=rules, without=no_rule)
    output = Output(out, "facts.lp")
    for title, story in _stories(files, engine, limit):
        head = f"% {printable(title)}\n" if title else ""
        output.write(head + "".join(f"{symbol}.\n" for symbol in engine.facts(story).symbols))
    output.close()


@evaluate_app.command(
    "trip",
    epilog=_examples(
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
    from .bridge.output import progress
    from .bridge.readers import read_pairs

    if predictions is not None:
        _require_one_standard_input([file, predictions])
    pairs = list(itertools.islice(read_pairs(file, partition), limit))
    if predictions is not None:
        from .bridge.metrics import score_pairs
        from .bridge.predictions import match_predictions, read_predictions

        matched = match_predictions(pairs, list(read_predictions(predictions)))
        figures = score_pairs(pairs, matched, system="predictions").to_json()
    elif system == "random":
        from .bridge.evaluation import evaluate_random

        figures = evaluate_random(pairs, seed).to_json()
    else:
        from .bridge.evaluation import evaluate, seen_in_training

        engine = _engine(model, system=system, states=states, rules=rules, without=no_rule)
        if seen_in_training(engine, pairs):
            sys.stderr.write("disproof: warning: the model was trained on these stories; the figures mean little\n")
        with progress("evaluating") as report:
            figures = evaluate(engine, pairs, report).to_json()
    _figures(figures, format, out)


@rules_app.command(
    "list", epilog=_examples("disproof rules list", "disproof rules list --rules my_rules.lp --format json")
)
def rules_list(
    format: OutputFormat = "text",
    rules: Rules = [],  # noqa: B006
    no_rule: NoRule = [],  # noqa: B006
    out: Out = None,
) -> None:
    """List the named rules: name, file and line, and what each says when it fires."""
    from .bridge.documents import rule_document, to_json
    from .bridge.output import Output
    from .symbolic.rulebook import load

    book = load(overlays=rules, without=no_rule)
    listed = [rule_document(found) for name in book.names if (found := book.named(name))[0].named]
    output = Output(out, f"rules.{_SUFFIX[format]}")
    if format == "json":
        output.write("".join(to_json(rule) + "\n" for rule in listed))
    else:
        from .bridge.text import rules_view

        output.show(rules_view(listed))
    output.close()


@rules_app.command("show", epilog=_examples("disproof rules show broken_then_used"))
def rules_show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The rule's name, as proofs and 'rules list' give it.")],
    format: OutputFormat = "text",
    rules: Rules = [],  # noqa: B006
    out: Out = None,
) -> None:
    """Show one rule: its wording, its description and its text, with file and line."""
    from .bridge.documents import rule_document, to_json
    from .bridge.output import Output
    from .symbolic.rulebook import load

    statements = load(overlays=rules).named(name)
    output = Output(out, f"rule.{_SUFFIX[format]}")
    if format == "json":
        output.write(to_json(rule_document(statements)) + "\n")
    else:
        from .bridge.text import rule_view

        output.show(rule_view(statements, rule_document(statements)))
    output.close()


@rules_app.command(
    "check", epilog=_examples("disproof rules check my_rules.lp", "disproof rules check --format json rules/")
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
    """Check rule files without running them: syntax, safety, misspelt words, missing names and wordings.

    Prints a finding a line, "file:line: error: what to do"; exits with 2 if there is an error.
    """
    from .bridge.documents import finding_document, to_json
    from .bridge.output import Output
    from .bridge.wording import printable
    from .symbolic.check import check

    findings = check(files or None)
    output = Output(out, f"check.{_SUFFIX[format]}")
    for finding in findings:
        line = to_json(finding_document(finding)) if format == "json" else printable(str(finding))
        output.write(line + "\n")
    errors = sum(finding.severity == "error" for finding in findings)
    if format == "text":
        output.write(f"{_counted(errors, 'error')}, {_counted(len(findings) - errors, 'warning')}\n")
    output.close()
    if errors:
        raise typer.Exit(BAD_INPUT)


@train_app.command(
    "tagger",
    epilog=_examples(
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
    limit: Limit = None,
    format: OutputFormat = "text",
) -> None:
    """Train the state tagger and the pair prior on annotated pairs.

    Writes a model folder with a metrics.json; with --folds, the states of every pair as told by a tagger that never saw
    it, which is what "train weights" learns from.
    """
    from .bridge.output import progress
    from .bridge.readers import read_pairs

    if fold and folds is None:
        raise UsageError("--fold picks folds of --folds: give that too")
    if folds is not None and any(number >= folds for number in fold):
        raise UsageError(f"the folds of --folds {folds} are 0 to {folds - 1}: give one of these to --fold")
    pairs = list(itertools.islice(read_pairs(file), limit))
    from .bridge.training import train_tagger as train  # after the input is read: this takes seconds

    with progress("training") as report:
        figures = train(
            pairs,
            out,
            encoder=encoder,
            epochs=epochs,
            seed=seed,
            folds=folds,
            only=fold or None,
            progress=lambda step, steps, losses: report(step, steps, f"loss {losses['total']:.2f}"),
        )
    _figures(figures, format)


@train_app.command(
    "weights",
    epilog=_examples(
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
    rules: Rules = [],  # noqa: B006
    no_rule: NoRule = [],  # noqa: B006
    limit: Limit = None,
    format: OutputFormat = "text",
) -> None:
    """Learn how much each rule and the neural prior count, and measure it by the same folds."""
    from .bridge.output import progress
    from .bridge.readers import read_pairs

    if states == "predicted" and folds_dir is None:
        raise UsageError("predicted states come from --folds-dir: give it, or --states gold to use the file's own")
    if states == "gold" and folds_dir is not None:
        raise UsageError("--states gold takes the file's own states: leave out --folds-dir")
    pairs = list(itertools.islice(read_pairs(file), limit))
    from .bridge.training import train_weights as train  # after the input is read: this takes seconds

    with progress("solving") as report:
        figures = train(pairs, folds_dir, out, rules=rules, without=no_rule, progress=report)
    _figures(figures, format)


def _figures(figures: Mapping[str, object], format: str, out: Path | None = None) -> None:
    """Print what was measured."""
    from .bridge.documents import to_json
    from .bridge.output import Output

    output = Output(out, f"evaluate.{_SUFFIX[format]}")
    if format == "json":
        output.write(to_json(figures) + "\n")
    else:
        from .bridge.text import metrics_view

        output.show(metrics_view(figures))
    output.close()


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit; every error that is the user's to mend is told in one line."""
    sys.exit(run(sys.argv[1:] if arguments is None else list(arguments)))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit status; what goes to the terminal, and how errors look, is settled here."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show a character must not end the run
            stream.reconfigure(errors="backslashreplace")
    # A proof over a story of many sentences is as deep as the story is long.
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 10_000))
    try:
        status = typer.main.get_command(app).main(args=arguments, prog_name="disproof", standalone_mode=False)
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


def _engine(model: str, **options: Any) -> Engine:
    """The engine of a command; it loads its parts when they are needed."""
    from .bridge.engine import Engine

    return Engine(model, **options)


def _stories(files: Sequence[str], engine: Engine, limit: int | None) -> Iterator[tuple[str, Story]]:
    """The stories of some files with a title each: its name, or its file where there is more than one story."""
    from .bridge.files import display_name
    from .bridge.readers import read_stories

    _require_one_standard_input(files)

    def all_stories() -> Iterator[tuple[str, Story]]:
        for file in files:
            for number, story in enumerate(read_stories(file, engine.split), 1):
                place = "" if len(files) == 1 else display_name(file)
                nth = f"story {number}" if number > 1 else ""
                yield story.id or ", ".join(filter(None, (place, nth))), story

    return itertools.islice(all_stories(), limit)


def _only_story(file: str, engine: Engine) -> Story:
    """The one story of a file."""
    from .bridge.files import display_name
    from .bridge.readers import read_stories
    from .symbolic.errors import Location, StoryError

    found = list(itertools.islice(read_stories(file, engine.split), 2))
    if len(found) > 1:
        raise StoryError("more than one story: choose takes one from each file", Location(display_name(file)))
    return found[0]


def _counted(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


def _require_one_standard_input(files: Sequence[str]) -> None:
    if list(files).count("-") > 1:
        raise UsageError("standard input ('-') can be read once only: give it for one of the files")


if __name__ == "__main__":
    main()
