"""What a rule file may contain, checked on its bytes before clingo's parser sees any of them.

Rule files come from strangers. clingo's own parser opens ``#include``d files, reads ``asp`` headers as ready-made
ground programs, wraps large integers silently and aborts the process on a non-ASCII name, so none of that may
reach it. :func:`scan` cuts a file into statements and comments with a small tokenizer that agrees with clingo's about
strings, and refuses every directive outside a short list. Comments are blanked out of the ``code`` that clingo gets:
the two lexers then cannot disagree about where a comment ends. What the statements mean is looked at afterwards, in
``dependency``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from .errors import Location, RuleError

MAX_BYTES: Final = 5_000_000
MAX_STATEMENTS: Final = 100_000
MAX_STATEMENT_CHARACTERS: Final = 20_000
MAX_NESTING: Final = 50
MAX_OPERATORS: Final = 500  # per statement: a chain "1+1+1+..." nests as deep as it is long
MAX_ALTERNATIVES: Final = 1_000  # clingo writes p((1;2),(3;4)) out as 2 x 2 rules, before any limit of a sandbox
INT_MAX: Final = 2**31 - 1

STRING: Final = r'"(?:[^"\\\n]|\\["\\n])*"'
CONSTANT: Final = r"(?!not\b)_*[a-z][A-Za-z0-9_']*"
_ARGUMENT: Final = rf"(?:{STRING}|{CONSTANT}|-?(?:0|[1-9]\d{{0,8}})(?![\w']))"
ARGUMENT: Final = re.compile(_ARGUMENT)

# A plain ground fact: lexicons are thousands of these, so they skip clingo's parser.
_FACT: Final = re.compile(
    rf"\s*(?P<predicate>(?!not\b)[a-z][A-Za-z0-9_]*)\((?P<arguments>{_ARGUMENT}(?:,[ \t]*{_ARGUMENT})*)\)\.(?!\.)"
)
_TOKEN: Final = re.compile(
    rf"(?P<string>{STRING})|(?P<block>%\*)|(?P<comment>%[^\n]*)"
    r"|(?P<base>\#program[ \t\n]+base[ \t\n]*\.)|(?P<directive>\#[A-Za-z_]*\+?)|(?P<interval>\.\.)|(?P<end>\.)"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<or>[;|])|(?P<number>(?<![\w'])(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|\d{10,}))"
    r"|(?P<call>@)|(?P<weak>:~)|(?P<quote>\")|(?P<foreign>[^\t\n -~])"
)
_BLOCK: Final = re.compile(r"%\*|\*%")
_OPERATOR: Final = re.compile(r"[-+*/\\&?^~|]")
_ASPIF: Final = re.compile(r"\s*asp\s+\d")

ALLOWED_DIRECTIVES: Final = frozenset(
    {"#show", "#defined", "#true", "#false", "#inf", "#infimum", "#sup", "#supremum"}
    | {"#count", "#sum", "#sum+", "#min", "#max"}
)
_REFUSED: Final = {
    "#include": "it can read any file; give the other file with --rules instead",
    "#script": "it runs code; a rule file holds rules and facts only",
    "#external": "inputs are the facts of the story; derive the atom by a rule",
    "#const": "it would rename words in every other rule file; write the value where it is used",
    "#program": "only '#program base.' is allowed; remove it",
    "#minimize": "a rule book has one answer and nothing to optimise; remove it",
    "#maximize": "a rule book has one answer and nothing to optimise; remove it",
    "#theory": "theory atoms need code of their own; use plain rules",
    "#heuristic": "a rule book has one answer and no search; remove it",
    "#edge": "it forbids cycles like a constraint; derive conflict/5 instead",
    "#project": "a rule book has one answer; remove it",
}


@dataclass(frozen=True)
class Comment:
    """A comment and the line it starts on; ``text`` is without its marks."""

    line: int
    end_line: int
    text: str


class Statement(NamedTuple):
    """One statement: ``text`` as written, ``code`` without comments, ``comments`` between it and the one before.

    A plain ground fact also has its ``predicate`` and ``arguments`` (source text), and is blank in the scan's code.
    """

    line: int
    end_line: int
    text: str
    code: str
    comments: tuple[Comment, ...] = ()
    predicate: str | None = None
    arguments: str = ""


@dataclass
class Scan:
    """A file cut into statements; ``code`` keeps every line and column and holds what clingo may parse."""

    file: str
    statements: list[Statement] = field(default_factory=list)
    code: str = ""
    problems: list[RuleError] = field(default_factory=list)
    trailing: tuple[Comment, ...] = ()


def decode(data: bytes, file: str) -> str:
    """The text of a rule file, with Unix line ends.

    Raises:
        RuleError: it is too large, binary, or not UTF-8.
    """
    if len(data) > MAX_BYTES:
        raise RuleError(
            f"the file has {len(data):,} bytes, more than the limit of {MAX_BYTES:,}: split it", Location(file)
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RuleError("the file is not UTF-8 text: save it as UTF-8", Location(file, line)) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise RuleError("the file holds a NUL byte, so it is not a rule file", Location(file, line))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def scan(text: str, file: str) -> Scan:
    """Cut a rule file's text into statements; everything that clingo must not see becomes a problem."""
    return _Scanner(text, file).run()


