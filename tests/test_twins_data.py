"""The hand-written stories are well formed. Messages give ids only: those held out must not be read."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from disproof.bridge.twins import read_twins
from disproof.symbolic.vocabulary import ATTRIBUTE

ROOT = Path(__file__).resolve().parent.parent
DEVELOPMENT = ROOT / "examples" / "twins.jsonl"
HELD_OUT = ROOT / "tests" / "data" / "twins_heldout.jsonl"
FIELDS = {"id", "author", "kind", "principle", "broken", "restored", "conflict", "entity", "attribute"}
KINDS = {"household", "recipe", "repair", "craft", "garden", "office", "outing"}
SENTENCE = re.compile(r"[A-Z].*[.!?][\"']?")
Pair = dict[str, Any]


@pytest.fixture(scope="module", params=[DEVELOPMENT, HELD_OUT], ids=["development", "held-out"])
def pairs(request: pytest.FixtureRequest) -> list[Pair]:
    return lines(request.param)


def lines(path: Path) -> list[Pair]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def change(pair: Pair) -> tuple[int, bool] | None:
    """Where ``restored`` departs from ``broken`` and whether by an added sentence; None if not by one sentence."""
    broken, restored = pair["broken"], pair["restored"]
    at = next((k for k, (a, b) in enumerate(zip(broken, restored, strict=False)) if a != b), len(broken))
    if restored[at + 1 :] == broken[at:]:
        return at, True
    if at < len(broken) and len(restored) == len(broken) and restored[at + 1 :] == broken[at + 1 :]:
        return at, False
    return None


def bad(pairs: list[Pair], wrong: Any) -> list[str]:
    return [pair["id"] for pair in pairs if wrong(pair)]


@pytest.mark.parametrize(("path", "count"), [(DEVELOPMENT, 410), (HELD_OUT, 170)])
def test_the_reader_takes_every_line(path: Path, count: int) -> None:
    assert sum(1 for _ in read_twins(path)) == count


def test_every_pair_has_exactly_the_documented_fields(pairs: list[Pair]) -> None:
    assert bad(pairs, lambda p: set(p) != FIELDS) == []


def test_kinds_and_attributes_are_known_and_principles_are_slugs(pairs: list[Pair]) -> None:
    assert bad(pairs, lambda p: p["kind"] not in KINDS) == []
    assert bad(pairs, lambda p: p["attribute"] not in ATTRIBUTE) == []
    assert bad(pairs, lambda p: not re.fullmatch(r"[a-z]+(_[a-z]+)*", p["principle"])) == []


def test_stories_are_four_to_seven_sentences(pairs: list[Pair]) -> None:
    assert bad(pairs, lambda p: not 4 <= len(p["broken"]) <= 7) == []
    assert bad(pairs, lambda p: any(not SENTENCE.fullmatch(s) for s in p["broken"] + p["restored"])) == []


def test_the_evidence_comes_one_to_four_sentences_before_the_breakpoint(pairs: list[Pair]) -> None:
    assert {p["conflict"][1] - p["conflict"][0] for p in pairs} == {1, 2, 3, 4}


def test_twins_differ_in_one_sentence_that_comes_before_the_breakpoint(pairs: list[Pair]) -> None:
    assert bad(pairs, lambda p: change(p) is None) == []
    # An added sentence pushes the breakpoint on, so it may stand at the breakpoint's own index.
    assert bad(pairs, lambda p: (c := change(p)) is None or c[0] > p["conflict"][1] - (not c[1])) == []


def test_no_sentence_is_used_in_two_pairs_or_twice_in_a_story() -> None:
    where = defaultdict(set)
    everything = [*lines(DEVELOPMENT), *lines(HELD_OUT)]
    for pair in everything:
        for sentence in pair["broken"] + pair["restored"]:
            where[sentence.lower()].add(pair["id"])
    assert [sorted(ids) for ids in where.values() if len(ids) > 1] == []
    assert bad(everything, lambda p: any(len(set(p[k])) < len(p[k]) for k in ("broken", "restored"))) == []
    assert [name for name, count in Counter(p["id"] for p in everything).items() if count > 1] == []


def test_both_files_have_stories_of_every_kind() -> None:
    assert {p["kind"] for p in lines(DEVELOPMENT)} == {p["kind"] for p in lines(HELD_OUT)} == KINDS


# ---- Pairs in the manner of TRIP

PAIRS = ROOT / "examples" / "pairs.jsonl"
PAIRS_HELD_OUT = ROOT / "tests" / "data" / "pairs_heldout.jsonl"


@pytest.fixture(scope="module", params=[(PAIRS, 1280), (PAIRS_HELD_OUT, 200)], ids=["development", "held-out"])
def trip_like(request: pytest.FixtureRequest) -> list[Pair]:
    path, count = request.param
    assert sum(1 for _ in read_twins(path)) == count
    return lines(path)


def test_pairs_have_five_sentences_and_the_documented_fields(trip_like: list[Pair]) -> None:
    assert bad(trip_like, lambda p: set(p) != FIELDS - {"principle"}) == []
    assert bad(trip_like, lambda p: any(len(p[k]) != 5 for k in ("broken", "restored"))) == []
    assert bad(trip_like, lambda p: any(not SENTENCE.fullmatch(s) for s in p["broken"] + p["restored"])) == []
    assert bad(trip_like, lambda p: p["attribute"] not in ATTRIBUTE) == []
    assert bad(trip_like, lambda p: not p["id"].startswith(p["author"])) == []


def test_the_stories_of_a_pair_differ_in_the_evidence_or_the_breakpoint_alone(trip_like: list[Pair]) -> None:
    def wrong(pair: Pair) -> bool:
        at = change(pair)
        return at is None or at[1] or at[0] not in pair["conflict"]

    assert bad(trip_like, wrong) == []


def test_no_story_is_there_twice_and_no_author_is_in_both_files() -> None:
    development, held_out = lines(PAIRS), lines(PAIRS_HELD_OUT)
    stories = Counter(tuple(p[k]) for p in (*development, *held_out) for k in ("broken", "restored"))
    assert [story for story, count in stories.items() if count > 1] == []
    assert {p["author"] for p in development} & {p["author"] for p in held_out} == set()
    everything = (*lines(DEVELOPMENT), *lines(HELD_OUT), *development, *held_out)
    assert [name for name, count in Counter(p["id"] for p in everything).items() if count > 1] == []
