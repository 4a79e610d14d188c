"""Agreement in number: a wording is written for one thing, and reads of "the scissors" as well as of "the lamp".

Rules word their proofs in the singular ("the % is broken in sentence %, but sentence % uses it"). Where a plural fills
a hole, the verb after it and the pronouns that stand for it follow: "the scissors are broken in sentence 1, but
sentence 3 uses them".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_PLURALS: Final = frozenset(
    "people children men women teeth feet mice geese oxen police cattle clothes pants jeans scissors glasses "
    "eyeglasses sunglasses goggles pliers tweezers shorts trousers pajamas tights binoculars".split()
)
# Singular, though they end in -s as plurals do.
_SINGULARS: Final = frozenset(
    "bus gas lens news iris canvas atlas cactus octopus virus bonus menu chaos christmas series species chess tennis "
    "asparagus hummus couscous molasses citrus compass gymnastics mathematics physics walrus yes".split()
)
_IRREGULAR: Final = {"is": "are", "was": "were", "has": "have", "does": "do", "goes": "go"}
_NO_VERBS: Final = frozenset({"as", "its", "itself", "this", "always", "across", "perhaps", "besides", "towards"})
# What begins a phrase after a noun: the noun before it is the head.
_PHRASE: Final = re.compile(r" (?:of|in|on|with|from|for|at|to) ")


def is_plural(thing: str) -> bool:
    """Whether a name of things reads as a plural: "scissors", "pieces of bread", "wool socks"."""
    noun = _PHRASE.split(thing, maxsplit=1)[0].rsplit(" ", 1)[-1].lower()
    if noun in _PLURALS or noun.endswith(("men", "children", "people", "teeth")):
        return noun not in ("specimen", "ramen", "abdomen", "cyclamen", "stamen")
    return len(noun) > 3 and noun.endswith("s") and not noun.endswith(("ss", "us", "is")) and noun not in _SINGULARS


def agreeing(text: str, things: Iterable[str]) -> str:
    """A sentence about some ``things`` with its verbs and pronouns in their number.

    Pronouns stand for the thing that is named first.
    """
    named = sorted({thing for thing in things if f"the {thing}" in text}, key=len, reverse=True)
    if not named:
        return text
    found = re.compile(rf"\bthe ({'|'.join(map(re.escape, named))})\b(?!-)")
    text = re.sub(rf"{found.pattern}['’]s\b", lambda m: f"the {m[1]}’" if m[1].endswith("s") else m[0], text)
    first = found.search(text)
    if first is not None and is_plural(first[1]):
        text = text[: first.end()] + _pronouns(text[first.end() :])
    return re.sub(
        rf"{found.pattern}(?!['’])(?: (itself|themselves))?(?: ([a-z]+s))?\b",
        lambda match: _agreed(match) if is_plural(match[1]) else match[0],
        text,
    )


def _agreed(match: re.Match[str]) -> str:
    _, emphasis, verb = match.groups()
    words = [f"the {match[1]}"]
    if emphasis:
        words.append("themselves")
    if verb:
        words.append(_verb(verb))
    return " ".join(words)


def _pronouns(text: str) -> str:
    text = re.sub(r"\bit(?: ([a-z]+s))?\b", lambda m: f"they {_verb(m[1])}" if _is_verb(m[1]) else _object(m), text)
    return re.sub(r"\bits\b", "their", re.sub(r"\bitself\b", "themselves", text))


def _object(match: re.Match[str]) -> str:
    return f"them {match[1]}" if match[1] else "them"


def _is_verb(word: str | None) -> bool:
    return word is not None and word not in _NO_VERBS


def _verb(verb: str) -> str:
    """A verb of the third person in the plural."""
    if not _is_verb(verb):
        return verb
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    return verb[:-2] if verb.endswith(("ches", "shes", "sses", "xes", "zzes")) else verb[:-1]
