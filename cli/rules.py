"""``rules``: reading, checking and changing the physics."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import (
    BAD_INPUT,
    SUFFIX,
    NoRule,
    Out,
    OutputFormat,
    Rules,
    counted,
    examples,
)

rules_app = typer.Typer(help="Read and check the physics: the rules that proofs are made of.", no_args_is_help=True)


@rules_app.command(
    "list", epilog=examples("disproof rules list", "disproof rules list --rules my_rules.lp --format json")
)
def rules_list(
    format: OutputFormat = "text",
    rules: Rules = [],  # noqa: B006
    no_rule: NoRule = [],  # noqa: B006
    out: Out = None,
) -> None:
    """List the named rules: name, file and line, and what each says when it fires."""
    from ..bridge.documents import rule_document, to_json
    from ..bridge.output import Output
    from ..symbolic.rulebook import load

    book = load(overlays=rules, without=no_rule)
    listed = [rule_document(found) for name in book.names if (found := book.named(name))[0].named]
    output = Output(out, f"rules.{SUFFIX[format]}")
    if format == "json":
        output.write("".join(to_json(rule) + "\n" for rule in listed))
    else:
        from ..bridge.text import rules_view

        output.show(rules_view(listed))
    output.close()


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
    """Check rule files without running them: syntax, safety, misspelt words, missing names and wordings.

    Prints a finding a line, "file:line: error: what to do"; exits with 2 if there is an error.
    """
    from ..bridge.documents import finding_document, to_json
    from ..bridge.output import Output
    from ..bridge.wording import printable
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
