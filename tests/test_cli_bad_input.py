"""Whatever a file holds, the command line gives one line and exit 2, or a right answer: never a traceback."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

Run = Callable[..., Any]
FUZZ = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
SENTENCES = ["Tom took the cup.", "Tom filled the cup with water.", "Tom drank the water."]


def assert_one_line_or_answer(done: Any) -> None:
    """The promise of the command line: exit 0 and a verdict a line, or exit 2 and one line that names the input."""
    assert done.status in (0, 2), done
    if done.status == 2:
        assert done.err.startswith("disproof: "), done.err
        assert done.err.count("\n") == 1, done.err
        assert done.err.strip().isprintable(), done.err
        return
    assert done.err == ""
    for line in done.out.splitlines():
        verdict = json.loads(line)
        assert len(verdict["sentences"]) >= 2
        pair = verdict["conflict"]
        assert (pair is None) == verdict["plausible"] or verdict["basis"] == "neural prior"
        if pair is not None:
            assert 0 <= pair["evidence"] < pair["breakpoint"] < len(verdict["sentences"])


def explained(command_line: Run, content: bytes, *options: str) -> Any:
    return command_line("explain", "--format", "json", *options, "-", stdin=content)


# ---- Known bad files

STORY = {"sentences": SENTENCES}
BAD: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "empty"),
    "blank lines": (b"\n \n\t\n", "empty"),
    "one sentence": (b"Tom took the cup.\n", "one sentence"),
    "binary": (bytes(range(256)), "standard input:"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "standard input:"),
    "not UTF-8": ("Tom a mangé.\nTom est là.\n".encode("latin-1"), "standard input:1: not UTF-8"),
    "UTF-16": ("Tom ate.\nTom sat.\n".encode("utf-16"), "UTF-16"),
    "damaged gzip": (gzip.compress(b"Tom ate.\nTom sat.\n")[:-9], "gzip"),
    "unbalanced": (b'{"sentences": ["a", "b"', "not valid JSON"),
    "unbalanced later": (b'{\n  "sentences": [\n    "a",\n    "b"\n}\n', "standard input:5"),
    "a number": (b'{"sentences": 3}', '"sentences" must be a list'),
    "numbers": (b'{"sentences": ["a", 3]}', '"sentences[1]" must be a string'),
    "no sentences": (b'{"text": "Tom ate."}', '"sentences" is missing'),
    "an empty list of sentences": (b'{"sentences": []}', "no sentences"),
    "an empty sentence": (b'{"sentences": ["a", " "]}', "sentence 2 is empty"),
    "an empty list": (b"[]", "empty list"),
    "a list of bad stories": (b'[{"sentences": 1}]', "story 1: "),
    "an entity of 10,000 characters": (
        json.dumps({**STORY, "entities": ["x" * 10_000]}).encode(),
        "10,000 characters",
    ),
    "an entity twice": (json.dumps({**STORY, "entities": ["cup", "cup"]}).encode(), "twice"),
    "an empty entity": (json.dumps({**STORY, "entities": [""]}).encode(), "entity 1"),
    "a NUL in a name": (json.dumps({**STORY, "entities": ["a\0b"]}).encode(), "NUL"),
    "half a surrogate": (b'{"sentences": ["a", "\\ud800"]}', "surrogate"),
    "201 sentences": (b"Tom sat down.\n" * 201, "201 sentences"),
    "a sentence of 20,000 characters": (b"Tom sat.\n" + b"x" * 20_000 + b".\n", "standard input:2"),
    "nested deeply": (b"[" * 100_000, "JSON"),
    "a huge number": (b'{"sentences": ' + b"9" * 5000 + b"}", "standard input"),
    "a pair of stories": (json.dumps({"stories": [STORY, STORY]}).encode(), "choose"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_told_in_one_line_that_says_what_is_wrong(name: str, command_line: Run) -> None:
    content, said = BAD[name]
    done = explained(command_line, content)
    assert_one_line_or_answer(done)
    assert done.status == 2
    assert said in done.err


@pytest.mark.parametrize("command", ["explain", "states", "facts", "choose", "evaluate"])
def test_every_command_that_reads_refuses_a_bad_file_alike(command: str, tmp_path: Path, command_line: Run) -> None:
    file = tmp_path / "bad.json"
    file.write_bytes(b'{"sentences": ["a", "b"')
    arguments = ("evaluate", "trip", file) if command == "evaluate" else (command, file)
    done = command_line(*arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"disproof: {file}:1:")
    assert done.err.count("\n") == 1


def test_a_folder_is_told_to_be_one(tmp_path: Path, command_line: Run) -> None:
    assert command_line("explain", tmp_path).err == f"disproof: {tmp_path}: is a folder: give a file in it\n"


def test_a_bad_story_after_good_ones_names_its_line_and_keeps_what_was_said(tmp_path: Path, command_line: Run) -> None:
    file = tmp_path / "stories.jsonl"
    file.write_text(json.dumps(STORY) + "\n" + json.dumps({"sentences": "none"}) + "\n")
    done = command_line("explain", "-f", "json", file)
    assert done.status == 2
    assert done.out.count("\n") == 1
    assert done.err.startswith(f"disproof: {file}:2: ")


# ---- Odd stories that have an answer


def test_200_sentences_are_explained(command_line: Run) -> None:
    text = "".join(f"Tom put book {k} on the shelf.\n" for k in range(199)) + "Tom read the book.\n"
    done = explained(command_line, text.encode())
    assert done.status == 0
    assert len(json.loads(done.out)["sentences"]) == 200


def test_quotes_newlines_and_any_script_survive_in_names(command_line: Run) -> None:
    names = ['the "best" cup', "a\nb", "back\\slash", "茶碗", "%cup", "X", "not", "cup, the"]
    sentences = [f"Tom took {name} home." for name in names]
    done = explained(command_line, json.dumps({"sentences": sentences, "entities": names}).encode())
    assert done.status == 0
    verdict = json.loads(done.out)
    assert (verdict["sentences"], verdict["entities"]) == (sentences, names)


@pytest.mark.parametrize(
    "text",
    [
        "Tom a débranché le téléphone.\nTom a appelé sa sœur.\n",
        "湯姆拔掉了電話。\n湯姆打電話給他的妹妹。\n",
        "توم فصل الهاتف.\nتوم اتصل بأخته.\n",
        "🙂🙂🙂\n🙂 🙂\n",
        "12 34 56\n78 90\n",
        "....\n!!!!\n",
        "a\r\nb\r\n",
    ],
)
def test_a_story_in_another_language_or_none_gets_an_answer(text: str, command_line: Run) -> None:
    done = explained(command_line, text.encode())
    assert_one_line_or_answer(done)
    assert done.status == 0
    assert command_line("explain", "-", stdin=text.encode()).status == 0


# ---- Fuzzing

ANY_TEXT = st.text(max_size=40)
WORDS = st.sampled_from(
    "Tom Maria the a cup phone knife unplugged broke threw away used in not % \" ' , . \\ \n :- #".split(" ")
)
SENTENCE = st.one_of(ANY_TEXT, st.lists(WORDS, max_size=9).map(" ".join))
JSON_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=8,
)


@FUZZ
@given(content=st.binary(max_size=200))
@example(content=b"\x1f\x8b")
@example(content=b"\xef\xbb\xbf")
@example(content=b"{")
def test_any_bytes(content: bytes, command_line: Run) -> None:
    assert_one_line_or_answer(explained(command_line, content))


@FUZZ
@given(text=st.lists(SENTENCE, max_size=6).map("\n".join))
def test_any_text(text: str, command_line: Run) -> None:
    assert_one_line_or_answer(explained(command_line, text.encode("utf-8", "surrogatepass")))


@FUZZ
@given(value=JSON_VALUE | st.fixed_dictionaries({"sentences": JSON_VALUE, "entities": JSON_VALUE}))
def test_any_json(value: object, command_line: Run) -> None:
    assert_one_line_or_answer(explained(command_line, json.dumps(value).encode()))


@FUZZ
@given(
    story=st.fixed_dictionaries(
        {
            "sentences": st.lists(SENTENCE, min_size=2, max_size=5),
            "entities": st.none() | st.lists(SENTENCE, max_size=4),
        }
    )
)
def test_any_story_that_has_the_right_shape(story: dict[str, Any], command_line: Run) -> None:
    done = explained(command_line, json.dumps(story).encode())
    assert_one_line_or_answer(done)
    if done.status == 0:
        assert json.loads(done.out)["sentences"] == story["sentences"]
        page = command_line("explain", "-", stdin=json.dumps(story).encode())
        assert page.status == 0
        assert all(character.isprintable() or character in "\n\u200c\u200d" for character in page.out)


@FUZZ
@given(
    content=st.text(max_size=60)
    | st.lists(
        st.sampled_from(
            [
                "conflict(I,J,r,E,power)",
                ":-",
                "sentence(I)",
                ",",
                "not",
                ".",
                "#include",
                "@f(X)",
                '"',
                "{",
                "%!rule",
                "\n",
                "1..9",
            ]
        ),
        max_size=12,
    ).map(" ".join)
)
def test_any_rule_file(content: str, command_line: Run, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("rules") / "fuzz.lp"
    file.write_bytes(content.encode("utf-8", "surrogatepass"))
    checked = command_line("rules", "check", file)
    assert checked.status in (0, 2)
    assert checked.err == ""
    used = explained(command_line, "\n".join(SENTENCES).encode(), "--rules", str(file))
    assert_one_line_or_answer(used)
    if checked.status == 0:
        assert used.status == 0, used.err


@FUZZ
@given(
    arguments=st.lists(
        st.sampled_from(
            [
                "explain",
                "choose",
                "rules",
                "show",
                "-",
                "--format",
                "json",
                "--limit",
                "-1",
                "--rules",
                "",
                "x\n",
                "--no-rule",
                "é",
            ]
        )
        | st.text(max_size=8),
        max_size=5,
    )
)
def test_any_arguments(arguments: list[str], command_line: Run) -> None:
    if any("\0" in argument or not argument.isprintable() for argument in arguments):
        arguments = [repr(argument) for argument in arguments]
    done = command_line(*arguments, stdin="\n".join(SENTENCES).encode())
    assert done.status in (0, 2)
    assert "Traceback" not in done.err
