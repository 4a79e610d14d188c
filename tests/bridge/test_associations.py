"""Counts of words that occur together, and what they say of two solutions."""

from __future__ import annotations

import io
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disproof.bridge.associations import (
    FEATURES,
    Associations,
    Compared,
    bag,
    count,
    documents,
    features,
    information,
)
from disproof.bridge.difference import difference
from disproof.bridge.piqa_data import PiqaItem
from disproof.symbolic.errors import ModelError

ITEMS = [
    PiqaItem(0, "Open the wine.", ("Pull the cork out.", "Pull the lighter out."), 0),
    PiqaItem(1, "Smooth a nail?", ("Use a lighter.", "Use a file."), 1),
    PiqaItem(2, "Keep wine fresh.", ("Push the cork in again.", "Push the file in again."), 0),
    PiqaItem(3, "Unknown.", ("cork", "file"), None),
]
TEXTS = st.lists(st.sampled_from("cork wine nail file the a 12".split()), min_size=1, max_size=6).map(" ".join)
MANY = st.lists(
    st.builds(PiqaItem, st.just(0), TEXTS, st.tuples(TEXTS, TEXTS), st.sampled_from([0, 1, None])), max_size=8
)


@given(MANY)
def test_counts_are_those_of_a_plain_count(items: list[PiqaItem]) -> None:
    counts = count(items)
    docs = [documents(item) for item in items if item.label is not None]
    every = sorted(set().union(*(doc[0] | doc[1] for doc in docs)) | {"unseen"})
    assert counts.total == len(docs)
    for first in every:
        assert counts.singles(first) == tuple(sum(first in doc[kind] for doc in docs) for kind in (0, 1))
        for second in every:
            both = tuple(sum({first, second} <= doc[kind] for doc in docs) for kind in (0, 1))
            assert counts.pairs(first, second) == (both if first != second else (0, 0))


@given(items=MANY)
def test_counts_come_back_as_they_were_saved(items: list[PiqaItem], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("counts") / "counts.npz"
    counts = count(items)
    counts.save(path)
    first = path.read_bytes()
    again = Associations.load(path)
    again.save(path)
    assert path.read_bytes() == first
    assert repr(again) == repr(counts)
    for word in ("cork", "wine", "nail"):
        assert again.singles(word) == counts.singles(word)
        assert again.pairs(word, "the") == counts.pairs(word, "the")


def test_a_right_solution_puts_words_together_that_keep_company() -> None:
    counts = count(ITEMS)
    company = counts.company("cork", "wine")
    assert (company.words, company.right, company.wrong) == (("cork", "wine"), 2, 0)
    assert company.expected == pytest.approx(2 * 2 / 3)
    assert information(counts, "cork", "wine")[0] > 0.3
    right, wrong = information(counts, "wine", "lighter")
    assert right == 0.0
    assert wrong == pytest.approx(math.log(1.3 / (2 * 2 / 3 + 0.3)))
    assert information(counts, "cork", "cork") == (0.0, 0.0)
    assert information(counts, "cork", "unseen")[0] == 0.0


def test_what_is_learned_from_an_item_has_not_seen_it() -> None:
    counts, fewer = count(ITEMS), count([ITEMS[0], *ITEMS[2:]])
    own = documents(ITEMS[1])
    for first, second in (("nail", "file"), ("nail", "lighter"), ("use", "file"), ("cork", "wine")):
        known = information(counts, first, second, own)
        expected = information(fewer, first, second)
        # The number of documents itself is the same for all.
        assert known == pytest.approx(expected, abs=math.log(3 / 2) + 1e-9)
    assert information(counts, "nail", "file", own)[0] == 0.0


def test_features_of_exchanged_solutions_are_the_negatives() -> None:
    counts = count(ITEMS)
    item = PiqaItem(9, "Close the wine", ("Use a cork.", "Use a long nail file."), None)
    found = features(counts, Compared(item.goal, difference(*item.solutions)))
    other = features(counts, Compared(item.goal, difference(*item.solutions[::-1])))
    assert found.shape == (len(FEATURES),)
    np.testing.assert_allclose(found, -other)
    named = dict(zip(FEATURES, found, strict=True))
    assert named["goal: together, right"] > 0
    assert (named["words"], named["any"], named["length"]) == (-2, 0, -2)


def test_words_are_looked_at_beside_the_goals_those_of_both_and_their_neighbours() -> None:
    found = Compared(
        "How do you open the wine?", difference("Pull out a cork slowly now.", "Pull out a lid slowly now.")
    )
    assert found.words == (["cork"], ["lid"])
    goal, shared, near = found.beside[0]
    assert goal == ["open", "wine"]
    assert shared == ["now", "out", "pull", "slowly"]
    assert near == ["a", "now", "out", "pull", "slowly"]


def test_solutions_that_differ_in_nothing_are_alike() -> None:
    assert not features(count(ITEMS), Compared("wine", difference("Use a cork.", "use a cork ."))).any()


def test_a_bag_has_no_marks() -> None:
    assert bag("Don't: use 1/2, (or) 2!") == {"don't", "use", "1/2", "or", "2"}
    assert documents(replace(ITEMS[1], goal="x"))[0] == {"x", "use", "a", "file"}


def archive(**arrays: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


@pytest.mark.parametrize(
    "content", [b"", b"no archive", archive(), archive(gaps=np.zeros(2)), archive(gaps=np.array([{}]))]
)
def test_a_damaged_file_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "counts.npz"
    with pytest.raises(ModelError, match="no such counts"):
        Associations.load(path)
    path.write_bytes(content)
    with pytest.raises(ModelError, match="no file of counts"):
        Associations.load(path)
