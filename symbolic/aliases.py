"""Names of one thing within one story, told by their form alone: case, plurals and the heads of compounds.

In comes a story's list of names, out come the pairs that name the same thing ("lamp" and "table lamp"). Synonyms
("fridge" and "refrigerator") are knowledge, not form: they are logic facts, matched on ``lemma`` and ``head``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

DETERMINERS: Final = frozenset(
    "a an the this that these those some any no every each all both another other such what which "
    "my your his her its our their whose".split()
)

# A state says how the thing is, not which one: "hot pizza" and "cold pizza" are one pizza. (Sizes, ages and colours
# do tell things apart, so they are not here.)
TRANSPARENT: Final = frozenset(
    "bad baked boiled broken burnt burned charged chopped clean closed cold cooked cool cracked cut damaged damp dead "
    "dirty dried dry empty entire filthy fresh fried frozen full good heavy hot leftover lit locked lost mashed melted "
    "messy missing nice open own packed peeled printed raw ripe roasted rotten ruined shattered sliced smelly soaked "
    "spilled spoiled sticky stolen stale torn unplugged used warm washed wet whole wrinkled".split()
)

# Modifiers that make it another thing or kind, so that even the bare head does not name it.
_PRIVATIVE: Final = frozenset("extra fake imitation mock model pretend spare toy".split())

# Compounds whose head is not their kind: an ice cream is no cream. Each counts as a word of its own.
LEXICALISED: Final = frozenset(
    name.strip()
    for name in """
    apple sauce, baking powder, baking soda, board game, body wash, bubble gum, butter milk, chewing gum, coconut milk,
    corn dog, dish washer, egg plant, face cream, fire place, flip flop, hair spray, hand cream, hot chocolate, hot dog,
    hot sauce, ice cream, jelly fish, letter box, mail box, nail polish, paper towel, peanut butter, phone book,
    phone call, pop corn, power plant, running water, sand paper, see saw, shaving cream, shower head, steak house,
    sun cream, sweet potato, toilet paper, video game, wrapping paper
    """.split(",")
)

# Nouns in -s that have no singular to reduce to, or are one already (those in -ss, -us and -is need no entry).
_KEEP_S: Final = frozenset(
    "always atlas bias binoculars boxers briefs bus canvas chaos charles christmas clothes downstairs eyeglasses "
    "frances fries gas glasses goggles groceries has headphones hughes james jeans leftovers leggings lens lucas "
    "mathematics molasses news nicholas odds overalls pajamas pants physics pliers pyjamas scissors series shears "
    "shorts slacks species stairs sunglasses supplies thermos thomas tights tongs trousers tweezers underpants "
    "upstairs was yes".split()
)

_IRREGULAR: Final = dict(
    pair.split(":")
    for pair in """
    aches:ache avalanches:avalanche bookshelves:bookshelf brownies:brownie buses:bus caches:cache cacti:cactus
    calves:calf canoes:canoe children:child cookies:cookie dice:die dies:die echoes:echo elves:elf feet:foot
    firemen:fireman fungi:fungus gases:gas geese:goose grandchildren:grandchild halves:half headaches:headache
    heroes:hero hooves:hoof horseshoes:horseshoe knives:knife leaves:leaf lenses:lens lies:lie lives:life
    loaves:loaf mangoes:mango men:man mice:mouse moustaches:moustache movies:movie oxen:ox people:person pies:pie
    pixies:pixie potatoes:potato quizzes:quiz scarves:scarf selfies:selfie selves:self shelves:shelf shoes:shoe
    smoothies:smoothie teeth:tooth thieves:thief ties:tie toes:toe tomatoes:tomato toothaches:toothache
    veggies:veggie viruses:virus wives:wife wolves:wolf women:woman zombies:zombie
    """.split()
)

# "a pair of scissors" is the scissors, "all of the milk" the milk; a "slice of pizza" is not the pizza.
PARTITIVES: Final = frozenset(
    "all any both bunch bit couple each half lot lots many most much none number one pair part plenty rest set "
    "several some ton tons".split()
)
_MEASURED_WHOLE: Final = frozenset("pair bunch couple lot lots rest all some set plenty both most".split())

_POSSESSIVE = re.compile(r"(?:'|’)s?$")  # ’ is the typographic apostrophe


def singular(word: str) -> str:
    """The singular of one lower-case English noun; what is not a known kind of plural comes back unchanged."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word in _KEEP_S or len(word) < 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    return word[:-1]


