"""Atoms of a proof in plain English: what rules, states, facts of the text and facts of the lexicon say.

Used by every view of a proof. A rule's own wording comes first; what has none (facts, and what a ``not`` relied on) is
worded here by predicate, and an atom that nothing here knows is shown as it stands. Sentences are counted from 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from clingo import Symbol, SymbolType, parse_term

from ..symbolic.facts import constant_value, value_constant
from ..symbolic.proof import ProofNode
from ..symbolic.story import State
from ..symbolic.vocabulary import ATTRIBUTE, is_human
from .agreement import agreeing

Signature = tuple[str, int]

# Letters of some scripts need these two, though Python does not call them printable.
_JOINERS: Final = "\u200c\u200d"

# What facts say, by predicate; the holes are the arguments in order, sentences already counted from 1.
_FACTS: Final[Mapping[Signature, str]] = {
    ("sentence", 1): "there is a sentence {0}",
    ("entity", 1): "the story has {0:the}",
    ("human", 1): "{0:the} is a person",
    ("verb", 2): "sentence {0}: {1}",
    ("arg", 4): "sentence {0}: {1}, {2} {3}",
    ("negated", 2): "sentence {0} says that “{1}” does not happen",
    ("irrealis", 2): "sentence {0} does not say that “{1}” happens",
    ("mention", 2): "sentence {0} names {1:the}",
    ("property", 3): "sentence {0} calls {1:the} “{2}”",
    ("not_property", 3): "sentence {0} says that {1:the} is not “{2}”",
    ("direction", 2): "sentence {0} says “{1}”",
    ("goal", 1): "sentence {0} says what is to be reached",
    ("quantity", 3): "sentence {0} names a {1} of {2}",
    ("name", 2): "{0:the} is called “{1}”",
    ("noun", 2): "{0:the} is a “{1}”",
    ("modifier", 2): "{0:the} has “{1}” in its name",
    ("alias", 2): "“{0}” and “{1}” are one thing",
    ("same", 2): "“{0}” and “{1}” are one thing",
    ("verb_class", 2): "“{0}” is of the class “{1}”",
    ("instrument", 2): "“{0}” takes a tool such as the {1}",
    ("trait", 2): "“{0}” has the trait “{1}”",
    ("made_of", 2): "what is of “{0}” has the trait “{1}”",
    ("size", 2): "“{0}” is of size {1}",
    ("kind", 2): "“{0}” is of the kind “{1}”",
    ("kind_of", 2): "{0:the} is of the kind “{1}”",
    ("part", 2): "“{0}” is a part of “{1}”",
    ("essential", 2): "“{0}” is an essential part of “{1}”",
    ("supplies", 2): "“{0}” supplies “{1}”",
    ("isa", 2): "“{0}” is a kind of “{1}”",
    ("synonym", 2): "“{0}” and “{1}” mean the same",
    ("near_synonym", 2): "“{0}” and “{1}” mean nearly the same",
    ("opposite", 2): "{0} and {1} exclude each other",
}

# What it means that an atom does not hold, where a rule relied on that with ``not``.
_ABSENT: Final[Mapping[Signature, str]] = {
    ("changed", 3): "sentence {0} does not change {1:the}’s {2}",
    ("mended", 2): "sentence {0} neither mends {1:the} nor brings another",
    ("regained", 2): "sentence {0} does not bring {1:the} back",
    ("renewed", 2): "sentence {0} tells of no other one of {1:the}",
    ("treated", 3): "nothing around {1:the} changes its {2} before sentence {0}",
    ("brings_about", 4): "sentence {0} does not itself make {1:the}’s {2} {3}",
    ("has_it", 3): "who got {1:the} in sentence {2} is not the one who uses it in sentence {0}",
    ("relied_on", 2): "sentence {0} does not rely on {1:the}",
    ("met", 2): "sentence {0} does not use {1:the}",
    ("moved_out", 2): "sentence {0} does not take {1:the} out",
    ("takes_out", 2): "sentence {0} does not take {1:the} out",
    ("opens", 2): "sentence {0} does not open {1:the}",
    ("verb_switches", 2): "sentence {0} does not switch {1:the}",
    ("undresses", 2): "sentence {0} does not take {1:the} off",
    ("wears", 2): "sentence {0} does not put {1:the} on",
    ("awake", 2): "{1:the} does not wake up in sentence {0}",
    ("comes", 2): "{1:the} does not come back in sentence {0}",
    ("lit_between", 2): "no light goes on between sentences {0} and {1}",
    ("undressed_between", 2): "nothing is taken off between sentences {0} and {1}",
    ("other_tool", 2): "sentence {0} names no other tool for “{1}”",
    ("touched", 2): "sentence {0} does not touch {1:the}",
    ("away", 4): "{1:the} is not gone in sentence {0}",
    ("transitive", 2): "“{1}” has no object in sentence {0}",
    ("human", 1): "{0:the} is no person",
    ("kind_of", 2): "{0:the} is not of the kind “{1}”",
    ("verb_class", 2): "“{0}” is not of the class “{1}”",
    ("same", 2): "“{0}” and “{1}” are two things",
    ("negated", 2): "sentence {0} does not deny “{1}”",
    ("irrealis", 2): "sentence {0} says that “{1}” happens",
}
# Where an argument is a sentence's number although it is not the first one.
_SENTENCES_AT: Final[Mapping[Signature, tuple[int, ...]]] = {
    ("previous", 3): (0, 2),
    ("lit_between", 2): (0, 1),
    ("undressed_between", 2): (0, 1),
    ("away", 4): (0, 3),
    ("has_it", 3): (0, 2),
}


class _Word(str):
    """A word of an atom; ``{:the}`` puts the article before what is no person's name."""

    def __format__(self, spec: str) -> str:
        return (self if is_human(self) else f"the {self}") if spec == "the" else str(self)


