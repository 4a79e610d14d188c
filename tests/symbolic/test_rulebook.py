"""The rule book: names, wordings, overlays, and what stops it from loading."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from disproof.symbolic.errors import RuleError
from disproof.symbolic.rulebook import INPUT_PREDICATES, Rule, load

PACK = """% What devices need.
% It is short.

% A device needs power,
% or it does not run.
%!rule needs_power
%!trace_rule {"% needs power in % but lost \\"it\\"
%              in sentence %", E, J, I+0}.
conflict(I,J,needs_power,E,power) :-   % an inner comment.
    holds(J-1,E,power,false,I), arg(J,V,object,E).  % trailing: not of the next

plain(X) :- sentence(X).

% Not of this rule.

%!rule twice
a(1;2).
%!rule twice
a(X) :- plain(X).
causes("unplug", object, power, false). causes("plug in", object, power, true).
"""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    path = tmp_path / "devices.lp"
    path.write_text(PACK)
    return path


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_rule_knows_its_name_wording_description_and_line(pack: Path) -> None:
    book = load([pack])
    (rule,) = book.named("needs_power")
    assert (rule.id, rule.pack, rule.file, rule.line) == (0, "devices", str(pack), 9)
    assert rule.description == "A device needs power, or it does not run."
    assert rule.wording == '% needs power in % but lost "it" in sentence %'
    assert rule.wording_terms == ("E", "J", "(I+0)")
    assert rule.text.startswith("conflict(I,J")
    assert rule.text.endswith("arg(J,V,object,E).")
    assert str(rule.head) == "conflict(I,J,needs_power,E,power)"
    assert len(rule.body) == 2
    assert book.files[0].description == "What devices need. It is short."


def test_unnamed_statements_are_called_by_pack_and_line(pack: Path) -> None:
    book = load([pack])
    assert book.names == ("needs_power", "devices:12", "twice", "devices:20")
    assert len(book.named("twice")) == 2
    assert book.named("devices:12")[0].description == ""
    assert book.named("twice")[0].description == ""
    assert [rule.id for rule in book.rules] == list(range(6))


def test_facts_are_symbols_with_a_syntax_tree_on_demand(pack: Path) -> None:
    first, second = load([pack]).named("devices:20")
    assert str(first.fact) == 'causes("unplug",object,power,false)'
    assert second.derives == (("causes", 4),)
    assert str(second.ast) == 'causes("plug in",object,power,true).'
    assert second.ast.location.begin.line == 20
    assert load([pack]).named("twice")[0].fact is None


def test_a_fact_read_the_fast_way_is_what_clingo_reads(tmp_path: Path) -> None:
    path = write(tmp_path / "x.lp", 'p("a\\"b\\\\.%",-3, x_Y\'1 ,"").\np( 1 ).\np(1).p(2).\n q(0,\n 1).')
    for rule in load([path]).rules:
        if rule.fact is not None:
            assert str(rule.ast) == f"{rule.fact}."
    assert len(load([path]).rules) == 5


def test_predicates_are_known_with_sign_and_order(tmp_path: Path) -> None:
    path = write(tmp_path / "x.lp", "h(T) :- h(T-1), not c(T), k(S), S < T, 1 = #count { X : d(X) }, e(Y) : f(Y).")
    (rule,) = load([path]).rules
    found = [(use.signature[0], use.negative, use.order) for use in rule.uses]
    assert found[:3] == [("h", False, "earlier"), ("c", True, "same"), ("k", False, "earlier")]
    assert [(name, negative) for name, negative, _ in found[3:]] == [("d", True), ("e", True), ("f", True)]


def test_an_overlay_replaces_every_statement_of_a_name_and_adds_the_rest(pack: Path, tmp_path: Path) -> None:
    overlay = write(tmp_path / "mine.lp", "%!rule twice\na(3) :- plain(_).\n%!rule new\nb(1) :- plain(_).\nc(1).\n")
    book = load([pack], overlays=[overlay])
    assert [rule.file for rule in book.named("twice")] == [str(overlay)]
    assert book.names[-3:] == ("twice", "new", "mine:5")
    assert "needs_power" in book.names


def test_a_folder_is_one_overlay_and_later_overlays_win(pack: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    write(folder / "b.lp", "%!rule twice\na(5).\n")
    write(folder / "a.lp", "%!rule twice\na(4).\n")
    write(folder / "notes.txt", "not a rule")
    assert [r.text for r in load([pack], overlays=[folder]).named("twice")] == ["a(4).", "a(5)."]
    last = write(tmp_path / "last.lp", "%!rule twice\na(6).\n")
    assert [r.text for r in load([pack], overlays=[folder, last]).named("twice")] == ["a(6)."]


def test_unnamed_statements_of_two_files_never_replace_each_other(pack: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    overlay = write(folder / "devices.lp", "\n" * 11 + "other(X) :- entity(X).\n")
    assert len(load([pack], overlays=[overlay]).named("devices:12")) == 2


def test_rules_are_left_out_by_name_and_a_misspelt_name_is_corrected(pack: Path) -> None:
    assert "twice" not in load([pack], without=["twice"]).names
    with pytest.raises(RuleError, match="did you mean 'needs_power'"):
        load([pack], without=["need_power"])
    with pytest.raises(RuleError, match="did you mean 'needs_power'"):
        load([pack]).named("needs_powr")


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("a :- b\n\nc :- d.\n", 3, "'.' missing at the end of line 1"),
        ("a(1)\n% x\nb(2).\n", 3, "'.' missing at the end of line 1"),
        ("a :- b,\n  .\n", 2, "syntax error"),
        ("a :- b c.\n", 1, "syntax error"),
        ("p(X) :- q(Y), not r(X).\n", 1, "unsafe variable X"),
        ("ok.\np(_) :- q.\n", 2, "unsafe variable _"),
        ("%!rule Bad-Name\na.\n", 1, "no rule name"),
        ("%!rule a\n%!rule b\na.\n", 2, "second name"),
        ("a.\n%!rule last\n", 2, "no rule follows"),
        ("%!rule show_it\n#show a/1.\n", 1, "directive"),
        ('%!trace_rule {"% and %", X}.\np(X) :- q(X).\n', 1, "2 holes (%) but 1 terms"),
        ('%!trace_rule {"none", X}.\np(X) :- q(X).\n', 1, "0 holes (%) but 1 terms"),
        ('%!trace_rule {"%", Z}.\np(X) :- q(X).\n', 1, "not a variable of the rule"),
        ('%!trace_rule {"%", X). evil(X}.\np(X) :- q(X).\n', 1, "cannot be read"),
        ('%!trace_rule {"%", X) :- (y}.\np(X) :- q(X).\n', 1, "cannot be read"),
        ('%!trace_rule {"%" X}.\np(X) :- q(X).\n', 1, "cannot be read"),
        ("%!trace_rule oops\np(X) :- q(X).\n", 1, "cannot be read"),
        ('%!trace_rule {"%", X}.\np :- 1 = #count { X : q(X) }.\n', 2, "no value outside its braces"),
        ("a :- not b.\nb :- not a.\n", 1, "a/0 depends on the absence (or a count) of b/0, which depends on a/0"),
        ("a(T) :- a(T), not a(T+1).\n", 1, "stratified"),
        ("a(X) :- b(X), 1 = #count { Y : a(Y) }.\n", 1, "stratified"),
        ("a :- b : a.\n", 1, "stratified"),
    ],
)
def test_what_is_wrong_is_told_in_one_line_with_its_place(tmp_path: Path, text: str, line: int, says: str) -> None:
    path = write(tmp_path / "bad.lp", text)
    with pytest.raises(RuleError) as caught:
        load([path])
    assert says in caught.value.message
    assert str(caught.value).startswith(f"{path}:{line}")
    assert "\n" not in str(caught.value)


def test_a_cycle_that_goes_back_in_time_is_stratified(tmp_path: Path) -> None:
    text = (
        "inside(T,X) :- inside(T-1,X), sentence(T), not moved(T,X).\n"
        "moved(T,X) :- inside(S,X), S < T, entity(X), sentence(T), not held(T,X).\n"
        "held(T,X) :- entity(X), sentence(T), inside(T-1,X).\n"
    )
    assert len(load([write(tmp_path / "time.lp", text)]).rules) == 3
    with pytest.raises(RuleError, match="inside/2"):
        load([write(tmp_path / "now.lp", text.replace("inside(T-1,X).\n", "inside(T,X).\n"))])


def test_two_files_that_are_stratified_alone_are_refused_together(tmp_path: Path) -> None:
    one, two = write(tmp_path / "one.lp", "a :- not b.\n"), write(tmp_path / "two.lp", "b :- a.\n")
    load([one])
    with pytest.raises(RuleError, match="stratified"):
        load([one], overlays=[two])


def test_paths_that_hold_no_rules_are_told(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe.lp")
    for name, says in [
        ("missing", "no such"),
        ("empty", r"\*.lp"),
        ("pipe.lp", "regular"),
        ("\0", "no such"),
        ("x" * 5000, "cannot be used"),
    ]:
        with pytest.raises(RuleError, match=says):
            load([tmp_path / name])
    write(tmp_path / "rules.txt", "a.")
    with pytest.raises(RuleError, match="must end in"):
        load([tmp_path / "rules.txt"])


def test_an_empty_file_is_a_pack_without_rules(tmp_path: Path) -> None:
    assert load([write(tmp_path / "a.lp", "")]).rules == ()
    assert load([write(tmp_path / "b.lp", "% only words\n")]).files[0].description == "only words"


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path / "a.lp", "a(1).")
    assert load([path]).rules[0].text == "a(1)."
    write(path, "a(2).")
    assert load([path]).rules[0].text == "a(2)."


def test_rules_compare_by_what_they_say_and_print_short(pack: Path) -> None:
    first, second = load([pack]), load([pack])
    assert first == second
    assert repr(first.rules[0]) == f"Rule(needs_power, {pack}:9)"
    assert isinstance(first.rules[0], Rule)


def test_input_predicates_are_explained() -> None:
    assert ("label", 6) in INPUT_PREDICATES
    assert all(meaning.startswith(f"{name}(") for (name, _), meaning in INPUT_PREDICATES.items())


def test_thousands_of_facts_load_fast(tmp_path: Path) -> None:
    lines = [f'causes("verb{n}", object, power, false).' for n in range(5000)]
    path = write(tmp_path / "lexicon.lp", "\n".join(lines))
    start = time.process_time()
    book = load([path])
    assert len(book.rules) == 5000
    assert time.process_time() - start < 2  # about 0.1 s; a parse per fact takes longer than this
