"""Aligned words of two texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from disproof.bridge.difference import difference, words

SENTENCES = st.lists(st.sampled_from("put the cup on a table . it's 1/2 full".split()), max_size=12).map(" ".join)


def test_one_word_for_another_is_one_edit() -> None:
    found = difference("Use your feet to blend the mix.", "Use your hands to blend the mix.")
    (edit,) = found.edits
    assert (found.text(edit, 0), found.text(edit, 1), found.distance) == ("feet", "hands", 1)
    assert [found.words[0][i].text for i in found.changed(0)] == ["feet"]


def test_numbers_and_contractions_are_one_word_each() -> None:
    assert [word.text for word in words("Don't add 1/2 cup (2.5 dl) of well-known X_Y")] == (
        ["don't", "add", "1/2", "cup", "(", "2.5", "dl", ")", "of", "well-known", "x", "_", "y"]
    )


def test_words_that_only_one_has_stand_against_nothing() -> None:
    found = difference("Wash it.", "Wash it in warm water.")
    (edit,) = found.edits
    assert (found.text(edit, 0), found.text(edit, 1), found.distance) == ("", "in warm water", 3)
    assert list(found.changed(0)) == []


def test_case_and_spaces_are_no_difference() -> None:
    assert difference("Wash  it.", "wash it .").edits == ()


@given(SENTENCES, SENTENCES)
def test_what_is_not_changed_is_the_same(first: str, second: str) -> None:
    found = difference(first, second)
    kept = [
        [word.text for i, word in enumerate(found.words[side]) if i not in set(found.changed(side))] for side in (0, 1)
    ]
    assert kept[0] == kept[1]
    assert found.distance >= abs(len(found.words[0]) - len(found.words[1]))
    assert (found.distance == 0) == ([w.text for w in found.words[0]] == [w.text for w in found.words[1]])


@given(SENTENCES, SENTENCES)
def test_pieces_are_the_text_and_those_marked_are_its_edits(first: str, second: str) -> None:
    found = difference(first, second)
    for side, text in enumerate((first, second)):
        pieces = list(found.pieces(side))
        assert "".join(piece for piece, _ in pieces) == text
        assert [piece for piece, changed in pieces if changed] == [found.text(edit, side) for edit in found.edits]
