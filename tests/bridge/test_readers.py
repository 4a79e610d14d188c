"""Readers: every shape in, the same stories out; every bad file one line that says where and what to do."""

from __future__ import annotations

import copy
import gzip
import io
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disproof.bridge.piqa_data import PiqaItem
from disproof.bridge.readers import make_story, read_pair, read_pairs, read_piqa, read_stories
from disproof.bridge.trip import gold_conflict
from disproof.symbolic.errors import StoryError
from disproof.symbolic.story import Story
from disproof.symbolic.vocabulary import ATTRIBUTE, EFFECT, N_ATTRIBUTES, PRECONDITION

TWO = ["Ann drops the cup.", "Ann drinks from the cup."]


def write(path: Path, content: bytes | str | object) -> Path:
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def refusal(act: Any) -> str:
    """The one line that an error prints."""
    with pytest.raises(StoryError) as caught:
        act()
    line = str(caught.value)
    assert "\n" not in line
    assert len(line) < 500
    return line


def stories_refusal(tmp_path: Path, content: bytes | str | object, name: str = "story.json") -> str:
    path = write(tmp_path / name, content)
    line = refusal(lambda: list(read_stories(path)))
    assert line.startswith(str(path))
    return line.removeprefix(str(path))


# A user's own stories


def test_text_is_a_sentence_a_line_and_blank_lines_do_not_count(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "\ufeffAnn drops  the cup.\r\n\r\n  Ann drinks from the cup.\n")
    [story] = read_stories(path)
    assert story.sentences == tuple(TWO)
    assert (story.entities, story.id, story.gold) == (None, "", None)


@pytest.mark.parametrize(
    "text",
    ["Ann drops the cup. Ann drinks from the cup.", "Ann drops the cup. Ann drinks\nfrom the cup.\n"],
    ids=["one line", "wrapped"],
)
def test_prose_is_cut_by_the_callers_function(tmp_path: Path, text: str) -> None:
    [story] = read_stories(write(tmp_path / "a.txt", text), split=lambda prose: prose.replace(". ", ".|").split("|"))
    assert story.sentences == tuple(TWO)


@pytest.mark.parametrize("text", ["Mr. Lee fell.\nHe got up.", "ann drops the cup\nann drinks from it"])
def test_lines_that_are_sentences_are_never_cut(tmp_path: Path, text: str) -> None:
    def never(prose: str) -> list[str]:
        raise AssertionError(prose)

    [story] = read_stories(write(tmp_path / "a.txt", text), split=never)
    assert list(story.sentences) == text.split("\n")


@pytest.mark.parametrize("name", ["a.json", "a.txt", "a"])
@pytest.mark.parametrize("indent", [None, 2])
def test_json_is_known_by_its_content(tmp_path: Path, name: str, indent: int | None) -> None:
    text = json.dumps({"sentences": TWO, "entities": ["Ann", "cup"], "id": 7, "title": "x"}, indent=indent)
    [story] = read_stories(write(tmp_path / name, text))
    assert (story.sentences, story.entities, story.id) == (tuple(TWO), ("Ann", "cup"), "7")


def test_text_that_begins_with_a_bracket_is_text(tmp_path: Path) -> None:
    [story] = read_stories(write(tmp_path / "a.txt", "[Ann] drops the cup.\nShe drinks from it.\n"))
    assert story.sentences[0] == "[Ann] drops the cup."


def test_json_lines_and_a_json_list_give_a_story_each(tmp_path: Path) -> None:
    items = [{"id": "a", "sentences": TWO}, {"id": "b", "sentences": TWO}]
    lines = write(tmp_path / "a.jsonl", "\n\n".join(json.dumps(item) for item in items))
    document = write(tmp_path / "b.json", items)
    assert [story.id for story in read_stories(lines)] == ["a", "b"]
    assert [story.id for story in read_stories(document)] == ["a", "b"]


