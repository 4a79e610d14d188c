"""A comparison as a folder of files: the JSON, the CSV tables and one HTML page; of PIQA also every choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..symbolic.errors import DisproofError, Location
from .comparison import Comparison
from .comparison_page import comparison_page
from .comparison_views import comparison_csv
from .documents import to_json
from .files import write_atomic
from .piqa_comparison import PiqaComparison
from .piqa_comparison_page import piqa_comparison_page
from .piqa_comparison_views import piqa_comparison_files


def write_report(comparison: Comparison, folder: Path, title: str, notes: Sequence[str] = ()) -> None:
    """Write ``comparison.json``, a CSV file for each table, and ``comparison.html`` with ``notes`` at its head.

    Raises:
        DisproofError: a file cannot be written.
    """
    page = comparison_page(comparison, title, notes)
    document = to_json(comparison.to_json()) + "\n"
    _write(folder, {"comparison.json": document, **comparison_csv(comparison), "comparison.html": page})


def write_piqa_report(comparison: PiqaComparison, folder: Path, title: str, notes: Sequence[str] = ()) -> None:
    """The same of a comparison on PIQA, with ``choices.jsonl``.

    Raises:
        DisproofError: a file cannot be written.
    """
    page = piqa_comparison_page(comparison, title, notes)
    document = to_json(comparison.to_json()) + "\n"
    _write(folder, {"comparison.json": document, **piqa_comparison_files(comparison), "comparison.html": page})


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    """Write files, by name, into a folder that is made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DisproofError(
            f"cannot be the folder of a report: {error.strerror or error}", Location(str(folder))
        ) from None
    for name, text in texts.items():
        write_atomic(folder / name, text)
