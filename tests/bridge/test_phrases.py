"""Counts of runs of words, and what they say of two solutions."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disproof.bridge.difference import difference
from disproof.bridge.phrases import END, FEATURES, START, Phrases, count, features, new_runs, own_runs, runs, surprise
from disproof.bridge.piqa_data import PiqaItem
from disproof.symbolic.errors import ModelError

ITEMS = [
    PiqaItem(0, "", ("Use a nail file.", "Use a nail lighter."), 0),
    PiqaItem(1, "", ("Use a paper clip.", "Use a nail file."), 1),
    PiqaItem(2, "", ("nothing", "counts"), None),
]
TEXTS = st.lists(st.sampled_from("nail file the a 1/2 .".split()), min_size=1, max_size=6).map(" ".join)
MANY = st.lists(
    st.builds(PiqaItem, st.just(0), st.just(""), st.tuples(TEXTS, TEXTS), st.sampled_from([0, 1])), max_size=6
)


@given(items=MANY)
def test_counts_are_those_of_a_plain_count_and_come_back(
    items: list[PiqaItem], tmp_path_factory: pytest.TempPathFactory
) -> None:
    counts = count(items)
    path = tmp_path_factory.mktemp("runs") / "phrases.npz"
    counts.save(path)
    again = Phrases.load(path)
    every = [own_runs(item) for item in items]
    for run in {run for own in every for kind in own for run in kind} | {("unseen",), ("nail", "unseen")}:
        expected = tuple(sum(own[kind][run] for own in every) for kind in (0, 1))
        assert counts.seen(run) == again.seen(run) == expected
    assert counts.totals == again.totals


def test_runs_know_where_a_text_begins_and_ends() -> None:
    found = runs("Use it")
    assert found[(START, "use")] == found[("it", END)] == found[(START, "use", "it")] == 1
    assert sum(found.values()) == 4 + 3 + 2


def test_the_runs_of_one_solution_alone_are_looked_at_also_around_a_gap() -> None:
    found = difference("put it in water", "put it water")
    assert [pair for pair, _ in new_runs(found, 0)] == [("it", "in"), ("in", "water")]
    assert list(new_runs(found, 1)) == [(("it", "water"), ("put", "it", "water"))]
    assert list(new_runs(difference("oil", "water"), 0)) == [
        ((START, "oil"), None),
        (("oil", END), (START, "oil", END)),
    ]


def test_neighbours_that_were_seen_speak_for_a_solution() -> None:
    counts = count(ITEMS)
    assert counts.seen(("nail", "file")) == (2, 0)
    told = surprise(counts, ("nail", "file"))
    assert told[0] > 0.5
    assert told[1] == 0.0
    assert surprise(counts, ("file", "nail"))[0] < 0
    found = dict(zip(FEATURES, features(counts, difference("a nail file", "a nail clip")), strict=True))
    assert found["phrase: pairs, right"] > 0
    assert found["phrase: triples seen, right"] > 0


def test_an_items_own_runs_are_left_out() -> None:
    counts, fewer = count(ITEMS), count(ITEMS[1:])
    own = own_runs(ITEMS[0])
    for pair in (("nail", "file"), ("nail", "lighter"), ("a", "paper")):
        known, expected = surprise(counts, pair, own), surprise(fewer, pair)
        assert known == pytest.approx(expected, abs=math.log(2))  # the number of all runs stays
    assert surprise(counts, ("nail", "lighter"), own)[1] == 0.0


def test_features_of_exchanged_solutions_are_the_negatives() -> None:
    counts = count(ITEMS)
    one, other = (
        features(counts, difference(*pair)) for pair in (("a nail file", "clip it"), ("clip it", "a nail file"))
    )
    np.testing.assert_allclose(one, -other)
    assert one.any()
    assert not features(counts, difference("a file", "A file")).any()


@pytest.mark.parametrize("content", [b"", b"no archive"])
def test_a_damaged_file_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "phrases.npz"
    with pytest.raises(ModelError, match="no such counts"):
        Phrases.load(path)
    path.write_bytes(content)
    with pytest.raises(ModelError, match="no file of counts"):
        Phrases.load(path)