def test_stories_are_read_one_at_a_time(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", json.dumps({"sentences": TWO}) + "\n{broken\n")
    stories = read_stories(path)
    assert next(stories).sentences == tuple(TWO)
    with pytest.raises(StoryError, match=r"a\.jsonl:2:2: not valid JSON"):
        next(stories)


def test_gzip_is_known_by_its_content(tmp_path: Path) -> None:
    [story] = read_stories(write(tmp_path / "a.txt", gzip.compress("\n".join(TWO).encode())))
    assert story.sentences == tuple(TWO)


@pytest.mark.parametrize("zipped", [False, True])
def test_dash_is_standard_input_and_it_stays_open(monkeypatch: pytest.MonkeyPatch, zipped: bool) -> None:
    data = "\n".join(TWO).encode()
    buffer = io.BytesIO(gzip.compress(data) if zipped else data)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=buffer))
    [story] = read_stories("-")
    assert story.sentences == tuple(TWO)
    assert not buffer.closed


@pytest.mark.parametrize("text", ["杯子掉了。\n她用杯子喝水。", "He said \"no\".\nShe said 'yes\\n'."])
def test_any_script_and_quotes_survive(tmp_path: Path, text: str) -> None:
    entities = ['the "big"\ncup', "чашка"]
    [story] = read_stories(write(tmp_path / "a.json", {"sentences": text.split("\n"), "entities": entities}))
    assert list(story.sentences) == text.split("\n")
    assert story.entities == tuple(entities)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", ": the file is empty"),
        (b" \n\n", ": the file is empty"),
        (b"Ann\n\x00\x01", ":2: a binary file, not text: give UTF-8 text or JSON"),
        (b"Ann drops it.\nShe eats a caf\xe9.\n", ":2: not UTF-8 text (byte 0xe9 at offset 14 of the line): save"),
        ("Ann.\nBen.".encode("utf-16"), ":1: the text is UTF-16: save it as UTF-8"),
        (gzip.compress(b"x" * 100_000, mtime=0)[:60], ":1: the gzip data is damaged or cut short"),
        (b"\x1f\x8bnonsense", ":1: the gzip data is damaged or cut short"),
        (b"Ann drops the cup.", ": the story has one sentence, and a conflict takes two"),
        (b"Ann.\n" + b"x" * 10_001, ":2: sentence 1 has 10,001 characters and the limit is 10,000"),
        (b"Ann.\n" * 201, ": the story has 201 sentences and the limit is 200: split it"),
    ],
)
def test_bad_text_is_refused_in_one_line(tmp_path: Path, content: bytes, expected: str) -> None:
    assert stories_refusal(tmp_path, content, "a.txt").startswith(expected)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"sentences": ["a", "b"}', ":1:24: not valid JSON (expecting ',' delimiter)"),
        ('{\n\n"sentences": ["a",\n"b"\n', ":4:4: not valid JSON"),
        ("[" * 100_000, "the JSON is nested too deeply"),
        ('{"sentences": ' + "9" * 5000 + "}", ":1: not usable JSON"),
        ("Ann drops it.", ":1:1: not valid JSON (expecting value)"),
        ("[]", ":1: an empty list; expected a story"),
        ("3", ":1: this must be an object, not a number; expected a story"),
        (["a", "b"], ":1: story 1: this must be an object, not a string"),
        ({"text": "a"}, ':1: "sentences" is missing; expected a story'),
        ({"sentences": "a. b."}, ':1: "sentences" must be a list, not a string'),
        ({"sentences": ["a", 2]}, ':1: "sentences[1]" must be a string, not a number'),
        ({"sentences": ["a", None]}, ':1: "sentences[1]" must be a string, not null'),
        ({"sentences": ["a", "b"], "entities": {"a": 1}}, ':1: "entities" must be a list, not an object'),
        ({"sentences": ["a", "b"], "id": True}, ':1: "id" must be a string, not true or false'),
        ({"sentences": []}, ":1: the story has no sentences"),
        ({"sentences": ["a"]}, ":1: the story has one sentence"),
        ({"sentences": ["a", " \n"]}, ":1: sentence 2 is empty"),
        ({"sentences": ["a", "b\0"]}, ":1: sentence 2 holds a NUL character"),
        ({"sentences": ["a", "\ud800"]}, ":1: sentence 2 holds half of a surrogate pair"),
        ({"sentences": TWO, "entities": ["a", ""]}, ":1: the name of entity 2 is empty"),
        ({"sentences": TWO, "entities": ["x" * 10_000]}, ":1: the name of entity 1 has 10,000 characters"),
        ({"sentences": TWO, "entities": ["cup", "Cup", "cup"]}, ':1: the entity "cup" is listed twice'),
        ({"sentences": TWO, "entities": [str(n) for n in range(501)]}, ":1: the story names 501 entities"),
        ([{"sentences": TWO}, {"sentences": ["a"]}], ":1: story 2: the story has one sentence"),
        ({"stories": []}, ":1: this is a pair of stories, not one: use the command choose"),
        ({"sentence_texts": TWO}, ":1: this is TRIP's data, not a story of your own: use the command evaluate"),
    ],
)
def test_bad_json_is_refused_in_one_line(tmp_path: Path, content: str | object, expected: str) -> None:
    assert expected in stories_refusal(tmp_path, content)


