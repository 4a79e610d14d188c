"""Words for a way or a side that turn an instruction round: clockwise, upside down, lengthwise, to the top."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from ..symbolic.parse import Direction

# By the rules' word for each, how texts write it.
_WRITTEN: Final = MappingProxyType(
    {
        "clockwise": r"(?<!counter)(?<!counter[ -])(?<!anti)(?<!anti[ -])clock-?wise",
        "counterclockwise": r"(?:counter|anti)[ -]?clock-?wise",
        "upside down": r"upside[ -]down",
        "upright": r"upright|right side up",
        "lengthwise": r"length-?wise|lengthways",
        "crosswise": r"cross-?wise|crossways|width-?wise",
        "horizontal": r"horizontal(?:ly)?",
        "vertical": r"vertical(?:ly)?",
        "inside out": r"inside[ -]out",
        "backwards": r"backwards?",
        "forwards": r"forwards?",
        "face down": r"face[ -]down",
        "face up": r"face[ -]up",
        "top": r"(?<!on )top|upper end",
        "bottom": r"bottom|lower end",
    }
)
_PATTERNS: Final = MappingProxyType(
    {word: re.compile(rf"\b(?:{written})\b", re.IGNORECASE) for word, written in _WRITTEN.items()}
)


def directions(sentences: Sequence[str]) -> tuple[Direction, ...]:
    """What the sentences say of the way or the side, a word once in each."""
    return tuple(
        Direction(number, word)
        for number, sentence in enumerate(sentences)
        for word, pattern in _PATTERNS.items()
        if pattern.search(sentence)
    )
