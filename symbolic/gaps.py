"""Near misses as data: which conditions of a rule hold, which do not, and what they come down to (see ``nearest``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

from .proof import ProofNode

# What is not followed to its end counts as so many facts; what will never hold as so many.
UNFOLLOWED: Final = 2
NEVER: Final = 9
# How surprising a gap is that no probability is known of, beside -ln of the probability of a label.
BLOCKED: Final = 2.5
TEXT: Final = 6.0
LEXICON: Final = 7.0
MOST_SURPRISE: Final = 9.0

Kind = Literal["missing", "blocked", "comparison"]


@dataclass(frozen=True)
class Gap:
    """A condition that is not met.

    ``missing``: no atom is like ``atom``, in which ``_`` stands for what has no value; ``blocked``: ``atom`` holds and
    must not; ``comparison``: ``atom`` is one that is false. The nearest rule that could derive a missing atom is
    ``rule`` at ``file``:``line``, ``wording`` is what it would say, and ``because`` what it lacks in turn.
    ``probability`` is the tagger's of a missing label. ``cost`` and ``surprise`` say how far off it is where nothing is
    below it.
    """

    kind: Kind
    atom: str
    wording: str | None = None
    rule: str | None = None
    file: str | None = None
    line: int | None = None
    because: tuple[Gap, ...] = ()
    probability: float | None = None
    cost: int = field(default=1, compare=False)
    surprise: float = field(default=TEXT, compare=False)

    def walk(self) -> Iterator[Gap]:
        """This gap and all below it."""
        yield self
        for gap in self.because:
            yield from gap.walk()

    @cached_property
    def leaves(self) -> tuple[Gap, ...]:
        """The gaps that it comes down to, itself where nothing is below it."""
        return tuple(leaf for gap in self.because for leaf in gap.leaves) or (self,)


@dataclass(frozen=True)
class NearMiss:
    """One rule that nearly proves that sentences ``evidence`` and ``breakpoint`` conflict.

    ``atom`` is what it would derive, with ``_`` for what has no value, and ``wording`` what it would say, with "…".
    Of its ``conditions``, ``met`` hold: ``holds`` are the atoms that are there, ``absent`` those that must not be and
    are not. ``gaps`` are what is unmet, and ``unchecked`` what could not be looked at, for want of a value or because
    it is no plain condition.
    """

    rule: str
    file: str
    line: int
    atom: str
    wording: str | None
    evidence: int
    breakpoint: int
    conditions: int
    met: int
    holds: tuple[str, ...]
    absent: tuple[str, ...]
    gaps: tuple[Gap, ...]
    unchecked: tuple[str, ...] = ()

    def atoms(self) -> Iterator[str]:
        """The true atoms that it speaks of: what holds, and what blocks."""
        yield from self.holds
        for gap in self.gaps:
            yield from (below.atom for below in gap.walk() if below.kind == "blocked")


@dataclass(frozen=True)
class Nearest:
    """The rules nearest to a conflict, nearest first; ``fired`` are those that prove it already.

    ``proofs`` say of every true atom that they speak of why it holds.
    """

    near: tuple[NearMiss, ...]
    fired: tuple[str, ...] = ()
    proofs: Mapping[str, ProofNode] = field(default_factory=dict, repr=False)


def distance(gaps: Iterable[Gap]) -> float:
    """How many facts stand in the way, those that several gaps come down to counted once, and how surprising each is.

    The surprise of one fact is less than another fact.
    """
    return sum(leaf.cost + leaf.surprise / 10 for leaf in dict.fromkeys(leaf for gap in gaps for leaf in gap.leaves))