def test_the_limit_of_sentences_can_be_moved(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "Ann.\n" * 201)
    [story] = read_stories(path, max_sentences=1000)
    assert len(story.sentences) == 201


@pytest.mark.parametrize(
    ("name", "expected"), [("none.txt", "no such file"), ("", "is a folder"), ("a\0b", "cannot be read")]
)
def test_a_file_that_cannot_be_opened_is_refused(tmp_path: Path, name: str, expected: str) -> None:
    assert expected in refusal(lambda: list(read_stories(f"{tmp_path}/{name}")))


@given(st.binary(max_size=80) | st.text(max_size=80).map(str.encode))
def test_any_bytes_give_stories_or_a_refusal(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = write(tmp_path_factory.getbasetemp() / "fuzz", content)
    outcomes: list[Any] = []
    for read in (read_stories, read_pairs, read_piqa):
        try:
            outcomes += list(read(path))
        except StoryError as error:
            outcomes.append(str(error))
    assert all(isinstance(outcome, Story) or "\n" not in outcome for outcome in outcomes)


def test_make_story_refuses_what_the_readers_refuse() -> None:
    assert make_story(TWO, ["cup"], "x").entities == ("cup",)
    assert refusal(lambda: make_story(["a"])).startswith("story: the story has one sentence")


# A pair for choose


def test_a_users_pair_may_have_entities_and_a_label(tmp_path: Path) -> None:
    value = {"stories": [{"sentences": TWO, "id": "a"}, {"sentences": TWO, "entities": ["cup"]}], "label": 1, "id": "p"}
    pair = read_pair(write(tmp_path / "a.json", json.dumps(value, indent=1)))
    assert (pair.id, pair.label, pair.stories[0].id, pair.stories[1].entities) == ("p", 1, "a", ("cup",))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"stories": [{"sentences": TWO}]}, '"stories" is wrong: list should have at least 2 items'),
        ({"sentences": TWO}, '"stories" is missing; expected a pair of stories'),
        ({"stories": [{"sentences": TWO}, "b"]}, '"stories[1]" must be an object, not a string'),
        ({"stories": [{"sentences": TWO}, {"sentences": ["a"]}]}, "story 2: the story has one sentence"),
        ({"stories": [{"sentences": TWO}, {"sentences": TWO}], "label": 2}, '"label" is wrong'),
        ('{"stories": []}\n{"stories": []}', "more than one pair"),
    ],
)
def test_a_bad_pair_is_refused_in_one_line(tmp_path: Path, content: str | object, expected: str) -> None:
    path = write(tmp_path / "a.json", content)
    assert expected in refusal(lambda: read_pair(path))


# TRIP

ZEROS = [0] * N_ATTRIBUTES


