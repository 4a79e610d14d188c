"""``compare trip`` and ``predict trip``: systems side by side, by the shipped model, from a cache."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from disproof.bridge.engine import Engine
from disproof.bridge.evaluation import evaluate
from disproof.bridge.readers import read_pairs
from disproof.bridge.systems import SystemSpec, parse_system
from disproof.neural import DEFAULT_MODEL
from disproof.neural.tagger import Tagger, model_folder
from disproof.symbolic.errors import DisproofError, UsageError
from disproof.symbolic.story import StoryPair

Run = Callable[..., Any]
OVERLAY = """%!rule all_clash
%!trace_rule {"sentence % and sentence % clash, for a test", S, T}.
conflict(S,T,all_clash,E,power) :- mention(S,E), mention(T,E), S < T, not human(E).
"""


@pytest.fixture(scope="module")
def pairs(trip_file: Path) -> list[StoryPair]:
    return list(read_pairs(trip_file))


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def compare(command_line: Run, trip_file: Path, cache: Path) -> Callable[..., dict[str, Any]]:
    """Runs the command with JSON output; gives the systems' figures by name, and the whole document as ''."""

    def run(*options: object) -> dict[str, Any]:
        done = command_line("compare", "trip", trip_file, "--cache", cache, "-f", "json", *options)
        assert done.status == 0, done.err
        document = json.loads(done.out)
        return {"": document, **{system["system"]: system for system in document["systems"]}}

    return run


@pytest.mark.parametrize("name", ["symbolic", "neurosymbolic"])
def test_the_figures_are_those_of_evaluate_to_the_last_digit(
    compare: Callable[..., dict[str, Any]], pairs: list[StoryPair], name: str
) -> None:
    found = compare()[name]
    alone = json.loads(json.dumps(evaluate(Engine(system=name), pairs).to_json()))  # type: ignore[arg-type]
    for key in alone.keys() - {"seconds", "system"}:
        assert found[key] == _rounded(alone[key]), key


def _rounded(value: Any) -> Any:
    from disproof.bridge.documents import to_json

    return json.loads(to_json({"value": value}))["value"]


def test_the_three_systems_that_ship_are_compared_two_by_two(compare: Callable[..., dict[str, Any]]) -> None:
    document = compare()[""]
    assert [system["system"] for system in document["systems"]] == ["random", "symbolic", "neurosymbolic"]
    assert len(document["paired"]) == 3 * 5
    assert document["task"] == "trip"


