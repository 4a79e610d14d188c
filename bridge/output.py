"""Where a command's results go: standard output, or a file that is there whole or not at all.

Results are documents, graphs and pages for people; progress and warnings go to standard error. What is piped has no
colours and no trailing blanks, and is 80 columns wide unless ``COLUMNS`` says otherwise.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from .files import write_atomic

PIPED_WIDTH: Final = 80


class Report(Protocol):
    """What a long job tells: steps done, steps in all, and a word on how it goes."""

    def __call__(self, done: int, total: int, note: str = "") -> None:
        """Tell how far the job is."""


class Output:
    """The results of one command.

    Args:
        path: a file to write instead of standard output; in a folder, the file ``name``.
        name: what the file is called in a folder, such as "explain.json".
    """

    def __init__(self, path: Path | None, name: str) -> None:
        self.path = path / name if path is not None and path.is_dir() else path
        self._kept: list[str] = []
        self._empty = True

    def write(self, text: str) -> None:
        """Write a text as it is, in UTF-8 whatever the terminal's encoding: documents are for programs."""
        self._empty = False
        if self.path is not None:
            self._kept.append(text)
            return
        sys.stdout.flush()
        buffer = getattr(sys.stdout, "buffer", None)
        if buffer is None:
            sys.stdout.write(text)
        else:
            buffer.write(text.encode("utf-8"))
            buffer.flush()

    def show(self, page: RenderableType) -> None:
        """Show a page, after an empty line where it is not the first."""
        first, self._empty = self._empty, False
        console = Console(markup=False, highlight=False, emoji=False)
        if self.path is None and console.is_terminal:
            console.print(page if first else Group(Text(), page))
            return
        text = ("" if first else "\n") + rendered(page)
        if self.path is not None:
            self._kept.append(text)
        else:
            sys.stdout.write(text)
            sys.stdout.flush()

    def close(self) -> None:
        """Write the file, if there is one.

        Raises:
            DisproofError: it cannot be written.
        """
        if self.path is not None:
            write_atomic(self.path, "".join(self._kept))


def rendered(page: RenderableType, width: int | None = None) -> str:
    """A page as plain text without trailing blanks."""
    columns = os.environ.get("COLUMNS", "")
    width = width or (int(columns) if columns.isdigit() and int(columns) > 0 else PIPED_WIDTH)
    buffer = io.StringIO()
    Console(
        file=buffer, width=width, color_system=None, force_terminal=False, markup=False, highlight=False, emoji=False
    ).print(page)
    return "".join(f"{line.rstrip()}\n" for line in buffer.getvalue().splitlines())


@contextmanager
def progress(description: str, shown: bool | None = None) -> Iterator[Report]:
    """A progress bar on standard error, moved by what it yields.

    ``shown`` None shows it where standard error is a terminal.
    """
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not (console.is_terminal if shown is None else shown),
    )
    with bar:
        task = bar.add_task(description, total=None)

        def report(done: int, total: int, note: str = "") -> None:
            bar.update(task, completed=done, total=total, description=f"{description} {note}".rstrip())

        yield report


class _Rate(ProgressColumn):
    """Steps per second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.1f}/s", "dim")
