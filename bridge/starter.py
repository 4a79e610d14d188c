"""The first rule file of a user's own, written where they want to begin."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..symbolic.errors import Location, UsageError
from ..symbolic.rulebook import SHIPPED
from .files import write_atomic

# Not among the shipped rules themselves: only the files directly in their folder are loaded.
STARTER: Final = SHIPPED / "start" / "my_rules.lp"


def write_starter(folder: Path) -> Path:
    """Write the starting pack into a folder, which is made where there is none; the file written.

    Raises:
        UsageError: the folder holds rule files already, or is no folder, or cannot be made.
        DisproofError: the file cannot be written.
    """
    at = Location(str(folder))
    try:
        if folder.is_dir():
            there = sorted(path.name for path in folder.glob("*.lp"))
            if there:
                raise UsageError(f"the folder holds rule files already ({there[0]}): give a new folder", at)
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise UsageError("this is a file: give a folder", at) from None
    except (OSError, ValueError) as error:
        raise UsageError(f"the folder cannot be made: {getattr(error, 'strerror', None) or error}", at) from None
    file = folder / STARTER.name
    write_atomic(file, STARTER.read_bytes())
    return file
