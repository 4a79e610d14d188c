"""The solver for rules that strangers wrote: the same answers, from a process with limits on time and memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from . import nearest  # noqa: F401  (a worker that is set up can import nothing more, and Solver.nearest does)
from .gaps import Nearest
from .growth import blame
from .parse import Parse
from .proof import FlatNodes, FlatProofs, flatten, flatten_nodes, unflatten, unflatten_nodes
from .rulebook import SHIPPED, RuleBook, load
from .sandbox import Worker
from .solver import Solution, Solver
from .story import Tagging

# What is asked of which story, and with what else.
Request = tuple[Literal["solve", "fired", "nearest"], Parse, Tagging, tuple[Any, ...]]
# Proofs cross to the other process flat: pickling a deep one would recurse once for each step.
Solved = tuple[FlatProofs, frozenset[tuple[int, int]]]
Answer = Solved | frozenset[str] | tuple[Nearest, FlatNodes]


class ConfinedSolver:
    """A :class:`~disproof.symbolic.solver.Solver` whose rule book has overlays that are not to be trusted.

    The rule files are checked (``RuleError`` on any that is refused) before the process that grounds them is started;
    one process serves all stories, and a new one takes its place when a limit stops it.
    """

    def __init__(
        self,
        overlays: Sequence[str | Path],
        without: Collection[str] = (),
        *,
        seconds: float = 10.0,
        memory_mb: int = 2048,
    ) -> None:
        self.book: RuleBook = load(overlays=overlays, without=without)
        shipped = {id(file) for file in self.book.files if file.path.parent == SHIPPED}
        theirs = {file.name for file in self.book.files if id(file) not in shipped}
        suspected = [rule for rule in self.book.rules if rule.file in theirs]
        self._worker = Worker(
            _serve,
            (tuple(map(str, overlays)), tuple(sorted(without))),
            seconds=seconds,
            memory_mb=memory_mb,
            blame=lambda: blame(suspected),
        )

    def __repr__(self) -> str:
        return f"ConfinedSolver({self._worker!r})"

    def solve_story(self, parse: Parse, tagging: Tagging) -> Solution:
        """What the rules say of a story, see :meth:`Solver.solve_story`.

        Raises:
            RuleError: a limit stopped the rules, or they cannot be grounded.
        """
        found: Solved = self._worker.call(("solve", parse, tagging, ()))
        return Solution(unflatten(found[0]), found[1])

    def fired(self, parse: Parse, tagging: Tagging) -> frozenset[str]:
        """The names of the rules that hold somewhere in a story, see :meth:`Solver.fired`.

        Raises:
            RuleError: a limit stopped the rules, or they cannot be grounded.
        """
        found: frozenset[str] = self._worker.call(("fired", parse, tagging, ()))
        return found

    def nearest(
        self, parse: Parse, tagging: Tagging, pair: tuple[int, int], name: str | None = None, limit: int = 3
    ) -> Nearest:
        """The rules that come nearest to proving that two sentences conflict, see :meth:`Solver.nearest`.

        Raises:
            RuleError: a limit stopped the rules, they cannot be grounded, or none is called ``name``.
            UsageError: the story has no two such sentences in this order.
        """
        found: tuple[Nearest, FlatNodes] = self._worker.call(("nearest", parse, tagging, (pair, name, limit)))
        return replace(found[0], proofs={node.atom: node for node in unflatten_nodes(found[1])})

    def close(self) -> None:
        """End the worker's process."""
        self._worker.close()


def _serve(overlays: tuple[str, ...], without: tuple[str, ...]) -> Callable[[Request], Answer]:
    """Set up the worker's side."""
    solver = Solver(load(overlays=overlays, without=without))

    def answer(request: Request) -> Answer:
        what, parse, tagging, options = request
        if what == "fired":
            return solver.fired(parse, tagging)
        if what == "nearest":
            near = solver.nearest(parse, tagging, *options)
            return replace(near, proofs={}), flatten_nodes(near.proofs.values())
        solution = solver.solve_story(parse, tagging)
        return flatten(solution.conflicts), solution.resolved

    return answer
