"""The page of a comparison, of either task: whole, harmless, readable, and always the same."""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib
import pytest

import disproof
from disproof.bridge.comparison import Comparison
from disproof.bridge.comparison_page import comparison_page
from disproof.bridge.piqa_comparison import PiqaComparison
from disproof.bridge.piqa_comparison_page import piqa_comparison_page

# Makes a page of "rules" and others: a text of the data, what a proof says, a system's name, title and note.
Make = Callable[..., str]
EMPTY = set("meta br link img input hr source".split())


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


@pytest.fixture(scope="module", params=["trip", "piqa"])
def make(
    request: pytest.FixtureRequest, compared: Callable[..., Comparison], compared_piqa: Callable[..., PiqaComparison]
) -> Make:
    def made(
        odd: str = "Ann rests.",
        text: str = "the cup is in pieces",
        name: str = "people’s own",
        title: str = "Some systems",
        note: str = "Not the data they were trained on.",
    ) -> str:
        if request.param == "trip":
            return comparison_page(compared(odd, text, name), title, [note])
        return piqa_comparison_page(compared_piqa(odd, text, name), title, [note])

    return made


@pytest.fixture(scope="module")
def page(make: Make) -> str:
    return make()


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


def test_what_comes_from_data_rules_and_systems_is_text(make: Make) -> None:
    evil = "<script>alert('1 & 2')</script>\"><img src=x onerror=alert(3)>"
    page = make(evil, evil, evil, evil, evil)
    parsed = Page(page)
    assert len(parsed.all("script")) == 1
    assert parsed.all("img") == []
    assert [a for _, a in parsed.elements if any(name.startswith("on") for name in a)] == []
    shown = " ".join(parsed.text["body"])
    assert shown.count(evil) > 10
    for tag in ("h1", "li", "option", "caption", "title", "svg"):
        assert any("<script>" in text for text in parsed.text[tag]) == (tag not in ("caption",)), tag


def test_characters_that_cannot_be_seen_or_written_are_escaped(make: Make) -> None:
    page = make(odd="Ann \x00\x1b\ud800 rests.\u202e", name="$x_1$ \u4e00 \\alpha", title="\x07")
    assert not re.search("[\x00-\x08\x0b-\x1f\ud800\u202e]", page)
    assert "Ann \\x00\\x1b\\ud800 rests.\\u202e" in page
    assert ">$x_1$ \u4e00 \\alpha</text>" in page
    page.encode("utf-8")


def test_the_same_comparison_gives_the_same_bytes(make: Make, page: str) -> None:
    assert make() == page
    assert not re.search(r"\b20[2-9]\d-\d\d", page)


def test_settings_of_matplotlib_neither_change_the_page_nor_are_changed(make: Make, page: str) -> None:
    mine: Any = {"font.size": 30.0, "axes.facecolor": "red", "svg.fonttype": "path"}
    with matplotlib.rc_context(mine):
        before = dict(matplotlib.rcParams)
        assert make() == page
        assert dict(matplotlib.rcParams) == before


def test_the_headings_go_down_one_step_at_a_time(page: str) -> None:
    levels = [int(tag[1]) for tag, _ in Page(page).elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_every_plot_says_what_is_to_be_seen_in_it(page: str) -> None:
    drawn = [a for a in Page(page).all("svg") if a.get("role") == "img"]
    assert len(drawn) >= 3
    assert all(len(str(a["aria-label"])) > 30 for a in drawn)
    hidden = [a for a in Page(page).all("svg") if a.get("role") != "img"]
    assert all(a.get("aria-hidden") == "true" for a in hidden)


def test_a_table_has_a_caption_and_is_reached_by_the_keyboard(page: str) -> None:
    parsed = Page(page)
    assert len(parsed.all("caption")) == len(parsed.all("table")) > 3
    boxes = [a for a in parsed.all("div") if str(a.get("class")).startswith("box")]
    assert len(boxes) == len(parsed.all("table"))
    assert all(a.get("tabindex") == "0" and a.get("aria-label") for a in boxes)


def luminance(colour: str) -> float:
    """WCAG 2's relative luminance."""
    shares = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_letters_and_marks_stand_out_in_light_and_dark() -> None:
    style = (Path(str(disproof.__file__)).parent / "bridge" / "page.css").read_text("utf-8")
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
