"""Which words of a sentence the tagger reads as naming an entity: a light matcher that needs no parser.

The tagger must see the same spans in training and in use, on any list of entities and at any speed, so this is
independent of spaCy: names match word for word with plurals folded, the longest name wins, and a name that a sentence
does not hold in full is looked for by its head noun. (``mentions.py`` is the fuller account, with pronouns, that the
rules get.)
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..symbolic.aliases import singular

_WORD = re.compile(r"\w+(?:[-']\w+)*", re.UNICODE)
_IGNORED = frozenset({"the", "a", "an", "his", "her", "their", "my", "your", "its", "some"})


def _fold(word: str) -> str:
    """A word without case, possessive and plural ending, so that "Knives'" and "knife" may meet."""
    plain = word.lower().removesuffix("'s").rstrip("'")
    return "glass" if plain == "glasses" else singular(plain)  # more often several glasses than one pair


def _words(text: str) -> list[tuple[str, int, int]]:
    return [(_fold(m.group()), m.start(), m.end()) for m in _WORD.finditer(text)]


def name_spans(sentence: str, entities: Sequence[str]) -> list[list[tuple[int, int]]]:
    """Character spans [start, end) that name each entity in one sentence, aligned with ``entities``.

    A word belongs to one entity: the longest name that matches takes it.
    """
    words = _words(sentence)
    names = [[w for w, _, _ in _words(entity) if w not in _IGNORED] for entity in entities]
    spans: list[list[tuple[int, int]]] = [[] for _ in entities]
    taken = [False] * len(words)
    for e in sorted(range(len(entities)), key=lambda k: (-len(names[k]), k)):
        name = names[e]
        if not name:
            continue
        for at in range(len(words) - len(name) + 1):
            window = words[at : at + len(name)]
            if [w for w, _, _ in window] == name and not any(taken[at : at + len(name)]):
                taken[at : at + len(name)] = [True] * len(name)
                spans[e].append((window[0][1], window[-1][2]))
    for e, name in enumerate(names):
        if spans[e] or len(name) < 2:
            continue
        spans[e] = [(start, end) for at, (word, start, end) in enumerate(words) if word == name[-1] and not taken[at]]
    return spans
