"""Amounts that a sentence names: "350 degrees", "1 1/2 hours", "10-15 minutes", "two cups".

They are handed on in one unit for each kind, so that rules can compare them: seconds, degrees Fahrenheit, millimetres,
millilitres and grams, rounded. Degrees without a scale are taken for Fahrenheit, as American recipes mean them. A range
is two amounts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from ..symbolic.parse import Quantity

# Clingo's numbers have 32 bits.
LARGEST: Final = 2**31 - 1
_NUMBERS: Final = MappingProxyType(
    {
        word: Fraction(number)
        for number, word in enumerate(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen twenty".split()
        )
    }
    | {word: Fraction(10 * k) for k, word in enumerate("thirty forty fifty sixty seventy eighty ninety".split(), 3)}
    | {"a": Fraction(1), "an": Fraction(1), "half": Fraction(1, 2), "half a": Fraction(1, 2), "half an": Fraction(1, 2)}
    | {"couple of": Fraction(2), "a couple of": Fraction(2), "dozen": Fraction(12), "hundred": Fraction(100)}
)
_SIGNS: Final = MappingProxyType(
    {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8"}
)
# By the words and signs of each unit, its kind and how much one is in that kind's own unit.
_UNITS: Final = MappingProxyType(
    {
        word: (kind, Fraction(size))
        for kind, units in {
            "time": {
                "second seconds sec secs": "1",
                "minute minutes min mins": "60",
                "hour hours hr hrs": "3600",
                "day days": "86400",
                "week weeks": "604800",
                "month months": "2592000",
                "year years": "31536000",
            },
            "length": {
                "mm millimeter millimeters millimetre millimetres": "1",
                "cm centimeter centimeters centimetre centimetres": "10",
                "m meter meters metre metres": "1000",
                "km kilometer kilometers kilometre kilometres": "1000000",
                'inch inches "': "25.4",
                "foot feet ft": "304.8",
                "yard yards yd": "914.4",
                "mile miles": "1609344",
            },
            "volume": {
                "ml milliliter milliliters millilitre millilitres": "1",
                "teaspoon teaspoons tsp": "4.93",
                "tablespoon tablespoons tbsp": "14.79",
                "cup cups": "236.6",
                "pint pints": "473.2",
                "quart quarts": "946.4",
                "liter liters litre litres l": "1000",
                "gallon gallons": "3785",
            },
            "weight": {
                "g gram grams": "1",
                "kg kilogram kilograms": "1000",
                "ounce ounces oz": "28.35",
                "pound pounds lb lbs": "453.6",
                "ton tons": "907185",
            },
        }.items()
        for words, size in units.items()
        for word in words.split()
    }
)
_NUMBER: Final = (
    r"(?:\d+\s+\d+/\d+|\d+\s*[½¼¾⅓⅔⅛⅜⅝⅞]|[½¼¾⅓⅔⅛⅜⅝⅞]|\d+/\d+|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.?\d+|\b(?:"
    + "|".join(sorted(map(re.escape, _NUMBERS), key=len, reverse=True))
    + r")\b)"
)
# What may be a thing as well: "in a cup", "on a foot".
_THINGS: Final = frozenset("cup foot yard pound second".split())
_OF: Final = re.compile(r"\s+of\b", re.IGNORECASE)
_AMOUNT: Final = re.compile(
    rf"(?<![\w/.])(?P<low>{_NUMBER})(?:\s*(?:-|–|to|or|and)\s*(?P<high>{_NUMBER}))?\s*-?\s*"
    rf"(?P<unit>(?:°|º|degrees?|deg)\s*(?:(?P<scale>fahrenheit|celsius|centigrade|f|c)\b)?|(?P<bare>(?<=\d)[fc])\b"
    rf"|(?:{'|'.join(sorted((re.escape(word) for word in _UNITS if word.isalpha()), key=len, reverse=True))})\b|\")",
    re.IGNORECASE,
)


def quantities(sentences: Sequence[str]) -> tuple[Quantity, ...]:
    """What the sentences name of time, temperature, length, volume and weight."""
    found = {one for number, sentence in enumerate(sentences) for one in _amounts(number, sentence)}
    return tuple(sorted(found))


def _amounts(number: int, sentence: str) -> Iterator[Quantity]:
    for match in _AMOUNT.finditer(sentence):
        unit = match["unit"].lower()
        if match["low"].lower() in ("a", "an") and unit in _THINGS and not _OF.match(sentence, match.end()):
            continue
        for said in (match["low"], match["high"]):
            value = _value(said) if said is not None else None
            if value is None:
                continue
            if unit in _UNITS:
                kind, size = _UNITS[unit]
                amount = value * size
            else:
                kind, amount = "temperature", value
                if (match["scale"] or match["bare"] or "f")[0].lower() == "c":
                    amount = value * Fraction(9, 5) + 32
            if amount <= LARGEST:
                yield Quantity(number, kind, round(amount))


def _value(said: str) -> Fraction | None:
    """A number as it is written, None where it is no number (such as 1/0)."""
    text = said.lower().replace(",", "")
    if text in _NUMBERS:
        return _NUMBERS[text]
    for sign, written in _SIGNS.items():
        text = text.replace(sign, f" {written}")
    try:
        return sum((Fraction(part) for part in text.split()), Fraction(0))
    except (ValueError, ZeroDivisionError):
        return None
