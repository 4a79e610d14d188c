"""Which classes of verbs a set of rules asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from disproof.symbolic.demand import classes_asked_for
from disproof.symbolic.rulebook import load


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("p(T) :- verb(T,V), verb_class(V,opens).", {"opens"}),
        ("p(T) :- verb(T,V), not verb_class(V,opens).", {"opens"}),
        ("p(T) :- verb(T,V), 1 = #count { C : verb_class(V,opens), kind(C,x) }.", {"opens"}),
        ("p(T) :- verb(T,V), verb_class(V,(opens;closes)).", {"opens", "closes"}),
        ("p(T) :- verb_class(V,C), big(C), verb(T,V). big(a;b). big(c).", {"a", "b", "c"}),
        ("p(W) :- verb_class(_,C), loss(C,W), not odd(C). loss(gives,g). loss(loses,l). odd(x).", {"gives", "loses"}),
        ("p(T) :- verb(T,V), verb_class(V,C), big(C), odd(C). big(moves;leaves). odd(leaves;x).", {"leaves"}),
    ],
)
def test_a_rule_asks_for_the_classes_that_it_or_a_list_names(text: str, asked: set[str], tmp_path: Path) -> None:
    path = tmp_path / "a.lp"
    path.write_text(text)
    assert classes_asked_for(load([path]).rules) == frozenset(asked)


@pytest.mark.parametrize(
    "text",
    [
        "p(V) :- verb_class(V,_).",
        "p(V,C) :- verb_class(V,C).",
        "p(T) :- verb(T,V), verb_class(V,C), big(C). big(C) :- kind(_,C).",
        "p(T) :- verb(T,V), verb_class(V,C), kind(_,C).",
        "p(T) :- verb(T,V), verb_class(V,C), big(C). big(1..3).",
        'verb_class("open",opens).',
        "p(T) :- sentence(T).",
    ],
)
def test_where_a_rule_may_ask_for_any_class_or_none_asks_nothing_is_said(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.lp"
    path.write_text(text)
    assert classes_asked_for(load([path]).rules) is None
