"""The linter of rule files: everything that is wrong in them, each with its file, line and fix.

Loading stops at the first error; :func:`check` goes on and finds all, and also what loads but cannot work: predicates
that nobody derives, words that are no attribute or value, classes of verbs that no rule asks for, wordings and
examples that are missing.
"""

from __future__ import annotations

import difflib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from clingo import Symbol, SymbolType
from clingo.ast import ASTType

from .atoms import Signature, variables
from .demand import VERB_CLASS, classes_asked_for
from .errors import Location, RuleError, did_you_mean
from .facts import value_constant
from .pack import Entry, Pack
from .rulebook import (
    INPUT_PREDICATES,
    OUTPUT_PREDICATES,
    SHIPPED,
    Rule,
    RuleBook,
    load,
    open_pack,
    require_stratified,
    rule_files,
)
from .vocabulary import ATTRIBUTE, ATTRIBUTES

Severity = Literal["error", "warning"]

# Where a predicate takes the name of an attribute, and the value beside it (argument numbers from 0).
_ATTRIBUTE_AT: Final[dict[Signature, tuple[int, int | None]]] = {
    ("label", 6): (3, 4),
    ("holds", 5): (2, 3),
    ("effect", 4): (2, 3),
    ("causes", 4): (2, 3),
    ("requires", 4): (2, 3),
    ("conflict", 5): (4, None),
}
# Where a predicate takes a role. Prepositions are roles too, so only a near miss of these can be told.
_ROLE_AT: Final[dict[Signature, int]] = {("arg", 4): 2, ("causes", 4): 1, ("requires", 4): 1}
_ROLES: Final = ("agent", "object", "recipient")
_VALUES: Final = {
    attribute.name: tuple(value_constant(attribute.name, v) for v in range(len(attribute.values)))
    for attribute in ATTRIBUTES
}
CONFLICT: Final = ("conflict", 5)


@dataclass(frozen=True)
class Finding:
    """One thing wrong with a rule file; an "error" keeps it from loading or from ever working."""

    location: Location
    severity: Severity
    message: str
    rule: str | None = None

    def __str__(self) -> str:
        rule = f" [{self.rule}]" if self.rule else ""
        return f"{self.location}: {self.severity}: {self.message}{rule}"


def check(paths: Sequence[str | Path] | None = None, base: RuleBook | None = None) -> list[Finding]:
    """Everything wrong with some rule files, by file and line.

    Args:
        paths: rule files or folders; None for the shipped packs.
        base: the rules they are added to; None for those shipped packs that are not themselves among ``paths``.

    Raises:
        RuleError: a path is missing or holds no rule file.
    """
    files = [file for path in ([SHIPPED] if paths is None else paths) for file in rule_files(path)]
    if base is None:
        given = {file.resolve() for file in files}
        others = [file for file in sorted(SHIPPED.glob("*.lp")) if file.resolve() not in given]
        base = load(others) if others else RuleBook(())
    findings: list[Finding] = []
    packs: list[Pack] = []
    for file in files:
        try:
            packs.append(open_pack(file))
        except RuleError as error:
            findings.append(_finding(error, Location(str(file))))
    for pack in packs:
        findings.extend(_finding(problem, Location(pack.file)) for problem in pack.problems)
        findings.extend(_finding(remark, Location(pack.file), "warning") for remark in pack.remarks)
    entries = [(pack, entry) for pack in packs for entry in pack.entries]
    # What a file with errors would derive is unknown, so nothing can be said about missing predicates.
    complete = not any(pack.problems for pack in packs) and len(packs) == len(files)
    known = _Known(base, [entry for _, entry in entries])
    for pack, entry in entries:
        findings.extend(_entry(pack.file, entry))
        if complete:
            findings.extend(known.check(pack.file, entry))
    findings.extend(_shadowed(entries, base))
    findings.extend(_examples(entries))
    if complete:
        findings.extend(_entangled(entries, base))
        findings.extend(_unasked(entries, base))
        findings.extend(_cycle(files, base))
    return sorted(dict.fromkeys(findings), key=_order)


def _order(finding: Finding) -> tuple[str, int, int, str]:
    at = finding.location
    return (at.file, at.line or 0, at.column or 0, finding.message)


def _finding(error: RuleError, otherwise: Location, severity: Severity = "error") -> Finding:
    return Finding(error.location or otherwise, severity, error.message)


def _cycle(files: list[Path], base: RuleBook) -> Iterator[Finding]:
    """The rules together with those they are added to must be stratified; the shipped ones alone are."""
    try:
        own = load(files)
        replaced = {rule.name for rule in own.rules if rule.named}
        require_stratified([*(rule for rule in base.rules if rule.name not in replaced), *own.rules])
    except RuleError as error:
        yield _finding(error, Location(str(files[0])))


