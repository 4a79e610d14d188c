"""The page of a comparison on TRIP: its plots and tables, and how a disagreement is shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from disproof.bridge.comparison import Comparison, Cost, compare
from disproof.bridge.comparison_page import comparison_page
from disproof.bridge.comparison_plots import plots
from disproof.bridge.drawing import MARKERS

Compared = Callable[..., Comparison]


def test_a_page_has_every_plot_and_every_table_with_what_its_cells_are_sorted_by(compared: Compared) -> None:
    page = comparison_page(compared(), "t")
    assert page.count('role="img"') == 8
    assert 'aria-label="Percent of pairs right. rules: accuracy 75.0, consistency 50.0' in page
    assert page.count("<table") == 12
    assert '<td data-v="0.75">75.0\n0.0–100.0</td>' in page


def test_a_disagreement_shows_sentences_choices_tiers_and_proof(compared: Compared) -> None:
    page = comparison_page(compared(odd="Ann empties the cup."), "t")
    (inside,) = re.findall(r"<details.*?</details>", page, re.DOTALL)
    assert re.findall(r"<mark>(.*?)</mark>", inside) == ["Ann empties the cup.", "Ann drinks from the cup."]
    assert "In the plausible twin, sentence 4 is: Ann leaves." in inside
    assert "Right: calls this story impossible (90% sure), naming sentences 3 and 4 of this story." in inside
    assert "Wrong: calls the twin impossible, naming no sentences." in inside
    assert 'data-right="100"' in inside
    proof = inside.partition('<ul class="proof">')[2]
    assert "the cup is in pieces <cite>[pieces_clash, things.lp:12]</cite>" in proof
    assert "after sentence 2 the cup is in pieces <b>(90%)</b>" in proof
    assert '<li class="absence">sentence 4 does not bring the cup back' in proof
    assert inside.count("This system gives no explanation.") == 2


def test_a_proof_that_two_systems_share_is_shown_once(compared: Compared) -> None:
    found = compared()
    twice = compare(found.pairs, [found.runs[0], replace(found.runs[0], name="rules again"), found.runs[1]])
    page = comparison_page(twice, "t")
    assert page.count('<ul class="proof">') == 1
    assert "Its proof is that of rules." in page


def test_a_verdict_without_a_proof_says_what_it_rests_on(compared: Compared) -> None:
    found = compared()
    run = found.runs[0]
    assert run.choices is not None

    def shown(**change: Any) -> str:
        choices = []
        for choice in run.choices or ():
            first, second = (replace(verdict, conflict=None, **change) for verdict in choice.verdicts)
            choices.append(replace(choice, verdicts=(first, second)))
        return comparison_page(compare(found.pairs, [replace(run, choices=choices), found.runs[1]]), "t")

    assert "No rule proves it: this is the neural prior’s judgement alone." in shown()
    guess = shown(pair=None)
    assert "calls this story impossible (90% sure), naming no sentences." in guess
    assert "It finds no two sentences that conflict." in guess


def test_twins_of_other_lengths_are_shown_whole(compared: Compared) -> None:
    found = compared()
    pairs = list(found.pairs)
    broken, twin = pairs[1].stories
    pairs[1] = replace(pairs[1], stories=(broken, replace(twin, sentences=twin.sentences[:3])))
    page = comparison_page(replace(found, pairs=pairs), "t")
    assert "The plausible twin:" in page
    assert page.partition("The plausible twin:")[2].partition("</ol>")[0].count("<li>") == 3


def test_systems_that_agree_and_bring_little_make_a_page_too(compared: Compared) -> None:
    found = compared()
    little = Cost(None, None, None, None)
    poor = [replace(run, name=f"{k}", confidences=None, cost=little) for k, run in enumerate(found.runs[1:])]
    page = comparison_page(compare(found.pairs, poor), "t")
    assert "On no pair: the systems are right and wrong alike." in page
    assert 'class="filter"' not in page
    assert page.count('role="img"') == 6


def test_more_systems_than_colours_still_make_every_plot(compared: Compared) -> None:
    found = compared()
    many = [replace(found.runs[k % 3], name=f"system {k}") for k in range(len(MARKERS) + 2)]
    drawn = plots(compare(found.pairs, many))
    assert set(drawn) == set("tiers fall attributes reliability failure_modes by_kind by_distance cost".split())
    assert all(plot.svg.startswith("<svg viewBox=") for plot in drawn.values())


@pytest.mark.slow
def test_a_page_of_322_pairs_on_which_four_systems_disagree_is_under_five_megabytes(compared: Compared) -> None:
    text = "the cup is in pieces after sentence 2, and nothing that comes before sentence 4 makes it whole again " * 5
    found = [compared(text=f"{text}({k})") for k in range(4)]
    pairs = [replace(found[0].pairs[1], id=f"{k}-C0") for k in range(322)]
    runs = []
    for k, each in enumerate(found):
        run = each.runs[0] if k < 3 else each.runs[1]
        choices = None if run.choices is None else [run.choices[1]] * 322
        runs.append(
            replace(run, name=f"{k}", predictions=[run.predictions[1]] * 322, confidences=[0.9] * 322, choices=choices)
        )
    page = comparison_page(compare(pairs, runs), "t")
    assert page.count("<details") == 322
    assert page.count('<ul class="proof">') == 3 * 322
    assert len(page.encode()) < 5_000_000
