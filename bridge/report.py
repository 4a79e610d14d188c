"""A comparison as a folder of files: the JSON, the CSV tables and one HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..symbolic.errors import DisproofError, Location
from .comparison import Comparison
from .comparison_page import comparison_page
from .comparison_views import comparison_csv
from .documents import to_json
from .files import write_atomic


def write_report(comparison: Comparison, folder: Path, title: str, notes: Sequence[str] = ()) -> None:
    """Write ``comparison.json``, a CSV file for each table, and ``comparison.html`` with ``notes`` at its head.

    Raises:
        DisproofError: a file cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DisproofError(
            f"cannot be the folder of a report: {error.strerror or error}", Location(str(folder))
        ) from None
    write_atomic(folder / "comparison.json", to_json(comparison.to_json()) + "\n")
    for name, text in comparison_csv(comparison).items():
        write_atomic(folder / name, text)
    write_atomic(folder / "comparison.html", comparison_page(comparison, title, notes))