def test_nothing_is_parsed_or_tagged_a_second_time(
    compare: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = compare()

    def refuse(*_: object) -> None:
        raise AssertionError("the model was loaded")

    monkeypatch.setattr(Tagger, "load", refuse)
    monkeypatch.setattr("disproof.neural.parser.Parser.__init__", refuse)
    again = compare()
    for name in ("symbolic", "neurosymbolic"):
        assert {k: v for k, v in again[name].items() if k != "seconds"} == {
            k: v for k, v in first[name].items() if k != "seconds"
        }
    (tmp_path / "mine.lp").write_text(OVERLAY)
    edited = compare("--system", "symbolic", "--system", f"mine={DEFAULT_MODEL},system=symbolic,rules={tmp_path}")
    assert edited["mine"]["proof_coverage"] == 1.0


def test_a_model_of_ones_own_gold_states_and_predictions_stand_beside_it(
    compare: Callable[..., dict[str, Any]], command_line: Run, trip_file: Path, cache: Path, tmp_path: Path
) -> None:
    written = tmp_path / "predictions.jsonl"
    done = command_line("predict", "trip", trip_file, "--system", "symbolic", "--cache", cache, "--out", written)
    assert (done.status, done.out) == (0, ""), done.err
    found = compare("--system", "symbolic", "--system", "gold=small,states=gold", "--predictions", f"theirs={written}")
    assert found.keys() == {"", "symbolic", "gold", "theirs"}
    for tier in ("accuracy", "consistency"):
        assert found["theirs"][tier] == found["symbolic"][tier]
    assert found["theirs"]["verifiability"]["all_states"] == found["symbolic"]["verifiability"]["all_states"]
    assert found["gold"]["effect_f1"] == 1.0
    read = command_line("evaluate", "trip", trip_file, "--predictions", written, "-f", "json")
    assert json.loads(read.out)["consistency"] == found["theirs"]["consistency"]


def test_predictions_have_the_official_shape(command_line: Run, trip_file: Path, cache: Path, tmp_path: Path) -> None:
    written = tmp_path / "predictions.jsonl"
    command_line("predict", "trip", trip_file, "--cache", cache, "--out", written, "--limit", 1)
    (item,) = map(json.loads, written.read_text().splitlines())
    assert item.keys() == {
        *("example_id", "story0", "story1", "story_label", "story_pred", "conflict_pred"),
        *("preconditions_pred", "effects_pred"),
    }
    assert any("power" in states for states in item["effects_pred"]["phone"].values())


def test_folds_stand_for_models_that_never_saw_the_pair(
    compare: Callable[..., dict[str, Any]], pairs: list[StoryPair], tmp_path: Path
) -> None:
    from disproof.neural.training import folds, save_taggings, tag_story

    tagger = Tagger.load(model_folder("small"))
    for number, held_out in enumerate(folds(pairs, 5)):
        (tmp_path / f"fold-{number}").mkdir()
        taggings = {(i, s): tag_story(tagger, story) for i in held_out for s, story in enumerate(pairs[i].stories)}
        save_taggings(tmp_path / f"fold-{number}" / "heldout.safetensors", taggings)
    found = compare("--system", "symbolic", "--system", f"folds={tmp_path}")
    # The same taggings, but tempered by what these pairs say.
    assert found["folds"]["effect_f1"] == pytest.approx(found["symbolic"]["effect_f1"], abs=0.1)
    assert found["folds"]["cost"]["model_bytes"] is None


def test_a_report_is_a_folder_of_json_tables_and_one_page(
    command_line: Run, trip_file: Path, cache: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "deep" / "report"
    done = command_line("compare", "trip", trip_file, "--cache", cache, "--out", folder)
    assert done.status == 0, done.err
    assert "How many pairs are right" in done.out
    names = {path.name for path in folder.iterdir()}
    assert {"comparison.json", "comparison.html", "tiers.csv", "paired.csv", "disagreements.csv"} <= names
    assert json.loads((folder / "comparison.json").read_text())["task"] == "trip"
    assert (folder / "comparison.html").read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--system", "symbolc"), "no system 'symbolc': did you mean 'symbolic'?"),
        (("--system", "tiered"), "the tiered baseline's weights do not ship"),
        (("--system", "mine=/no/such/folder"), "no model '/no/such/folder'"),
        (("--system", "mine="), "is no system: write NAME=FOLDER"),
        (("--system", "mine=small,state=gold"), "'state=gold' is no option of a system"),
        (("--system", "mine=small,states=silver"), "neither predicted nor gold"),
        (("--system", "mine=small,system=random"), "system=random is none of"),
        (("--system", "mine=small,system=tiered,rules=x"), "has no rules"),
        (("--system", "symbolic", "--system", "symbolic"), "two systems are called 'symbolic'"),
        (("--predictions", "file.json"), "write NAME=FILE"),
        (("--predictions", "theirs=/no/such/file"), "/no/such/file: no such file"),
        (("--no-cache",), "--cache and --no-cache exclude each other"),
    ],
)
def test_what_cannot_be_compared_is_told_in_one_line(
    command_line: Run, trip_file: Path, cache: Path, options: tuple[str, ...], said: str
) -> None:
    done = command_line("compare", "trip", trip_file, "--cache", cache, *options)
    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_file_in_the_place_of_the_report_is_left_as_it_is(
    command_line: Run, trip_file: Path, cache: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")
    done = command_line("compare", "trip", trip_file, "--cache", cache, "--out", tmp_path / "file")
    assert (done.status, (tmp_path / "file").read_text()) == (2, "mine")


def test_a_system_is_read_off_its_name() -> None:
    assert parse_system("symbolic") == SystemSpec("symbolic", "symbolic")
    assert parse_system("symbolic=small") == SystemSpec("symbolic", "symbolic", "small")
    assert parse_system("symbolic=small,system=neurosymbolic").kind == parse_system("a=small").kind == "neurosymbolic"
    assert parse_system("a=small,rules=x,rules=y,states=gold", without=["z"]) == SystemSpec(
        "a", "symbolic", "small", ("x", "y"), ("z",), "gold"
    )
    with pytest.raises(UsageError):
        parse_system("=small")
    with pytest.raises(DisproofError):
        parse_system("a=nothing")
