"""The everyday stories are well formed. Messages give ids only: half of the stories must not be read."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from disproof.symbolic.vocabulary import ATTRIBUTE

PATH = Path(__file__).resolve().parent / "data" / "everyday.jsonl"
FIELDS = {"id", "kind", "principle", "broken", "restored", "conflict", "entity", "attribute"}
KINDS = {"household", "recipe", "repair", "craft", "garden", "office", "outing"}
HALF = 50
SENTENCE = re.compile(r"[A-Z][A-Za-z' ,-]*\.")
Pair = dict[str, Any]


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return [json.loads(line) for line in PATH.read_text("utf-8").splitlines()]


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


def test_there_are_100_pairs_numbered_in_order(pairs: list[Pair]) -> None:
    assert [pair["id"] for pair in pairs] == [f"e{n:03d}" for n in range(1, 2 * HALF + 1)]


def test_every_pair_has_exactly_the_documented_fields(pairs: list[Pair]) -> None:
    assert bad(pairs, lambda p: set(p) != FIELDS) == []


def test_kinds_and_attributes_are_known_and_principles_are_slugs(pairs: list[Pair]) -> None:
    assert bad(pairs, lambda p: p["kind"] not in KINDS) == []
    assert bad(pairs, lambda p: p["attribute"] not in ATTRIBUTE) == []
    assert bad(pairs, lambda p: not re.fullmatch(r"[a-z]+(_[a-z]+)*", p["principle"])) == []


def test_stories_are_five_to_seven_plain_sentences(pairs: list[Pair]) -> None:
    assert bad(pairs, lambda p: not 5 <= len(p["broken"]) <= 7) == []
    assert bad(pairs, lambda p: any(not SENTENCE.fullmatch(s) for s in p["broken"] + p["restored"])) == []
    assert bad(pairs, lambda p: any(not 3 <= len(s.split()) <= 12 for s in p["broken"] + p["restored"])) == []


def test_the_evidence_comes_one_to_four_sentences_before_the_breakpoint(pairs: list[Pair]) -> None:
    assert bad(pairs, lambda p: not 0 <= p["conflict"][0] < p["conflict"][1] < len(p["broken"])) == []
    distances = Counter(p["conflict"][1] - p["conflict"][0] for p in pairs)
    assert set(distances) == {1, 2, 3, 4}
    assert min(distances.values()) >= 20


def test_the_entity_is_named_in_the_breakpoint(pairs: list[Pair]) -> None:
    assert bad(pairs, lambda p: not re.search(rf"\b{p['entity']}\b", p["broken"][p["conflict"][1]], re.I)) == []


def test_human_attributes_go_with_a_capital_and_the_others_without(pairs: list[Pair]) -> None:
    assert bad(pairs, lambda p: ATTRIBUTE[p["attribute"]].human != p["entity"][0].isupper()) == []


def test_twins_differ_in_one_sentence_that_comes_before_the_breakpoint(pairs: list[Pair]) -> None:
    assert bad(pairs, lambda p: change(p) is None) == []
    # An added sentence pushes the breakpoint on, so it may stand at the breakpoint's own index.
    assert bad(pairs, lambda p: (c := change(p)) is None or c[0] > p["conflict"][1] - (not c[1])) == []


def test_added_sentences_stand_between_the_evidence_and_the_breakpoint(pairs: list[Pair]) -> None:
    assert bad(pairs, lambda p: (c := change(p)) is not None and c[1] and c[0] <= p["conflict"][0]) == []


def test_about_half_of_the_twins_add_a_sentence(pairs: list[Pair]) -> None:
    assert 40 <= sum(len(p["restored"]) > len(p["broken"]) for p in pairs) <= 60


def test_no_sentence_is_used_in_two_pairs_or_twice_in_a_story(pairs: list[Pair]) -> None:
    where = defaultdict(set)
    for pair in pairs:
        for sentence in pair["broken"] + pair["restored"]:
            where[sentence.lower()].add(pair["id"])
    assert [sorted(ids) for ids in where.values() if len(ids) > 1] == []
    assert bad(pairs, lambda p: any(len(set(p[k])) < len(p[k]) for k in ("broken", "restored"))) == []


def test_development_and_held_out_halves_have_the_same_mix(pairs: list[Pair]) -> None:
    development, held_out = pairs[:HALF], pairs[HALF:]
    assert Counter(p["principle"] for p in development) == Counter(p["principle"] for p in held_out)
    for half in (development, held_out):
        assert {p["kind"] for p in half} == KINDS
        assert {p["conflict"][1] - p["conflict"][0] for p in half} == {1, 2, 3, 4}
