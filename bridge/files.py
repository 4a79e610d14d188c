"""Files in and out: plain or gzip text, standard input, JSON documents and JSON lines, and atomic writing.

Everything that can go wrong with a file (absent, empty, binary, not UTF-8, damaged, not JSON) becomes one
``StoryError`` that names the file, the line and what to do. A path of ``-`` is standard input; gzip is recognised by
its first bytes, not by its name.
"""

from __future__ import annotations

import gzip
import io
import itertools
import json
import os
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, TypeAlias, cast

from ..symbolic.errors import DisproofError, Location, StoryError

PathLike: TypeAlias = str | os.PathLike[str]
Line: TypeAlias = tuple[int, str]

STANDARD_INPUT: Final = "-"
_GZIP_MAGIC: Final = b"\x1f\x8b"
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")


def display_name(path: PathLike) -> str:
    """The name that errors call a path by."""
    return "standard input" if os.fspath(path) == STANDARD_INPUT else os.fspath(path)


def bare_name(path: PathLike) -> str:
    """The file's name in lower case without ``.gz``: what its format is guessed from when its content allows two."""
    return Path(os.fspath(path)).name.lower().removesuffix(".gz")


@contextmanager
def open_binary(path: PathLike) -> Iterator[IO[bytes]]:
    """Open a file, or standard input for ``-``, for reading; decompresses gzip.

    Raises:
        StoryError: the file is absent, a folder, or not allowed to be read.
    """
    name = display_name(path)
    if os.fspath(path) == STANDARD_INPUT:
        raw = cast(IO[bytes], sys.stdin.buffer)
        source = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, raw))
        owned = False
    else:
        try:
            source = Path(path).open("rb")  # noqa: SIM115 (closed below, where standard input must not be)
        except FileNotFoundError:
            raise StoryError("no such file: check the name", Location(name)) from None
        except IsADirectoryError:
            raise StoryError("is a folder: give a file in it", Location(name)) from None
        except (OSError, ValueError) as error:  # ValueError: a NUL character in the path
            reason = getattr(error, "strerror", None) or str(error)
            raise StoryError(f"cannot be read: {reason}", Location(name)) from None
        owned = True
    try:
        zipped = source.peek(2)[:2] == _GZIP_MAGIC
        yield cast(IO[bytes], gzip.GzipFile(fileobj=source)) if zipped else source
    finally:
        if owned:
            source.close()
        elif source is not sys.stdin.buffer:
            source.detach()  # standard input stays open: it is not ours to close


def read_lines(path: PathLike) -> Iterator[Line]:
    """The lines of a UTF-8 text as (number from 1, text without its line end), one at a time.

    Raises:
        StoryError: as ``open_binary``; also binary or damaged content and text that is not UTF-8, with its line.
    """
    name = display_name(path)
    number = 0
    try:
        with open_binary(path) as stream:
            for number, raw in enumerate(stream, 1):
                if number == 1:
                    if raw.startswith(_UTF16_MARKS):
                        raise StoryError("the text is UTF-16: save it as UTF-8", Location(name, 1))
                    raw = raw.removeprefix(b"\xef\xbb\xbf")
                if b"\0" in raw:
                    raise StoryError("a binary file, not text: give UTF-8 text or JSON", Location(name, number))
                try:
                    yield number, raw.decode("utf-8").rstrip("\r\n")
                except UnicodeDecodeError as error:
                    raise StoryError(
                        f"not UTF-8 text (byte 0x{raw[error.start]:02x} at offset {error.start} of the line): "
                        "save the file as UTF-8",
                        Location(name, number),
                    ) from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise StoryError(
            "the gzip data is damaged or cut short: fetch or make it again", Location(name, number + 1)
        ) from None
    except OSError as error:
        raise StoryError(f"cannot be read: {error.strerror or error}", Location(name, number + 1)) from None


def read_text(path: PathLike) -> Iterator[Line]:
    """The lines of a text that are not blank.

    Raises:
        StoryError: as ``read_lines``; also when there is none.
    """
    found = False
    for number, text in read_lines(path):
        if text.strip():
            found = True
            yield number, text
    if not found:
        raise StoryError("the file is empty", Location(display_name(path)))


def parse_json(text: str, location: Location) -> object:
    """One JSON value; ``location.line`` is the line its text begins on.

    Raises:
        StoryError: the text is not JSON; names the line and column.
    """
    try:
        return cast(object, json.loads(text))
    except json.JSONDecodeError as error:
        line = (location.line or 1) + error.lineno - 1
        raise StoryError(
            f"not valid JSON ({error.msg[:1].lower()}{error.msg[1:]}): check the brackets, quotes and commas here",
            Location(location.file, line, error.colno),
        ) from None
    except RecursionError:
        raise StoryError("the JSON is nested too deeply", location) from None
    except ValueError as error:  # a number of thousands of digits
        raise StoryError(f"not usable JSON: {str(error).partition(';')[0]}", location) from None


def json_values(path: PathLike, lines: Iterator[Line] | None = None) -> Iterator[tuple[Location, object]]:
    """The JSON values of a file with where each begins: one document, or a value a line (told apart by content).

    ``lines`` are the file's lines that are not blank, where the caller has begun to read them.

    Raises:
        StoryError: as ``read_text`` and ``parse_json``.
    """
    name = display_name(path)
    lines = read_text(path) if lines is None else lines
    number, first = next(lines)
    try:
        value = parse_json(first, Location(name, number))
    except StoryError as first_error:
        yield from _document(path, itertools.chain([(number, first)], lines), first_error)
        return
    yield Location(name, number), value
    for number, text in lines:
        yield Location(name, number), parse_json(text, Location(name, number))


def _document(path: PathLike, lines: Iterator[Line], first_error: StoryError) -> Iterator[tuple[Location, object]]:
    """A document over several lines; ``first_error`` is what is wrong with its first line taken alone."""
    name = display_name(path)
    numbers, texts = zip(*lines, strict=True)
    try:
        yield Location(name), parse_json("\n".join(texts), Location(name))
    except StoryError as error:
        if bare_name(path).endswith(".jsonl") or len(texts) == 1:
            raise first_error from None
        if error.location is None or error.location.line is None:
            raise
        # Blank lines were left out, so count among those that were kept.
        line = numbers[min(error.location.line, len(numbers)) - 1]
        raise StoryError(error.message, Location(name, line, error.location.column)) from None


def write_atomic(path: PathLike, content: bytes | str) -> None:
    """Write a whole file or leave the old one as it was: temporary file in the same folder, fsync, rename.

    A symbolic link is followed; a device or pipe (``/dev/stdout``) is written to directly.

    Raises:
        DisproofError: the file cannot be written.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode if target.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            with target.open("wb") as stream:
                stream.write(data)
            return
        _replace(target, data, _permissions(mode))
    except OSError as error:
        raise DisproofError(f"cannot be written: {error.strerror or error}", Location(os.fspath(path))) from None


def _permissions(mode: int | None) -> int:
    """What the written file may be read and written by: as before, else as any new file."""
    if mode is not None:
        return stat.S_IMODE(mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def _replace(target: Path, data: bytes, permissions: int) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:64]}.", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fchmod(stream.fileno(), permissions)
            os.fsync(stream.fileno())
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    folder = os.open(target.parent, os.O_RDONLY)  # the rename itself must reach the disk too
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
