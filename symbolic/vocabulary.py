"""The vocabulary of physical states: TRIP's 20 attributes, their values and defaults, and the change labels.

Everything that needs an attribute, a value's name or the meaning of an official label takes it from here.
Source: TRIP (Storks et al., 2021), in the dataset's own order and spelling.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

Side = Literal["precondition", "effect"]

SIDES: Final[tuple[Side, Side]] = ("precondition", "effect")
PRECONDITION: Final = 0
EFFECT: Final = 1
UNKNOWN: Final = 0
FALSE: Final = 1
TRUE: Final = 2


@dataclass(frozen=True)
class Attribute:
    """One physical attribute; ``values[v]`` is the word for value ``v`` and ``default`` the value assumed."""

    index: int
    name: str
    values: tuple[str, ...]
    default: int = UNKNOWN
    human: bool = False

    def is_trivial(self, value: int) -> bool:
        """Whether a label says nothing: unknown, or what is assumed of everything (metrics never count it)."""
        return value in (UNKNOWN, self.default)


LOCATION_VALUES: Final = (
    "unknown",
    "gone",
    "picked up",
    "put down",
    "put on",
    "taken off",
    "put in a container",
    "taken out of a container",
    "moved",
)

# (name, word for false, word for true, default); the first five are of humans, the others of objects.
_TABLE: Final[tuple[tuple[str, str, str, int], ...]] = (
    ("h_location", "gone", "moved", UNKNOWN),
    ("conscious", "unconscious", "conscious", TRUE),
    ("wearing", "undressed", "dressed", UNKNOWN),
    ("h_wet", "dry", "wet", UNKNOWN),
    ("hygiene", "dirty", "clean", UNKNOWN),
    ("location", "", "", UNKNOWN),
    ("exist", "nonexistent", "existent", TRUE),
    ("clean", "dirty", "clean", UNKNOWN),
    ("power", "unpowered", "powered", UNKNOWN),
    ("functional", "broken", "functional", TRUE),
    ("pieces", "whole", "in pieces", UNKNOWN),
    ("wet", "dry", "wet", UNKNOWN),
    ("open", "closed", "open", UNKNOWN),
    ("temperature", "cold", "hot", UNKNOWN),
    ("solid", "fluid", "solid", UNKNOWN),
    ("contain", "empty", "occupied", UNKNOWN),
    ("running", "off", "on", UNKNOWN),
    ("moveable", "stuck", "moveable", TRUE),
    ("mixed", "separated", "mixed", UNKNOWN),
    ("edible", "inedible", "edible", UNKNOWN),
)
N_HUMAN: Final = 5

ATTRIBUTES: Final[tuple[Attribute, ...]] = tuple(
    Attribute(
        index,
        name,
        LOCATION_VALUES if name == "location" else ("unknown", false, true),
        default,
        human=index < N_HUMAN,
    )
    for index, (name, false, true, default) in enumerate(_TABLE)
)
ATTRIBUTE: Final[Mapping[str, Attribute]] = MappingProxyType({a.name: a for a in ATTRIBUTES})
N_ATTRIBUTES: Final = len(ATTRIBUTES)
N_VALUES: Final = len(LOCATION_VALUES)

# A location names what the sentence does, not a place: the same value before and after (design, section 2).
LOCATION_ATTRIBUTES: Final = frozenset({"h_location", "location"})

# Official files hold one label of change per attribute: label -> (precondition, effect).
CHANGE_LABELS: Final[tuple[tuple[int, int], ...]] = (
    (0, 0),
    (1, 1),
    (2, 2),
    (2, 1),
    (1, 2),
    (0, 1),
    (0, 2),
    (1, 0),
    (2, 0),
)


def change_to_states(attribute: Attribute, label: int) -> tuple[int, int]:
    """The (precondition, effect) values that an official change label stands for.

    Raises:
        ValueError: the label is not one of the attribute's.
    """
    if attribute.name == "location":
        if not 0 <= label < N_VALUES:
            raise ValueError(f"{label} is not a label of location (0 to {N_VALUES - 1})")
        return (label, label)
    if attribute.name == "h_location":
        if not 0 <= label <= TRUE:
            raise ValueError(f"{label} is not a label of h_location (0 to 2)")
        return (label, label)
    if not 0 <= label < len(CHANGE_LABELS):
        raise ValueError(f"{label} is not a label of {attribute.name} (0 to {len(CHANGE_LABELS) - 1})")
    return CHANGE_LABELS[label]


def is_human(entity: str) -> bool:
    """TRIP's own test for a human participant: an initial capital, "TV" excepted."""
    return entity[:1].isupper() and entity != "TV"
