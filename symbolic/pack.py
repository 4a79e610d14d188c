"""One rule file: its statements with the names, wordings, examples and descriptions that comments before them give."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Final

import clingo
from clingo import ast

from .atoms import Signature, variables
from .dependency import Use, read_rule
from .errors import Location, RuleError
from .example import Example, read_example
from .safety import ARGUMENT, STRING, Comment, Scan, Statement, decode, scan

_NAME: Final = re.compile(r"[a-z][A-Za-z0-9_]*$")
_WORDING: Final = re.compile(rf"\{{\s*({STRING})\s*(?:,(.*))?\}}\s*\.?\s*$", re.DOTALL)
_PLAIN_TERMS: Final = re.compile(r"\s*[A-Z]\w*(?:\s*,\s*[A-Z]\w*)*\s*$")
_MESSAGE: Final = re.compile(
    r"<(?:string|block)>:(\d+):(\d+)\S*: (error|note): (.*?)(?=^<(?:string|block)>:|\Z)", re.S | re.M
)
ANNOTATIONS: Final = ("rule", "trace_rule", "fires", "silent", "unless")
# xclingo's other annotations say nothing here, but its files may carry them.
_XCLINGO: Final = frozenset({"trace", "show_trace", "mute", "mute_body", "show"})


@dataclass(frozen=True, eq=False)
class Entry:
    """A statement of a pack; see :class:`disproof.symbolic.rulebook.Rule`, which adds its place in a book."""

    name: str
    named: bool
    line: int
    statement: Statement
    wording: str | None = None
    wording_terms: tuple[str, ...] = ()
    description: str = ""
    uses: tuple[Use, ...] = ()
    parsed: ast.AST | None = None
    heads: tuple[Signature, ...] = ()
    examples: tuple[Example, ...] = ()
    unless: str = ""

    @property
    def text(self) -> str:
        """The statement as written."""
        return self.statement.text

    @cached_property
    def derives(self) -> tuple[Signature, ...]:
        """The predicates of the head."""
        if self.statement.predicate is None:
            return self.heads
        return ((self.statement.predicate, len(ARGUMENT.findall(self.statement.arguments))),)

    @cached_property
    def fact(self) -> clingo.Symbol | None:
        """The atom of a plain ground fact."""
        return None if self.statement.predicate is None else clingo.parse_term(self.text[:-1])

    @cached_property
    def node(self) -> ast.AST:
        """The syntax tree; plain facts are parsed only when it is asked for."""
        if self.parsed is not None:
            return self.parsed
        nodes: list[ast.AST] = []
        ast.parse_string("\n" * (self.line - 1) + self.text, nodes.append)
        return nodes[-1]

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """Every occurrence of a variable, in order (``_`` left out)."""
        return variables(self.statement.code)


@dataclass(frozen=True, eq=False)
class Pack:
    """One rule file as read; ``problems`` is empty when all of it is usable, ``remarks`` are harmless oddities."""

    file: str
    name: str
    digest: str
    description: str = ""
    entries: tuple[Entry, ...] = ()
    problems: tuple[RuleError, ...] = ()
    remarks: tuple[RuleError, ...] = ()


@lru_cache(maxsize=64)
def read_pack(file: str, name: str, data: bytes) -> Pack:
    """Read one rule file from its bytes (the same bytes are read once per process).

    Args:
        file: what messages and proofs call it.
        name: the pack's name, the stem of the file's.
        data: the bytes of the file.
    """
    digest = hashlib.sha256(data).hexdigest()
    try:
        source = scan(decode(data, file), file)
    except RuleError as error:
        return Pack(file, name, digest, problems=(error,))
    # clingo's parser must not see a file that was refused, not even to find its other errors.
    if source.problems:
        return Pack(file, name, digest, problems=tuple(source.problems))
    reader = _Reader(source, file, name)
    entries = reader.read()
    first = source.statements[0].comments if source.statements else source.trailing
    return Pack(file, name, digest, _opening(first), tuple(entries), tuple(reader.problems), tuple(reader.remarks))


@dataclass
class _Header:
    """What the comments before a statement say about it."""

    name: str | None = None
    wording: str | None = None
    terms: tuple[str, ...] = ()
    description: str = ""
    examples: tuple[Example, ...] = ()
    unless: str = ""
    line: int = 0

    @property
    def annotated(self) -> bool:
        """Whether it has an annotation that needs a rule below it."""
        return bool(self.name is not None or self.wording is not None or self.examples or self.unless)


@dataclass
class _Reader:
    source: Scan
    file: str
    pack: str
    problems: list[RuleError] = field(default_factory=list)
    remarks: list[RuleError] = field(default_factory=list)

    def read(self) -> list[Entry]:
        nodes = self.parse()
        if nodes is None:
            return []
        entries: list[Entry] = []
        plain = _Header()
        queue = iter(nodes)
        for statement in self.source.statements:
            header = self.header(statement.comments) if statement.comments else plain
            node: Any = None
            heads: tuple[Signature, ...] = ()
            uses: tuple[Use, ...] = ()
            if statement.predicate is None:
                node = next(queue)
                if node.ast_type != ast.ASTType.Rule:
                    self.other(statement, node, header)
                    continue
                try:
                    heads, uses = read_rule(node)
                except ValueError as error:
                    self.problems.append(RuleError(str(error), Location(self.file, statement.line)))
                    continue
            for variable in variables(",".join(header.terms)) if header.terms else ():
                if variable not in variables(statement.code):
                    self.problem(
                        header.line, f"the wording uses {variable}, which is not a variable of the rule below it"
                    )
                    break
            if header.name is None and (header.examples or header.unless):
                self.problem(header.line, "an example needs a rule with a name: write %!rule some_name above it")
            entries.append(
                Entry(
                    header.name or f"{self.pack}:{statement.line}",
                    header.name is not None,
                    statement.line,
                    statement,
                    header.wording,
                    header.terms,
                    header.description,
                    uses,
                    node,
                    heads,
                    header.examples,
                    header.unless,
                )
            )
        if self.source.trailing:
            header = self.header(self.source.trailing)
            if header.annotated:
                self.problem(header.line, "no rule follows this annotation: put it directly above its rule")
        if not self.problems:
            self.unsafe_variables(self.source.code)
        if not self.problems:
            for entry in entries:
                self.local_wording(entry)
        return entries

    def problem(self, line: int, message: str, column: int | None = None) -> None:
        self.problems.append(RuleError(message, Location(self.file, line, column)))

    def other(self, statement: Statement, node: Any, header: _Header) -> None:
        """A statement that is no rule: ``#show`` and ``#defined`` are for running a pack under clingo itself."""
        allowed = (ast.ASTType.ShowSignature, ast.ASTType.ShowTerm, ast.ASTType.Defined)
        if node.ast_type not in allowed:
            self.problem(statement.line, f"a statement of the kind '{node.ast_type.name}' is refused: remove it")
        elif header.annotated:
            self.problem(header.line, "this annotation stands above a directive: put it directly above its rule")

    def parse(self) -> list[ast.AST] | None:
        """The syntax trees of all statements but the plain facts, or None and problems."""
        count = sum(statement.predicate is None for statement in self.source.statements)
        if not count:
            return []
        nodes: list[ast.AST] = []
        messages: list[str] = []
        try:
            ast.parse_string(self.source.code, nodes.append, logger=lambda _, text: messages.append(text))
        except RuntimeError:
            for message in messages:
                for line, column, kind, text in _MESSAGE.findall(message):
                    if kind == "error":
                        self.problem(int(line), text.strip() + self.missing_end(int(line), int(column)), int(column))
            if not self.problems:
                self.problems.append(RuleError("the file has a syntax error", Location(self.file)))
            return None
        nodes = [node for node in nodes if node.ast_type != ast.ASTType.Program]
        if len(nodes) != count:
            self.problems.append(
                RuleError("the statements cannot be told apart: start each on a line of its own", Location(self.file))
            )
            return None
        return nodes

    def missing_end(self, line: int, column: int) -> str:
        """A hint where an error at the start of a line is really a '.' forgotten above it."""
        lines = self.source.code.split("\n")
        if line <= len(lines) and lines[line - 1].encode()[: column - 1].strip():
            return ""
        for statement in self.source.statements:
            if statement.line < line <= statement.end_line:
                before = [n for n in range(statement.line, line) if lines[n - 1].strip()]
                last = before[-1] if before else statement.line
                if lines[last - 1].rstrip().endswith((",", ";", ":-", ":", "(", "{", "|")):
                    return ""
                return f" (is the '.' missing at the end of line {last}?)"
        return ""

    def local_wording(self, entry: Entry) -> None:
        """A variable inside an aggregate or condition has no one value that a wording could show."""
        if entry.wording_terms and re.search(r"\{|:(?!-)", entry.statement.code):
            node: Any = entry.node
            body = "; ".join(str(literal) for literal in node.body)
            before = len(self.problems)
            self.unsafe_variables(f"w({','.join(entry.wording_terms)}) :- {body}.")
            self.problems[before:] = [
                RuleError(
                    f"the wording uses a variable that has no value outside its braces or condition: {error.message}",
                    Location(self.file, entry.line),
                )
                for error in self.problems[before:]
            ]

    def unsafe_variables(self, code: str) -> None:
        """Ask clingo, which checks a program's variables before it grounds any: ground an empty part beside it."""
        if not any(s.predicate is None for s in self.source.statements):
            return
        messages: list[str] = []
        control = clingo.Control(logger=lambda _, text: messages.append(text), message_limit=1000)
        control.add("not_grounded", [], code)
        try:
            control.ground([("base", [])])
        except RuntimeError:
            for message in messages:
                found = _MESSAGE.findall(message)
                names = [re.search(r"'(.*)'", text) for _, _, kind, text in found if kind == "note"]
                unsafe = sorted({"_" if n[1].startswith("#") else n[1] for n in names if n})
                if unsafe:
                    line, column, _, _ = found[0]
                    self.problem(
                        int(line),
                        f"unsafe variable {', '.join(unsafe)}: use it in a positive atom of the body,"
                        " such as sentence(T) or entity(E)",
                        int(column),
                    )
                else:
                    for line, column, kind, text in found:
                        if kind == "error":
                            self.problem(int(line), text, int(column))
            if not self.problems:
                self.problems.append(RuleError("clingo cannot ground the file", Location(self.file)))

    def header(self, comments: tuple[Comment, ...]) -> _Header:
        header = _Header()
        paragraph: list[str] = []
        expected = comments[0].line
        queue = list(comments)
        while queue:
            comment = queue.pop(0)
            if comment.line > expected:
                paragraph.clear()  # a blank line ends a paragraph
            expected = comment.end_line + 1
            mark = re.match(r"!\s*([A-Za-z_]*)(.*)", comment.text, re.DOTALL)
            if mark is None:
                paragraph.append(comment.text)
                continue
            kind, rest = mark[1], mark[2].strip()
            header.line = comment.line
            if kind == "rule":
                if header.name is not None:
                    self.problem(comment.line, f"a second name for one rule (it is '{header.name}' already)")
                elif _NAME.match(rest.rstrip(".")):
                    header.name = rest.rstrip(".")
                else:
                    self.problem(
                        comment.line,
                        f"'{rest[:40]}' is no rule name: use small letters, digits and _, as in %!rule needs_power",
                    )
            elif kind == "trace_rule":
                while not _WORDING.match(rest) and queue and queue[0].line == expected and queue[0].text[:1] != "!":
                    rest = f"{rest.rstrip()} {queue[0].text.strip()}"
                    expected = queue.pop(0).end_line + 1
                self.wording(header, comment.line, rest)
            elif kind in ("fires", "silent", "unless"):
                while queue and queue[0].line == expected and queue[0].text.strip() and queue[0].text[:1] != "!":
                    if rest.rstrip(". ").endswith("}"):
                        break  # what follows the braces is no part of the story
                    rest = f"{rest} {queue[0].text.strip()}".strip()
                    expected = queue.pop(0).end_line + 1
                self.example(header, comment.line, kind, rest)
            elif kind not in _XCLINGO:
                self.remarks.append(
                    RuleError(
                        f"the annotation '%!{kind}' is not known and has no effect:"
                        f" use one of {', '.join(f'%!{known}' for known in ANNOTATIONS)}",
                        Location(self.file, comment.line),
                    )
                )
        header.description = _join(paragraph)
        return header

    def example(self, header: _Header, line: int, kind: str, text: str) -> None:
        if kind == "unless":
            if header.unless:
                self.problem(line, "a second %!unless for one rule: keep one")
            header.unless = " ".join(text.split())
            if not header.unless:
                self.problem(line, "what keeps the rule silent is not said: write %!unless it is mended in between")
            return
        try:
            header.examples += (read_example(text, kind == "fires", line),)
        except ValueError as error:
            self.problem(line, str(error))

    def wording(self, header: _Header, line: int, text: str) -> None:
        match = _WORDING.match(text)
        if match is None:
            self.problem(line, 'the wording cannot be read: write %!trace_rule {"% loses %", E, F}.')
            return
        terms = _terms(match[2] or "")
        if terms is None:
            self.problem(line, f"the wording's terms '{(match[2] or '').strip()[:60]}' cannot be read")
            return
        template = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], match[1][1:-1])
        if header.wording is not None:
            self.problem(line, "a second wording for one rule: keep one")
        elif template.count("%") != len(terms):
            self.problem(
                line, f"the wording has {template.count('%')} holes (%) but {len(terms)} terms: give a term for each"
            )
        else:
            header.wording, header.terms = template, terms


