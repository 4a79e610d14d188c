"""``explain``, ``choose``, ``states`` and ``facts``: what is said of stories."""

from __future__ import annotations

from typing import Annotated

import typer

from ..neural import DEFAULT_MODEL
from ..symbolic.errors import UsageError
from .options import (
    IMPLAUSIBLE,
    SUFFIX,
    Files,
    Limit,
    ModelName,
    NoRule,
    Out,
    OutputFormat,
    ProofFormat,
    Rules,
    SystemName,
    examples,
    make_engine,
    only_story,
    require_one_standard_input,
    titled_stories,
)

stories_app = typer.Typer()


@stories_app.command(
    epilog=examples(
        "disproof explain story.txt",
        "disproof explain --format json stories.jsonl > verdicts.jsonl",
        "disproof explain --rules my_rules.lp --no-rule state_clash story.txt",
        "disproof explain --all-proofs --depth 1 story.txt",
    )
)
def explain(
    files: Files,
    format: ProofFormat = "text",
    system: SystemName = "neurosymbolic",
    rules: Rules = [],  # noqa: B006  (typer copies it)
    no_rule: NoRule = [],  # noqa: B006
    model: ModelName = DEFAULT_MODEL,
    limit: Limit = None,
    out: Out = None,
    all_proofs: Annotated[
        bool, typer.Option("--all-proofs", help="Show every proof of the two sentences, not the best one alone.")
    ] = False,
    depth: Annotated[
        int | None,
        typer.Option(
            "--depth", min=0, metavar="N", help="Show N levels of a proof below its conclusion.", show_default=False
        ),
    ] = None,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 if any story is implausible.")] = False,
) -> None:
    """Say whether each story can happen; if not, which two sentences clash and why.

    What --depth leaves out is marked "..." on pages and in graphs, and by "cut": true in JSON, which is whole without
    it. With --all-proofs JSON has the other proofs in "others".
    """
    from ..bridge.documents import to_json, verdict_document
    from ..bridge.output import Output

    engine = make_engine(model, system=system, rules=rules, without=no_rule)
    output = Output(out, f"explain.{SUFFIX[format]}")
    implausible = False
    for title, story in titled_stories(files, engine, limit):
        verdict = engine.explain(story)
        implausible |= not verdict.plausible
        if format == "json":
            output.write(to_json(verdict_document(verdict, all_proofs, depth)) + "\n")
        elif format == "text":
            from ..bridge.text import verdict_view

            output.show(verdict_view(verdict, title, all_proofs, depth))
        else:
            from ..bridge.graphs import dot, mermaid, verdict_graph

            output.write((dot if format == "dot" else mermaid)(verdict_graph(verdict, all_proofs, depth)))
    output.close()
    if exit_code and implausible:
        raise typer.Exit(IMPLAUSIBLE)


@stories_app.command(epilog=examples("disproof choose first.txt second.txt", "disproof choose --format json pair.json"))
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
    model: ModelName = DEFAULT_MODEL,
    out: Out = None,
) -> None:
    """Choose the plausible one of two stories, with a verdict on both."""
    from ..bridge.documents import choice_document, to_json
    from ..bridge.output import Output
    from ..bridge.readers import read_pair

    engine = make_engine(model, system=system, rules=rules, without=no_rule)
    if len(files) == 1:
        first, second = read_pair(files[0]).stories
    elif len(files) == 2:
        require_one_standard_input(files)
        first, second = (only_story(file, engine) for file in files)
    else:
        raise UsageError("choose takes two stories: give two files, or one with a pair")
    choice = engine.choose(first, second)
    output = Output(out, f"choose.{SUFFIX[format]}")
    if format == "json":
        output.write(to_json(choice_document(choice)) + "\n")
    else:
        from ..bridge.text import choice_view

        output.show(choice_view(choice))
    output.close()


@stories_app.command(epilog=examples("disproof states story.txt", "disproof states --format json story.txt"))
def states(
    files: Files,
    format: OutputFormat = "text",
    model: ModelName = DEFAULT_MODEL,
    limit: Limit = None,
    out: Out = None,
) -> None:
    """Show what the tagger believes of every thing before and after each sentence.

    Only the likeliest value is shown, and only where it says something. The JSON of a story has "id", "sentences",
    "entities" and "states", a list of {"side", "sentence", "entity", "attribute", "value", "probability"}.
    """
    from ..bridge.documents import states_document, to_json
    from ..bridge.output import Output

    engine = make_engine(model)
    output = Output(out, f"states.{SUFFIX[format]}")
    for title, story in titled_stories(files, engine, limit):
        tagging = engine.tag(story)
        if format == "json":
            output.write(to_json(states_document(story, tagging)) + "\n")
        else:
            from ..bridge.text import states_view

            output.show(states_view(story, tagging, title))
    output.close()


@stories_app.command(
    epilog=examples("disproof facts story.txt", "disproof facts story.txt > facts.lp && clingo facts.lp rules/*.lp")
)
def facts(
    files: Files,
    rules: Rules = [],  # noqa: B006
    no_rule: NoRule = [],  # noqa: B006
    model: ModelName = DEFAULT_MODEL,
    limit: Limit = None,
    out: Out = None,
) -> None:
    """Print what the rules are told about a story, as facts for clingo."""
    from ..bridge.output import Output
    from ..bridge.wording import printable

    engine = make_engine(model, rules=rules, without=no_rule)
    output = Output(out, "facts.lp")
    for title, story in titled_stories(files, engine, limit):
        head = f"% {printable(title)}\n" if title else ""
        output.write(head + "".join(f"{symbol}.\n" for symbol in engine.facts(story).symbols))
    output.close()
