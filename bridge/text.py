"""Verdicts, choices, states, rules and figures as rich renderables, for people.

Everything from a story goes in as ``rich.text.Text``, never as markup, and without control characters, so no story can
colour, move or break the page. Nothing relies on colour: marks and words say the same.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from ..symbolic.rulebook import Rule
from ..symbolic.story import State, Story, Tagging
from ..symbolic.vocabulary import ATTRIBUTE
from .assertions import likely_states
from .documents import RuleDocument
from .example_views import rule_examples
from .outline import Step, outline, pruned
from .verdict import Choice, Verdict
from .wording import listed, percent, printable, state_words

_STYLES: Final = {"rule": "", "lexicon": "", "state": "cyan", "text": "", "absence": "italic"}


def verdict_view(verdict: Verdict, title: str = "", every: bool = False, depth: int | None = None) -> RenderableType:
    """The story with its two sentences marked, the verdict, and the proof.

    ``every`` shows all proofs of the two sentences, best first, and ``depth`` so many levels of each.
    """
    return Group(*_title(title), _sentences(verdict), Text(), *judgement(verdict, every=every, depth=depth))


def choice_view(choice: Choice) -> RenderableType:
    """The choice, then both stories with their verdicts; the sentences that only one of them has are starred."""
    better = choice.choice
    headline = Text.assemble(
        (f"Story {better + 1} is the plausible one", "bold green"), f" ({percent(choice.probabilities[better])} sure)."
    )
    parts: list[RenderableType] = [headline]
    odd = _differences(*(verdict.sentences for verdict in choice.verdicts))
    if any(odd):
        parts.append(Text("* marks the sentences that only one of the stories has.", "dim"))
    for number, (verdict, starred) in enumerate(zip(choice.verdicts, odd, strict=True), 1):
        title = f"Story {number}" + (f": {printable(verdict.id)}" if verdict.id else "")
        parts += [Text(), Text(title, "bold underline"), _sentences(verdict, starred), Text()]
        if verdict.plausible:
            parts.append(Text("Plausible beside the other.", "green"))
        else:
            parts += judgement(verdict, sure=False)
    return Group(*parts)


def states_view(story: Story, tagging: Tagging, title: str = "") -> RenderableType:
    """A table of what each sentence needs and leaves, the states that say something only."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in ("sentence", "entity", "attribute", "before", "after"):
        table.add_column(column, overflow="fold")
    rows: dict[tuple[int, str, str], dict[str, State]] = {}
    for state in likely_states(tagging):
        rows.setdefault((state.sentence, state.entity, state.attribute), {})[state.side] = state
    for (sentence, entity, attribute), sides in rows.items():
        cells = [_state_cell(sides.get("precondition")), _state_cell(sides.get("effect"))]
        table.add_row(str(sentence + 1), Text(printable(entity)), attribute, *cells)
    nothing = Text("The tagger sees no states but the assumed ones.")
    return Group(*_title(title), numbered(story.sentences), Text(), table if rows else nothing)


def rule_view(statements: Sequence[Rule], document: RuleDocument) -> RenderableType:
    """One rule: what it says, why, and every statement of its name with its place."""
    parts: list[RenderableType] = [
        Text.assemble((document["name"], "bold"), (f"  (pack {printable(document['pack'])})", "dim"))
    ]
    if document["wording"]:
        parts.append(Text.assemble(("says: ", "dim"), printable(document["wording"])))
    if document["description"]:
        parts.append(Text(printable(document["description"])))
    if document["unless"]:
        parts.append(Text.assemble(("unless: ", "dim"), printable(document["unless"])))
    parts += rule_examples(statements)
    for rule in statements:
        parts += [Text(), Text(printable(f"{rule.file}:{rule.line}"), "dim")]
        parts += [Padding(Text(printable(line)), (0, 0, 0, 2)) for line in rule.text.splitlines()]
    return Group(*parts)