def printable(text: str) -> str:
    """A text on one line, with escapes for what would steer a terminal or cannot be seen."""
    return "".join(
        c if c.isprintable() or c in _JOINERS else c.encode("unicode_escape").decode() for c in " ".join(text.split())
    )


def said(node: ProofNode) -> str:
    """What one node of a proof says."""
    if node.state is not None:
        return state_words(node.state)
    if node.wording is not None:
        return agreeing(_with_values(node), _things([node.atom, *(child.atom for child in node.children)]))
    return fact_words(node.atom)


def state_words(state: State) -> str:
    """A state in words: "after sentence 2 the phone is unpowered"."""
    when = "after" if state.side == "effect" else "before"
    if state.attribute in ("location", "h_location"):
        when = "in"
    word = ATTRIBUTE[state.attribute].values[state.value]
    return agreeing(f"{when} sentence {state.sentence + 1} {_the(state.entity)} is {word}", [printable(state.entity)])


def fact_words(atom: str) -> str:
    """A fact in words; the atom itself where there are none for it."""
    symbol = symbol_of(atom)
    if symbol is None:
        return printable(atom)
    state = label_state(symbol)
    if state is not None:
        return state_words(state)
    signature = (symbol.name, len(symbol.arguments))
    if signature == ("previous", 3):
        later, thing, earlier = arguments(symbol)
        return f"nothing between sentences {earlier} and {later} touches {thing:the}"
    if signature in (("causes", 4), ("requires", 4)):
        return _lexicon_state(symbol)
    template = _FACTS.get(signature)
    return printable(atom) if template is None else _filled(template, symbol)


def absence_words(atom: str) -> str:
    """What it means that an atom does not hold: "sentence 4 does not change the phone's power"."""
    worded = worded_absence(atom)
    symbol = symbol_of(atom)
    if worded is not None:
        return worded
    return f"not: {printable(atom)}" if symbol is None or symbol.type != SymbolType.Function else _unworded(symbol)


def worded_absence(atom: str) -> str | None:
    """The same, None for an atom whose predicate has no words here."""
    symbol = symbol_of(atom)
    if symbol is None or symbol.type != SymbolType.Function:
        return None
    template = _ABSENT.get((symbol.name, len(symbol.arguments)))
    return None if template is None else _filled(template, symbol)


def _unworded(symbol: Symbol) -> str:
    """An absence without words of its own: its name and arguments, "not powered meanwhile: sentence 2, the phone"."""
    told = [
        f"sentence {argument.number + 1}"
        if argument.type == SymbolType.Number
        else f"{word:the}"
        if argument.type == SymbolType.String
        else str(word)
        for argument, word in zip(symbol.arguments, arguments(symbol), strict=True)
    ]
    name = symbol.name.strip("_").replace("_", " ")
    return printable(f"not {name}: {', '.join(told)}" if told else f"not {name}")


def _filled(template: str, symbol: Symbol) -> str:
    return agreeing(printable(template.format(*arguments(symbol))), _things([str(symbol)]))


def _things(atoms: Iterable[str]) -> set[str]:
    """The strings among the arguments of some atoms: what a proof is about."""
    symbols = (symbol_of(atom) for atom in atoms)
    return {
        printable(argument.string)
        for symbol in symbols
        if symbol is not None and symbol.type == SymbolType.Function
        for argument in symbol.arguments
        if argument.type == SymbolType.String
    }


