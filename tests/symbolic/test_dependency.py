"""Which predicates rest on each other."""

from __future__ import annotations

from pathlib import Path

import networkx as nx

from disproof.symbolic.dependency import recursive
from disproof.symbolic.rulebook import load


def test_predicates_that_rest_on_each_other_are_one_group(tmp_path: Path) -> None:
    path = tmp_path / "some.lp"
    path.write_text(
        "a(T) :- b(T), sentence(T).\nb(T) :- c(T-1), sentence(T).\nc(T) :- a(T).\nc(T) :- d(T).\n"
        "d(T) :- d(T-1), sentence(T).\ne(T) :- a(T).\nf(T) :- sentence(T).\n"
    )
    found = recursive(load([path]).rules)
    assert set(found) == {("a", 1), ("b", 1), ("c", 1), ("d", 1)}
    assert found["a", 1] == found["b", 1] == found["c", 1] != found["d", 1]


def test_networkx_tells_the_same_of_the_shipped_rules() -> None:
    rules = [rule for rule in load().rules if rule.uses]
    graph = nx.DiGraph((head, use.signature) for rule in rules for use in rule.uses for head in rule.derives)
    expected = [c for c in nx.strongly_connected_components(graph) if len(c) > 1 or graph.has_edge(*(list(c) * 2))]
    found = recursive(rules)
    groups = {n: {s for s, number in found.items() if number == n} for n in found.values()}
    assert sorted(map(sorted, groups.values())) == sorted(map(sorted, expected))
