"""The starting pack is written whole, never over rule files, and is good by the project's own checks."""

from __future__ import annotations

from pathlib import Path

import pytest

from disproof.bridge.starter import STARTER, write_starter
from disproof.symbolic.check import check
from disproof.symbolic.errors import UsageError
from disproof.symbolic.rulebook import load


def test_it_is_written_into_a_folder_that_is_made(tmp_path: Path) -> None:
    file = write_starter(tmp_path / "deep" / "er")
    assert file == tmp_path / "deep" / "er" / "my_rules.lp"
    assert file.read_bytes() == STARTER.read_bytes()
    assert [p.name for p in file.parent.iterdir()] == [file.name]


def test_a_folder_with_other_files_is_used(tmp_path: Path) -> None:
    (tmp_path / "story.txt").write_text("Ann sat.\n")
    assert write_starter(tmp_path).is_file()


def test_a_folder_that_holds_rule_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "own.lp").write_text("a.\n")
    with pytest.raises(UsageError, match=r"holds rule files already \(own.lp\)"):
        write_starter(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["own.lp"]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for path, says in ((file, "this is a file"), (file / "in", "cannot be made"), (Path("\0"), "cannot be made")):
        with pytest.raises(UsageError, match=says):
            write_starter(path)


def test_it_has_nothing_to_find_fault_with_and_each_rule_has_both_kinds_of_example(tmp_path: Path) -> None:
    file = write_starter(tmp_path)
    assert check([file]) == []
    shipped = set(load().names)
    book = load([file])
    named = [name for name in book.names if book.named(name)[0].named]
    assert len(named) >= 2
    assert not shipped.intersection(named)
    for name in named:
        assert {e.fires for rule in book.named(name) for e in rule.examples} == {True, False}
        assert any(rule.unless for rule in book.named(name))
