"""Amounts and directions that sentences name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disproof.neural.directions import directions
from disproof.neural.quantities import quantities


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("Bake it at 350 degrees.", {("temperature", 350)}),
        ("Heat it to 180°C.", {("temperature", 356)}),
        ("Heat it to 180 degrees Celsius.", {("temperature", 356)}),
        ("Preheat the oven to 400ºF.", {("temperature", 400)}),
        ("Set it to 350F for 2 hrs.", {("temperature", 350), ("time", 7200)}),
        ("Wait for 10-15 minutes.", {("time", 600), ("time", 900)}),
        ("Wait for ten to twelve seconds.", {("time", 10), ("time", 12)}),
        ("Leave it for 1 1/2 hours.", {("time", 5400)}),
        ("Leave it for 1½ hours.", {("time", 5400)}),
        ("Leave it for half an hour.", {("time", 1800)}),
        ("Wait a couple of minutes.", {("time", 120)}),
        ('Cut a 3/4" strip, 6 cm wide.', {("length", 19), ("length", 60)}),
        ("Add 1/2 cup of oil and a teaspoon of salt.", {("volume", 118), ("volume", 5)}),
        ("Take a cup of flour.", {("volume", 237)}),
        ("Pour 1,000 ml of it.", {("volume", 1000)}),
        ("Buy two pounds of nails.", {("weight", 907)}),
    ],
)
def test_amounts_are_told_in_one_unit_of_each_kind(sentence: str, found: set[tuple[str, int]]) -> None:
    assert {(one.kind, one.amount) for one in quantities([sentence])} == found


@pytest.mark.parametrize(
    "sentence",
    [
        "Put it in a cup.",
        "Stand on a foot.",
        "Give it a second look.",
        "He got an f.",
        "Use 1/0 cup.",
        "",
        "I am 5.",
        "Fill a metal bowl.",
    ],
)
def test_what_is_no_amount_is_none(sentence: str) -> None:
    assert quantities([sentence]) == ()


def test_an_amount_is_of_its_sentence() -> None:
    assert [(one.sentence, one.amount) for one in quantities(["Wait.", "Wait 5 minutes.", "Wait 1 day."])] == [
        (1, 300),
        (2, 86400),
    ]


@given(st.text(alphabet='0123456789 ½/-.,cfminutes°"', max_size=30))
def test_any_text_can_be_read(text: str) -> None:
    for one in quantities([text]):
        assert 0 <= one.amount < 2**31


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("Turn it clockwise.", {"clockwise"}),
        ("Turn it counter-clockwise.", {"counterclockwise"}),
        ("Turn it anticlockwise.", {"counterclockwise"}),
        ("Turn it clockwise, then counterclockwise.", {"clockwise", "counterclockwise"}),
        ("Hold the jar upside-down.", {"upside down"}),
        ("Cut it lengthways at the bottom.", {"lengthwise", "bottom"}),
        ("Put it on top of the box.", set()),
        ("Stop it.", set()),
    ],
)
def test_directions_are_told_by_one_word_each(sentence: str, words: set[str]) -> None:
    assert {one.word for one in directions([sentence])} == words