def converted(identifier: str, plausible: bool, **changes: Any) -> dict[str, Any]:
    wet = [0] * N_ATTRIBUTES
    wet[ATTRIBUTE["wet"].index] = 2
    return {
        "para_id": identifier,
        "sentence_texts": TWO,
        "plausible": plausible,
        "confl_pairs": [] if plausible else [[0, 1]],
        "participants": ["cup", "Ann"],
        "states": [[[ZEROS, wet]], [[ZEROS, ZEROS], [ZEROS, ZEROS]]],
        **changes,
    }


def official(plausible: bool, **changes: Any) -> dict[str, Any]:
    return {
        "example_id": "5" if plausible else "5-O0",
        "sentences": TWO,
        "plausible": plausible,
        "breakpoint": -1 if plausible else 1,
        "confl_sents": [] if plausible else [0],
        "confl_pairs": [],
        "states": [{"conscious": [["Ann", 2]], "wet": [["cup", 4], ["mat", 7]]}, {"location": [["cup", 6]]}],
        **changes,
    }


def official_pair_value(**changes: Any) -> dict[str, Any]:
    return {"example_id": "5-O0", "label": 1, "stories": [official(False), official(True)], **changes}


def lines(*items: object) -> str:
    return "\n".join(json.dumps(item) for item in items)


