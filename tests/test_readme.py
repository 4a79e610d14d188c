"""The README's examples, run as they stand."""

from __future__ import annotations

import importlib.util
import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def commands() -> list[tuple[str, str]]:
    """Every ``$ disproof ...`` of the console blocks, with the output that the README shows below it."""
    found = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            command = command.split("#")[0].strip()
            if command.startswith("disproof"):
                found.append((command, output.strip()))
    return found


def run(command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    from disproof import cli

    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    status = cli.run(shlex.split(command)[1:])
    return status, capsys.readouterr().out.strip()


@pytest.mark.parametrize(("command", "shown"), commands(), ids=[command for command, _ in commands()])
def test_a_command_runs_and_prints_what_the_readme_shows(
    command: str, shown: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    status, out = run(command, capsys, monkeypatch)
    assert status == 0
    if shown:
        assert [line.rstrip() for line in out.splitlines()] == [line.rstrip() for line in shown.splitlines()]


def test_the_readmes_rule_is_the_examples_file_and_changes_the_verdict(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (rule,) = blocks("prolog")
    assert rule.strip() in (ROOT / "examples" / "dog.lp").read_text("utf-8")
    _, before = run("disproof explain examples/dog.txt", capsys, monkeypatch)
    assert "Plausible" in before
    _, after = run("disproof explain examples/dog.txt --rules examples/dog.lp", capsys, monkeypatch)
    assert "Implausible" in after
    assert "no_chocolate_for_dogs" in after


def test_the_python_example_finds_the_burned_letter(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = blocks("python")
    exec(compile(code, "README.md", "exec"), {})
    out = capsys.readouterr().out
    assert out.startswith("False (1, 3) proof\n")
    assert "'letter'.exist" in out


def test_the_figures_of_the_pages_are_those_of_the_weights_files() -> None:
    # By its file: tests/bench holds programs, not modules of the package.
    spec = importlib.util.spec_from_file_location("figures", ROOT / "tests" / "bench" / "figures.py")
    assert spec is not None
    assert spec.loader is not None
    figures = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(figures)
    card = (ROOT / "docs" / "model-card.md").read_text("utf-8")
    for row in (*figures.readme_rows(), *figures.piqa_rows()):
        assert row in README
    for model in figures.MODELS:
        for row in (*figures.card_rows(model), *figures.reliability_rows(model), *figures.twins_rows(model)):
            assert row in card
    for row in figures.piqa_rows():
        assert row in card
