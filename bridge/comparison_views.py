"""A comparison for the terminal, and as CSV files for other programs.

The terminal's tables fit 80 columns: where systems are columns, four stand side by side and further ones below. The CSV
files are tidy: a line is one measurement, fractions are from 0 to 1, and what was not measured is empty.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from . import comparison_tables as tables
from .comparison import TIERS, Comparison, Disagreement
from .comparison_tables import TIER_NAMES
from .metrics import PairOutcome
from .tables import Cell, Row, Table, label
from .wording import printable

_SIDE_BY_SIDE: Final = 4
_SHOWN: Final = 5
_NARROWEST_NAME: Final = 10
_WIDEST_NAME: Final = 13


def comparison_view(comparison: Comparison, notes: Sequence[str] = ()) -> RenderableType:
    """The whole comparison; ``notes`` are shown first, such as that a system was trained on these pairs."""
    parts: list[RenderableType] = [Text(tables.summary(comparison), "bold")]
    parts += [Text(printable(note), "yellow") for note in notes]
    for table in tables.all_tables(comparison):
        if table.key == "attributes":  # twenty rows, which the page and the CSV have
            continue
        shown = _crossed(comparison) if table.key == "paired" else table
        if shown.rows:
            parts += table_view(shown)
    return Group(*parts, *_disagreements(comparison))


def table_view(table: Table) -> list[RenderableType]:
    """A table under its title, in parts where its systems are too many columns, and its note."""
    by_system = {"failure_modes": 1, "by_kind": 2, "by_distance": 2, "by_word": 2}.get(table.key)
    if by_system is None:
        parts = [[*range(len(table.columns))]]
    else:
        fixed = range(by_system)
        parts = [
            [*fixed, *range(start, min(start + _SIDE_BY_SIDE, len(table.columns)))]
            for start in range(by_system, len(table.columns), _SIDE_BY_SIDE)
        ]
    grids = [_grid(table, columns, by_system is not None) for columns in parts]
    return [Text(), Text(table.title, "bold underline"), *grids, Text(table.note, "dim")]


def _grid(table: Table, columns: Sequence[int], by_system: bool) -> Grid:
    grid = Grid(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for place in columns:
        # Headings and names may be folded, figures not.
        widest = max(len(line) for row in table.rows for line in row.cells[place].text.splitlines())
        grid.add_column(
            Text(table.columns[place]),
            overflow="fold",
            justify="left" if place == 0 else "right",
            min_width=min(widest, _NARROWEST_NAME) if place == 0 else widest,
            max_width=None if place == 0 or not by_system else max(widest, _WIDEST_NAME),
        )
    for row in table.rows:
        grid.add_row(*(Text(row.cells[place].text) for place in columns), style="dim" if row.published else "")
    return grid


def _crossed(comparison: Comparison) -> Table:
    """The paired tests with a row for two systems and a column for each tier."""
    rows: dict[tuple[str, str], list[Cell]] = {}
    for test in comparison.paired:
        first, second = test["systems"]
        words = f"{test['only_first']} : {test['only_second']}\np {tables.p_words(test['p'])}"
        cells = rows.setdefault((first, second), [label(f"{first} :")])
        cells.append(Cell(words, test["p"]))
    full = [
        Row((Cell(f"{cells[0].text}\n{printable(second)}", None), *cells[1:])) for (_, second), cells in rows.items()
    ]
    told = "Pairs that only the first gets right : only the second. "
    columns = ("systems", *TIER_NAMES.values())
    return Table("paired", "Do two systems differ?", columns, tuple(full), told + tables.PAIRED_NOTE)


def _disagreements(comparison: Comparison) -> list[RenderableType]:
    found = comparison.disagreements
    if len(comparison.runs) < 2:
        return []
    parts: list[RenderableType] = [
        Text(),
        Text("Where systems disagree", "bold underline"),
        Text(f"{len(found)} of {len(comparison.pairs)} pairs" + (", among them:" if len(found) > _SHOWN else "")),
    ]
    for each in found[:_SHOWN]:
        parts.append(Text(printable(comparison.pairs[each.pair].id), "bold"))
        grid = Grid.grid(padding=(0, 2, 0, 0))
        grid.add_column(overflow="fold")
        grid.add_column(overflow="fold")
        for name, outcome in each.outcomes.items():
            grid.add_row(Text(f"  {printable(name)}"), Text(reached(outcome)))
        parts.append(grid)
    return parts


def reached(outcome: PairOutcome) -> str:
    """The tiers that a prediction reaches, in words: "accuracy, consistency"."""
    right = [TIER_NAMES[tier] for tier, field in TIERS.items() if getattr(outcome, field)]
    return ", ".join(right) or "the wrong story"


def comparison_csv(comparison: Comparison) -> dict[str, str]:
    """The tables as CSV, by file name."""
    systems = comparison.systems
    grouped = {
        field: [
            [s["system"], group, shares["n"], tier, shares[tier]]
            for s in systems
            for group, shares in s[field].items()
            for tier in TIERS
        ]
        for field in ("by_kind", "by_distance")
    }
    return {
        "tiers.csv": csv_text(
            "system n tier value low high",
            (
                [s["system"], s["n"], tier, tables.tier_values(s)[tier], *s["intervals"][tier]]
                for s in systems
                for tier in TIERS
            ),
        ),
        "paired.csv": csv_text(
            "first second tier only_first only_second p",
            ([*t["systems"], t["tier"], t["only_first"], t["only_second"], t["p"]] for t in comparison.paired),
        ),
        "attributes.csv": csv_text(
            "system attribute side f1",
            (
                [s["system"], attribute, side, scores[f"{side}_f1"]]
                for s in systems
                for attribute, scores in s["attributes"].items()
                for side in ("precondition", "effect")
            ),
        ),
        "failure_modes.csv": csv_text(
            "system story conflict states pairs",
            ([s["system"], *mode.split(), count] for s in systems for mode, count in s["failure_modes"].items()),
        ),
        "by_kind.csv": csv_text("system kind n tier value", grouped["by_kind"]),
        "by_distance.csv": csv_text("system distance n tier value", grouped["by_distance"]),
        "calibration.csv": csv_text(
            "system low high count confidence accuracy",
            (
                [s["system"], *(row[name] for name in ("low", "high", "count", "confidence", "accuracy"))]
                for s in systems
                for row in (s["calibration"] or {"reliability": []})["reliability"]
            ),
        ),
        "figures.csv": csv_text(
            "system figure value",
            ([s["system"], *figure] for s in systems for figure in _figures(s)),
        ),
        "cost.csv": csv_text(
            "system tagging_seconds solving_seconds total_seconds model_bytes",
            ([s["system"], *(s["cost"][name] for name in _COSTS)] for s in systems),
        ),
        "disagreements.csv": csv_text(
            f"pair label system choice {' '.join(TIERS)}",
            (line for found in comparison.disagreements for line in _lines(comparison, found)),
        ),
    }


_COSTS: Final = ("tagging", "solving", "total", "model_bytes")


def _figures(system: Mapping[str, Any]) -> Iterable[tuple[str, float | None]]:
    """What a system has one number of, beside its tiers."""
    for name in ("precondition_f1", "effect_f1", "conflict_f1", "proof_coverage"):
        yield name, system[name]
    for part, shares in system["by_proof"].items():
        for name in ("n", "accuracy", "consistency"):
            yield f"{part}_{name}", shares.get(name)
    for name in ("n", "auroc", "balanced_accuracy"):
        yield f"single_{name}", system["single"][name]
    found = system["calibration"]
    yield "expected_calibration_error", None if found is None else found["expected_calibration_error"]


def _lines(comparison: Comparison, found: Disagreement) -> Iterable[list[Any]]:
    pair = comparison.pairs[found.pair]
    for name, outcome in found.outcomes.items():
        tiers = [int(getattr(outcome, field)) for field in TIERS.values()]
        yield [pair.id, pair.label, name, found.choices[name], *tiers]


def csv_text(header: str, rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV under a header, whose names are parted by blanks."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header.split())
    writer.writerows([f"{value:.6g}" if isinstance(value, float) else value for value in row] for row in rows)
    return buffer.getvalue()
