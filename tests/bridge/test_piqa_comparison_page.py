"""The page of a comparison on PIQA: its plots and tables, and how an item on which systems differ is shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from disproof.bridge.piqa_comparison import PiqaComparison
from disproof.bridge.piqa_comparison_page import piqa_comparison_page
from disproof.bridge.piqa_comparison_plots import piqa_plots

Compared = Callable[..., PiqaComparison]


@pytest.fixture(scope="module")
def page(compared_piqa: Compared) -> str:
    return piqa_comparison_page(compared_piqa(), "Four systems")


def shown(page: str) -> list[str]:
    """What stands in each disagreement, in one line."""
    return [" ".join(inside.split()) for inside in re.findall(r"<details.*?</details>", page, re.DOTALL)]


def said(page: str, item: int, system: int) -> str:
    """What a system says of an item."""
    return shown(page)[item].split('<div class="said">')[system + 1]


def test_a_page_has_every_plot_and_every_table_with_what_its_cells_are_sorted_by(page: str) -> None:
    assert page.count('role="img"') == 3
    assert 'aria-label="Percent of items right: rules 66.7, counts 100.0, people’s own 33.3' in page
    tables = re.findall(r'<table id="(.*?)-table">', page)
    assert tables == ["accuracy", "bases", "reasons", "paired", "by_distance"]
    # Distances go up, though their words do not.
    assert re.findall(r'<th scope="row" data-v="(\d)">(.*?)</th>', page) == [("0", "1"), ("1", "2"), ("2", "3 to 5")]


def test_what_choices_rest_on_is_counted_and_a_coin_rests_on_nothing(compared_piqa: Compared) -> None:
    plot = piqa_plots(compared_piqa())["bases"]
    assert plot.alt == (
        "Items by the basis of the choice. rules: 1 by proof, right, 1 by neither, right, 1 by neither, wrong; "
        "counts: 2 by evidence, right, 1 by neither, right; people’s own: 1 by neither, right, 2 by neither, wrong."
    )
    assert list(plot.shades.values())[:3] == ["by proof, right", "by evidence, right", "by neither, right"]
    found = compared_piqa()
    assert "bases" not in piqa_plots(replace(found, runs=found.runs[3:]))


def test_a_disagreement_shows_goal_solutions_and_who_is_right(page: str) -> None:
    first, second = shown(page)
    assert 'data-right="110"' in first
    assert '<span class="id">item 7</span><span class="heading">Knead dough.</span>' in first
    assert [re.sub("<.*?>", "", chip) for chip in re.findall(r'<span class="chip">(.*?)</span></summary>', first)] == [
        "rules: ✓ proofcounts: ✓ evidencepeople’s own: ✗"
    ]
    assert "<li>Knead it with your <mark>feet</mark>.</li>" in first
    assert '<li>Knead it with your <mark>hands now</mark>. <b class="right">right</b></li>' in first
    assert '<li>Wash it<mark class="gap"><span class="hidden">(nothing)</span></mark>.</li>' in second
    assert "<mark>in warm water</mark>" in second
    assert "coin" not in first
    assert "2 of 3 items, on which systems choose different solutions (a coin’s tosses are left out)" in " ".join(
        page.split()
    )


def test_a_choice_by_proof_shows_the_story_that_cannot_happen_the_proof_and_the_facts(page: str) -> None:
    rules = said(page, 0, 0)
    assert "Right: chooses solution 2 (88% sure), by proof." in rules
    assert "Solution 1 cannot be done as it stands. Read as a story that ends with its goal:" in rules
    assert "<mark>Knead it with your feet.</mark>" in rules
    assert "the cup is in pieces <cite>[pieces_clash, things.lp:12]</cite>" in rules
    assert "after sentence 2 the cup is in pieces <b>(90%)</b>" in rules
    assert "<b>+1.2</b> <span>the cup is in pieces <cite>[training pairs]</cite></span>" in rules
    assert "<b>−0.2</b> <span>“it”: often" in rules


def test_facts_that_two_systems_share_are_shown_once(page: str) -> None:
    counts = said(page, 0, 1)
    assert "Right: chooses solution 2 (82% sure), by evidence." in counts
    assert "Its facts are those of rules." in counts
    assert "<cite>" not in counts


def test_a_proof_that_two_systems_share_is_shown_once(compared_piqa: Compared) -> None:
    found = compared_piqa()
    twice = replace(found, runs=(found.runs[0], replace(found.runs[0], name="rules again"), found.runs[2]))
    rules = said(piqa_comparison_page(twice, "t"), 0, 1)
    assert "Its proof is that of rules." in rules
    assert "<cite>" not in rules


def test_a_choice_without_reasons_says_so(page: str) -> None:
    assert "chooses solution 1 (62% sure), by neural preference." in said(page, 0, 2)
    assert "It listens to nothing else: this is how the solutions sound to the model." in said(page, 0, 2)
    counts = said(page, 1, 1)
    assert "Right: chooses solution 2 (62% sure), with no reason that is strong enough." in counts
    assert "Its evidence is faint." in counts
    assert counts.count("[training pairs]") == 2


def test_a_proof_that_is_outvoted_is_shown_against_the_choice(page: str) -> None:
    rules = said(page, 1, 0)
    assert "Wrong: chooses solution 1 (73% sure), by neural preference." in rules
    assert "No rule and no strong evidence speaks for it" in rules
    assert "Solution 1 cannot be done as it stands, says a rule that is outvoted." in rules
    assert '<ul class="proof">' in rules
    assert "[training pairs]" not in rules


def test_systems_that_choose_alike_make_a_page_too(compared_piqa: Compared) -> None:
    found = compared_piqa()
    page = piqa_comparison_page(replace(found, runs=found.runs[2:]), "t")
    assert "On no item: the systems choose alike." in page
    assert 'class="filter"' not in page


def test_a_long_table_scrolls_in_its_box(compared_piqa: Compared) -> None:
    found = compared_piqa()
    runs = tuple(replace(found.runs[2], name=f"{k}") for k in range(9))
    page = piqa_comparison_page(replace(found, runs=runs), "t")
    assert re.findall(r'<div class="box tall" [^>]*>\n<table id="(.*?)-table">', page) == ["paired"]