def _entry(file: str, entry: Entry) -> Iterator[Finding]:
    """What can be seen in one statement alone."""
    at, rule = Location(file, entry.line), entry.name if entry.named else None
    if entry.statement.predicate is not None:
        fact = entry.fact
        if fact is not None:
            yield from _words(at, rule, (fact.name, len(fact.arguments)), [_constant(a) for a in fact.arguments])
        return
    used = [*entry.variables, *variables(",".join(entry.wording_terms))]
    for name, count in Counter(used).items():
        if count == 1 and not name.startswith("_"):
            message = f"the variable {name} occurs once: is it misspelt? If not, write _ for it"
            yield Finding(at, "warning", message, rule)
    what = "a rule that derives a conflict" if CONFLICT in entry.derives else "a named rule" if entry.named else ""
    if what and entry.wording is None:
        yield Finding(at, "warning", f'{what} needs a wording above it: %!trace_rule {{"% ...", E}}.', rule)
    if CONFLICT in entry.derives and not entry.named:
        yield Finding(at, "warning", "a rule that derives a conflict needs a name above it: %!rule some_name")
    for function in _functions(entry.node):
        signature = (function.name, len(function.arguments))
        yield from _words(at, rule, signature, [_constant_term(a) for a in function.arguments])


def _functions(node: Any) -> Iterator[Any]:
    """Every function of a syntax tree, atoms among them."""
    if node.ast_type == ASTType.Function:
        yield node
    for key in node.child_keys:
        child = getattr(node, key)
        if child is None:
            continue
        for part in [child] if hasattr(child, "ast_type") else child:
            yield from _functions(part)


def _constant(symbol: Symbol) -> str | None:
    return symbol.name if symbol.type == SymbolType.Function and not symbol.arguments else None


def _constant_term(term: Any) -> str | None:
    if term.ast_type == ASTType.SymbolicTerm:
        return _constant(term.symbol)
    return term.name if term.ast_type == ASTType.Function and not term.arguments else None


def _words(at: Location, rule: str | None, signature: Signature, words: list[str | None]) -> Iterator[Finding]:
    """Misspelt attributes, values and roles: such an atom matches nothing, silently."""
    name = f"{signature[0]}/{signature[1]}"
    role = words[_ROLE_AT[signature]] if signature in _ROLE_AT else None
    if role is not None and role not in _ROLES and (hint := did_you_mean(role, _ROLES)):
        yield Finding(at, "warning", f"no verb has the role '{role}' in {name}{hint}", rule)
    if signature not in _ATTRIBUTE_AT:
        return
    place, beside = _ATTRIBUTE_AT[signature]
    attribute = words[place]
    if attribute is not None and attribute not in ATTRIBUTE:
        hint = did_you_mean(attribute, ATTRIBUTE, f": use one of {', '.join(ATTRIBUTE)}")
        yield Finding(at, "error", f"'{attribute}' in {name} is no attribute{hint}", rule)
        return
    if signature == ("label", 6) and words[0] not in (None, "pre", "eff"):
        yield Finding(at, "error", f"'{words[0]}' in {name} is no side of a sentence: use pre or eff", rule)
    value = words[beside] if beside is not None else None
    if attribute is not None and value is not None and value not in _VALUES[attribute]:
        hint = did_you_mean(value, _VALUES[attribute], f": use one of {', '.join(_VALUES[attribute][1:])}")
        yield Finding(at, "error", f"'{value}' in {name} is no value of {attribute}{hint}", rule)


def _shadowed(entries: Iterable[tuple[Pack, Entry]], base: RuleBook) -> Iterator[Finding]:
    """Names that replace a rule of the base, or stand in two files."""
    taken = {rule.name: rule for rule in base.rules if rule.named}
    first: dict[str, tuple[Pack, Entry]] = {}
    for pack, entry in entries:
        if not entry.named:
            continue
        at = Location(pack.file, entry.line)
        old = taken.get(entry.name)
        if old is not None:
            message = f"this replaces the rule of the same name in {old.location}; rename it if that is not meant"
            yield Finding(at, "warning", message, entry.name)
        earlier = first.setdefault(entry.name, (pack, entry))
        if earlier[0] is not pack:
            message = f"the name is used in {earlier[0].file}:{earlier[1].line} already; rename one"
            yield Finding(at, "warning", message, entry.name)


