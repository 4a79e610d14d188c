"""Counted facts of right and wrong solutions."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from disproof.bridge.contrasts import Contrasts, Count, Fact, facts, learn
from disproof.bridge.difference import difference
from disproof.bridge.piqa_data import PiqaItem
from disproof.symbolic.errors import ModelError


def item(number: int, goal: str, first: str, second: str, label: int | None) -> PiqaItem:
    return PiqaItem(number, goal, (first, second), label)


ITEMS = [
    item(0, "How to blend the dough?", "Use your feet to blend it.", "Use your hands to blend it.", 1),
    item(1, "Knead dough.", "Knead it with your hands.", "Knead it with your feet.", 0),
    item(2, "Warm your feet.", "Rub your feet.", "Rub your hands.", 0),
    item(3, "Unknown.", "Use feet.", "Use hands.", None),
]


def test_a_fact_is_what_one_solution_has_where_the_other_differs() -> None:
    found = facts("How to blend the dough?", difference("Use your feet to blend.", "Use your hands to blend."))
    assert {fact: sign for fact, sign in found.items() if sign > 0} == {
        Fact("word", ("feet",)): 1,
        Fact("goal", ("blend", "feet")): 1,
        Fact("goal", ("dough", "feet")): 1,
        Fact("next", ("your", "feet")): 1,
        Fact("next", ("feet", "to")): 1,
    }
    assert [fact.words[-1] for fact, sign in found.items() if fact.kind == "word" and sign < 0] == ["hands"]


def test_what_both_have_in_their_differing_words_tells_them_not_apart() -> None:
    found = facts("", difference("salt then water", "water then salt"))
    assert {fact.kind for fact in found} == {"next"}


def test_counts_are_of_right_and_wrong_solutions_and_weights_follow_them() -> None:
    contrasts = learn(ITEMS)
    (feet,) = (found for found in contrasts.find("", difference("feet", "mops")) if found.fact.kind == "word")
    assert (feet.count.right, feet.count.wrong, feet.side) == (1, 2, 0)
    assert feet.count.weight < 0
    assert feet.log_odds < 0
    (other,) = (found for found in contrasts.find("", difference("mops", "feet")) if found.fact.kind == "word")
    assert other.log_odds == -feet.log_odds


def test_a_goals_word_changes_what_a_word_says() -> None:
    contrasts = learn(ITEMS * 3)
    dough, cold = (
        sum(found.log_odds for found in contrasts.find(goal, difference("Use your feet", "Use your hands")))
        for goal in ("knead dough", "warm your feet")
    )
    assert dough < 0 < cold


def test_rare_facts_are_left_out() -> None:
    words = {fact.words for fact in learn(ITEMS)._counts}
    assert ("knead", "feet") not in words
    assert ("dough", "feet") in words
    assert learn(ITEMS[:1]).find("blend the dough", difference("feet", "hands")) == []


def test_facts_come_back_as_they_were_saved_in_the_same_bytes(tmp_path: Path) -> None:
    contrasts = learn(ITEMS)
    contrasts.save(tmp_path / "a.json.gz", {"pairs": 3})
    again = Contrasts.load(tmp_path / "a.json.gz")
    again.save(tmp_path / "b.json.gz", {"pairs": 3})
    assert again._counts == contrasts._counts
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()
    assert repr(again) == f"Contrasts({len(contrasts)} facts)"


@pytest.mark.parametrize(
    "content", [b"", b"no gzip", gzip.compress(b"{}", mtime=0), gzip.compress(b'{"facts": {"word": 3}}', mtime=0)]
)
def test_a_damaged_file_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "facts.json.gz"
    with pytest.raises(ModelError, match="no such facts"):
        Contrasts.load(path)
    path.write_bytes(content)
    with pytest.raises(ModelError, match="no file of facts"):
        Contrasts.load(path)


def test_counts_that_are_alike_weigh_alike_whatever_the_order() -> None:
    assert learn(ITEMS)._counts == learn(ITEMS[::-1])._counts
    assert Count(0.0, 1, 1) not in learn(ITEMS)._counts.values()