@dataclass(frozen=True)
class _Name:
    """A name taken apart: its words (the last one the head's lemma), those that tell which one it is, its letters."""

    words: tuple[str, ...]
    modifiers: frozenset[str]
    letters: str


@lru_cache(maxsize=4096)
def _take_apart(name: str) -> _Name:
    words, complement = _undetermined(name.lower().split()), []
    while "of" in words[1:-1]:
        at = words.index("of", 1)
        before, after = words[:at], _undetermined(words[at + 1 :])
        if before[-1] not in _MEASURED_WHOLE:
            words, complement = before, after
            break
        words = after
    if not words:
        return _Name((), frozenset(), "")
    words = [*words[:-1], singular(words[-1])]
    if " ".join(words[-2:]) in LEXICALISED:
        words = [*words[:-2], " ".join(words[-2:])]
    letters = "".join(words + complement).replace(" ", "").replace("-", "")
    return _Name(tuple(words), frozenset(words[:-1] + complement) - TRANSPARENT, letters)


def _undetermined(words: list[str]) -> list[str]:
    return [word for word in words if word not in DETERMINERS] or words


def lemma(name: str) -> str:
    """The name in a form that can be matched: lower case, no determiners or possessors, last word singular."""
    raw = name.lower().split()
    words = [word for word in _undetermined(raw) if not _POSSESSIVE.search(word)] or raw
    return " ".join([*words[:-1], singular(words[-1])]) if words else ""


def head(name: str) -> str:
    """The lemma of the head noun: the last word, or the one before "of" ("glass of milk" is a glass).

    What only measures is passed over: "pair of shoes" and "all of the milk" have the heads "shoe" and "milk".
    """
    words = _take_apart(name).words
    return words[-1].split()[-1] if words else ""


def modifiers(name: str) -> tuple[str, ...]:
    """The words, in the singular, that say what kind of thing its head is: "apple" of "apple pie" and "piece of apple".

    States ("hot", "broken") say no kind and are left out; colours, sizes and the like are in.
    """
    return tuple(sorted({singular(word) for word in _take_apart(name).modifiers}))


def alias_pairs(entities: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The pairs (a, b), a < b, of names that one story uses for the same thing.

    Two names with one head are the same thing unless each has a modifier the other lacks ("black mug", "blue mug").
    A bare name next to two such rivals is linked to neither: nothing tells which of them it means.
    """
    pairs: set[tuple[str, str]] = set()
    by_head: dict[str, list[str]] = defaultdict(list)
    by_spelling: dict[str, list[str]] = defaultdict(list)
    for name in sorted(set(entities)):
        parts = _take_apart(name)
        if parts.words:
            by_head[parts.words[-1]].append(name)
            by_spelling[parts.letters].append(name)
    for names in by_head.values():
        ambiguous = _ambiguous(names)
        for a, b in _pairs_of(names):
            first, second = _take_apart(a).modifiers, _take_apart(b).modifiers
            if first == second or (_fits(first, second) and a not in ambiguous and b not in ambiguous):
                pairs.add((a, b))
    for names in by_spelling.values():  # "hair brush" and "hairbrush", "t-shirt" and "t shirt"
        pairs.update(_pairs_of(names))
    return tuple(sorted(pairs))


def _fits(first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether one name only says more than the other, and nothing that makes it another thing."""
    return (first <= second or second <= first) and not ((first ^ second) & _PRIVATIVE)


def _pairs_of(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    return ((a, b) for i, a in enumerate(names) for b in names[i + 1 :])


def _ambiguous(names: Sequence[str]) -> set[str]:
    """Names that two incompatible, more specific names both fit."""
    modifiers = {name: _take_apart(name).modifiers for name in names}
    kinds = sorted(set(modifiers.values()), key=sorted)
    rivals = {
        own
        for own in kinds
        for i, a in enumerate(kinds)
        for b in kinds[i + 1 :]
        if _fits(own, a) and _fits(own, b) and own < a and own < b and not (a <= b or b <= a)
    }
    return {name for name, own in modifiers.items() if own in rivals}