def metrics_view(figures: Mapping[str, object]) -> RenderableType:
    """Figures in two columns; fractions in percent, and what a system does not have as a dash."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(overflow="fold")
    table.add_column(justify="right")
    _add_figures(table, figures, "")
    return table


def comparison_view(rows: Mapping[str, Mapping[str, object]], note: str = "") -> RenderableType:
    """Systems side by side: a row each, a column for each figure that the first has, fractions in percent."""
    names = list(next(iter(rows.values()), {}))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("")
    for name in names:
        table.add_column(name.replace("_", " "), justify="right")
    for system, figures in rows.items():
        values = [figures.get(name) for name in names]
        table.add_row(printable(system), *(f"{100 * v:.1f}" if isinstance(v, float) else "-" for v in values))
    return Group(table, Text(note, "dim")) if note else table


def _add_figures(table: Table, figures: Mapping[str, object], indent: str) -> None:
    for name, value in figures.items():
        label = f"{indent}{name.replace('_', ' ')}"
        if isinstance(value, Mapping):
            table.add_row(label, "")
            _add_figures(table, value, f"{indent}  ")
        elif isinstance(value, float) and (name in ("seconds", "weight") or name.startswith("loss")):
            table.add_row(label, f"{value:.3g}" if name.startswith("loss") else f"{value:.1f}")
        elif isinstance(value, float):
            table.add_row(label, f"{100 * value:.1f} %")
        else:
            table.add_row(label, "-" if value is None else printable(str(value)))


def _title(title: str) -> list[RenderableType]:
    return [Text(printable(title), "bold underline"), Text()] if title else []


def judgement(
    verdict: Verdict, sure: bool = True, every: bool = False, depth: int | None = None
) -> list[RenderableType]:
    """The verdict in a line, and its proof where it has one; ``sure`` adds how sure it is."""
    sureness = f" ({percent(verdict.confidence)} sure)" if sure else ""
    if verdict.plausible:
        return [Text.assemble(("Plausible", "bold green"), f"{sureness}: no conflict was found.")]
    line = Text.assemble(("Implausible", "bold red"), sureness)
    if verdict.pair is not None:
        line.append(f": sentences {verdict.pair[0] + 1} and {verdict.pair[1] + 1} cannot both happen.")
    if verdict.conflict is None:
        line.append(" " if verdict.pair is not None else ": ")
        line.append("This is the neural prior’s judgement alone; no rule proves it.", "yellow")
        return [line]
    parts: list[RenderableType] = [line, Text(), proof_tree(pruned(outline(verdict.conflict.proof), depth))]
    if verdict.support:
        parts.append(
            Text(f"The states bear it out: {listed([_sure_words(state) for state in verdict.support])}.", "cyan")
        )
    if every:
        for conflict in verdict.others:
            parts += [Text(), Text("Another proof:", "dim"), proof_tree(pruned(outline(conflict.proof), depth))]
        return parts
    others = list(dict.fromkeys(conflict.rule for conflict in verdict.others))
    if others:
        parts.append(Text(f"Also proved by {printable(listed(others))}.", "dim"))
    return parts


def proof_tree(root: Step) -> Tree:
    """The outline of a proof as a tree."""
    tree = Tree(_step(root, "bold"), guide_style="dim")
    pending = [(tree, child) for child in reversed(root.children)]
    while pending:
        branch, step = pending.pop()
        below = branch.add(_step(step, _STYLES[step.kind]))
        pending += [(below, child) for child in reversed(step.children)]
    return tree


def _step(step: Step, style: str) -> Text:
    text = Text(step.text, style)
    if step.probability is not None:
        text.append(f" ({percent(step.probability)})", "bold")
    if step.source:
        text.append(f"  [{step.source}]", "not bold dim")
    return text


def _sure_words(state: State) -> str:
    return f"{state_words(state)} ({percent(state.probability)})"


def _sentences(verdict: Verdict, starred: Collection[int] = ()) -> Table:
    return numbered(verdict.sentences, () if verdict.plausible else verdict.pair or (), starred)


def numbered(sentences: Sequence[str], marked: Collection[int] = (), starred: Collection[int] = ()) -> Table:
    """Sentences by number; ``>`` before those that conflict, ``*`` before those that are of interest otherwise."""
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for number, sentence in enumerate(sentences):
        style = "bold red" if number in marked else "bold" if number in starred else ""
        marks = (">" if number in marked else " ") + ("*" if number in starred else " " if starred else "")
        table.add_row(Text(marks, style), str(number + 1), Text(printable(sentence), style))
    return table


def _state_cell(state: State | None) -> Text:
    if state is None:
        return Text("-", "dim")
    return Text.assemble(ATTRIBUTE[state.attribute].values[state.value], (f" {percent(state.probability)}", "dim"))


def _differences(first: Sequence[str], second: Sequence[str]) -> tuple[set[int], set[int]]:
    """The sentences of each story that the other does not have at that place."""
    blocks = difflib.SequenceMatcher(a=first, b=second, autojunk=False).get_matching_blocks()
    shared_first = {block.a + k for block in blocks for k in range(block.size)}
    shared_second = {block.b + k for block in blocks for k in range(block.size)}
    return set(range(len(first))) - shared_first, set(range(len(second))) - shared_second
