"""Keep the lexicon files in one shape: facts sorted, no fact twice, one paragraph of facts under its comment.

The lexicon (``rules/things.lp``, ``parts.lp``, ``synonyms.lp``) is edited by hand; after an edit run::

    python -m disproof.rules.sources.tidy            # rewrite the three files
    python -m disproof.rules.sources.tidy --check    # only say which would change; exit 1 if any would

A *paragraph* is a run of fact lines between comments or blank lines. Comments and blank lines are kept as they are;
within a paragraph facts are sorted and packed into lines. ``kind`` and ``isa`` run on; others start a new line when
their first argument changes, so that all wholes of one part stand together.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

RULES: Final = Path(__file__).resolve().parent.parent
LEXICON: Final = ("things.lp", "parts.lp", "synonyms.lp")
WIDTH: Final = 118
RUN_ON: Final = frozenset({"kind", "isa"})

_FACT: Final = re.compile(r'\s*([a-z_]+)\("([^"\\]*)",\s*(?:"([^"\\]*)"|([a-z_]+))\)\.')


@dataclass(frozen=True, order=True)
class Fact:
    """One fact of two arguments; ``quoted`` when the second is a string (a noun), else it is a constant (a kind)."""

    first: str
    second: str
    predicate: str
    quoted: bool

    def __str__(self) -> str:
        second = f'"{self.second}"' if self.quoted else self.second
        return f'{self.predicate}("{self.first}", {second}).'


def parse_line(line: str, where: str) -> list[Fact]:
    """The facts of one line.

    Raises:
        ValueError: something on the line is not a fact of two arguments; the message begins with ``where``.
    """
    facts, position = [], 0
    while line[position:].strip():
        match = _FACT.match(line, position)
        if match is None:
            raise ValueError(f'{where}: expected facts such as kind("oven", device). but found {line[position:]!r}')
        predicate, first, noun, constant = match.groups()
        facts.append(Fact(first, constant or noun, predicate, constant is None))
        position = match.end()
    return facts


def read_facts(path: Path) -> list[Fact]:
    """All facts of a lexicon file in their order, comments and ``#defined`` left out."""
    facts = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith(("%", "#")):
            facts += parse_line(line, f"{path.name}:{number}")
    return facts


def pack(facts: Iterable[Fact]) -> Iterator[str]:
    """Lines of at most ``WIDTH`` columns that hold the facts, sorted and each once."""
    line, last = "", ""
    for fact in sorted(set(facts)):
        text = str(fact)
        breaks = fact.predicate not in RUN_ON and fact.first != last
        if line and (breaks or len(line) + 1 + len(text) > WIDTH):
            yield line
            line = ""
        line, last = f"{line} {text}".strip(), fact.first
    if line:
        yield line


def tidy(text: str, name: str = "text") -> str:
    """The same file with every paragraph of facts sorted, free of repeats and packed."""
    lines: list[str] = []
    paragraph: list[Fact] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith(("%", "#")):
            paragraph += parse_line(line, f"{name}:{number}")
            continue
        lines += [*pack(paragraph), line.rstrip()]
        paragraph = []
    lines += pack(paragraph)
    return "\n".join(lines).rstrip() + "\n"


def main() -> int:
    """Tidy the lexicon files in place, or with ``--check`` say which are not tidy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when a file is not tidy")
    check = parser.parse_args().check
    untidy = 0
    for name in LEXICON:
        path = RULES / name
        before = path.read_text(encoding="utf-8")
        try:
            after = tidy(before, name)
        except ValueError as error:
            sys.stderr.write(f"{error}\n")
            return 2
        if after != before:
            untidy += 1
            sys.stdout.write(f"{name}: {'is not tidy' if check else 'tidied'}\n")
            if not check:
                path.write_text(after, encoding="utf-8")
    return int(check and untidy > 0)


if __name__ == "__main__":
    sys.exit(main())
