"""Where results go: standard output, a file, or a folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.text import Text

from disproof.bridge.output import Output, progress
from disproof.symbolic.errors import DisproofError


def test_documents_go_to_standard_output_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(None, "x.json")
    output.write('{"a": "é"}\n')
    output.write("b\n")
    output.close()
    assert capsys.readouterr().out == '{"a": "é"}\nb\n'


def test_pages_are_plain_where_they_are_piped_and_an_empty_line_apart(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(None, "x.txt")
    output.show(Text("red", "bold red"))
    output.show(Text("blue", "blue"))
    assert capsys.readouterr().out == "red\n\nblue\n"


def test_a_file_is_written_only_when_all_is_there(tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    output = Output(file, "x.txt")
    output.write("a\n")
    assert not file.exists()
    output.show(Text("b"))
    output.close()
    assert file.read_text("utf-8") == "a\n\nb\n"


def test_in_a_folder_the_file_has_the_commands_name(tmp_path: Path) -> None:
    output = Output(tmp_path, "explain.json")
    output.write("a\n")
    output.close()
    assert (tmp_path / "explain.json").read_text("utf-8") == "a\n"


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    output = Output(tmp_path / "no" / "such.txt", "x.txt")
    with pytest.raises(DisproofError, match=r"such\.txt: cannot be written"):
        output.close()


def test_the_width_of_what_is_piped_can_be_set(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    Output(None, "x.txt").show(Text("word " * 10))
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 20


def test_progress_goes_to_standard_error_with_a_rate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # makes rich take standard error for a terminal
    monkeypatch.setenv("COLUMNS", "100")
    with progress("evaluating") as report:
        report(1, 2)
        report(2, 2)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "evaluating" in captured.err
    assert "2/2" in captured.err
    assert "/s" in captured.err


def test_progress_is_silent_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("evaluating") as report:
        report(1, 2)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")
