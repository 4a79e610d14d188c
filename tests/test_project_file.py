"""The project file: where it is found, what it may say, and that the command line comes first."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from disproof.cli.project import KEYS, find_project
from disproof.symbolic.errors import UsageError

Run = Callable[..., Any]
RULE = (
    '%!rule {name}\n%!trace_rule {{"% is odd", E}}.\nconflict(I,J,{name},E,wet) :- mention(I,E), mention(J,E), I < J.\n'
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a rule file of its own and a folder below it; the tests stand in it."""
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "mine.lp").write_text(RULE.format(name="mine"))
    (tmp_path / "below" / "deeper").mkdir(parents=True)
    (tmp_path / "story.txt").write_text("Ann sat down.\nAnn stood up.\n")
    monkeypatch.delenv("DISPROOF_NO_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, text: str, name: str = "disproof.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def names(done: Any) -> list[str]:
    return [json.loads(line)["name"] for line in done.out.splitlines()]


# ---- Where it is found


def test_without_a_project_file_there_are_no_defaults(folder: Path) -> None:
    assert find_project(folder / "below").defaults == {}


def test_the_nearest_folder_decides(folder: Path) -> None:
    write(folder, 'format = "json"')
    assert find_project(folder / "below" / "deeper").defaults == {"format": "json"}
    near = write(folder / "below", 'model = "other"')
    found = find_project(folder / "below" / "deeper")
    assert (found.file, found.defaults) == (near, {"model": "other"})


def test_the_own_file_comes_before_pyproject(folder: Path) -> None:
    shared = write(folder, '[tool.disproof]\nformat = "json"\n', "pyproject.toml")
    assert find_project().file == shared
    own = write(folder, 'format = "text"\n')
    assert (find_project().file, find_project().defaults) == (own, {"format": "text"})


@pytest.mark.parametrize("text", ["[tool.other]\nx = 1\n", "[project]\nname = 'disproof'\n", "not toml [[", ""])
def test_a_pyproject_that_says_nothing_of_it_is_passed_over(text: str, folder: Path) -> None:
    above = write(folder, '[tool.disproof]\nformat = "json"\n', "pyproject.toml")
    write(folder / "below", text, "pyproject.toml")
    assert find_project(folder / "below").file == above


def test_the_repositorys_own_pyproject_says_nothing() -> None:
    assert find_project(Path(__file__).resolve().parent).defaults == {}


# ---- What it says


def test_paths_are_relative_to_the_file(folder: Path) -> None:
    write(folder, 'rules = ["rules/mine.lp"]\nmodel = "./runs/small"\n')
    assert find_project().defaults == {"rules": ["rules/mine.lp"], "model": "runs/small"}
    assert find_project(folder / "below").defaults == {"rules": ["../rules/mine.lp"], "model": "../runs/small"}


def test_a_shipped_model_is_called_by_its_name(folder: Path) -> None:
    write(folder, 'model = "small"')
    assert find_project(folder / "below").defaults == {"model": "small"}


def test_its_rules_are_used_by_every_command_that_takes_rules(
    folder: Path, command_line: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, 'rules = ["rules/mine.lp"]\nno-rule = ["state_clash"]\nformat = "json"\n')
    monkeypatch.chdir(folder / "below")
    listed = names(command_line("rules", "list"))
    assert "mine" in listed
    assert "state_clash" not in listed
    verdict = json.loads(command_line("explain", folder / "story.txt").out)
    assert verdict["conflict"]["rule"] == "mine"
    assert verdict["proof"]["file"] == "../rules/mine.lp"


def test_the_command_line_comes_first(folder: Path, command_line: Run) -> None:
    write(folder, 'no-rule = ["state_clash"]\nformat = "json"\n')
    assert command_line("rules", "list", "--format", "text").out.startswith("rule ")
    listed = names(command_line("rules", "list", "--no-rule", "name_clash"))
    assert "state_clash" in listed
    assert "name_clash" not in listed


def test_rules_of_the_command_line_are_added_after_those_of_the_file(folder: Path, command_line: Run) -> None:
    write(folder, 'rules = ["rules/mine.lp"]\nformat = "json"\n')
    (folder / "other.lp").write_text(RULE.format(name="other"))
    assert names(command_line("rules", "list", "--rules", "other.lp"))[-2:] == ["mine", "other"]
    # The later file wins where both have a rule of one name.
    (folder / "again.lp").write_text(RULE.format(name="mine"))
    done = command_line("rules", "show", "mine", "--rules", "again.lp")
    assert json.loads(done.out)["file"] == "again.lp"


def test_commands_without_an_option_are_not_given_it(folder: Path, command_line: Run) -> None:
    write(folder, 'rules = ["rules/mine.lp"]\nsystem = "symbolic"\n')
    assert command_line("rules", "check", "rules/mine.lp").status == 0
    assert command_line("states", folder / "story.txt").status == 0


def test_diff_shows_what_the_projects_rules_change(folder: Path, command_line: Run) -> None:
    write(folder, 'rules = ["rules/mine.lp"]\n')
    assert "by mine" in command_line("rules", "diff", "story.txt").out


# ---- Without it


@pytest.mark.parametrize("way", ["option", "environment"])
def test_it_can_be_left_out_of_account(
    way: str, folder: Path, command_line: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "nonsense = 1\n")
    if way == "environment":
        monkeypatch.setenv("DISPROOF_NO_CONFIG", "1")
    done = command_line(*(["--no-config"] if way == "option" else []), "rules", "list", "-f", "json")
    assert done.status == 0
    assert "mine" not in names(done)


def test_help_is_the_same_whatever_it_says(folder: Path, command_line: Run) -> None:
    plain = command_line("explain", "--help")
    write(folder, "nonsense = 1\n")
    assert command_line("explain", "--help") == plain
    assert command_line("--version").status == 0


# ---- What is wrong


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('ruels = ["x.lp"]', "the key 'ruels' is not known: did you mean 'rules'?"),
        ("no_rule = []", "did you mean 'no-rule'?"),
        ("colour = 1", f"the key 'colour' is not known: use one of {', '.join(KEYS)}"),
        ('rules = "x.lp"', "'rules' must be a list of strings"),
        ("rules = [1]", "'rules' must be a list of strings"),
        ('no-rule = [""]', "'no-rule' holds an empty name"),
        ("model = 3", "'model' must be a string"),
        ('format = "dot"', "'format' cannot be 'dot': use one of text, json"),
        ('format = "jsn"', "'format' cannot be 'jsn': did you mean 'json'?"),
        ('system = "symbolc"', "did you mean 'symbolic'?"),
        ("rules = [\n", "disproof.toml: not valid TOML"),
        ("x = 1\ny = = 2\n", "disproof.toml:2:5: not valid TOML"),
    ],
)
def test_what_is_wrong_in_it_is_one_line_that_names_file_and_key(
    text: str, said: str, folder: Path, command_line: Run
) -> None:
    write(folder, text)
    done = command_line("explain", folder / "story.txt")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("disproof: disproof.toml:")
    assert done.err.count("\n") == 1
    assert said in done.err


def test_a_table_of_pyproject_that_is_no_table_is_refused(folder: Path) -> None:
    write(folder, "[tool]\ndisproof = 1\n", "pyproject.toml")
    with pytest.raises(UsageError, match=r"pyproject.toml: 'tool.disproof' must be a table"):
        find_project()


def test_a_file_that_is_no_text_is_refused(folder: Path) -> None:
    (folder / "disproof.toml").write_bytes(b'model = "\xff"\n')
    with pytest.raises(UsageError, match="UTF-8"):
        find_project()


def test_its_rule_files_are_checked_like_any_other(folder: Path, command_line: Run) -> None:
    write(folder, 'rules = ["evil.lp"]\n')
    done = command_line("explain", folder / "story.txt")
    assert done.err == "disproof: evil.lp: there is no such rule file or folder\n"
    (folder / "evil.lp").write_text("#script (python)\nimport os\n#end.\n")
    done = command_line("explain", folder / "story.txt")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("disproof: evil.lp:1")
