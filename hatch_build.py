"""Build hook: the repository root is the package, so an editable install needs a folder that is called `disproof`.

It makes `.editable/disproof/` with a link to each file and folder of the wheel; `python hatch_build.py` does the same
without an install, for the type checker.
"""

import shutil
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def link_package(root: Path) -> None:
    """Makes `.editable/disproof/` under ``root`` mirror the wheel, with no links left over from earlier layouts."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    names = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    package = root / ".editable" / "disproof"
    package.mkdir(parents=True, exist_ok=True)
    for entry in package.iterdir():
        if entry.is_symlink():
            entry.unlink()
        else:  # the caches of an interpreter that imported the package from here
            shutil.rmtree(entry)
    for name in names:
        (package / name).symlink_to(Path("..", "..", name))


class EditableLinks(BuildHookInterface[Any]):
    """Runs before hatchling builds; only editable wheels need the links."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Hatchling's hook: ``version`` is "editable" or "standard"."""
        if version == "editable":
            link_package(Path(self.root))


if __name__ == "__main__":
    link_package(Path(__file__).resolve().parent)
