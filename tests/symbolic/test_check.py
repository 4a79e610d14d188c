"""The linter finds each kind of mistake, with file, line and fix, and is silent on a good file."""

from __future__ import annotations

from pathlib import Path

import pytest

from disproof.symbolic.check import Finding, check
from disproof.symbolic.errors import Location, RuleError
from disproof.symbolic.rulebook import SHIPPED, RuleBook, load

GOOD = """% A device needs power.
%!rule needs_power
%!trace_rule {"% needs power in % but lost it in %", E, J, I}.
%!fires The lamp went dark. Ann charged the lamp. {after 1 lamp power false}
%!silent The lamp went dark. Ann charged the lamp.
conflict(I,J,needs_power,E,power) :-
    label(eff,I,E,power,false,_), arg(J,V,object,E), requires(V,object,power,true), I < J, not restored(J,E).
restored(J,E) :- label(eff,J,E,power,true,_), sentence(J).
requires("charge", object, power, true).
"""


def findings(tmp_path: Path, text: str, base: str | None = None) -> list[Finding]:
    path = tmp_path / "mine.lp"
    path.write_text(text)
    book = RuleBook(())
    if base is not None:
        other = tmp_path / "base.lp"
        other.write_text(base)
        book = load([other])
    return check([path], book)


def told(found: list[Finding]) -> list[tuple[int | None, str, str]]:
    return [(f.location.line, f.severity, f.message) for f in found]


def test_a_good_file_has_no_findings(tmp_path: Path) -> None:
    assert findings(tmp_path, GOOD) == []


@pytest.mark.parametrize(
    ("old", "new", "line", "severity", "says"),
    [
        ("arg(J,V,object,E), requires", "arg(J,V,object,E)  requires", 7, "error", "syntax error"),
        ("I < J, not restored(J,E).", "I < J, not restored(J,E)", 8, "error", "'.' missing at the end of line 7"),
        ("restored(J,E) :- label", "restored(J,X) :- label", 8, "error", "unsafe variable X"),
        ("arg(J,V,object,E)", "args(J,V,object,E)", 6, "error", "did you mean arg/4"),
        ("not restored(J,E)", "not restord(J,E)", 6, "error", "did you mean restored/2"),
        ("arg(J,V,object,E)", "arg(J,V,E)", 6, "error", "it has 3 arguments, where arg/4 is known"),
        ("%!fires The", "% The", 6, "warning", "the rule lacks a story in which it fires (%!fires): write"),
        ("%!silent The", "% The", 6, "warning", "the rule lacks a near miss (%!silent): write"),
        ("lamp power false}", "lamp powr false}", 4, "error", "'powr' is no attribute: did you mean 'power'?"),
        ("arg(J,V,object,E)", "arg(J,V,objct,E)", 6, "warning", "no verb has the role 'objct' in arg/4: did you mean"),
        ("object, power, true).", "recipent, power, true).", 9, "warning", "did you mean 'recipient'"),
        ("%!rule needs_power", "#include <x>.", 2, "error", "--rules"),
        ("%!rule needs_power", "#script (python) #end.", 2, "error", "runs code"),
        ("false,_), arg", "@f(I),_), arg", 7, "error", "@functions"),
        ("%!trace_rule {", "% {", 6, "warning", "needs a wording"),
        ("%!rule needs_power", "% no name", 6, "warning", "needs a name"),
        ("%!rule needs_power", "%!rules needs_power", 2, "warning", "not known and has no effect"),
        ('in %", E, J, I}', 'in %", E, J}', 3, "error", "3 holes (%) but 2 terms"),
        ("not restored(J,E)", "not restored(J,E), entity(F)", 6, "warning", "variable F occurs once"),
        ("power,false,_)", "pover,false,_)", 6, "error", "'pover' in label/6 is no attribute: did you mean 'power'"),
        ("power,false,_)", "power,of,_)", 6, "error", "'of' in label/6 is no value of power: use one of false, true"),
        ("label(eff,I", "label(effect,I", 6, "error", "use pre or eff"),
        ("needs_power,E,power)", "needs_power,E,energy)", 6, "error", "'energy' in conflict/5 is no attribute"),
        ("object, power, true).", "object, location, true).", 9, "error", "is no value of location"),
        ("label(eff,J,E,power,true,_), s", "restored(J,E), not conflict(J,J,x,E,power), s", 6, "error", "stratified"),
    ],
)
def test_each_mistake_is_found_where_it_is(
    tmp_path: Path, old: str, new: str, line: int, severity: str, says: str
) -> None:
    assert old in GOOD
    found = told(findings(tmp_path, GOOD.replace(old, new)))
    assert any((at, kind) == (line, severity) and says in message for at, kind, message in found), found


def test_every_refused_statement_of_a_file_is_found(tmp_path: Path) -> None:
    found = told(findings(tmp_path, ":- a.\n{ b }.\nc.\nd ; e.\n"))
    assert [(line, severity) for line, severity, _ in found] == [(1, "error"), (2, "error"), (4, "error")]


def test_every_unsafe_rule_is_found_although_another_would_ground_for_ever(tmp_path: Path) -> None:
    text = "f(0).\nf(N+1) :- f(N).\np(X) :- f(Y), Y > 1.\ng(1..2000000000).\nq(Z) :- not g(Z).\n"
    found = [f for f in told(findings(tmp_path, text)) if f[1] == "error"]
    assert [line for line, _, _ in found] == [3, 5]


