"""``rules why`` and ``rules why-not``: what the rules say of two sentences of one story."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from ..neural import DEFAULT_MODEL
from ..symbolic.errors import UsageError
from .options import (
    SUFFIX,
    ModelName,
    NoRule,
    Out,
    OutputFormat,
    Rules,
    examples,
    make_engine,
    only_story,
)

why_app = typer.Typer()

StoryFile = Annotated[
    str, typer.Argument(metavar="STORY", help="One story, as 'explain' reads it; '-' is standard input.")
]
ConflictPair = Annotated[
    str,
    typer.Option(
        "--conflict",
        metavar="I,J",
        help="The two sentences, counted from 1 as in the pages of 'explain' (its JSON counts from 0), such as 2,5.",
        show_default=False,
    ),
]


@why_app.command(
    "why", epilog=examples("disproof rules why story.txt --conflict 2,5", "disproof rules why - --conflict 1,3 -f json")
)
def why(
    file: StoryFile,
    conflict: ConflictPair,
    format: OutputFormat = "text",
    rules: Rules = [],  # noqa: B006
    no_rule: NoRule = [],  # noqa: B006
    model: ModelName = DEFAULT_MODEL,
    out: Out = None,
) -> None:
    """Show every proof that two sentences of a story conflict, the best first, whatever the verdict on the story is.

    Each rule that proves it is shown with its likeliest proof. Where there is none, 'rules why-not' says what comes
    nearest. The JSON has "id", "sentences", "evidence", "breakpoint" (from 0) and "proofs".
    """
    from ..bridge.documents import to_json
    from ..bridge.near_views import why_document, why_view
    from ..bridge.output import Output

    pair = sentence_pair(conflict)
    engine = make_engine(model, rules=rules, without=no_rule)
    story = only_story(file, engine, "rules why takes one")
    require_pair(pair, len(story.sentences))
    proofs = engine.proofs(story, pair)
    output = Output(out, f"why.{SUFFIX[format]}")
    if format == "json":
        output.write(to_json(why_document(story, pair, proofs)) + "\n")
    else:
        output.show(why_view(story, pair, proofs, file))
    output.close()


@why_app.command(
    "why-not",
    epilog=examples(
        "disproof rules why-not story.txt --conflict 2,5",
        "disproof rules why-not story.txt --conflict 2,5 --rule state_clash",
    ),
)
def why_not(
    file: StoryFile,
    conflict: ConflictPair,
    rule: Annotated[
        str | None,
        typer.Option("--rule", metavar="NAME", help="Look at this rule of conflicts only.", show_default=False),
    ] = None,
    most: Annotated[int, typer.Option("--max", min=1, metavar="N", help="How many rules to show.")] = 3,
    format: OutputFormat = "text",
    rules: Rules = [],  # noqa: B006
    no_rule: NoRule = [],  # noqa: B006
    model: ModelName = DEFAULT_MODEL,
    out: Out = None,
) -> None:
    """Show which rules come nearest to proving that two sentences conflict, and what each of them lacks.

    A condition that is missing is followed down to the facts that are not there: a state that the tagger does not see,
    a verb or a thing that a sentence does not have, a word that no lexicon knows. Where something must not hold but
    does, the page says why it holds. The search is bounded, so a rule may be nearer than is shown, never further.
    """
    from ..bridge.documents import to_json
    from ..bridge.near_views import why_not_document, why_not_view
    from ..bridge.output import Output
    from ..symbolic.nearest import conflict_rules

    pair = sentence_pair(conflict)
    engine = make_engine(model, rules=rules, without=no_rule)
    story = only_story(file, engine, "rules why-not takes one")
    require_pair(pair, len(story.sentences))
    conflict_rules(engine.solver.book, rule)  # a wrong name is told before the model is loaded
    found = engine.nearest(story, pair, rule, most)
    output = Output(out, f"why-not.{SUFFIX[format]}")
    if format == "json":
        output.write(to_json(why_not_document(story, pair, found)) + "\n")
    else:
        output.show(why_not_view(story, pair, found))
    output.close()


def sentence_pair(text: str) -> tuple[int, int]:
    """Two sentences given as "2,5", counted from 0.

    Raises:
        UsageError: these are no two numbers, or not in order.
    """
    found = re.fullmatch(r"\s*(\d{1,9})\s*,\s*(\d{1,9})\s*", text)
    if found is None:
        raise UsageError(f"--conflict takes two sentences counted from 1, such as 2,5, not '{text}'")
    first, second = int(found[1]) - 1, int(found[2]) - 1
    if not 0 <= first < second:
        raise UsageError(f"--conflict takes the earlier sentence first, counted from 1, such as 2,5, not '{text}'")
    return first, second


def require_pair(pair: tuple[int, int], sentences: int) -> None:
    """Refuse sentences that a story does not have.

    Raises:
        UsageError: it has not so many.
    """
    if pair[1] >= sentences:
        raise UsageError(f"--conflict names sentence {pair[1] + 1}, but the story has {sentences}")