def _terms(text: str) -> tuple[str, ...] | None:
    """The terms of a wording, or None where they are not plain terms (they come from a comment, so nothing looked)."""
    if not text.strip():
        return ()
    if _PLAIN_TERMS.match(text):
        return tuple(term.strip() for term in text.split(","))
    source = scan(f"w({text}).", "")
    if source.problems or len(source.statements) != 1:
        return None
    nodes: list[Any] = []
    try:
        ast.parse_string(source.statements[0].code, nodes.append, logger=lambda _, message: None)
        heads, uses = read_rule(nodes[-1])
    except (RuntimeError, ValueError):
        return None
    function = nodes[-1].head.atom.symbol
    if uses or [name for name, _ in heads] != ["w"] or function.ast_type != ast.ASTType.Function:
        return None
    return tuple(str(argument) for argument in function.arguments)


def _join(lines: Iterable[str]) -> str:
    return " ".join(" ".join(line.strip(" %*-=\t") for text in lines for line in text.split("\n")).split())


def _opening(comments: tuple[Comment, ...]) -> str:
    """The paragraph that opens a file (the rest up to the first rule belongs to that rule)."""
    paragraph: list[str] = []
    last = 0
    for comment in comments:
        if comment.text.startswith("!") or (paragraph and comment.line > last + 1):
            break
        paragraph.append(comment.text)
        last = comment.end_line
    return _join(paragraph)
