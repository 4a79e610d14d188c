"""Errors that can be blamed on the user's input: one root, one line each, with the place where it went wrong.

The command line prints such an error as a single line and exits with status 2 (design: "bad input"); anything
else that escapes is a defect of this program.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Location:
    """A place in a user's file; ``line`` and ``column`` count from 1, and are None where they are not known."""

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        parts = [self.file]
        if self.line is not None:
            parts.append(str(self.line))
            if self.column is not None:
                parts.append(str(self.column))
        return ":".join(parts)


class DisproofError(Exception):
    """The user's input cannot be used. ``str(error)`` is one line: the place, what is wrong, what to do."""

    def __init__(self, message: str, location: Location | None = None) -> None:
        self.message = " ".join(message.split())
        self.location = location
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.location}: {self.message}" if self.location else self.message


class StoryError(DisproofError):
    """A story, a pair of stories or a data file cannot be read."""


class RuleError(DisproofError):
    """A rule file is refused, wrong, or goes over its limits."""


class ModelError(DisproofError):
    """A model's files are missing, damaged, or of another version."""


class UsageError(DisproofError):
    """The options of a command contradict each other or name something that does not exist."""


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """The tail of a message about an unknown word: its nearest known word, if any is near."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.7)
    return f": did you mean '{close[0]}'?" if close else otherwise
