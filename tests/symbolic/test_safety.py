"""Nothing but plain rules and facts reaches clingo, whatever the spelling."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disproof.symbolic import rulebook, safety
from disproof.symbolic.errors import RuleError


def refusal(tmp_path: Path, text: str | bytes) -> RuleError:
    path = tmp_path / "bad.lp"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(RuleError) as caught:
        rulebook.load([path])
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(path))
    return caught.value


DIRECTIVES = [
    '#include "SECRET".',
    '#include"SECRET".',
    '#include\n\t"SECRET".',
    '#include %* *% "SECRET".',
    "#include <incmode>.",
    'a. #include "SECRET".',
    '%* closed *% #include "SECRET".',
    '%* %* nested *% *% #include "SECRET".',
    '% a comment with "\n#include "SECRET".',
    'a("\\"%*"). #include "SECRET". %* *%',
    'a("\\\\"). #include "SECRET".',
    'a("%"). #include "SECRET".',
    'a :- b, #include "SECRET".',
    "#script (python)\nopen('SECRET', 'w')\n#end.",
    "#script(lua)\nio.open('SECRET', 'w')\n#end.",
    "#script\t(python)\nimport os\nos.mkdir('SECRET')\n#end.",
    "%* x *%#script (python)\nopen('SECRET', 'w')\n#end.",
    "#begin_python open('SECRET', 'w') #end_python.",
    'a(@read("SECRET")).',
    'a(X) :- X = @read("SECRET").',
    'a :- b("x", @ f(1)).',
    '%!trace_rule {"%", @read("SECRET")}.\na.',
    "#external a.",
    '#const path = "SECRET".',
    "#program check.",
    "#program base(x).",
    "#theory t { }.",
    "&open { SECRET }.",
    "#heuristic a. [1, true]",
    "#edge (a, b).",
    "#project a/1.",
    "#minimize { 1 : a }.",
    "#maximize { 1 : a }.",
    ":~ a. [1@2]",
    "asp 1 0 0\n1 0 1 1 0 0\n4 1 a 1 1\n0\n",
    "#INCLUDE 'x'.",
    "# include x.",
    "#incmode.",
]


@pytest.mark.parametrize("text", DIRECTIVES)
def test_directives_that_read_files_or_run_code_are_refused_and_do_nothing(tmp_path: Path, text: str) -> None:
    secret = tmp_path / "secret"
    error = refusal(tmp_path, text.replace("SECRET", str(secret)))
    assert error.location is not None
    assert not secret.exists()


def test_an_included_file_is_never_opened(tmp_path: Path) -> None:
    (tmp_path / "other.lp").write_text("leaked(1).")
    error = refusal(tmp_path, f'ok.\n\n  #include "{tmp_path / "other.lp"}".')
    assert (error.location.line, error.location.column) == (3, 3)  # type: ignore[union-attr]
    assert "--rules" in error.message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (":- a.", "conflict("),
        ("#false :- a.", "conflict("),
        ("X = 1 :- a(X).", "conflict("),
        ("{ a }.", "choice"),
        ("1 { a; b } 1 :- c.", "choice"),
        ("#count { X : a(X) : b(X) } = 1.", "choice"),
        ("a ; b :- c.", "disjunction"),
        ("a(X) : b(X).", "disjunction"),
        ("not a :- b.", "head"),
        ("-a :- b.", "not_p"),
        ("a :- -b.", "not_p"),
        ("a :- not -b(1).", "not_p"),
        ("a :- 1 = #sum { 1 : -b }.", "not_p"),
        ("&t { } :- a.", "theory"),
        ("a :- &t { }.", "theory"),
        ("_r1(a) :- b.", "reserved"),
    ],
)
def test_only_rules_with_one_positive_head_are_let_through(tmp_path: Path, text: str, says: str) -> None:
    error = refusal(tmp_path, "ok.\n" + text)
    assert says in error.message
    assert error.location is not None
    assert error.location.line == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"\xff\xfe\x00a", "UTF-8"),
        (b'a(1).\nb("\xe9").', "UTF-8"),
        (b"a.\0b.", "NUL"),
        (b"a.\n\x89PNG", "UTF-8"),
        ("a(é).", "quote"),
        ("été(1).", "quote"),
        ("a(2147483648).", "32 bits"),
        ("a(99999999999999999999).", "32 bits"),
        ("a(0xFFFFFFFFF).", "32 bits"),
        ("a :- b(X), X < 4294967296.", "32 bits"),
        ("a(" + "f(" * 60 + "1" + ")" * 60 + ").", "nested"),
        ("a(" + "(" * 20000 + "1" + ")" * 20000 + ").", "nested"),
        ("a(" + "+".join("1" * 600) + ").", "operators"),
        ("a(" + "-" * 600 + "X) :- b(X).", "operators"),
        ("a(" + ";".join("1" * 15000) + ").", "longer"),
        ("a(" + ",".join(["(1;2)"] * 30) + ") :- b.", "more than 1,000 rules"),
        ("a :- " + ",".join(["b((1;2))"] * 30) + ".", "more than 1,000 rules"),
        ("a(" + "+".join(["|1;2|"] * 30) + ") :- b.", "more than 1,000 rules"),
        ('a("unclosed).', "string"),
        ('a("tab\\t").', "string"),
        ("%* never closed", "closed"),
        ("a :- b", "'.'"),
    ],
)
def test_what_crashes_or_silently_changes_in_clingo_is_refused(tmp_path: Path, text: str | bytes, says: str) -> None:
    assert says in refusal(tmp_path, text).message


def test_files_over_the_limits_are_refused(tmp_path: Path) -> None:
    assert "bytes" in refusal(tmp_path, b"%" * (safety.MAX_BYTES + 1)).message
    assert "statements" in refusal(tmp_path, "a(1).\n" * (safety.MAX_STATEMENTS + 1)).message


def test_the_same_words_in_strings_and_comments_are_harmless(tmp_path: Path) -> None:
    path = tmp_path / "ok.lp"
    path.write_text(
        '% #include "x". @f(1) été\n%* #script (python) %* nested *% #end. *%\n'
        'a("#include <x>.", "@f(x)", "%* é", "\\"#script") :- b. % :- {a}.\n'
        "#program base.\n#show a/4.\n#defined b/0.\nc(-2147483647).\n"
    )
    book = rulebook.load([path])
    assert [rule.line for rule in book.rules] == [3, 7]
    assert str(book.rules[0].ast) == 'a("#include <x>.","@f(x)","%* é","\\"#script") :- b.'


def test_windows_line_ends_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    path = tmp_path / "ok.lp"
    path.write_bytes(b"\xef\xbb\xbf% one\r\n%!rule two\r\na(1) :-\r\n  b.\r\n")
    (rule,) = rulebook.load([path]).rules
    assert (rule.name, rule.line) == ("two", 3)


@given(st.text(alphabet='a(1)."%*#@:-;, \n\\X', max_size=40))
def test_no_text_makes_the_scanner_fail_or_lose_lines(text: str) -> None:
    scan = safety.scan(text, "x.lp")
    if not scan.problems:
        assert scan.code.count("\n") == text.count("\n")
        assert len(scan.code) == len(text)
        assert "%" not in re.sub(safety.STRING, "", scan.code)


@given(st.text(alphabet='ab(1)."%*#:-;, \n\\X', max_size=40))
def test_any_text_is_read_or_gives_one_line(text: str) -> None:
    from disproof.symbolic.pack import read_pack

    pack = read_pack("x.lp", "x", text.encode())
    assert all("\n" not in str(problem) for problem in pack.problems)
    if not pack.problems:
        for entry in pack.entries:
            assert entry.node.location.begin.line == entry.line