def _entangled(entries: Sequence[tuple[Pack, Entry]], base: RuleBook) -> Iterator[Finding]:
    """Predicates that two files each derive and use, and no other: each file changes what the other means by it.

    What a file derives for others to use is an extension, such as a class of verbs. One finding a predicate and file.
    """
    derive: defaultdict[Signature, dict[str, Location]] = defaultdict(dict)
    use: defaultdict[Signature, set[str]] = defaultdict(set)

    def note(at: Location, rule: Rule | Entry) -> None:
        for signature in rule.derives:
            derive[signature].setdefault(at.file, at)
        for used in rule.uses:
            use[used.signature].add(at.file)

    for rule in base.rules:
        note(rule.location, rule)
    for pack, entry in entries:
        note(Location(pack.file, entry.line), entry)
    given = {pack.file for pack, _ in entries}
    for signature, places in derive.items():
        both = [file for file in places if file in use[signature]]
        meant = signature in INPUT_PREDICATES or signature in OUTPUT_PREDICATES or use[signature] - places.keys()
        if len(both) < 2 or meant:
            continue
        for file in given.intersection(both):
            other = places[next(one for one in both if one != file)]
            name = f"{signature[0]}/{signature[1]}"
            message = f"{name} has rules in {other} too, which this changes, and they change it: rename one"
            yield Finding(places[file], "warning", message)


def _examples(entries: Iterable[tuple[Pack, Entry]]) -> Iterator[Finding]:
    """Named rules of conflicts that no story tests: one finding a name, since its statements share their examples."""
    named: defaultdict[str, list[tuple[Pack, Entry]]] = defaultdict(list)
    for pack, entry in entries:
        if entry.named:
            named[entry.name].append((pack, entry))
    for name, statements in named.items():
        if not any(CONFLICT in entry.derives for _, entry in statements):
            continue
        kinds = {example.fires for _, entry in statements for example in entry.examples}
        lacking = [
            words
            for fires, words in ((True, "a story in which it fires (%!fires)"), (False, "a near miss (%!silent)"))
            if fires not in kinds
        ]
        if lacking:
            pack, entry = statements[0]
            message = f"the rule lacks {' and '.join(lacking)}: write it above the rule, on one line"
            yield Finding(Location(pack.file, entry.line), "warning", message, name)


def _unasked(entries: Sequence[tuple[Pack, Entry]], base: RuleBook) -> Iterator[Finding]:
    """Classes of verbs that no rule asks for: their facts say nothing. One finding a class and file."""
    asked = classes_asked_for([*base.rules, *(entry for _, entry in entries)])
    if asked is None:
        return
    found: defaultdict[tuple[str, str], list[Entry]] = defaultdict(list)
    for pack, entry in entries:
        if entry.derives == (VERB_CLASS,) and entry.fact is not None:
            name = str(entry.fact.arguments[1])
            if name not in asked:
                found[pack.file, name].append(entry)
    for (file, name), facts in found.items():
        if len(facts) == 1:  # a class of many verbs is meant; one that stands alone may be another's name misspelt
            hint = did_you_mean(name, asked, ": this fact says nothing")
        else:
            hint = f": its {len(facts)} facts say nothing"
        message = f"no rule asks for the verb class '{name}'{hint}"
        yield Finding(Location(file, facts[0].line), "warning", message)


class _Known:
    """The predicates that have a meaning: inputs, what the rules derive, what they use."""

    def __init__(self, base: RuleBook, entries: Sequence[Entry]) -> None:
        rules: list[Rule | Entry] = [*base.rules, *entries]
        self.derived: set[Signature] = {*INPUT_PREDICATES}
        self.used: set[Signature] = {*OUTPUT_PREDICATES}
        for rule in rules:
            self.derived.update(rule.derives)
            self.used.update(use.signature for use in rule.uses)

    def check(self, file: str, entry: Entry) -> Iterator[Finding]:
        at, rule = Location(file, entry.line), entry.name if entry.named else None
        for signature in dict.fromkeys(use.signature for use in entry.uses):
            if signature not in self.derived:
                name = f"{signature[0]}/{signature[1]}"
                message = f"no rule derives {name} and no story gives it{self._suggestion(signature)}"
                yield Finding(at, "error", message, rule)
        for signature in entry.derives:
            if signature in self.used or signature in INPUT_PREDICATES:
                continue
            name = f"{signature[0]}/{signature[1]}"
            near = self._suggestion(signature, self.used)
            # A lexicon may say more than today's rules ask for; only a near miss of a known word is suspect there.
            if entry.statement.predicate is None or near:
                yield Finding(at, "warning", f"no rule uses {name}{near}", rule)

    def _suggestion(self, signature: Signature, among: Iterable[Signature] | None = None) -> str:
        name, arity = signature
        candidates = sorted(self.derived if among is None else among)
        arities = [a for n, a in candidates if n == name]
        if arities:
            known = " or ".join(f"{name}/{a}" for a in arities)
            meaning = INPUT_PREDICATES.get((name, arities[0]))
            return f": it has {arity} arguments, where {known} is known" + (f", {meaning}" if meaning else "")
        close = difflib.get_close_matches(name, sorted({n for n, _ in candidates}), n=1, cutoff=0.7)
        if not close:
            return ""
        found = sorted(a for n, a in candidates if n == close[0])
        best = arity if arity in found else found[0]
        return f": did you mean {close[0]}/{best}?"
