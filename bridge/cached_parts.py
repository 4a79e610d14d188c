"""The parts of an engine, wrapped so that they look first at what the cache has: an engine need not know.

Readings depend on the story, the model and this program's code; solutions on the story's facts and on those rules that
can fire in it, so that an edited rule is solved again where it matters and nowhere else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from pydantic import TypeAdapter, ValidationError

from ..symbolic.facts import story_facts
from ..symbolic.parse import Parse
from ..symbolic.program import Program, compile_program
from ..symbolic.proof import ProofNode, flatten, unflatten
from ..symbolic.solver import Solution, Solver
from ..symbolic.story import Tagging
from .cache import Cache, story_key

if TYPE_CHECKING:
    from ..neural.parser import Parser
    from ..symbolic.gaps import Nearest
    from ..symbolic.rulebook import RuleBook
    from .engine import Reasoner, StateTagger

_PARSE: Final = TypeAdapter(Parse)
_NODE: Final = TypeAdapter(list[tuple[ProofNode, tuple[int, ...]]])


class CachedParser:
    """A parser that looks first at what was parsed before; the parser itself is made when it is first needed."""

    def __init__(self, make: Callable[[], Parser], cache: Cache, *name: str) -> None:
        self._make = make
        self._section = cache.section("parses", *name)
        self.clock = cache.clock("parses", *name)

    @cached_property
    def _parser(self) -> Parser:
        return self._make()

    def split(self, text: str) -> tuple[str, ...]:
        """The sentences of a piece of prose."""
        return self._parser.split(text)

    def parse(self, sentences: Sequence[str], entities: Sequence[str] | None = None) -> Parse:
        """The story's parse, see ``Parser.parse``."""
        key = story_key(sentences, entities)
        kept = self._section.get(key)
        if kept is not None:
            try:
                parse = _PARSE.validate_json(kept)
            except ValidationError:
                pass
            else:
                self.clock.again(key)
                return parse
        parser = self._parser  # which takes seconds to make, once
        with self.clock.running(key):
            parse = parser.parse(sentences, entities)
        self._section.put(key, _PARSE.dump_json(parse).decode())
        return parse


class CachedTagger:
    """A tagger that looks first at what was tagged before; the tagger itself is made when it is first needed."""

    def __init__(self, make: Callable[[], StateTagger], cache: Cache, *name: str) -> None:
        self._make = make
        self._section = cache.arrays("taggings", *name)
        self.clock = cache.clock("taggings", *name)

    @cached_property
    def tagger(self) -> StateTagger:
        """The tagger itself."""
        return self._make()

    def tag(self, sentences: Sequence[str], entities: Sequence[str]) -> Tagging:
        """The story's states, see ``StateTagger.tag``."""
        key = story_key(sentences, entities)
        kept = self._section.get(f"{key}.probabilities")
        if kept is not None:
            self.clock.again(key)
            return Tagging(tuple(entities), kept, self._section.get(f"{key}.pairs"))
        tagger = self.tagger
        with self.clock.running(key):
            tagging = tagger.tag(sentences, entities)
        self._section.put(f"{key}.probabilities", tagging.probabilities)
        if tagging.pair_scores is not None:
            self._section.put(f"{key}.pairs", tagging.pair_scores)
        return tagging


class CachedSolver:
    """A solver that looks first at what was solved before from the same facts by rules that say the same."""

    def __init__(self, solver: Reasoner, cache: Cache, *name: str) -> None:
        self._solver = solver
        self._section = cache.section("solutions", *name)
        self.clock = cache.clock("solutions", *name)
        self.book: RuleBook = solver.book
        self._solved: dict[str, Solution] = {}

    @cached_property
    def _program(self) -> Program:
        # One that solves in a process of its own has its program there.
        return self._solver.program if isinstance(self._solver, Solver) else compile_program(self.book)

    @cached_property
    def _places(self) -> dict[tuple[str, str], int]:
        """The line of every statement, by its file and text."""
        return {(rule.file, rule.text): rule.line for rule in reversed(self.book.rules)}

    @cached_property
    def _texts(self) -> dict[tuple[str | None, int | None], str]:
        return {(rule.file, rule.line): rule.text for rule in self.book.rules}

    def solve_story(self, parse: Parse, tagging: Tagging) -> Solution:
        """What the rules say of a story, see ``Solver.solve_story``."""
        read = hashlib.sha256(repr((parse, tagging.entities)).encode())
        read.update(np.ascontiguousarray(tagging.probabilities).tobytes())  # proofs are priced by it
        story = read.hexdigest()
        if story not in self._solved:
            told = self._program.fingerprint(story_facts(parse, tagging, self._synonyms))
            self._solved[story] = self._solution(f"{told[:32]}{story[:32]}", parse, tagging)
        return self._solved[story]

    def _solution(self, key: str, parse: Parse, tagging: Tagging) -> Solution:
        kept = self._section.get(key)
        if kept is not None:
            found = self._read(kept)
            if found is not None:
                self.clock.again(key)
                return found
        with self.clock.running(key):
            solution = self._solver.solve_story(parse, tagging)
        self._section.put(key, self._written(solution))
        return solution

    @cached_property
    def _synonyms(self) -> frozenset[tuple[str, str]]:
        return self.book.pairs("synonym")

    def fired(self, parse: Parse, tagging: Tagging) -> frozenset[str]:
        """The names of the rules that hold somewhere in a story, see ``Solver.fired``."""
        return self._solver.fired(parse, tagging)

    def nearest(
        self, parse: Parse, tagging: Tagging, pair: tuple[int, int], name: str | None = None, limit: int = 3
    ) -> Nearest:
        """The rules that come nearest to proving a conflict, see ``Solver.nearest``."""
        return self._solver.nearest(parse, tagging, pair, name, limit)

    def _written(self, solution: Solution) -> str:
        rows, roots = flatten(solution.conflicts)
        statements = [self._texts.get((node.file, node.line)) for node, _ in rows]
        nodes = [(asdict(node), children) for node, children in rows]
        return json.dumps([nodes, statements, roots, sorted(solution.resolved)])

    def _read(self, kept: str) -> Solution | None:
        """A solution, its steps at the lines where their statements stand today; None where it cannot be read."""
        try:
            nodes, statements, roots, resolved = json.loads(kept)
            rows = _NODE.validate_python(nodes)
            placed = [
                (self._placed(node, text), children) for (node, children), text in zip(rows, statements, strict=True)
            ]
            conflicts = unflatten((placed, [(tuple(fields), row) for fields, row in roots]))
            return Solution(conflicts, frozenset((i, j) for i, j in resolved))
        except (ValueError, TypeError, LookupError):  # pydantic's errors are ValueErrors
            return None

    def _placed(self, node: ProofNode, text: str | None) -> ProofNode:
        line = None if text is None or node.file is None else self._places.get((node.file, text))
        return node if line is None or line == node.line else replace(node, line=line)
