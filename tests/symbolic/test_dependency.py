"""Which predicates rest on each other, told with and without networkx."""

from __future__ import annotations

from pathlib import Path

from disproof.symbolic.dependency import mutual, recursive
from disproof.symbolic.rulebook import load


def test_predicates_that_rest_on_each_other_are_one_group(tmp_path: Path) -> None:
    path = tmp_path / "some.lp"
    path.write_text(
        "a(T) :- b(T), sentence(T).\nb(T) :- c(T-1), sentence(T).\nc(T) :- a(T).\nc(T) :- d(T).\n"
        "d(T) :- d(T-1), sentence(T).\ne(T) :- a(T).\nf(T) :- sentence(T).\n"
    )
    found = mutual(load([path]).rules)
    assert set(found) == {("a", 1), ("b", 1), ("c", 1), ("d", 1)}
    assert found["a", 1] == found["b", 1] == found["c", 1] != found["d", 1]


def test_both_ways_of_telling_agree_on_the_shipped_rules() -> None:
    rules = [rule for rule in load().rules if rule.uses]
    first, second = mutual(rules), recursive(rules)
    assert first.keys() == second.keys()
    assert all((first[a] == first[b]) == (second[a] == second[b]) for a in first for b in first)