def test_two_converted_lines_are_a_pair_and_missing_states_are_unknown(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", lines(converted("5-C0-5-C0", False), converted("5-C0-5", True)))
    [pair] = read_pairs(path)
    assert (pair.id, pair.label, pair.base) == ("5-C0", 1, "5")
    assert [story.id for story in pair.stories] == ["5-C0-5-C0", "5-C0-5"]
    gold = pair.stories[0].gold
    assert gold is not None
    assert gold.states is not None
    assert (gold.plausible, gold.conflict, gold.states.entities) == (False, (0, 1), ("cup", "Ann"))
    assert gold.states.values.shape == (2, 2, 2, N_ATTRIBUTES)
    assert gold.states.values.sum() == 2
    assert gold.states.values[0, 0, EFFECT, ATTRIBUTE["wet"].index] == 2


def test_a_list_of_converted_stories_is_read_as_its_lines_are(tmp_path: Path) -> None:
    items = [converted("5-C0-5-C0", False), converted("5-C0-5", True)]
    assert [pair.id for pair in read_pairs(write(tmp_path / "dev.json", items))] == ["5-C0"]


def test_a_participant_listed_twice_is_one_thing(tmp_path: Path) -> None:
    twice = {"participants": ["cup", "cup"]}
    [pair] = read_pairs(write(tmp_path / "a", lines(converted("a", False, **twice), converted("b", True, **twice))))
    gold = pair.stories[0].gold
    assert pair.stories[0].entities == ("cup",)
    assert gold is not None
    assert gold.states is not None
    assert gold.states.values[0, 0, EFFECT, ATTRIBUTE["wet"].index] == 2


def test_official_change_labels_become_preconditions_and_effects(tmp_path: Path) -> None:
    [pair] = read_pairs(write(tmp_path / "a.json", official_pair_value()))
    gold = pair.stories[0].gold
    assert (pair.id, pair.label, pair.base) == ("5-O0", 1, "5")
    assert gold is not None
    assert gold.states is not None
    assert gold.conflict == (0, 1)
    assert gold.states.entities == ("Ann", "cup", "mat")
    wet, location = ATTRIBUTE["wet"].index, ATTRIBUTE["location"].index
    assert gold.states.values[1, 0, :, wet].tolist() == [1, 2]  # 4: from dry to wet
    assert gold.states.values[2, 0, :, wet].tolist() == [1, 0]  # 7: dry before
    assert gold.states.values[1, 1, :, location].tolist() == [6, 6]
    assert gold.states.values[0, 0, :, ATTRIBUTE["conscious"].index].tolist() == [2, 2]
    assert np.count_nonzero(gold.states.values) == 7


@pytest.mark.parametrize(
    ("pairs", "sentences", "break_at", "gold"),
    [
        ([[2, 4], [3, 4]], [2, 3], 4, (3, 4)),
        ([[1, 3], [1, 4]], [1], 3, (1, 3)),
        ([[1, 4], [1, 3]], (), -1, (1, 3)),
        ([], [0, 2, 4], 3, (2, 3)),
        ([[3, 1]], (), -1, (1, 3)),
        ([], [4], 3, None),
        ([], [], -1, None),
    ],
)
def test_the_gold_pair_is_the_latest_conflicting_sentence_before_the_breakpoint(
    pairs: list[list[int]], sentences: list[int], break_at: int, gold: tuple[int, int] | None
) -> None:
    assert gold_conflict(pairs, sentences, break_at) == gold


def test_a_partition_is_chosen_by_its_name_its_kind_or_both(tmp_path: Path) -> None:
    def part(name: str) -> list[dict[str, Any]]:
        return [official_pair_value(example_id=name)]

    value = [{"train": part("c-train"), "dev": part("c-dev")}, {"train": part("o-train"), "dev": part("o-dev")}]
    path = write(tmp_path / "a.json", json.dumps(value, indent=1))

    def names(partition: str | None) -> list[str]:
        return [pair.id for pair in read_pairs(path, partition)]

    assert names(None) == ["c-train", "c-dev", "o-train", "o-dev"]
    assert names("dev") == ["c-dev", "o-dev"]
    assert names("cloze") == ["c-train", "c-dev"]
    assert names("order/train") == ["o-train"]
    assert 'no pairs in partition "test": the file has cloze/train, cloze/dev, order/train' in refusal(
        lambda: names("test")
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"plausible": "no"}, '"plausible" must be true or false, not a string'),
        ({"plausible": False}, "one of the two stories must be plausible and the other not"),
        ({"states": [[], [], []]}, "states of 3 entities for 2 participants"),
        ({"states": [[[ZEROS, ZEROS]] * 3, []]}, '"states" of "cup" must be a list of at most 2 sentences'),
        ({"states": [[[ZEROS]], []]}, '"cup" at sentence 0 must be [precondition[20], effect[20]]'),
        ({"states": [[[ZEROS, [0] * 19]], []]}, "must be [precondition[20], effect[20]]"),
        ({"states": [[], [[ZEROS, [0.5] * 20]]]}, '"states" of "Ann" at sentence 0 must be whole numbers'),
        ({"states": [[], [[ZEROS, [True] * 20]]]}, "must be whole numbers"),
        ({"states": [[[ZEROS, [3] * 20]], []]}, "3 is not a value of h_location (0 to 2)"),
        ({"states": [[[[10**30] * 20, ZEROS]], []]}, "is not a value of h_location"),
        ({"confl_pairs": [[0, 1]]}, 'plausible, yet it has "confl_pairs"'),
        ({"confl_pairs": [[0, 2]]}, "its conflict names sentence 2 and its last one is 1"),
        ({"confl_pairs": [[0]]}, '"confl_pairs" must hold pairs of different sentences'),
        ({"sentence_texts": []}, "the story has no sentences"),
        ({"para_id": "6-C0-6"}, "are not a pair: lines 2k-1 and 2k must hold"),
    ],
)
def test_a_bad_converted_line_is_refused_with_its_number(
    tmp_path: Path, changes: dict[str, Any], expected: str
) -> None:
    path = write(tmp_path / "a.jsonl", lines(converted("5-C0-5-C0", False), {**converted("5-C0-5", True), **changes}))
    line = refusal(lambda: list(read_pairs(path)))
    assert line.startswith(f"{path}:2: ")
    assert expected in line


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (official_pair_value(label=0), '"label" is 0 but story 1 is the plausible one'),
        (official_pair_value(stories=[official(True)]), '"stories" is wrong: list should have at least 2 items'),
        (official_pair_value(stories=[official(True), official(True)]), "one of the two stories must be plausible"),
        (official_pair_value(stories=[official(False, states=[{"wetness": []}]), official(True)]), '"wetness" is not'),
        (
            official_pair_value(stories=[official(False, states=[{"wet": [["cup", 9]]}]), official(True)]),
            'pair "5-O0", story "5-O0", sentence 0: 9 is not a label of wet (0 to 8)',
        ),
        (
            official_pair_value(stories=[official(False, states=[{"wet": [["cup"]]}]), official(True)]),
            '"wet" at sentence 0 must list ["entity", label] pairs',
        ),
        (official_pair_value(stories=[official(False, states=[{}] * 3), official(True)]), "states of 3 sentences"),
        (official_pair_value(stories=[official(False, breakpoint=2), official(True)]), "names sentence 2"),
        ([{"train": []}, {"train": []}], "no story pairs: the file has cloze/train, order/train"),
        ([{"train": [3]}, {}], "cloze/train pair 1: this must be an object, not a number"),
        ([{"train": {}}, {}], "cloze/train must be a list of pairs, not an object"),
        ([1, 2], "a list, but not TRIP's official one"),
        ({"goal": "x"}, '"para_id" is missing; expected a line with "para_id"'),
        (converted("a", True), "the last story has no twin"),
    ],
)
def test_a_bad_official_file_is_refused_in_one_line(tmp_path: Path, value: object, expected: str) -> None:
    path = write(tmp_path / "a.json", value)
    assert expected in refusal(lambda: list(read_pairs(path)))


