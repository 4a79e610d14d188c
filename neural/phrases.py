"""Noun and prepositional phrases of a dependency tree: which nouns an argument stands for, and in what role."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ..symbolic.aliases import PARTITIVES, singular

if TYPE_CHECKING:
    from spacy.tokens import Token

# Adjectives that follow a noun or a verb as what it comes to be; the small model often makes nouns or verbs of them.
RESULTS: Final = frozenset(
    "alive apart asleep awake bare black blank blue brittle brown clean clear closed cold cool crisp dead dry empty "
    "flat free firm full golden gray green grey hard hot icy loose lukewarm open orange pink purple red rigid shut "
    "smooth soft "
    "solid stiff straight tight unconscious upright warm wet white wide yellow".split()
)
_NOUNS: Final = frozenset({"NOUN", "PROPN", "PRON", "NUM", "ADJ", "DET", "X", "SYM"})
# "a glass of milk" hands over the glass and the milk; of "a pile of leaves" only the leaves count.
CONTAINERS: Final = frozenset(
    "bag barrel basin basket bottle bowl box bucket can canister carton cask container crate cup dish flask glass "
    "jar jug kettle mug pack package packet pan pitcher plate pot sachet sack spoon thermos tin tray tub tube "
    "vase".split()
)
AMOUNTS: Final = frozenset(
    "ball bale bar batch bead bite blob block bunch bundle chunk clove clump crumb cube dash dollop dozen drip drop "
    "gallon grain gulp half handful heap helping hunk knob layer length load loaf lump mound mouthful pair piece pile "
    "pinch pool portion puddle puff roll row scoop scrap set sheet sip slab slice smear speck splash spoonful spool "
    "sprig stack stick strip tablespoon teaspoon wad wedge".split()
)
# Units: "forty feet of water" is water, but feet elsewhere are feet.
UNITS: Final = frozenset(
    "centimeter centimetre foot gram gramme inch kilo kilogram liter litre meter metre mile ounce pint pound "
    "quart".split()
)
_SORTS: Final = (
    PARTITIVES
    | UNITS
    | frozenset("amount enough everything kind last less majority more quarter remainder rest sort type".split())
)
TIMES: Final = frozenset(
    "afternoon april august autumn day december evening february friday hour january july june march may minute "
    "moment monday month morning night noon november october saturday second september spring summer sunday "
    "thursday time today tomorrow tonight tuesday wednesday week weekend while winter year yesterday".split()
)
_PLACES_ON: Final = frozenset("back bottom center centre corner edge end front inside middle side surface top".split())
_NOT_LIFTED: Final = frozenset("of for about like as than by per during until without since before after".split())
# "a photo of the cake" is no part of the cake.
_NO_PARTS: Final = frozenset(
    "book copy drawing game image list map movie name note number painting park photo photograph picture smell song "
    "sound story video way word".split()
)
_TELLING: Final = frozenset(
    "ask believe decide discover explain feel find forget guess hear help hope imagine know learn let make mean notice "
    "pretend realise realize remember say see show tell think watch wish wonder".split()
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
    twin = second.pos_ == "NOUN" and second.head.i == token.head.i and not second.n_lefts
    late = (
        second.dep_ == "npadvmod" and token.n_lefts and second.lower_ != "home" and singular(second.lower_) not in TIMES
    )
    return second if twin and (second.dep_ == "dobj" or late) else None


def content(noun: Token) -> list[Token]:
    """What a measure or collection is one of: the leaves of "a pile of leaves"."""
    return [p for prep in children(noun, "prep") if prep.lower_ == "of" for p in children(prep, "pobj")]


def shared_noun(clause: Token) -> tuple[Token, Token] | None:
    """The object and the subject that the parser took for one: "his elbow hit the glass and lemonade ran over it"."""
    subjects = children(clause, "nsubj")
    if clause.dep_ != "ccomp" or len(subjects) != 1 or clause.head.pos_ != "VERB" or clause.head.i > subjects[0].i:
        return None
    second = next((c for c in children(subjects[0], "conj") if c.pos_ == "NOUN" and c.i < clause.i), None)
    if second is None or clause.head.lemma_ in _TELLING or has(clause.head, "dobj") or has(clause, "mark"):
        return None
    return subjects[0], second


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
        is_adjective: whether a word can be nothing but an adjective.
    """

    def __init__(
        self,
        lemma: Callable[[Token], str],
        named: frozenset[int],
        same: Callable[[Token, Token], bool],
        verb: Callable[[Token], bool],
        is_adjective: Callable[[str], bool],
    ) -> None:
        self._is_adjective = is_adjective
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
        word = singular(self._lemma(noun))
        only_content = word in _SORTS or noun.pos_ == "NUM" or (word in AMOUNTS and noun.i not in self._named)
        if not (inner and only_content):
            found.append(noun)
        if inner and (only_content or word in CONTAINERS or word in AMOUNTS):
            for token in inner:
                found += self.nouns(token)
        for left in children(noun, "nmod", "compound", "amod"):  # "his baseball and soccer ball"
            if left.i in self._named and has(left, "cc") and not self._same(noun, left):
                found.append(left)
        for other in children(noun, "conj"):
            if is_noun(other) and not self._same(noun, other) and not self.describes(other):
                found += self.nouns(other)
        return found

    def describes(self, token: Token) -> bool:
        """Whether a word where a noun is expected only says how one is: "the dish, clean and shiny"."""
        if has(token, "det", "poss", "nummod", "compound") or token.i in self._named:
            return False
        if (
            token.dep_ in ("conj", "appos")
            and token.tag_ == "NN"
            and token.lower_ in RESULTS
            and token.nbor(-1).text == ","
        ):
            return token.head.pos_ == "NOUN"
        if token.dep_ == "conj" and token.tag_ in ("JJ", "JJR"):
            return token.head.pos_ in ("NOUN", "PROPN") or self.describes(token.head)
        return token.pos_ == "ADJ" and self._is_adjective(token.lower_)

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
                if role in ("up", "down", "back", "over", "along", "in", "on", "from") or child.lower_ == "with":
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
        owners = [
            p for p in children(noun, "poss") if (has(p, "case") or p.lower_ == "its") and not self._same(noun, p)
        ]
        inner = [p for p in content(noun) if not self._same(noun, p) and p.pos_ in ("NOUN", "PROPN", "PRON")]
        return owners + [n for p in inner for n in self.nouns(p)]

    def dative(self, child: Token) -> list[tuple[str, Token]]:
        """To or for whom: "gave Mary the pen"; "gave the pen to Mary" leaves open whether it is a place."""
        if child.pos_ == "ADP" or has(child, "pobj"):
            role = child.lower_
            return [(role, noun) for pobj in children(child, "pobj") for noun in self.nouns(pobj)]
        return [("recipient", noun) for noun in self.nouns(child)]
