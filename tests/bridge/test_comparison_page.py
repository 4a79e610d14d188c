"""The page of a comparison: whole, harmless, readable, and always the same."""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib
import pytest

import disproof
from disproof.bridge.comparison import Comparison, Cost, compare
from disproof.bridge.comparison_page import comparison_page
from disproof.bridge.comparison_plots import MARKERS, plots

Compared = Callable[..., Comparison]
EMPTY = set("meta br link img input hr source".split())
SHAPES = set("path use rect line polyline circle".split())


class Page(HTMLParser):
    """The elements of a page, the text of each kind, and whether every one is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: dict[str, list[str]] = {}
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append(tag)
            self.text.setdefault(tag, []).append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in dict.fromkeys(self.open):
            self.text[tag][-1] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def page(compared: Compared) -> str:
    return comparison_page(compared(), "Three systems", ["Not the pairs they were trained on."])


def test_every_element_is_closed_and_every_name_is_used_once(page: str) -> None:
    parsed = Page(page)
    assert parsed.open == []
    counts = Counter(attributes["id"] for _, attributes in parsed.elements if "id" in attributes)
    assert [name for name, count in counts.items() if count > 1] == []


def test_every_link_within_the_page_has_its_target(page: str) -> None:
    parsed = Page(page)
    names = {attributes["id"] for _, attributes in parsed.elements if "id" in attributes}
    wanted = {str(a["href"]) for _, a in parsed.elements if "href" in a} | {
        f"#{name}" for name in re.findall(r"url\(#([^)]+)\)", page)
    }
    assert {target for target in wanted if not target.startswith("#")} == set()
    assert {target[1:] for target in wanted} <= names


def test_the_page_asks_for_nothing_and_forbids_asking(page: str) -> None:
    parsed = Page(page)
    assert not {"link", "img", "iframe", "object", "base"} & {tag for tag, _ in parsed.elements}
    assert [a for _, a in parsed.elements if {"src", "srcset", "data", "action"} & a.keys()] == []
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)
    assert "http:" not in page
    assert "https:" not in page
    (policy,) = [str(a["content"]) for a in parsed.all("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none';")


def test_the_policy_allows_the_pages_own_script_alone(page: str) -> None:
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert len(scripts) == 1
    assert f"script-src 'sha256-{digest}';" in page


def test_what_comes_from_stories_rules_and_systems_is_text(compared: Compared) -> None:
    evil = "<script>alert('1 & 2')</script>\"><img src=x onerror=alert(3)>"
    page = comparison_page(compared(odd=evil, text=evil, name=evil), evil, [evil])
    parsed = Page(page)
    assert len(parsed.all("script")) == 1
    assert parsed.all("img") == []
    assert [a for _, a in parsed.elements if any(name.startswith("on") for name in a)] == []
    shown = " ".join(parsed.text["body"])
    assert shown.count(evil) > 10
    for tag in ("h1", "li", "option", "caption", "title", "svg"):
        assert any("<script>" in text for text in parsed.text[tag]) == (tag not in ("caption",)), tag


def test_characters_that_cannot_be_seen_or_written_are_escaped(compared: Compared) -> None:
    page = comparison_page(compared(odd="Ann \x00\x1b\ud800 rests.\u202e", name="$x_1$ \u4e00 \\alpha"), "\x07")
    assert not re.search("[\x00-\x08\x0b-\x1f\ud800\u202e]", page)
    assert "Ann \\x00\\x1b\\ud800 rests.\\u202e" in page
    assert ">$x_1$ \u4e00 \\alpha</text>" in page
    page.encode("utf-8")


def test_the_same_comparison_gives_the_same_bytes(compared: Compared, page: str) -> None:
    again = comparison_page(compared(), "Three systems", ["Not the pairs they were trained on."])
    assert again == page
    assert not re.search(r"\b20[2-9]\d-\d\d", page)


def test_settings_of_matplotlib_neither_change_the_page_nor_are_changed(compared: Compared, page: str) -> None:
    mine: Any = {"font.size": 30.0, "axes.facecolor": "red", "svg.fonttype": "path"}
    with matplotlib.rc_context(mine):
        before = dict(matplotlib.rcParams)
        assert comparison_page(compared(), "Three systems", ["Not the pairs they were trained on."]) == page
        assert dict(matplotlib.rcParams) == before


def test_the_headings_go_down_one_step_at_a_time(page: str) -> None:
    levels = [int(tag[1]) for tag, _ in Page(page).elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_every_plot_says_what_is_to_be_seen_in_it(page: str) -> None:
    drawn = [a for a in Page(page).all("svg") if a.get("role") == "img"]
    assert len(drawn) == 8
    assert all(len(str(a["aria-label"])) > 30 for a in drawn)
    assert any("rules: accuracy 75.0, consistency 50.0" in str(a["aria-label"]) for a in drawn)
    hidden = [a for a in Page(page).all("svg") if a.get("role") != "img"]
    assert all(a.get("aria-hidden") == "true" for a in hidden)


def test_a_table_has_a_caption_and_cells_with_what_they_are_sorted_by(page: str) -> None:
    parsed = Page(page)
    assert len(parsed.all("caption")) == len(parsed.all("table")) == 12
    assert all(a.get("tabindex") == "0" and a.get("aria-label") for a in parsed.all("div") if a.get("class") == "box")
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
    assert len([a for a in Page(page).all("svg") if a.get("role") == "img"]) == 6


def luminance(colour: str) -> float:
    """WCAG 2's relative luminance."""
    shares = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_letters_and_marks_stand_out_in_light_and_dark() -> None:
    style = (Path(str(disproof.__file__)).parent / "bridge" / "comparison_page.css").read_text("utf-8")
    blocks = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    light = dict(re.findall(r"(--[a-z0-9]+): (#[0-9a-f]{6})", blocks[0]))
    dark = {**light, **dict(re.findall(r"(--[a-z0-9]+): (#[0-9a-f]{6})", blocks[1]))}
    for colours in (light, dark):
        for letters in ("--ink", "--soft", "--link", "--good", "--bad"):
            assert contrast(colours[letters], colours["--paper"]) >= 4.5, letters
            assert contrast(colours[letters], colours["--panel"]) >= 4.5, letters
        assert contrast(colours["--ink"], colours["--mark"]) >= 4.5
        for k in range(8):
            assert contrast(colours[f"--s{k}"], colours["--paper"]) >= 3, k
            assert contrast(colours[f"--m{k}"], colours["--m8"]) >= 4.5, k
        assert contrast(colours["--line"], colours["--paper"]) >= 3


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
