"""Data files of any kind: what a file holds is told by its content, whatever it is called."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from disproof.bridge.data_file import read_data
from disproof.symbolic.errors import StoryError

SENTENCES = ["Ann unplugged the lamp.", "Ann read by the lamp."]
TWINS = {"id": "t1", "broken": SENTENCES, "restored": ["Ann sat down.", SENTENCES[1]], "conflict": [0, 1]}
OFFICIAL: dict[str, Any] = {
    "example_id": "p1",
    "stories": [
        {"sentences": SENTENCES, "plausible": False, "confl_pairs": [[0, 1]], "states": []},
        {"sentences": TWINS["restored"], "plausible": True, "states": []},
    ],
}


def write(folder: Path, text: str, name: str = "data") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "kind", "count"),
    [
        ("\n".join(SENTENCES), "stories", 1),
        ("[Ann] sat down.\n{She} stood up.", "stories", 1),
        (json.dumps({"sentences": SENTENCES}) + "\n" + json.dumps({"sentences": SENTENCES}), "stories", 2),
        (json.dumps([{"sentences": SENTENCES}], indent=1), "stories", 1),
        (json.dumps(TWINS), "twins", 1),
        (json.dumps(OFFICIAL), "pairs", 1),
        (json.dumps([OFFICIAL, OFFICIAL]), "pairs", 2),
        (json.dumps([{"dev": [OFFICIAL]}, {"dev": []}]), "pairs", 1),
        (json.dumps([{"dev": [OFFICIAL]}, {"dev": []}], indent=2), "pairs", 1),
    ],
)
def test_a_file_is_what_it_holds(text: str, kind: str, count: int, tmp_path: Path) -> None:
    found = read_data(write(tmp_path, text))
    assert found.kind == kind
    assert len(found.stories or found.pairs) == count
    assert len(found.twins) == (count if kind == "twins" else 0)


def test_converted_pairs_are_pairs(trip_file: Path) -> None:
    assert len(read_data(trip_file).pairs) == 7
    assert len(read_data(trip_file, limit=3).pairs) == 3


def test_a_partition_is_chosen_of_pairs_and_of_nothing_else(tmp_path: Path) -> None:
    official = json.dumps([{"dev": [OFFICIAL], "test": [OFFICIAL] * 2}, {"dev": []}])
    assert len(read_data(write(tmp_path, official), partition="test").pairs) == 2
    with pytest.raises(StoryError, match="no partitions"):
        read_data(write(tmp_path, "\n".join(SENTENCES)), partition="dev")


def test_standard_input_and_gzip_are_told_apart_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(TWINS).encode())))
    assert read_data("-").kind == "twins"
    zipped = tmp_path / "data.gz"
    zipped.write_bytes(gzip.compress(json.dumps(OFFICIAL).encode()))
    assert read_data(zipped).kind == "pairs"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ('{"sentences": ["a", "b"', "not valid JSON"),
        ('{"sentences": 3}', '"sentences" must be a list'),
        ('{"nothing": 1}', '"sentences" is missing'),
        ('{"broken": 1}', '"id" is missing'),
        ("[]", "empty list"),
        ("Ann sat down.", "one sentence"),
    ],
)
def test_what_is_wrong_is_said_by_the_reader_of_its_kind(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(StoryError, match=said):
        read_data(write(tmp_path, text))