def test_a_partition_of_a_file_without_any_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", official_pair_value())
    assert 'this file has no partitions: leave out "dev"' in refusal(lambda: list(read_pairs(path, "dev")))


def test_any_damage_to_an_official_pair_is_refused_or_harmless(tmp_path: Path) -> None:
    choose = random.Random(0)
    refusals = []
    for _ in range(300):
        value = copy.deepcopy(official_pair_value())
        container, key = choose.choice(list(_places(value)))
        container[key] = choose.choice([None, -1, 3, "x", [], {}, [[]], True, 1.5])
        try:
            list(read_pairs(write(tmp_path / "a.json", value)))
        except StoryError as error:
            refusals.append(str(error))
    assert len(refusals) > 150
    assert not any("\n" in line for line in refusals)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


# PIQA

ROW = {"goal": "Boil water", "sol1": "Use a pot", "sol2": "Use a sieve"}


def test_labels_inside_the_rows_are_used(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", lines({**ROW, "label": 1, "index": 9}, {**ROW, "label": -1}))
    assert list(read_piqa(path)) == [
        PiqaItem(9, "Boil water", ("Use a pot", "Use a sieve"), 1),
        PiqaItem(1, "Boil water", ("Use a pot", "Use a sieve"), None),
    ]


def test_labels_beside_the_file_are_found(tmp_path: Path) -> None:
    path = write(tmp_path / "valid.jsonl.gz", gzip.compress(lines(ROW, ROW).encode()))
    assert [item.label for item in read_piqa(path)] == [None, None]
    write(tmp_path / "valid-labels.lst", "0\n1\n")
    assert [item.label for item in read_piqa(path)] == [0, 1]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("0\n", "valid-labels.lst: has 1 labels, and"),
        ("0\n1\n1\n", "valid-labels.lst: has more labels than the 2 items of"),
        ("0\nyes\n", 'valid-labels.lst:2: "yes" is not a label'),
        ("", "valid-labels.lst: the file is empty"),
    ],
)
def test_labels_that_do_not_fit_are_refused(tmp_path: Path, labels: str, expected: str) -> None:
    path = write(tmp_path / "valid.jsonl", lines(ROW, ROW))
    write(tmp_path / "valid-labels.lst", labels)
    assert expected in refusal(lambda: list(read_piqa(path)))