def symbol_of(atom: str) -> Symbol | None:
    """The atom as a symbol, None if it is none."""
    try:
        return parse_term(atom)
    except RuntimeError:
        return None


def arguments(symbol: Symbol) -> list[_Word]:
    """An atom's arguments as words, sentence numbers counted from 1."""
    places = _SENTENCES_AT.get((symbol.name, len(symbol.arguments)), (0,))
    return [
        _Word(argument.number + 1 if place in places else argument.number)
        if argument.type == SymbolType.Number
        else _Word(argument.string if argument.type == SymbolType.String else str(argument).replace("_", " "))
        for place, argument in enumerate(symbol.arguments)
    ]


def label_state(symbol: Symbol) -> State | None:
    """The state that a ``label(Side, T, E, Attribute, Value, Cost)`` asserts; its cost carries the probability."""
    if not symbol.match("label", 6):
        return None
    side, sentence, entity, attribute, value, cost = symbol.arguments
    if attribute.type != SymbolType.Function or attribute.name not in ATTRIBUTE:
        return None
    try:
        number = constant_value(attribute.name, value.name)
    except (RuntimeError, ValueError):
        return None
    return State(
        "effect" if side.name == "eff" else "precondition",
        sentence.number,
        entity.string,
        attribute.name,
        number,
        2.718281828459045 ** (-cost.number / 1000),
    )


def _the(entity: str) -> str:
    return f"{_Word(printable(entity)):the}"


def _lexicon_state(symbol: Symbol) -> str:
    """``causes`` and ``requires``: what a verb does to the thing in one role, or needs of it."""
    verb, role, attribute, constant = arguments(symbol)
    word = _value_word(symbol.arguments[2].name, symbol.arguments[3].name) or f"{attribute} {constant}"
    thing = f"its {role}" if role in ("agent", "object", "recipient") else f"what comes after “{role}”"
    if symbol.name == "causes":
        return printable(f"“{verb}” makes {thing} {word}")
    return printable(f"“{verb}” needs {thing} to be {word}")


def _value_word(attribute: str, constant: str) -> str | None:
    """The vocabulary's word for a value such as ``false``."""
    try:
        return ATTRIBUTE[attribute].values[constant_value(attribute, constant)]
    except (KeyError, ValueError):
        return None


def _with_values(node: ProofNode) -> str:
    """A rule's wording with the values of its attribute in words: "the phone's power is false" is "... is unpowered".

    Wordings are filled with the rules' constants, and which word a constant stands for depends on the attribute, which
    is an argument of the atom.
    """
    text = printable(node.wording or "")
    symbol = symbol_of(node.atom)
    constants = [] if symbol is None else [a.name for a in symbol.arguments if a.type == SymbolType.Function]
    attribute = next((name for name in constants if name in ATTRIBUTE), None)
    if attribute is None:
        return text
    words = {
        value_constant(attribute, value).replace("_", " "): word
        for value, word in enumerate(ATTRIBUTE[attribute].values)
    }
    values = "|".join(map(re.escape, words))

    def replace(pattern: str, start: Callable[[re.Match[str]], str]) -> None:
        nonlocal text
        text = re.sub(pattern, lambda found: start(found) + words[found[found.lastindex or 0]], text)

    shown = re.escape(attribute.replace("_", " "))
    replace(rf"[’']s {shown}( is| to be| is still)? ({values})\b", lambda found: f"{found[1] or ''} ")
    replace(rf"\b(to be|it is still|still) ({values})\b", lambda found: f"{found[1]} ")
    return text


def source(node: ProofNode) -> str:
    """Where a step comes from: the rule's name, file and line; empty for what is no rule or fact of a rule file."""
    if node.file is None:
        return ""
    place = f"{printable(node.file)}:{node.line}"
    # A rule without a name of its own is called by its place.
    named = node.rule is not None and not node.rule.endswith(f":{node.line}")
    return f"{node.rule}, {place}" if named else place


def percent(probability: float) -> str:
    """A probability for a reader: never 100% or 0% for what is not certain."""
    if probability < 1 and round(100 * probability) >= 100:
        return ">99%"
    if probability > 0 and round(100 * probability) <= 0:
        return "<1%"
    return f"{probability:.0%}"


def listed(items: Sequence[str], last: str = "and") -> str:
    """Words in a row: "a, b and c"."""
    return f"{', '.join(items[:-1])} {last} {items[-1]}" if len(items) > 1 else "".join(items)


def counted(number: int, what: str) -> str:
    """A number with its noun: "no errors", "1 error", "2 errors"."""
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"
