"""The solver for rules that strangers wrote: the same answers, from a process with limits on time and memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from .growth import blame
from .parse import Parse
from .proof import FlatProofs, flatten, unflatten
from .rulebook import SHIPPED, RuleBook, load
from .sandbox import Worker
from .solver import Solution, Solver
from .story import Tagging

Request = tuple[Parse, Tagging]
# Proofs cross to the other process flat: pickling a deep one would recurse once for each step.
Answer = tuple[FlatProofs, frozenset[tuple[int, int]]]


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
        found: Answer = self._worker.call((parse, tagging))
        return Solution(unflatten(found[0]), found[1])

    def close(self) -> None:
        """End the worker's process."""
        self._worker.close()


def _serve(overlays: tuple[str, ...], without: tuple[str, ...]) -> Callable[[Request], Answer]:
    """Set up the worker's side."""
    solver = Solver(load(overlays=overlays, without=without))

    def answer(request: Request) -> Answer:
        solution = solver.solve_story(*request)
        return flatten(solution.conflicts), solution.resolved

    return answer