def test_labels_that_contradict_the_rows_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", lines({**ROW, "label": 1}))
    labels = write(tmp_path / "b.lst", "0\n")
    assert "a.jsonl:1: the label 1 contradicts" in refusal(lambda: list(read_piqa(path, labels)))


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"goal": "x", "sol1": "y"}, '"sol2" is missing'),
        ({**ROW, "label": "1"}, '"label" must be a whole number, not a string'),
        ({**ROW, "label": 2}, '"label" is wrong: input should be less than or equal to 1'),
        ({**ROW, "sol1": " "}, '"sol1" is empty'),
        ({**ROW, "goal": "x" * 10_001}, '"goal" has 10,001 characters'),
    ],
)
def test_a_bad_row_is_refused_with_its_line(tmp_path: Path, row: object, expected: str) -> None:
    path = write(tmp_path / "a.jsonl", lines(ROW, row))
    line = refusal(lambda: list(read_piqa(path)))
    assert line.startswith(f"{path}:2: ")
    assert expected in line


# The real files


def test_trip_dev_has_322_pairs_all_annotated(data_dir: Path) -> None:
    pairs = list(read_pairs(data_dir / "trip" / "dev.jsonl.gz"))
    assert len(pairs) == 322
    assert len({pair.id for pair in pairs}) == 322
    for pair in pairs:
        assert pair.label is not None
        for index, story in enumerate(pair.stories):
            assert story.gold is not None
            assert story.gold.states is not None
            assert story.gold.plausible == (index == pair.label)
            assert (story.gold.conflict is None) == story.gold.plausible
            assert story.gold.states.values.shape[1] == len(story.sentences)
            assert story.gold.states.entities == story.entities


@pytest.mark.parametrize(
    ("name", "partition", "count"),
    [
        ("train_cloze_20pairs.jsonl.gz", None, 20),
        ("train_order_10pairs.jsonl.gz", None, 10),
        ("official_format_sample.json.gz", None, 40),
        ("official_format_sample.json.gz", "dev", 20),
        ("official_format_sample.json.gz", "order/train", 10),
    ],
)
def test_official_files_have_their_pairs_with_a_conflict_each(
    data_dir: Path, name: str, partition: str | None, count: int
) -> None:
    pairs = list(read_pairs(data_dir / "trip" / name, partition))
    assert len(pairs) == count
    for pair in pairs:
        assert pair.label is not None
        gold = pair.stories[1 - pair.label].gold
        assert gold is not None
        assert gold.conflict is not None


def test_the_official_and_the_converted_file_agree_on_every_state_of_the_pairs_both_have(data_dir: Path) -> None:
    trip = data_dir / "trip"
    known = {pair.id: pair for pair in read_pairs(trip / "dev.jsonl.gz")}
    both = [pair for pair in read_pairs(trip / "official_format_sample.json.gz", "cloze/dev") if pair.id in known]
    assert len(both) == 10
    for pair in both:
        for story in pair.stories:
            [twin] = [twin for twin in known[pair.id].stories if twin.sentences == story.sentences]
            assert story.gold is not None
            assert twin.gold is not None
            assert (story.gold.plausible, story.gold.conflict) == (twin.gold.plausible, twin.gold.conflict)
            assert story.gold.states is not None
            assert twin.gold.states is not None
            ours, theirs = story.gold.states, twin.gold.states
            assert set(ours.entities) == set(theirs.entities)
            for entity, row in zip(ours.entities, ours.values, strict=True):
                other = theirs.values[theirs.entities.index(entity)]
                assert row[:, PRECONDITION].tolist() == other[:, PRECONDITION].tolist()
                assert row[:, EFFECT].tolist() == other[:, EFFECT].tolist()


def test_an_official_pair_can_be_chosen_between(data_dir: Path, tmp_path: Path) -> None:
    with gzip.open(data_dir / "trip" / "train_cloze_20pairs.jsonl.gz", "rt", encoding="utf-8") as stream:
        pair = read_pair(write(tmp_path / "pair.json", stream.readline()))
    assert (pair.id, pair.label) == ("0-C0", 1)


def test_piqa_has_16113_labelled_items(data_dir: Path) -> None:
    items = list(read_piqa(data_dir / "piqa" / "train.jsonl.gz"))
    assert len(items) == 16113
    assert sum(item.label == 1 for item in items) == 8060