class _Scanner:
    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.scan = Scan(file)
        self.line_starts = [0, *(m.end() for m in re.finditer("\n", text))]
        self.pieces: list[str] = []  # the code so far, comments and plain facts blanked
        self.done = 0  # how much of the text ``pieces`` covers
        self.code_length = 0
        self.begun: int | None = None  # where the statement being read starts
        self.begun_piece = 0
        self.brackets: list[tuple[str, int]] = []  # those open, and the alternatives of each so far
        self.alternatives = 1
        self.bars = False
        self.last_line = 0  # where the last statement ended
        self.comments: list[Comment] = []

    def line(self, offset: int) -> int:
        return bisect_right(self.line_starts, offset)

    def problem(self, offset: int, message: str) -> None:
        line = self.line(offset)
        column = offset - self.line_starts[line - 1] + 1
        self.scan.problems.append(RuleError(message, Location(self.scan.file, line, column)))

    def copy(self, end: int) -> None:
        """Pass the text up to ``end`` on to clingo."""
        if end > self.done:
            piece = self.text[self.done : end]
            if self.begun is None:
                stripped = piece.lstrip()
                if stripped:
                    self.begun = end - len(stripped)
                    self.begun_piece = len(self.pieces)
                    self.pieces.extend((piece[: len(piece) - len(stripped)], stripped))
                    self.begun_piece += 1
                    self.done = end
                    return
            self.pieces.append(piece)
            self.done = end

    def blank(self, end: int) -> None:
        """Keep the text up to ``end`` from clingo, but not its line ends."""
        piece = self.text[self.done : end]
        self.pieces.append(
            "\n".join([" " * len(line) for line in piece.split("\n")]) if "\n" in piece else " " * len(piece)
        )
        self.done = end

    def run(self) -> Scan:
        text = self.text
        if _ASPIF.match(text):
            self.problem(0, "a ground program ('asp ...') is refused: write rules and facts")
            return self.scan
        position = 0
        while True:
            while self.begun is None and (fact := _FACT.match(text, position)):
                self.fact(fact)
                position = fact.end()
            match = _TOKEN.search(text, position)
            if match is None:
                break
            position = match.end()
            kind = match.lastgroup
            if kind in ("comment", "block"):
                self.copy(match.start())
                if kind == "block":
                    position = self.block_end(match)
                self.comment(match.start(), position)
            elif kind == "base":
                self.copy(match.start())
                self.blank(position)
            else:
                self.copy(position)
                self.code_token(kind or "", match)
            if len(self.scan.problems) > 20 or len(self.scan.statements) > MAX_STATEMENTS:
                break
        if len(self.scan.statements) > MAX_STATEMENTS:
            self.problem(0, f"the file has more than {MAX_STATEMENTS:,} statements: split it")
        self.copy(len(text))
        if self.begun is not None:
            self.problem(self.begun, "this statement has no '.' at its end, and nothing follows it: add the '.'")
        self.scan.trailing = tuple(self.comments)
        self.scan.code = "".join(self.pieces)
        return self.scan

    def fact(self, match: re.Match[str]) -> None:
        start = match.start("predicate")
        line = self.line(start)
        text = self.text[start : match.end()]
        self.scan.statements.append(
            Statement(line, line, text, text, tuple(self.comments), match["predicate"], match["arguments"])
        )
        self.comments = []
        self.last_line = line
        self.blank(match.end())

    def block_end(self, match: re.Match[str]) -> int:
        depth, position = 1, match.end()
        while depth:
            mark = _BLOCK.search(self.text, position)
            if mark is None:
                self.problem(match.start(), "this block comment is never closed: add '*%'")
                return len(self.text)
            depth += 1 if mark[0] == "%*" else -1
            position = mark.end()
        return position

    def comment(self, start: int, end: int) -> None:
        line = self.line(start)
        # A comment inside a statement, or after one on its line, says nothing about the next statement.
        if self.begun is None and line != self.last_line:
            text = self.text[start:end]
            text = text[2:-2] if text.startswith("%*") else text[1:]
            self.comments.append(Comment(line, self.line(end), text))
        self.blank(end)

    def code_token(self, kind: str, match: re.Match[str]) -> None:
        start = match.start()
        if kind == "end":
            self.finish(match.end())
        elif kind == "open":
            self.brackets.append((match[0], 1))
            if len(self.brackets) == MAX_NESTING + 1:
                self.problem(start, f"terms are nested deeper than {MAX_NESTING}: write simpler terms")
        elif kind == "close":
            if self.brackets:
                bracket, count = self.brackets.pop()
                self.alternatives *= count if bracket == "(" else 1
        elif kind == "or":
            self.bars = self.bars or match[0] == "|"
            if self.bars:  # |1;2| may be one group or many: count each as its own
                self.alternatives *= 2 if match[0] == ";" else 1
            elif self.brackets:
                bracket, count = self.brackets[-1]
                self.brackets[-1] = (bracket, count + 1)
        elif kind == "directive":
            if match[0] not in ALLOWED_DIRECTIVES:
                reason = _REFUSED.get(match[0].lower(), "a rule file holds rules and facts only; remove it")
                self.problem(start, f"{match[0]} is refused: {reason}")
        elif kind == "number":
            base = {"x": 16, "b": 2, "o": 8}.get(match[0][1].lower(), 10)
            if int(match[0][2:] if base != 10 else match[0][:20], base) > INT_MAX:
                self.problem(start, f"the number {match[0][:20]} does not fit in 32 bits (at most {INT_MAX})")
        elif kind == "call":
            self.problem(start, "@functions are refused: they run code; use plain terms")
        elif kind == "weak":
            self.problem(start, "a weak constraint (:~) is refused: a rule book has one answer; derive an atom instead")
        elif kind == "quote":
            self.problem(start, 'this string does not end on its line, or has an escape other than \\" \\\\ \\n')
        elif kind == "foreign":
            self.problem(start, f"the character {match[0]!r} can only stand in strings and comments: quote the name")

    def finish(self, end: int) -> None:
        if self.begun is None:
            return
        line, end_line = self.line(self.begun), self.line(end - 1)
        code = "".join(self.pieces[self.begun_piece :])
        if len(code) > MAX_STATEMENT_CHARACTERS:
            self.problem(self.begun, f"this statement is longer than {MAX_STATEMENT_CHARACTERS:,} characters: split it")
        elif len(_OPERATOR.findall(code)) > MAX_OPERATORS:
            self.problem(self.begun, f"this statement has more than {MAX_OPERATORS} operators: split it")
        if self.alternatives > MAX_ALTERNATIVES:
            self.problem(
                self.begun, f"this statement stands for more than {MAX_ALTERNATIVES:,} rules (by ';'): split it"
            )
        self.scan.statements.append(Statement(line, end_line, self.text[self.begun : end], code, tuple(self.comments)))
        self.comments = []
        self.last_line = end_line
        self.begun = None
        self.brackets = []
        self.alternatives = 1
        self.bars = False
