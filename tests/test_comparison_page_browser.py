"""The pages of comparisons in a real browser: they sort, unfold, filter, and fit a phone."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from disproof.bridge.comparison import Comparison
from disproof.bridge.comparison_page import comparison_page
from disproof.bridge.piqa_comparison import PiqaComparison
from disproof.bridge.piqa_comparison_page import piqa_comparison_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow
NAMES = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright (of the extra `dev`)")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"needs Chromium (none of {', '.join(NAMES)} is installed)")
    with sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def addresses(
    compared: Callable[..., Comparison],
    compared_piqa: Callable[..., PiqaComparison],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, str]:
    """The page of each task as a file, with words in it that are longer than a phone is wide."""
    long = "Ann says " + "antidisestablishmentarianism" * 3 + "."
    name = "x" * 60
    pages = {
        "trip": comparison_page(compared(odd=long, name=name), "Three systems", ["A note."]),
        "piqa": piqa_comparison_page(compared_piqa(long, long, name), "Four systems", ["A note."]),
    }
    folder = tmp_path_factory.mktemp("page")
    for task, page in pages.items():
        (folder / f"{task}.html").write_text(page, "utf-8")
    return {task: (folder / f"{task}.html").as_uri() for task in pages}


@pytest.fixture
def opened(browser: Browser, addresses: dict[str, str]) -> Iterator[Callable[..., Page]]:
    """Opens a task's page, and in the end asserts that it logged nothing and asked for nothing else."""
    complaints: list[str] = []
    requests: list[str] = []
    pages: list[Page] = []

    def visit(task: str = "trip", width: int = 1280, height: int = 900, scheme: str = "light") -> Page:
        page = browser.new_page(viewport={"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(addresses[task])
        pages.append(page)
        return page

    yield visit
    for page in pages:
        page.close()
    assert complaints == []
    assert set(requests) <= set(addresses.values())


def column(page: Page, table: str, number: int) -> list[str]:
    """What one column of a table shows, from above."""
    return page.locator(f"#{table} tbody tr > :nth-child({number})").all_text_contents()


def test_a_click_on_a_heading_sorts_and_another_turns_the_order_round(opened: Callable[..., Page]) -> None:
    page = opened()
    before = column(page, "tiers-table", 1)
    heading = page.locator("#tiers-table thead th").nth(1)
    assert heading.get_attribute("aria-sort") is None
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    values = [float(text.split()[0]) for text in column(page, "tiers-table", 2)]
    assert values == sorted(values, reverse=True)
    assert column(page, "tiers-table", 1) != before
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert [float(text.split()[0]) for text in column(page, "tiers-table", 2)] == values[::-1]


def test_the_keyboard_sorts_words_and_leaves_what_has_no_value_below(opened: Callable[..., Page]) -> None:
    page = opened()
    button = page.locator("#tiers-table thead th button").first
    button.focus()
    page.keyboard.press("Enter")
    names = [name.casefold() for name in column(page, "tiers-table", 1)]
    assert names == sorted(names)
    proof = page.locator("#tiers-table thead th").nth(4)
    proof.locator("button").press("Space")
    assert column(page, "tiers-table", 5)[-2:] == ["–", "–"]
    proof.locator("button").press("Space")
    assert column(page, "tiers-table", 5)[-2:] == ["–", "–"]
    assert page.locator("#tiers-table th[aria-sort]").count() == 1


def test_a_disagreement_unfolds_to_its_proof(opened: Callable[..., Page]) -> None:
    page = opened()
    proof = page.locator("details .proof cite").first
    assert not proof.is_visible()
    page.locator("details summary").first.click()
    assert proof.is_visible()
    assert proof.text_content() == "[pieces_clash, things.lp:12]"
    assert page.locator("details mark").first.is_visible()


def test_disagreements_are_picked_by_who_is_right(opened: Callable[..., Page]) -> None:
    page = opened()
    better, worse = page.locator(".filter select").all()
    shown = page.locator("details:visible")
    assert shown.count() == 1
    better.select_option("prior")
    assert shown.count() == 0
    assert page.locator(".filter output").text_content() == "0 of 1 shown"
    better.select_option("rules")
    worse.select_option("prior")
    assert shown.count() == 1


def test_an_item_on_which_systems_differ_unfolds_to_its_reasons(opened: Callable[..., Page]) -> None:
    page = opened("piqa")
    item = page.locator("details").first
    proof, facts = item.locator(".proof").first, item.locator(".facts").first
    assert not proof.is_visible()
    item.locator("summary").click()
    assert proof.is_visible()
    assert facts.is_visible()
    assert item.locator("mark").first.text_content() == "feet"
    assert item.locator(".said .name").all_text_contents() == ["rules", "counts", "x" * 60]


def test_items_are_picked_by_who_is_right(opened: Callable[..., Page]) -> None:
    page = opened("piqa")
    better, worse = page.locator(".filter select").all()
    assert page.locator("details:visible").count() == 2
    better.select_option("counts")
    worse.select_option("rules")
    assert page.locator("details:visible .id").all_text_contents() == ["item 8"]
    assert page.locator(".filter output").text_content() == "1 of 2 shown"


def test_distances_sort_by_length_not_by_letter(opened: Callable[..., Page]) -> None:
    page = opened("piqa")
    button = page.locator("#by_distance-table thead th button").first
    button.click()
    assert column(page, "by_distance-table", 1) == ["1", "2", "3 to 5"]
    button.click()
    assert column(page, "by_distance-table", 1) == ["3 to 5", "2", "1"]


@pytest.mark.parametrize(("task", "wide"), [("trip", "by_kind"), ("piqa", "accuracy")])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_never_scrolls_sideways(
    opened: Callable[..., Page], task: str, wide: str, scheme: str, tmp_path: Path
) -> None:
    page = opened(task, 390, 844, scheme)
    for summary in page.locator("details summary").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    # What is wider than the screen scrolls in a box of its own.
    box = page.locator(f"#{wide}-table").locator("..")
    assert box.evaluate("box => box.scrollWidth > box.clientWidth")
    plot = page.locator("figure.plot > svg").first.bounding_box()
    assert plot is not None
    assert 300 < plot["width"] <= 390
    page.screenshot(path=tmp_path / f"{scheme}.png", full_page=True)
    assert (tmp_path / f"{scheme}.png").stat().st_size > 50_000


def test_dark_and_light_are_dark_and_light(opened: Callable[..., Page]) -> None:
    shade = "getComputedStyle(document.body).backgroundColor"
    line = "getComputedStyle(document.querySelector('figure.plot > svg text')).fill"
    light, dark = opened(scheme="light"), opened(scheme="dark")
    assert light.evaluate(shade) == "rgb(255, 255, 255)"
    assert dark.evaluate(shade) == "rgb(21, 23, 26)"
    assert light.evaluate(line) != dark.evaluate(line)


def test_print_is_without_what_only_a_screen_can_use(opened: Callable[..., Page]) -> None:
    page = opened(scheme="dark")
    assert page.locator("nav").is_visible()
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("nav").is_visible()
    assert not page.locator(".filter").is_visible()
    assert page.locator("#tiers-table").is_visible()
