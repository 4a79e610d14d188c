"""Counted facts in words, and what they weigh."""

from __future__ import annotations

from pathlib import Path

import pytest

from disproof.bridge.difference import difference
from disproof.bridge.evidence import FEATURES, EvidenceBase, learn, quoted
from disproof.bridge.phrases import END, START
from disproof.bridge.piqa_data import PiqaItem

RIGHT, WRONG = "water cork milk file towel".split(), "gravel lighter paint spoon brick".split()
ITEMS = [
    PiqaItem(k, f"{goal} it", both if k % 2 else both[::-1], 0 if k % 2 else 1)
    for k, (goal, right, wrong) in enumerate(
        (goal, right, wrong) for goal in ("drink", "pour", "hold") for right in RIGHT for wrong in WRONG
    )
    for both in [(f"Use the {right} for it.", f"Use the {wrong} for it.")]
]


@pytest.fixture(scope="module")
def base() -> EvidenceBase:
    return learn(ITEMS)


def test_what_was_right_before_weighs_for_a_solution(base: EvidenceBase) -> None:
    found = base.weigh("drink it", difference("Use the cork for it.", "Use the paint for it."))
    assert found.together + found.contrasts > 1
    other = base.weigh("drink it", difference("Use the paint for it.", "Use the cork for it."))
    assert other.together == pytest.approx(-found.together)
    assert other.contrasts == pytest.approx(-found.contrasts)
    assert other.style == pytest.approx(-found.style)


def test_facts_name_their_words_counts_and_source_the_strongest_first(base: EvidenceBase) -> None:
    found = base.weigh("drink it", difference("Use the cork for it.", "Use the paint for it."))
    weights = [abs(fact.weight) for fact in found.facts]
    assert weights == sorted(weights, reverse=True)
    assert len(found.facts) == 5
    assert {fact.source for fact in found.facts} == {"PIQA's training pairs"}
    assert any("“cork”" in fact.fact or "“paint”" in fact.fact for fact in found.facts)
    told = " ".join(fact.fact for fact in found.facts)
    assert "right 15, wrong 0 times" in told or "right 0, wrong 15 times" in told or "in 15 right solutions" in told


def test_solutions_that_do_not_differ_have_no_evidence(base: EvidenceBase) -> None:
    found = base.weigh("drink it", difference("Use it.", "use it ."))
    assert (found.together, found.contrasts, found.style, found.facts) == (0, 0, 0, ())


def test_a_base_comes_back_as_it_was_saved(base: EvidenceBase, tmp_path: Path) -> None:
    base.save(tmp_path, {"items": len(ITEMS)})
    again = EvidenceBase.load(tmp_path, base.weights)
    pair = difference("Use the cork for it.", "Use the brick for it.")
    assert again.weigh("hold it", pair) == base.weigh("hold it", pair)
    assert base.weights.keys() == set(FEATURES)


@pytest.mark.parametrize(
    ("run", "said"),
    [((START, "use"), "“use” at the beginning"), (("it", END), "“it” at the end"), (("a", "b"), "“a b”")],
)
def test_the_ends_of_a_text_are_said_in_words(run: tuple[str, ...], said: str) -> None:
    assert quoted(run) == said
