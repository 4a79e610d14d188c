"""The rule book: every rule and fact of the rule packs, with its name, wording, file and line.

:func:`load` reads the shipped packs (or others), lays a user's overlays over them by rule name, and refuses what is
unsafe, unsound or over the limits (``safety``, ``dependency``). Names and wordings are comments, so a pack stays plain
clingo::

    % A device needs power to run.
    %!rule needs_power
    %!trace_rule {"% needs power in sentence %, but lost it in sentence %", E, J, I}.
    conflict(I,J,needs_power,E,power) :- ...

The name covers the next statement only; several statements may carry one name. Statements without a name are called
``pack:line``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import clingo
from clingo import ast

from .atoms import Signature
from .dependency import Use, negative_cycle
from .errors import Location, RuleError, did_you_mean
from .example import Example
from .pack import Entry, Pack, read_pack
from .safety import MAX_BYTES

SHIPPED: Final = Path(__file__).resolve().parent.parent / "rules"

# What the story gives to the rules, with the meaning of each.
INPUT_PREDICATES: Final = MappingProxyType(
    {
        ("sentence", 1): "sentence(T): the story has a sentence T, counted from 0",
        ("entity", 1): "entity(E): E is a thing or person of the story",
        ("human", 1): "human(E): E is a person",
        ("label", 6): "label(pre|eff, T, E, Attribute, Value, Cost): the tagger's state of E before or after T",
        ("verb", 2): "verb(T, V): sentence T has the verb V (its lemma, as a string)",
        ("arg", 4): "arg(T, V, Role, E): E is the agent, object, with, into, ... of the verb V in sentence T",
        ("negated", 2): "negated(T, V): sentence T says that V did not happen",
        ("irrealis", 2): "irrealis(T, V): V is only wanted, planned, tried or asked for in sentence T",
        ("again", 2): "again(T, V): sentence T tells V as a return: done again, or back to how or where it was",
        ("mention", 2): "mention(T, E): sentence T names E",
        ("property", 3): "property(T, E, Word): sentence T says that E is Word",
        ("becomes", 3): "becomes(T, E, Word): what sentence T tells makes E Word; it need not have been so before",
        ("not_property", 3): "not_property(T, E, Word): sentence T says that E is not Word",
        ("quantity", 3): "quantity(T, time|temperature|length|volume|weight, N): sentence T names N of its unit",
        ("direction", 2): "direction(T, Word): sentence T says clockwise, upside down, bottom or the like",
        ("goal", 1): "goal(T): sentence T says what the others are to reach",
        ("name", 2): "name(E, Words): the whole name of E, its last word in the singular",
        ("noun", 2): "noun(E, Word): the head noun of the name of E",
        ("modifier", 2): "modifier(E, Word): the name of E has Word beside its head noun (apple of apple pie)",
        ("alias", 2): "alias(E, F): E and F are one thing under two names",
        ("previous", 3): "previous(T, E, P): before sentence T, the last one that touches E (under any name) is P",
    }
)
# What the engine reads back from the rules.
OUTPUT_PREDICATES: Final = MappingProxyType(
    {
        ("conflict", 5): "conflict(I, J, Reason, E, Attribute): sentence I is the evidence, J the breakpoint",
        ("resolved", 3): "resolved(I, J, E): what sentence I did to E is undone before sentence J",
    }
)


@dataclass(frozen=True, repr=False)
class Rule:
    """One rule or fact of a rule book.

    ``wording`` has a ``%`` for each of ``wording_terms`` (clingo terms over the rule's variables); both are empty
    where the file gives none. ``uses`` and ``derives`` are its predicates.
    """

    id: int
    name: str
    pack: str
    file: str
    line: int
    text: str
    wording: str | None = None
    wording_terms: tuple[str, ...] = ()
    description: str = ""
    named: bool = False
    entry: Entry = field(compare=False, kw_only=True)

    def __repr__(self) -> str:
        return f"Rule({self.name}, {self.file}:{self.line})"

    @property
    def location(self) -> Location:
        """Where the statement starts."""
        return Location(self.file, self.line)

    @property
    def derives(self) -> tuple[Signature, ...]:
        """The predicates of the head (several only for a pool)."""
        return self.entry.derives

    @property
    def uses(self) -> tuple[Use, ...]:
        """The predicates of the body, in order."""
        return self.entry.uses

    @property
    def examples(self) -> tuple[Example, ...]:
        """The stories in which it fires or must not; those of all statements of a name count for that name."""
        return self.entry.examples

    @property
    def unless(self) -> str:
        """In plain words, what it takes for the rule to be silent; empty where the file does not say."""
        return self.entry.unless

    @property
    def fact(self) -> clingo.Symbol | None:
        """The atom of a plain ground fact such as ``causes("unplug", object, power, false).``, else None."""
        return self.entry.fact

    @property
    def ast(self) -> ast.AST:
        """The statement's syntax tree (shared between rule books: never change it)."""
        return self.entry.node

    @property
    def head(self) -> Any:
        """The head of the syntax tree: a literal with one symbolic atom."""
        return self.ast.head

    @property
    def body(self) -> Any:
        """The body of the syntax tree: a sequence of literals and conditional literals; empty for facts."""
        return self.ast.body


@dataclass(frozen=True)
class RuleFile:
    """One file of a rule book; ``description`` is its opening paragraph, ``digest`` its SHA-256."""

    name: str
    path: Path
    pack: str
    description: str
    digest: str


@dataclass(frozen=True)
class RuleBook:
    """All rules in the order of their files; overlays come last."""

    rules: tuple[Rule, ...]
    files: tuple[RuleFile, ...] = ()

    def __repr__(self) -> str:
        return f"RuleBook({len(self.rules)} rules, {len(self.files)} files)"

    @cached_property
    def _by_name(self) -> dict[str, tuple[Rule, ...]]:
        grouped: dict[str, list[Rule]] = {}
        for rule in self.rules:
            grouped.setdefault(rule.name, []).append(rule)
        return {name: tuple(rules) for name, rules in grouped.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """The name of every rule once, in order."""
        return tuple(self._by_name)

    def pairs(self, predicate: str) -> frozenset[tuple[str, str]]:
        """The facts of a binary predicate over strings, such as ``synonym``."""
        return frozenset(
            (fact.arguments[0].string, fact.arguments[1].string)
            for rule in self.rules
            if rule.derives == ((predicate, 2),) and (fact := rule.fact) is not None
            if all(argument.type == clingo.SymbolType.String for argument in fact.arguments)
        )

    def named(self, name: str) -> tuple[Rule, ...]:
        """The statements of one name.

        Raises:
            RuleError: there are none; the message suggests a name.
        """
        if name not in self._by_name:
            raise RuleError(f"there is no rule named '{name}'{did_you_mean(name, self.names)}")
        return self._by_name[name]


def rule_files(path: str | Path) -> list[Path]:
    """The rule files that a path stands for: itself, or the ``*.lp`` of a folder by name.

    Raises:
        RuleError: there is nothing there, or no rule file.
    """
    path = Path(path)
    try:
        if path.is_dir():
            found = sorted(p for p in path.glob("*.lp") if not p.name.startswith(".") and p.is_file())
            if not found:
                raise RuleError("the folder holds no rule file (*.lp)", Location(str(path)))
            return found
        if not path.exists():
            raise RuleError("there is no such rule file or folder", Location(str(path)))
        if not path.is_file():
            raise RuleError("this is not a regular file", Location(str(path)))
    except (OSError, ValueError) as error:
        raise RuleError(f"the path cannot be used ({error})", Location(str(path)[:200])) from None
    if path.suffix != ".lp":
        raise RuleError("a rule file's name must end in .lp", Location(str(path)))
    return [path]


def outside(paths: Iterable[str | Path]) -> list[str | Path]:
    """The paths that are no rule files of the shipped packs: what is laid over these.

    Raises:
        RuleError: there is nothing at a path, or no rule file.
    """
    return [path for path in dict.fromkeys(paths) if rule_files(path)[0].resolve().parent != SHIPPED]


def open_pack(path: Path) -> Pack:
    """Read one rule file; what is wrong in it is in the pack's ``problems``.

    Raises:
        RuleError: it cannot be read at all.
    """
    name = path.name if path.resolve().parent == SHIPPED else str(path)
    try:
        # One byte more than allowed tells "too large" without reading a file of any size.
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise RuleError(f"the file cannot be read: {error.strerror}", Location(name)) from None
    return read_pack(name, path.stem, data)


def load(
    paths: Sequence[str | Path] | None = None,
    overlays: Sequence[str | Path] = (),
    without: Collection[str] = (),
) -> RuleBook:
    """The rule book of ``paths`` (files or folders; None: the shipped packs), changed by ``overlays``.

    A named rule of an overlay replaces all earlier statements of its name; its other statements are added. The
    overlays apply in order. ``without`` then removes rules by name.

    Raises:
        RuleError: a file is missing, refused, wrong, or goes over a limit; a name in ``without`` is unknown; or the
            rules together are not stratified.
    """
    statements: list[tuple[Pack, Entry]] = []
    files: list[RuleFile] = []

    def read(path: str | Path) -> list[tuple[Pack, Entry]]:
        found: list[tuple[Pack, Entry]] = []
        for file in rule_files(path):
            pack = open_pack(file)
            if pack.problems:
                first = pack.problems[0]
                if len(pack.problems) > 1:
                    more = f"{first.message} (and {len(pack.problems) - 1} more: see 'disproof rules check')"
                    raise RuleError(more, first.location)
                raise first
            files.append(RuleFile(pack.file, file, pack.name, pack.description, pack.digest))
            found.extend((pack, entry) for entry in pack.entries)
        return found

    for path in [SHIPPED] if paths is None else paths:
        statements.extend(read(path))
    for overlay in overlays:
        added = read(overlay)
        replaced = {entry.name for _, entry in added if entry.named}
        statements = [s for s in statements if s[1].name not in replaced] + added
    if without:
        names = {entry.name for _, entry in statements}
        for name in without:
            if name not in names:
                raise RuleError(f"there is no rule named '{name}' to leave out{did_you_mean(name, sorted(names))}")
        removed = set(without)
        statements = [s for s in statements if s[1].name not in removed]
    rules = tuple(
        Rule(
            number,
            entry.name,
            pack.name,
            pack.file,
            entry.line,
            entry.text,
            entry.wording,
            entry.wording_terms,
            entry.description,
            entry.named,
            entry=entry,
        )
        for number, (pack, entry) in enumerate(statements)
    )
    require_stratified(rules)
    return RuleBook(rules, tuple(files))


def require_stratified(rules: Iterable[Rule]) -> None:
    """Refuse rules that can have no answer or several.

    Raises:
        RuleError: a predicate depends on its own absence; the message names the cycle.
    """
    cycle = negative_cycle(rule for rule in rules if rule.uses)
    if cycle is not None:
        raise RuleError(
            f"the rules are not stratified: {cycle}; such rules can have no answer or several:"
            " remove the 'not', or let the cycle go back to an earlier sentence (T-1)",
            cycle.rule.location,
        )
