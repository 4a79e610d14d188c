"""What is shipped: the wheel's and sdist's contents, editable installs, and constraints.txt."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path, PurePosixPath

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import disproof

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("cli", "neural", "symbolic", "rules", "bridge")
ROOT_FILES = {"__init__.py", "py.typed"}
# The kinds of file each folder may ship; another kind is a deliberate change here.
KINDS = {
    "bridge": {".py", ".json", ".html", ".css", ".js"},
    "cli": {".py"},
    "neural": {".py", ".json", ".safetensors", ".txt"},
    "rules": {".lp", ".json", ".txt", ".py", ".npz", ".gz"},
    "symbolic": {".py", ".json", ".tsv"},
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
# Torch's own requirements on machines with a GPU come with the build of torch, which constraints.txt leaves open.
GPU_PARTS = re.compile(r"nvidia-|cuda-|triton")


def package_files(root: Path) -> set[str]:
    """The files under ``root`` that are the package, but for caches and what an editor leaves."""
    found = {name for name in ROOT_FILES if (root / name).exists()}
    for layer in FOLDERS:
        for path in (root / layer).rglob("*"):
            if path.is_file() and path.suffix in KINDS[layer]:
                found.add(path.relative_to(root).as_posix())
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names in a wheel built from this tree."""
    return build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked sdist of this tree."""
    folder = tmp_path_factory.mktemp("sdist")
    (archive,) = SdistBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return folder / "disproof-0.1.0"


def build_wheel(root: Path, folder: Path) -> set[str]:
    (path,) = WheelBuilder(str(root)).build(directory=str(folder), versions=["standard"])
    with zipfile.ZipFile(path) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_the_package_and_nothing_else(wheel: set[str]) -> None:
    shipped = {name for name in wheel if not name.startswith("disproof-0.1.0.dist-info/")}
    assert shipped == {f"disproof/{name}" for name in package_files(ROOT)}


@pytest.mark.parametrize(
    "name",
    [
        "__init__.py",
        "cli/__init__.py",
        "py.typed",
        "bridge/__init__.py",
        "bridge/comparison_page.html",
        "bridge/page.css",
        "bridge/page.html",
        "bridge/page.js",
        "bridge/page_macros.html",
        "bridge/piqa_comparison_page.html",
        "neural/__init__.py",
        "symbolic/vocabulary.py",
    ],
)
def test_the_wheel_has_the_file(wheel: set[str], name: str) -> None:
    assert f"disproof/{name}" in wheel


def test_the_wheel_has_rules_and_trained_weights(wheel: set[str]) -> None:
    kinds = {(PurePosixPath(name).parts[1], PurePosixPath(name).suffix) for name in wheel}
    assert ("rules", ".lp") in kinds
    assert ("neural", ".safetensors") in kinds


def test_no_weights_file_is_as_large_as_a_code_host_refuses() -> None:
    large = [path.name for path in (ROOT / "neural").rglob("*.safetensors") if path.stat().st_size >= 50_000_000]
    assert large == []


def test_the_wheel_states_its_licence_and_its_command(tmp_path: Path) -> None:
    (path,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(path) as archive:
        info = "disproof-0.1.0.dist-info/"
        assert archive.read(info + "entry_points.txt").decode().split("\n")[1] == "disproof = disproof.cli:main"
        assert archive.read(info + "licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
        described = archive.read(info + "METADATA").decode()
    assert "\nLicense-Expression: Apache-2.0\n" in described
    assert "\nRequires-Python: >=3.11\n" in described


def test_the_sdist_holds_what_is_needed_to_build_test_and_check(sdist: Path) -> None:
    needed = "README.md CONTRIBUTING.md CHANGELOG.md LICENSE Makefile constraints.txt hatch_build.py pyproject.toml"
    for name in (*needed.split(), ".ci/run", "examples/phone.txt", "tests/conftest.py", "tests/test_packaging.py"):
        assert (sdist / name).is_file(), name
    assert package_files(sdist) == package_files(ROOT)


def test_the_sdist_holds_no_caches_and_no_links(sdist: Path) -> None:
    unwanted = re.compile(r"__pycache__|\.pyc$|_cache/|\.editable|\.venv|\.hypothesis|\.git/")
    assert [str(path) for path in sdist.rglob("*") if unwanted.search(path.as_posix()) or path.is_symlink()] == []


def test_the_wheel_built_from_the_sdist_is_the_wheel_built_from_the_tree(
    sdist: Path, wheel: set[str], tmp_path: Path
) -> None:
    assert build_wheel(sdist, tmp_path) == wheel


def test_an_editable_install_imports_the_files_of_the_tree(sdist: Path, tmp_path: Path) -> None:
    tree = tmp_path / "a tree with another name"
    shutil.copytree(sdist, tree, ignore=shutil.ignore_patterns("*.safetensors"))
    for _ in range(2):  # installing again over the links of the first time works too
        (path,) = WheelBuilder(str(tree)).build(directory=str(tmp_path), versions=["editable"])
    with zipfile.ZipFile(path) as archive:
        folder = archive.read("_disproof.pth").decode().strip()
    code = "import disproof.symbolic.vocabulary as module; print(module.__file__)"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={**os.environ, "PYTHONPATH": folder},
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(done.stdout.strip()).resolve() == tree.resolve() / "symbolic" / "vocabulary.py"


@pytest.mark.skipif("DISPROOF_INSTALLED" not in os.environ, reason="DISPROOF_INSTALLED=1 says a wheel is under test")
def test_the_package_under_test_is_the_installed_one() -> None:
    where = Path(str(disproof.__file__)).resolve()
    assert "site-packages" in where.parts
    assert not where.is_relative_to(ROOT)


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def requirements() -> Iterator[Requirement]:
    extras = PROJECT["optional-dependencies"].values()
    yield from map(Requirement, [*PROJECT["dependencies"], *(line for extra in extras for line in extra)])


def test_every_dependency_is_pinned_to_a_version_that_its_range_allows() -> None:
    pinned = pins()
    wrong = [str(r) for r in requirements() if not r.specifier.contains(pinned.get(canonicalize_name(r.name), "0"))]
    assert wrong == []


def test_every_dependency_of_a_dependency_is_pinned() -> None:
    pinned, unpinned, seen = pins(), set(), set[str]()
    queue = [(r.name, r.extras) for r in requirements()]
    while queue:
        name, extras = queue.pop()
        key = canonicalize_name(name)
        if key in seen or GPU_PARTS.match(key):
            continue
        seen.add(key)
        if key not in pinned:
            unpinned.add(key)
        try:
            lines = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue  # of an extra that is not installed here
        for line in lines:
            needed = Requirement(line)
            if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
                queue.append((needed.name, needed.extras))
    assert unpinned == set()
