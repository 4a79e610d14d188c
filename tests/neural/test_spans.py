"""Which words of a sentence name an entity."""

from __future__ import annotations

import pytest

from disproof.neural.spans import name_spans


def named(sentence: str, *entities: str) -> list[list[str]]:
    return [[sentence[a:b] for a, b in spans] for spans in name_spans(sentence, entities)]


def test_the_longest_name_takes_the_words_it_shares() -> None:
    sentence = "Tom ate the hot pizza beside a pizza."
    assert named(sentence, "pizza", "hot pizza") == [["pizza"], ["hot pizza"]]
    assert name_spans(sentence, ["pizza"]) == [[(16, 21), (31, 36)]]


def test_of_two_equal_names_the_first_takes_the_words() -> None:
    assert named("The cup fell.", "cup", "the cup") == [["cup"], []]


@pytest.mark.parametrize(
    ("sentence", "entity", "found"),
    [
        ("She washed the knives.", "knife", "knives"),
        ("She washed a knife.", "knives", "knife"),
        ("Berries are red.", "berry", "Berries"),
        ("Two glasses fell.", "glass", "glasses"),
        ("Wash the dishes!", "dish", "dishes"),
        ("Tomatoes rot.", "tomato", "Tomatoes"),
        ("John's hat is here.", "John", "John's"),
        ("He took his BOOK.", "the book", "BOOK"),
        ("The t-shirt is wet.", "t-shirt", "t-shirt"),
    ],
)
def test_case_plurals_possessives_and_articles_do_not_matter(sentence: str, entity: str, found: str) -> None:
    assert named(sentence, entity) == [[found]]


def test_a_word_within_a_word_is_no_name() -> None:
    assert named("The carpet is in the bus.", "car", "pet", "bu") == [[], [], []]


def test_a_name_not_held_in_full_is_found_by_its_head() -> None:
    assert named("The lamp is on.", "table lamp") == [["lamp"]]
    assert named("The table is clean.", "table lamp") == [[]]


def test_the_head_of_one_name_does_not_take_the_words_of_another() -> None:
    assert named("The lamp is on.", "table lamp", "lamp") == [[], ["lamp"]]


@pytest.mark.parametrize("entity", ["", "the", "...", "\n", '"'])
def test_an_entity_without_a_word_is_named_nowhere(entity: str) -> None:
    assert named('The cup... "fell".\n', entity, "cup") == [[], ["cup"]]


def test_names_of_any_script_are_found() -> None:
    assert named("Zoë öffnet die Tür.", "Tür", "zoë") == [["Tür"], ["Zoë"]]


def test_no_words_no_names() -> None:
    assert name_spans("", ["cup"]) == [[]]
    assert name_spans("The cup.", []) == []
