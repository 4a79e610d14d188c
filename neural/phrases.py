"""Noun and prepositional phrases of a dependency tree: which nouns an argument stands for, and in what role."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ..symbolic.aliases import PARTITIVES

if TYPE_CHECKING:
    from spacy.tokens import Token

_NOUNS: Final = frozenset({"NOUN", "PROPN", "PRON", "NUM", "ADJ", "DET", "X", "SYM"})
# "a glass of milk" hands over the glass and the milk; of "a pile of leaves" only the leaves count.
CONTAINERS: Final = frozenset(
    "bag barrel basin basket bottle bowl box bucket can carton container crate cup dish flask glass jar jug kettle mug "
    "pack package packet pan pitcher plate pot sack spoon tin tray tub tube vase".split()
)
AMOUNTS: Final = frozenset(
    "ball bale bar batch bite block bunch bundle chunk clump cube dozen drop gallon gulp half handful heap helping "
    "layer length load loaf lump mound mouthful pair piece pile pinch pool portion puddle roll row scoop set sheet "
    "sip slab slice spoonful spool stack stick strip wedge".split()
)
_SORTS: Final = PARTITIVES | frozenset("amount kind sort type remainder majority".split())
_PLACES_ON: Final = frozenset("back bottom center centre corner edge end front inside middle side surface top".split())
_NOT_LIFTED: Final = frozenset("of for about like as than by per during until without since before after".split())
# "a photo of the cake" is no part of the cake.
_NO_PARTS: Final = frozenset(
    "book copy drawing game image list map movie name note number painting park photo photograph picture smell song "
    "sound story video way word".split()
)
_HAVING: Final = frozenset("have see find buy want like own notice need wear watch know get".split())


def is_noun(token: Token) -> bool:
    """Whether spaCy sees a noun, or what can stand for one."""
    return token.pos_ in _NOUNS


def children(token: Token, *deps: str) -> list[Token]:
    """The dependents of a token by one of the given relations, in order."""
    return [child for child in token.children if child.dep_ in deps]


def compounded(token: Token) -> Token | None:
    """The noun that a noun is the first part of, where the parser took the two for two objects ("the car key")."""
    if token.dep_ != "dobj" or token.pos_ != "NOUN" or token.i + 1 >= len(token.doc):
        return None
    second = token.nbor()
    twin = second.dep_ == "dobj" and second.pos_ == "NOUN" and second.head.i == token.head.i
    return second if twin and not second.n_lefts else None


def content(noun: Token) -> list[Token]:
    """What a measure or collection is one of: the leaves of "a pile of leaves"."""
    return [p for prep in children(noun, "prep") if prep.lower_ == "of" for p in children(prep, "pobj")]


def has(token: Token, *deps: str) -> bool:
    """Whether a token has a dependent by one of the given relations."""
    return any(child.dep_ in deps for child in token.children)


class Phrases:
    """Reads phrases into (role, noun) arguments.

    Args:
        lemma: the lemma of a token, as corrected.
        named: tokens that are part of a known name.
        same: whether two tokens belong to one known name (then the second is no argument of its own).
        verb: whether a token is a verb with a clause of its own, and so no argument.
    """

    def __init__(
        self,
        lemma: Callable[[Token], str],
        named: frozenset[int],
        same: Callable[[Token, Token], bool],
        verb: Callable[[Token], bool],
    ) -> None:
        self._lemma = lemma
        self._named = named
        self._same = same
        self._verb = verb

    def nouns(self, noun: Token) -> list[Token]:
        """The nouns an argument stands for: conjuncts, the content with its measure, the whole without "all of"."""
        if self._verb(noun):
            return []
        found: list[Token] = []
        inner = [p for p in content(noun) if not self._same(noun, p)]
        word = self._lemma(noun)
        only_content = word in _SORTS or (word in AMOUNTS and noun.i not in self._named)
        if not (inner and only_content):
            found.append(noun)
        if inner and (only_content or word in CONTAINERS or word in AMOUNTS):
            for token in inner:
                found += self.nouns(token)
        for left in children(noun, "nmod", "compound", "amod"):  # "his baseball and soccer ball"
            if left.i in self._named and has(left, "cc") and not self._same(noun, left):
                found.append(left)
        for other in children(noun, "conj"):
            if is_noun(other) and not self._same(noun, other):
                found += self.nouns(other)
        return found

    def phrase(self, prep: Token, role: str = "") -> list[tuple[str, Token]]:
        """The (role, noun) arguments of a prepositional phrase, with chains ("out of") and nested phrases."""
        role = role or prep.lower_
        found: list[tuple[str, Token]] = []
        for child in prep.children:
            if child.dep_ == "pobj":
                place = self._lemma(child)
                of_it = [n for p in children(child, "prep") if p.lower_ == "of" for n in children(p, "pobj")]
                if place in _PLACES_ON and of_it and not self._same(child, of_it[0]):
                    role = "in_front_of" if (role, place) == ("in", "front") else role
                    nouns = [noun for target in of_it for noun in self.nouns(target)]
                else:
                    nouns = self.nouns(child)
                found += [(role, noun) for noun in nouns]
                for noun in nouns:
                    found += self.lifted(noun, "")
            elif child.dep_ in ("prep", "prt") and child.i > prep.i:
                chained = {"off of": "off", "inside of": "inside", "outside of": "outside"}.get(
                    f"{role} {child.lower_}", f"{role}_{child.lower_}"
                )
                if role in ("up", "down", "back", "over", "along", "in", "on") or child.lower_ == "with":
                    chained = child.lower_
                found += self.phrase(child, chained)
        return found

    def lifted(self, noun: Token, lemma: str) -> list[tuple[str, Token]]:
        """Phrases that the parser hung on an object though they say where the verb takes place or with what."""
        found: list[tuple[str, Token]] = []
        for prep in children(noun, "prep"):
            role = prep.lower_
            if role in _NOT_LIFTED or (role == "with" and lemma in _HAVING):
                continue
            found += [(r, n) for r, n in self.phrase(prep) if not self._same(noun, n)]
        return found

    def wholes(self, noun: Token) -> list[Token]:
        """What a noun is said to be a part of: the spade of "the handle of the spade" or "the spade's handle"."""
        word = self._lemma(noun)
        if word in _SORTS or word in AMOUNTS or word in CONTAINERS or word in _NO_PARTS:
            return []
        owners = [p for p in children(noun, "poss") if has(p, "case") and not self._same(noun, p)]
        inner = [p for p in content(noun) if not self._same(noun, p) and p.pos_ in ("NOUN", "PROPN", "PRON")]
        return owners + [n for p in inner for n in self.nouns(p)]

    def dative(self, child: Token) -> list[tuple[str, Token]]:
        """To or for whom: "gave Mary the pen" and "gave the pen to Mary"."""
        if child.pos_ == "ADP" or has(child, "pobj"):
            role = "recipient" if child.lower_ == "to" else child.lower_
            return [(role, noun) for pobj in children(child, "pobj") for noun in self.nouns(pobj)]
        return [("recipient", noun) for noun in self.nouns(child)]
