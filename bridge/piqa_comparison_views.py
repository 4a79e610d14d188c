"""A comparison on PIQA for people: its tables, in the terminal and as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.text import Text

from .comparison_tables import PAIRED_NOTE, p_words
from .comparison_views import csv_text, table_view
from .piqa_comparison import PiqaComparison, choices_jsonl
from .tables import Cell, Row, Table, label, number, percentage
from .wording import counted, listed, printable

# Disagreements and words that the terminal shows; the files have all.
_SHOWN: Final = 10


def piqa_summary(comparison: PiqaComparison) -> str:
    """How many items, systems and disagreements, in a sentence."""
    names = listed([printable(run.name) for run in comparison.runs])
    return (
        f"{counted(len(comparison.items), 'item')}, {counted(len(comparison.runs), 'system')} ({names}), "
        f"{counted(len(comparison.disagreements), 'disagreement')}."
    )


def piqa_tables(comparison: PiqaComparison) -> list[Table]:
    """All tables that have rows."""
    systems = comparison.systems
    found = [
        Table(
            "accuracy",
            "How many choices are right",
            ("system", "accuracy", "decided", "of these right", "with reasons", "right with", "right without"),
            tuple(
                Row(
                    (
                        label(system["system"]),
                        _interval(system["accuracy"], system["interval"]),
                        percentage(system["decided"]["n"] / system["n"]),
                        _interval(system["decided"]["accuracy"], system["decided"]["interval"]),
                        percentage(system["proof_coverage"]),
                        percentage(system["accuracy_with_proof"]),
                        percentage(system["accuracy_without_proof"]),
                    )
                )
                for system in systems
            ),
            "Percent of all items, with 95% bootstrap intervals below. Decided: something that the system listens to "
            "speaks for a solution. With reasons: the choice rests on a proof or on evidence.",
        ),
        Table(
            "bases",
            "What choices rest on",
            ("system", "basis", "items", "right"),
            tuple(
                Row((label(system["system"]), label(basis), number(share["n"]), percentage(share["accuracy"])))
                for system in systems
                for basis, share in system["by_basis"].items()
                if share["n"]
            ),
        ),
        Table(
            "reasons",
            "Where a system has reasons",
            ("reasons of", "items", *(printable(run.name) for run in comparison.runs)),
            tuple(
                Row(
                    (
                        label(one["system"]),
                        number(one["n"]),
                        *(percentage(one["accuracy"][run.name]) for run in comparison.runs),
                    )
                )
                for one in comparison.proved
            ),
            "How all systems do on the items on which one has a proof or evidence.",
        ),
        _grouped(comparison, "by_distance", "By distance", "words", "Words in which the two solutions differ."),
        _grouped(comparison, "by_word", "By the edited word", "word", "Items whose solutions differ in the word."),
        Table(
            "paired",
            "Paired tests",
            ("first", "second", "only first right", "only second right", "p"),
            tuple(
                Row(
                    (
                        label(test["systems"][0]),
                        label(test["systems"][1]),
                        number(test["only_first"]),
                        number(test["only_second"]),
                        Cell(p_words(test["p"]), test["p"]),
                    )
                )
                for test in comparison.paired
            ),
            PAIRED_NOTE,
        ),
    ]
    return [table for table in found if table.rows]


def _interval(share: float | None, interval: Sequence[float] | None) -> Cell:
    told = percentage(share)
    if interval is None:
        return told
    return Cell(f"{told.text}\n{100 * interval[0]:.1f} to {100 * interval[1]:.1f}", share)


def _grouped(comparison: PiqaComparison, field: str, title: str, column: str, note: str) -> Table:
    systems = comparison.systems
    groups: dict[str, dict[str, Any]] = systems[0][field] if systems else {}
    rows = [
        Row(
            (
                label(group) if field == "by_word" else Cell(group, place),
                number(shares["n"]),
                *(percentage(system[field][group]["accuracy"]) for system in systems),
            )
        )
        for place, (group, shares) in enumerate(groups.items())
        if shares["n"]
    ]
    return Table(field, title, (column, "items", *(printable(run.name) for run in comparison.runs)), tuple(rows), note)


def piqa_comparison_view(comparison: PiqaComparison) -> RenderableType:
    """The whole comparison; the rarer words and most disagreements are left to the files."""
    parts: list[RenderableType] = [Text(piqa_summary(comparison), "bold")]
    for table in piqa_tables(comparison):
        rows = table.rows[:_SHOWN] if table.key == "by_word" else table.rows
        parts += table_view(Table(table.key, table.title, table.columns, rows, table.note))
    if comparison.disagreements:
        parts += [Text(), Text("Where systems choose differently", "bold underline")]
    for k in comparison.disagreements[:_SHOWN]:
        item = comparison.items[k]
        parts.append(Text(f"item {item.index}: {printable(item.goal)}"))
        for side, solution in enumerate(item.solutions):
            mark = "right" if item.label == side else "wrong"
            chosen = listed([printable(run.name) for run in comparison.runs if run.choices[k].choice == side])
            parts.append(
                Text(f"  {mark}: {printable(solution)}  [{chosen or 'nobody'}]", "" if mark == "right" else "dim")
            )
    left = len(comparison.disagreements) - _SHOWN
    if left > 0:
        parts.append(Text(f"and {left} more, which --out has", "dim"))
    return Group(*parts)


def piqa_comparison_files(comparison: PiqaComparison) -> dict[str, str]:
    """The tables as CSV and every choice, by file name."""
    found = {
        f"{table.key}.csv": csv_text(
            " ".join(column.replace(" ", "_") for column in table.columns),
            (
                [
                    row.cells[0].text,
                    *(cell.value if isinstance(cell.value, int | float) else cell.text for cell in row.cells[1:]),
                ]
                for row in table.rows
            ),
        )
        for table in piqa_tables(comparison)
    }
    return {**found, "choices.jsonl": choices_jsonl(comparison)}
