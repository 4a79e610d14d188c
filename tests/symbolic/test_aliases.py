"""What counts as one thing under two names, and what does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disproof.symbolic.aliases import alias_pairs, head, lemma, modifiers, singular


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("orange", "oranges"),
        ("Pizza", "pizza"),
        ("lamp", "table lamp"),
        ("hot pizza", "pizza"),
        ("hot pizza", "cold pizza"),
        ("machine", "washing machine"),
        ("phone", "Tom's phone"),
        ("knife", "short knives"),
        ("hairbrush", "hair brush"),
        ("t-shirt", "T shirt"),
        ("glass", "glass of milk"),
        ("shoes", "pair of shoes"),
        ("balloon", "helium birthday balloon"),
        ("birthday balloon", "helium birthday balloon"),
    ],
)
def test_two_names_of_one_thing_are_aliases(a: str, b: str) -> None:
    assert alias_pairs([a, b]) == (tuple(sorted((a, b))),)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("black mug", "blue mug"),
        ("short knife", "long knife"),
        ("baseball", "soccer ball"),
        ("ice cream", "cream"),
        ("peanut butter", "butter"),
        ("hot dog", "dog"),
        ("toy car", "car"),
        ("spare tire", "tire"),
        ("pizza joint", "pizza"),
        ("milk", "glass of milk"),
        ("Tom's phone", "Mary's phone"),
        ("Tom", "Tom's friend"),
        ("slice of pizza", "slice of bread"),
        ("hot chocolate", "chocolate"),
    ],
)
def test_different_things_are_not_aliases(a: str, b: str) -> None:
    assert alias_pairs([a, b]) == ()


def test_a_bare_name_beside_two_rivals_is_linked_to_neither() -> None:
    assert alias_pairs(["ball", "tennis ball", "soccer ball"]) == ()


def test_a_bare_name_still_has_its_plural_beside_rivals() -> None:
    assert alias_pairs(["ball", "balls", "tennis ball", "soccer ball"]) == (("ball", "balls"),)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("knives", "knife"),
        ("Shelves", "shelf"),
        ("potatoes", "potato"),
        ("boxes", "box"),
        ("dishes", "dish"),
        ("berries", "berry"),
        ("shoes", "shoe"),
        ("clothes", "clothes"),
        ("glasses", "glasses"),
        ("scissors", "scissors"),
        ("pants", "pants"),
        ("glass", "glass"),
        ("bus", "bus"),
        ("vases", "vase"),
        ("James", "james"),
        ("TVs", "tv"),
        ("the table lamps", "table lamp"),
        ("his phone", "phone"),
        ("Tom's phones", "phone"),
        ("her", "her"),
        ("", ""),
    ],
)
def test_lemma_is_lower_case_undetermined_and_singular(name: str, expected: str) -> None:
    assert lemma(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("glass of milk", "glass"),
        ("slices of pizza", "slice"),
        ("pair of scissors", "scissors"),
        ("all of the potatoes", "potato"),
        ("table lamps", "lamp"),
        ("ice cream", "cream"),
        ("of", "of"),
        ("  ", ""),
    ],
)
def test_head_is_the_noun_that_says_what_it_is(name: str, expected: str) -> None:
    assert head(name) == expected


@given(st.text(alphabet=st.characters(min_codepoint=97, max_codepoint=122), min_size=1))
def test_the_singular_of_a_word_is_never_empty(word: str) -> None:
    assert 0 < len(singular(word)) <= len(word) + 1


@given(st.lists(st.text(max_size=20), max_size=8))
def test_pairs_are_sorted_ordered_and_independent_of_the_order_of_names(names: list[str]) -> None:
    pairs = alias_pairs(names)
    assert pairs == alias_pairs(list(reversed(names)))
    assert list(pairs) == sorted(set(pairs))
    assert all(a < b for a, b in pairs)
    assert {name for pair in pairs for name in pair} <= set(names)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("apple pie", ("apple",)),
        ("hot apple pie", ("apple",)),
        ("slice of cheese pizza", ("cheese", "pizza")),
        ("black mug", ("black",)),
        ("the pie", ()),
        ("ice cream", ()),
    ],
)
def test_modifiers_say_the_kind_and_not_the_state_of_a_thing(name: str, expected: tuple[str, ...]) -> None:
    assert modifiers(name) == expected
