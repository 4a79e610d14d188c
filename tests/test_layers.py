"""Imports go one way: cli -> bridge -> {neural, symbolic}, and what is slow to import waits until it is used."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import disproof

PACKAGE = Path(str(disproof.__file__)).parent
LAYERS = ("neural", "symbolic", "bridge")
HEAVY = {"torch", "transformers", "spacy", "sentence_transformers"}
# What each may import besides itself; `cli` and the package's root, above them all, may import anything. What `neural`
# may know of `symbolic` is how a story, its states and its parse are written down, and how a user's error is told.
MAY_IMPORT = {
    "symbolic": set[str](),
    "neural": {f"symbolic.{module}" for module in ("errors", "vocabulary", "story", "parse", "aliases")},
    "bridge": {"neural", "symbolic"},
}


def imports(source: str, module: str) -> Iterator[tuple[str, int]]:
    """Every module that ``source`` imports anywhere in it, as a full name and line; ``module`` is its own name.

    `from package import name` counts as `package.name`, since the name may be a module.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join(module.split(".")[: -node.level] + ([node.module] if node.module else []))
            for alias in node.names:
                yield f"{base}.{alias.name}", node.lineno


def is_within(name: str, allowed: str) -> bool:
    return name == allowed or name.startswith(f"{allowed}.")


def violations(source: str, module: str) -> list[str]:
    """Lines of ``source`` that break the order of the layers; ``module`` such as "disproof.bridge.verdict"."""
    layer = module.split(".")[1]
    found = []
    for name, line in imports(source, module):
        if layer == "symbolic" and name.split(".")[0] in HEAVY:
            found.append(f"{module}:{line}: {name}")
        if is_within(name, "disproof") and not any(
            is_within(name, f"disproof.{part}") for part in {layer} | MAY_IMPORT[layer]
        ):
            found.append(f"{module}:{line}: {name}")
    return found


def modules(layer: str) -> Iterator[tuple[str, Path]]:
    for path in sorted((PACKAGE / layer).rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        # A package's own name keeps "__init__", so that a relative import in it starts from the right place.
        yield ".".join(("disproof", *parts)), path


@pytest.mark.parametrize("layer", LAYERS)
def test_every_module_of_a_layer_imports_only_what_lies_below_it(layer: str) -> None:
    found = list(modules(layer))
    assert found, f"no modules in {PACKAGE / layer}"
    assert [bad for module, path in found for bad in violations(path.read_text("utf-8"), module)] == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("disproof.symbolic.facts", "from ..neural import parser"),
        ("disproof.symbolic.facts", "from ..neural.parser import Parser"),
        ("disproof.symbolic.facts", "from .. import bridge"),
        ("disproof.symbolic.facts", "import disproof.neural.parser"),
        ("disproof.symbolic.facts", "def f():\n    import torch"),
        ("disproof.symbolic.__init__", "from ..bridge import verdict"),
        ("disproof.neural.tagger", "from ..symbolic import solver"),
        ("disproof.neural.tagger", "from ..symbolic.solver import solve"),
        ("disproof.neural.tagger", "from ..bridge.verdict import Verdict"),
        ("disproof.bridge.verdict", "from ..cli import main"),
        ("disproof.bridge.verdict", "from .. import explain"),
    ],
)
def test_an_import_upwards_is_found(module: str, source: str) -> None:
    assert len(violations(source, module)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("disproof.symbolic.facts", "from . import story\nfrom .parse import Parse\nimport clingo"),
        (
            "disproof.neural.tagger",
            "import torch\nfrom ..symbolic import story\nfrom ..symbolic.errors import ModelError",
        ),
        ("disproof.bridge.verdict", "from ..neural.tagger import Tagger\nfrom ..symbolic import solver"),
        ("disproof.bridge.verdict", "from disproof.symbolic.story import Story\nfrom . import rendering"),
    ],
)
def test_an_import_downwards_is_allowed(module: str, source: str) -> None:
    assert violations(source, module) == []


def test_importing_the_command_line_loads_neither_torch_nor_transformers_nor_spacy() -> None:
    code = f"import sys, disproof, disproof.cli; print(*sorted({HEAVY!r} & set(sys.modules)))"
    # -P: not even the folder this runs in may stand in for the package.
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")


@pytest.mark.parametrize("layer", LAYERS)
def test_no_layer_can_be_imported_without_the_name_of_the_package(layer: str) -> None:
    code = f"import {layer}"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert "ModuleNotFoundError" in done.stderr
