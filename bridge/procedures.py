"""A goal and a solution, read as a story: the steps in their order, and last the goal, which is then to happen.

``Make bread crumbs: dry the slices out, then crush them`` becomes three sentences. Goals that are only a thing's name
("a ladder") come with solutions that say something of it ("can reach the roof"), and become their subject.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from ..symbolic.story import Story

# What a goal begins with that is not part of what is to happen.
_ASKING: Final = re.compile(
    r"^(?:(?:how|what is the best way|what's the best way|best way|the best way|a way|ways?)\s+"
    r"(?:(?:do|does|can|could|should|would)\s+(?:i|you|we|one|people|someone)\s+|to\s+)"
    r"|(?:to|for)\s+(?=[a-z]+\b)|(?:you|i|we)\s+(?:can|want to|need to)\s+|if you (?:want|need) to\s+)",
    re.IGNORECASE,
)
_TRAILING: Final = re.compile(
    r"[\s,;:?!.]*(?:\b(?:you|i|we)\s+(?:can|should|could|must|need to))?[\s,;:?!.]*$", re.IGNORECASE
)
_STEP: Final = re.compile(
    r"\s*(?:;|(?:,|\s+and)\s+(?:and\s+)?then\b,?|^\s*(?:\d+[.)]|[-*•])\s+|\n+)\s*", re.IGNORECASE | re.MULTILINE
)
# "Before you glue the wood, sand it" and "sand the wood before gluing it": two steps, and which is first.
_CLAUSE: Final = r"(?:you|it|they)\b[^,.;]+|(?:the|your)\s+\S+\s+[^,.;]+|[a-z]{2,}ing\b[^,.;]*"
_LEADING: Final = re.compile(
    rf"(?:and\s+)?(?P<when>before|after|once)\s+(?P<clause>{_CLAUSE}),\s*(?P<rest>\S.*)", re.IGNORECASE
)
_FOLLOWING: Final = re.compile(rf"(?P<rest>.*\S?),?\s+(?P<when>before|after)\s+(?P<clause>{_CLAUSE})", re.IGNORECASE)
# How something begins that is said of a thing: "can ...", "is ...", "cuts ...".
_MODAL: Final = re.compile(
    r"(?:can|could|will|would|is|are|has|have|looks?|does|do|may|might|[a-z]{3,}s)\b", re.IGNORECASE
)
# A goal of so many words may be the name of a thing.
_NAME: Final = 3


def goal_sentence(goal: str) -> str:
    """What is to happen, said as a step: "How do I open a jar?" becomes "Open a jar."; "" where nothing is left."""
    said = _TRAILING.sub("", goal.strip())
    said = _ASKING.sub("", said).strip()
    return said[:1].upper() + said[1:] + "." if said else ""


def steps(solution: str, split: Callable[[str], Sequence[str]]) -> tuple[str, ...]:
    """The steps of a solution: its sentences (``split``), list items, and what "then" or a semicolon parts."""
    found: list[str] = []
    for part in _STEP.split(solution):
        for sentence in split(part) if part.strip() else ():
            found.extend(
                said[:1].upper() + said[1:] + ("" if said[-1] in ".!?" else ".")
                for said in in_order(sentence.strip(" ,"))
                if any(letter.isalnum() for letter in said)
            )
    return tuple(found)


def in_order(sentence: str) -> tuple[str, ...]:
    """A sentence's two steps in the order in which they are done, where "before", "after" or "once" joins them."""
    bare = sentence.rstrip(".!? ")
    match = _LEADING.fullmatch(bare) or _FOLLOWING.fullmatch(bare)
    if match is None:
        return (sentence,)
    clause, rest = match["clause"].strip(" ,"), match["rest"].strip(" ,")
    if clause.split()[0].lower().endswith("ing"):
        clause = f"you are {clause[0].lower()}{clause[1:]}"
    return (rest, clause) if match["when"].lower() == "before" else (clause, rest)


def read(goal: str, solution: str, split: Callable[[str], Sequence[str]]) -> Story:
    """A solution as a story that ends with its goal, which it lacks where nothing is to be reached.

    ``split`` finds the sentences of prose.
    """
    last = goal_sentence(goal)
    found = steps(solution, split)
    if last and len(last.split()) <= _NAME and _MODAL.match(solution.strip()):
        # A thing, and something that is said of it.
        thing = re.sub(r"^(?:an?|the)\s+", "", last[:-1].lower())
        return Story((f"The {thing} {solution.strip()}", *found[1:]))
    return Story((*found, last), goal=len(found)) if last else Story(found)
