"""How two texts differ, word by word: what one solution of a goal says where the other says something else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import Final

_WORD: Final = re.compile(r"\d+(?:[.,/]\d+)*|[^\W\d_]+(?:['’\-][^\W\d_]+)*|[^\w\s]|_")


@dataclass(frozen=True)
class Word:
    """A word, number or mark of a text, in lower case, and the characters [start, end) that it takes."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Edit:
    """Words [start, end) of the first text that stand where the second has its own; either span may be empty."""

    first: tuple[int, int]
    second: tuple[int, int]

    def span(self, side: int) -> tuple[int, int]:
        """The span in the first (0) or second (1) text."""
        return self.second if side else self.first


@dataclass(frozen=True)
class Difference:
    """Two texts as words, and the edits that turn the first into the second, in their order."""

    texts: tuple[str, str]
    words: tuple[tuple[Word, ...], tuple[Word, ...]]
    edits: tuple[Edit, ...]

    @cached_property
    def distance(self) -> int:
        """How many words the edits touch: the longer side of each, as a replaced word is one edit."""
        return sum(max(e.first[1] - e.first[0], e.second[1] - e.second[0]) for e in self.edits)

    def changed(self, side: int) -> Iterator[int]:
        """Which words of a text the other does not have there."""
        for edit in self.edits:
            yield from range(*edit.span(side))

    def characters(self, edit: Edit, side: int) -> tuple[int, int]:
        """The characters [start, end) of an edit's side; one without words stands before the next word."""
        found, (start, end) = self.words[side], edit.span(side)
        begin = found[start].start if start < len(found) else len(self.texts[side])
        return begin, found[end - 1].end if start < end else begin

    def text(self, edit: Edit, side: int) -> str:
        """What an edit's side says, as it is written; "" where it says nothing."""
        begin, stop = self.characters(edit, side)
        return self.texts[side][begin:stop]

    def pieces(self, side: int) -> Iterator[tuple[str, bool]]:
        """A text in pieces, and whether the other has not got them; such a piece is "" where only the other has one."""
        text, last = self.texts[side], 0
        for edit in self.edits:
            begin, stop = self.characters(edit, side)
            yield text[last:begin], False
            yield text[begin:stop], True
            last = stop
        yield text[last:], False


def words(text: str) -> tuple[Word, ...]:
    """The words, numbers and marks of a text."""
    return tuple(Word(found.group().lower(), found.start(), found.end()) for found in _WORD.finditer(text))


def difference(first: str, second: str) -> Difference:
    """Align two texts by their longest common runs of words; case does not matter."""
    both = words(first), words(second)
    a, b = ([word.text for word in side] for side in both)
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    edits = tuple(Edit((i, j), (k, m)) for tag, i, j, k, m in matcher.get_opcodes() if tag != "equal")
    return Difference((first, second), both, edits)