def test_a_rule_that_replaces_another_is_told(tmp_path: Path) -> None:
    found = findings(
        tmp_path,
        '%!rule held\n%!trace_rule {"%", E}.\nheld(E) :- entity(E).\n',
        "%!rule held\nheld(E) :- human(E).\nx(E) :- held(E).\n",
    )
    assert [(f.severity, f.rule) for f in found] == [("warning", "held")]
    assert "base.lp:2" in found[0].message


def test_a_name_in_two_files_is_told(tmp_path: Path) -> None:
    for name in ("a.lp", "b.lp"):
        (tmp_path / name).write_text("%!rule same\nconflict(I,I,same,E,power) :- mention(I,E).\n")
    found = [f for f in check([tmp_path], RuleBook(())) if "already" in f.message]
    assert [(f.location.file, f.location.line) for f in found] == [(str(tmp_path / "b.lp"), 2)]


def test_a_helper_that_two_files_each_have_for_themselves_is_told(tmp_path: Path) -> None:
    mine = GOOD.replace("needs_power", "wants_power").replace("requires(", "asks_for(")
    (found,) = findings(tmp_path, mine, GOOD)
    assert (found.location.line, found.severity) == (8, "warning")
    message = (
        f"restored/2 has rules in {tmp_path / 'base.lp'}:8 too, which this changes, and they change it: rename one"
    )
    assert found.message == message
    assert findings(tmp_path, mine.replace("restored(", "repaired("), GOOD) == []


def test_what_a_file_derives_for_another_to_use_is_no_accident(tmp_path: Path) -> None:
    extension = 'requires("charge", recipient, power, true).\n'
    assert findings(tmp_path, extension, GOOD) == []
    mender = 'restored(J,E) :- arg(J,"charge",object,E).\n'
    assert findings(tmp_path, mender, GOOD) == []


def test_what_the_base_derives_is_known(tmp_path: Path) -> None:
    rule = '%!rule r\n%!trace_rule {"%", E}.\n%!fires Ann sat.\n%!silent Ann stood.\n'
    rule += "conflict(I,J,r,E,power) :- held(I,E), sentence(J), I < J.\n"
    assert "no rule derives held/2" in findings(tmp_path, rule)[0].message
    assert findings(tmp_path, rule, "held(T,E) :- mention(T,E).") == []


def test_an_unused_predicate_near_a_used_one_is_suspect_even_in_a_lexicon(tmp_path: Path) -> None:
    found = findings(tmp_path, 'require("cut", object, solid, true).\nodd("x").\n', GOOD)
    assert [(f.location.line, f.message) for f in found] == [(1, "no rule uses require/4: did you mean requires/4?")]


def test_a_file_that_is_not_text_is_a_finding_and_a_missing_one_an_error(tmp_path: Path) -> None:
    path = tmp_path / "binary.lp"
    path.write_bytes(b"\x00\xff")
    assert [f.severity for f in check([path], RuleBook(()))] == ["error"]
    with pytest.raises(RuleError, match="no such"):
        check([tmp_path / "missing.lp"])


def test_a_finding_prints_as_a_compiler_would() -> None:
    finding = Finding(Location("a.lp", 3, 5), "error", "it is wrong", "rule_a")
    assert str(finding) == "a.lp:3:5: error: it is wrong [rule_a]"


def test_a_named_rule_that_derives_no_conflict_needs_a_wording_but_no_examples(tmp_path: Path) -> None:
    found = findings(tmp_path, "%!rule held\nheld(E) :- entity(E).\nx(E) :- held(E), not x(E,E).\nx(E,E) :- x(E).\n")
    told_of = [(f.location.line, f.message) for f in found if f.rule == "held"]
    assert told_of == [(2, 'a named rule needs a wording above it: %!trace_rule {"% ...", E}.')]


def test_the_statements_of_one_name_are_told_once_that_they_lack_an_example(tmp_path: Path) -> None:
    rule = '%!rule r\n%!trace_rule {"%", E}.\n%!fires Ann sat.\n'
    text = 2 * f"{rule}conflict(I,J,r,E,power) :- mention(I,E), mention(J,E).\n"
    assert [(f.location.line, f.rule) for f in findings(tmp_path, text)] == [(4, "r")]
    assert findings(tmp_path, text.replace("fires", "silent", 1)) == []


CLASSES = (
    'verb_class("open", opens). verb_class("shut", shuts). verb_class("close", closes). verb_class("slam", shuts).\n'
)


def test_a_class_of_verbs_that_no_rule_asks_for_is_told_once(tmp_path: Path) -> None:
    asks = "x(T) :- verb(T,V), verb_class(V,opens).\nx(T) :- verb(T,V), verb_class(V,closes).\n"
    found = [f.message for f in findings(tmp_path, CLASSES + asks) if "class" in f.message]
    assert found == ["no rule asks for the verb class 'shuts': its 2 facts say nothing"]
    assert [f for f in findings(tmp_path, CLASSES, asks) if "class" in f.message]
    assert [f for f in findings(tmp_path, CLASSES) if "class" in f.message] == []


def test_a_misspelt_class_of_verbs_is_corrected(tmp_path: Path) -> None:
    found = findings(tmp_path, 'verb_class("unlatch", open).\n', "x(T) :- verb(T,V), verb_class(V,opens).\n")
    assert [f.message for f in found] == ["no rule asks for the verb class 'open': did you mean 'opens'?"]


def test_a_shipped_file_is_checked_beside_the_other_shipped_files() -> None:
    assert [f for f in check([SHIPPED / "clashes.lp"]) if f.severity == "error"] == []
    assert [f for f in check([SHIPPED / "verb_classes.lp"]) if "'opens'" in f.message] == []
