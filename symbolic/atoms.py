"""Atoms read from the text that clingo prints of them.

Walking a syntax tree takes a call into clingo at every step, and a rule book says the same few atoms over and over, so
what the solver needs to know of an atom is read from its text, once for each text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, Literal

from .safety import STRING

Signature = tuple[str, int]
Kind = Literal["variable", "anonymous", "constant", "string", "other"]

_VARIABLE: Final = re.compile(r"_*[A-Z][\w']*$")
_VARIABLES: Final = re.compile(r"(?<![\w'])_*[A-Z][\w']*")
_CONSTANT: Final = re.compile(r"(?:_*[a-z][\w']*|-?\d+)$")
_TOKEN: Final = re.compile(rf"{STRING}|[(),]|[^\"(),]+")
_PLAIN: Final = re.compile(r"_*[a-z]\w*(?:\(|$)")
_BRACKET: Final = re.compile(r"[()]")
_UNNAMED: Final = re.compile(r"(?<![\w'])_(?![\w'])|\.\.")


def variables(code: str) -> tuple[str, ...]:
    """The variables of a statement or of terms, each time they occur (``_`` left out)."""
    return tuple(_VARIABLES.findall(re.sub(STRING, '""', code)))


@dataclass(frozen=True)
class Term:
    """An argument: its text, what it is, and the variables in it ("other" is a sum, an interval, a function, ...)."""

    text: str
    kind: Kind
    variables: tuple[str, ...]


@dataclass(frozen=True)
class Atom:
    """A predicate and its arguments."""

    name: str
    terms: tuple[Term, ...]

    @cached_property
    def signature(self) -> Signature:
        """The predicate and the number of its arguments."""
        return self.name, len(self.terms)

    @property
    def variables(self) -> Iterator[str]:
        """Its variables, each time they occur."""
        return (name for term in self.terms for name in term.variables)


@lru_cache(maxsize=65536)
def read_literal(text: str) -> tuple[int, Atom] | None:
    """How often ``not`` stands before an atom, and the atom; None for anything else (a comparison, a pool, ...)."""
    bare = text.removeprefix("not ").removeprefix("not ")
    code = re.sub(STRING, '""', bare)
    if not _PLAIN.match(code) or ";" in code:
        return None
    depth = 0
    for bracket in _BRACKET.finditer(code):
        depth += 1 if bracket[0] == "(" else -1
        if not depth and bracket.end() != len(code):  # p(X) < q(Y)
            return None
    if depth or ("(" in code) != code.endswith(")") or ("(" not in code and not _CONSTANT.match(code)):
        return None
    return (len(text) - len(bare)) // len("not "), read_atom(bare)


@lru_cache(maxsize=65536)
def read_atom(text: str) -> Atom:
    """An atom without ``not``, as clingo prints it."""
    name, bracket, rest = text.partition("(")
    if not bracket:
        return Atom(name, ())
    parts: list[str] = [""]
    depth = 0
    for token in _TOKEN.findall(rest[: rest.rindex(")")]):
        depth += (token == "(") - (token == ")")
        if token == "," and not depth:
            parts.append("")
        else:
            parts[-1] += token
    return Atom(name, tuple(_term(part.strip()) for part in parts))


def says_unnamed(text: str) -> bool:
    """Whether an atom has a ``_`` or an interval."""
    return _UNNAMED.search(re.sub(STRING, '""', text)) is not None


def _term(text: str) -> Term:
    if text == "_":
        return Term(text, "anonymous", ())
    if text.startswith('"') and re.fullmatch(STRING, text):
        return Term(text, "string", ())
    if _CONSTANT.match(text):
        return Term(text, "constant", ())
    if _VARIABLE.match(text):
        return Term(text, "variable", (text,))
    return Term(text, "other", variables(text))
