"""The project file: defaults for options, from ``disproof.toml`` or ``[tool.disproof]`` of a ``pyproject.toml``.

It is looked for in the current folder and then in each folder above it; the first folder that has one decides, and
there ``disproof.toml`` comes before ``pyproject.toml``. It can only name what the command line can: rule files are
checked like any other. ::

    rules = ["rules/kitchen.lp"]     # relative to this file; those of the command line are added after them
    no-rule = ["taken_twice"]
    model = "small"                  # a shipped model, or a folder relative to this file, such as "./runs/small"
    system = "symbolic"
    format = "json"
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ..symbolic.errors import Location, UsageError, did_you_mean

OWN_FILE: Final = "disproof.toml"
SHARED_FILE: Final = "pyproject.toml"
MAX_BYTES: Final = 1_000_000

KEYS: Final = ("rules", "no-rule", "model", "system", "format")
_LISTS: Final = ("rules", "no-rule")
# What every command that has the option takes.
_CHOICES: Final = {"system": ("neurosymbolic", "symbolic"), "format": ("text", "json")}
_PLACE: Final = re.compile(r"\(at line (\d+), column (\d+)\)")


@dataclass(frozen=True)
class Project:
    """The defaults of one project file by the name of the parameter; ``file`` is None where there is none."""

    file: Path | None = None
    defaults: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rules(self) -> tuple[str, ...]:
        """The rule files that it names."""
        return tuple(self.defaults.get("rules", ()))

    def default_map(self, command: Any) -> dict[str, Any]:
        """The defaults for a command and those below it, as typer takes them: by command, then by parameter."""
        found: dict[str, Any] = {
            name: self.default_map(below) for name, below in getattr(command, "commands", {}).items()
        }
        for parameter in command.params:
            if parameter.name in self.defaults and f"--{parameter.name.replace('_', '-')}" in parameter.opts:
                found[parameter.name] = self.defaults[parameter.name]
        return found


def find_project(start: Path | None = None) -> Project:
    """The project file of a folder (None: the current one), its own or that of the nearest folder above it.

    A ``pyproject.toml`` that says nothing of this program is passed over.

    Raises:
        UsageError: the file cannot be read, or a key or value in it is wrong.
    """
    try:
        folder = Path.cwd() if start is None else start.resolve()
    except OSError:  # the current folder was removed
        return Project()
    for here in (folder, *folder.parents):
        for name in (OWN_FILE, SHARED_FILE):
            table = _table(here / name)
            if table is not None:
                return Project(here / name, _checked(table, here / name, folder))
    return Project()


def _table(file: Path) -> Mapping[str, Any] | None:
    """The program's part of a file; None where the file is not there or has none."""
    try:
        if not file.is_file():
            return None
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        if file.name == SHARED_FILE:  # whatever is wrong there need not be this program's
            return None
        raise UsageError(f"cannot be read: {error.strerror or error}", _shown(file)) from None
    shared = file.name == SHARED_FILE
    if shared and b"disproof" not in data:
        return None
    if len(data) > MAX_BYTES:
        raise UsageError(f"has more than {MAX_BYTES:,} bytes: this is no project file", _shown(file))
    import tomllib

    try:
        document = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise UsageError("is not UTF-8 text: save it as UTF-8", _shown(file)) from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        place = _PLACE.search(str(error))
        what = _PLACE.sub("", str(error)).strip()
        where = Location(_shown(file).file, int(place[1]), int(place[2])) if place else _shown(file)
        raise UsageError(f"not valid TOML ({what[:1].lower()}{what[1:]})", where) from None
    if not shared:
        return document
    tool = document.get("tool")
    table = tool.get("disproof") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise UsageError("'tool.disproof' must be a table: write [tool.disproof] above the keys", _shown(file))
    return table


def _checked(table: Mapping[str, Any], file: Path, start: Path) -> dict[str, Any]:
    """The values by the name of the parameter, with paths as they are from ``start``."""
    found: dict[str, Any] = {}
    for key, value in table.items():
        if key not in KEYS:
            hint = did_you_mean(key, KEYS, f": use one of {', '.join(KEYS)}")
            raise UsageError(f"the key '{key[:60]}' is not known{hint}", _shown(file))
        _check_type(key, value, file)
        if key == "rules":
            value = [_from(start, file, path) for path in value]
        elif key == "model" and ("/" in value or os.sep in value):
            value = _from(start, file, value)
        found[key.replace("-", "_")] = value
    return found


def _check_type(key: str, value: object, file: Path) -> None:
    if key in _LISTS:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            example = '["my_rules.lp"]' if key == "rules" else '["state_clash"]'
            raise UsageError(f"'{key}' must be a list of strings, such as {example}", _shown(file))
        if not all(item and "\0" not in item for item in value):
            raise UsageError(f"'{key}' holds an empty name: remove it", _shown(file))
        return
    if not isinstance(value, str) or not value:
        raise UsageError(f"'{key}' must be a string in quotes", _shown(file))
    choices = _CHOICES.get(key)
    if choices is not None and value not in choices:
        hint = did_you_mean(value, choices, f": use one of {', '.join(choices)}")
        raise UsageError(f"'{key}' cannot be '{value[:60]}'{hint}", _shown(file))


def _from(start: Path, file: Path, path: str) -> str:
    """A path that a file gives relative to itself, as it is from another folder."""
    return os.path.relpath(file.parent / Path(path).expanduser(), start)


def _shown(file: Path) -> Location:
    """The file by a name that is short where it is near."""
    try:
        near = os.path.relpath(file)
    except (OSError, ValueError):
        return Location(str(file))
    return Location(str(file) if near.startswith(f"..{os.sep}..") else near)
