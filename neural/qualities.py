"""Qualities: the words a sentence says of a noun, and whether it describes the thing or makes it so.

"The cold soup" and "the soup was cold" describe; "the soup turned cold", "shook him awake" and "chopped the log into
bits" tell a result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ..symbolic.aliases import LEXICALISED, PARTITIVES, singular
from .modality import Status
from .phrases import AMOUNTS, CONTAINERS, Phrases, children, content

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

# Words that speak of another thing of the kind: they are said of the thing, and never part of its name.
INSTANCES: Final = frozenset("another extra fresh last more new other replacement second spare".split())
# Adjectives that follow a noun or a verb as what it comes to be; the small model often makes nouns or verbs of them.
RESULTS: Final = frozenset(
    "alive apart asleep awake bare black blank blue brittle brown clean clear closed cold cool crisp dead dry empty "
    "flat free full golden gray green grey hard hot icy loose lukewarm open pink purple red rigid shut smooth soft "
    "solid stiff straight tight unconscious upright warm wet white wide yellow".split()
)
DEGREES: Final = frozenset(
    "bone bright completely dark fully half ice light nice nicely pitch quite rock stone thoroughly very wide".split()
)
_BECOMING: Final = frozenset("become get grow turn go fall".split())
_SEEMING: Final = frozenset("be feel look seem stay remain appear smell taste sound".split())
# With an adjective these still only tell how the thing was all along, or how it was found.
_FINDING: Final = frozenset(
    "buy call consider discover drink eat find have "
    "hear hold keep like need notice see sell serve use want watch".split()
)
_HAPPENING: Final = frozenset(
    "bake blow boil break burn burst crack dry fly freeze melt pop rust shake slam slide snap spring swing wear".split()
)
_CHANGING: Final = frozenset(
    "bake blend boil break burn carve change chop cook crumble crumple crush cut freeze grate grind hack mash melt "
    "mince reduce rip saw shatter shred slice smash snip split squash squeeze tear turn".split()
)
_PIECES: Final = frozenset(
    "ash bit chunk cinder crumb cube "
    "flake fragment half kindling piece powder shard shred slice splinter strip two".split()
)
_NO_QUALITIES: Final = frozenset(
    "able about certain different few first least less many more most much next other own same second several some "
    "such third various whole-".split()
)
# Adjectives that say which one or what kind, not how it is.
NAMING: Final = frozenset("attic back bottom front inner left lower main outer rear right side top upper".split())
# Adjective and noun that are one word in all but spelling.
SET_PHRASES: Final = LEXICALISED | frozenset(
    phrase.strip()
    for phrase in """
    bell pepper, black pepper, brown sugar, cell phone, cutting board, digital camera, dining room, french fry,
    frying pan, green bean, green tea, hard drive, hard hat, high chair, light bulb, living room, mobile phone,
    potted plant, remote control, rolling pin, sewing machine, shopping list, soft drink, solar panel, sour cream,
    stuffed animal, washing machine, wet suit, whipped cream
    """.split(",")
)
# What is said of a container holds of its content too: "a fresh pot of rice", "a hot bowl of soup".
_SHARED: Final = INSTANCES | frozenset("cold hot warm cool chilled steaming frozen".split())


@dataclass(frozen=True)
class Quality:
    """A word said of a noun's token, by itself ("cold soup") or as what the sentence says ("the soup was cold")."""

    token: Token
    word: str
    predicative: bool = False
    negated: bool = False
    result: bool = False


class Qualities:
    """Collects the qualities of one sentence.

    Args:
        written: the sentence's tokens as written, one for each of the tree's.
        lemma: the lemma of a token, as corrected.
        phrases: reads the sentence's noun phrases.
        named: tokens that are part of a known name.
        is_adjective: whether a word can be nothing but an adjective.
    """

    def __init__(
        self,
        written: Doc,
        lemma: Callable[[Token], str],
        phrases: Phrases,
        named: frozenset[int],
        is_adjective: Callable[[str], bool],
    ) -> None:
        self._written = written
        self._lemma = lemma
        self._phrases = phrases
        self._named = named
        self._is_adjective = is_adjective
        self.found: list[Quality] = []

    def attributive(self, noun: Token) -> None:
        """The words before a noun; those of a measure ("a bone-dry pile of leaves") are said of what it measures."""
        words = [
            self._joined(word)
            for child in noun.lefts
            if child.dep_ in ("amod", "det", "compound", "nmod") and self._describes(child, noun)
            for word in (child, *children(child, "conj"))
            if word.i < noun.i
        ]
        inner = [n for p in content(noun) for n in self._phrases.nouns(p)] if words else []
        word = self._lemma(noun)
        for said in words:
            measured = inner and (word in AMOUNTS or word in PARTITIVES or (word in CONTAINERS and said in _SHARED))
            if measured:
                self.found += [Quality(token, said) for token in inner]
            if not measured or word in CONTAINERS or noun.i in self._named:
                self.found.append(Quality(noun, said))

    def _describes(self, child: Token, noun: Token) -> bool:
        word = self._written[child.i].lower_
        if word in INSTANCES:
            return True
        # "a long red ribbon and foil": what stands before another noun and its "and" is said of that noun.
        if any(t.pos_ in ("NOUN", "PROPN") and t.nbor().dep_ == "cc" for t in noun.doc[child.i + 1 : noun.i]):
            return False
        if f"{word} {singular(self._written[noun.i].lower_)}" in SET_PHRASES or word in NAMING:
            return False
        if child.dep_ == "amod":
            return word not in _NO_QUALITIES
        return child.dep_ in ("compound", "nmod") and self._is_adjective(word)

    def _joined(self, token: Token) -> str:
        """The word with what is joined to it by a hyphen: "bone-dry"."""
        start = token.i
        while start > 1 and self._written[start - 1].text == "-" and not self._written[start - 2].whitespace_:
            start -= 2
        return "".join(t.lower_ for t in self._written[start : token.i + 1])

    def predicate(self, subjects: Sequence[Token], complements: Sequence[Token], real: Status, result: bool) -> None:
        """What a complement says of the subjects."""
        for complement in complements:
            negated = any(c.dep_ == "neg" for c in complement.children)
            for word in (complement, *children(complement, "conj")):
                text = self._written[word.i].lower_
                fits = word.pos_ in ("ADJ", "VERB", "ADV", "NOUN") or text in RESULTS
                if fits and text not in _NO_QUALITIES:
                    self.add(subjects, self._joined(word), Status(real.negated or negated, real.irrealis), result)

    def add(self, tokens: Sequence[Token], word: str, real: Status, result: bool = False) -> None:
        """A word that the sentence says of the tokens."""
        if not real.irrealis:  # a wish says nothing of how things are
            self.found += [Quality(token, word, True, real.negated, result) for token in tokens]

    def complements(self, verb: Token, particles: frozenset[str]) -> list[Token]:
        """The adjectives that complete a verb: "froze solid", "shook him awake"."""
        found = [c for c in children(verb, "acomp", "oprd") if self._written[c.i].lower_ not in particles - RESULTS]
        found += [
            c
            for c in children(verb, "advmod", "prt", "advcl", "xcomp", "ccomp")
            if self._written[c.i].lower_ in RESULTS and c.i > verb.i
            if all(right.dep_ in ("prep", "advmod") for right in c.rights)
        ]
        if not found and self._lemma(verb) in _BECOMING | _SEEMING:
            found = [c for c in children(verb, "advmod") if c.tag_ == "JJ"]
        return found

    def completed(
        self, verb: Token, agents: Sequence[Token], objects: Sequence[Token], found: Sequence[Token], real: Status
    ) -> None:
        """What the adjectives that complete a verb say, and of whom: of its objects, else of who does it."""
        lemma = self._lemma(verb)
        wide = {"wide", "tight", "clear", "straight"}
        found = [c for c in found if self._written[c.i].lower_ not in wide or c.dep_ in ("acomp", "oprd")]
        if objects:
            self.predicate(objects, found, real, lemma not in _FINDING)
        else:
            self.predicate(agents, found, real, lemma in _BECOMING or lemma in _HAPPENING)

    def outcome(self, verb: Token, agents: Sequence[Token], objects: Sequence[Token], real: Status) -> None:
        """What a thing is changed into: "chopped the log into bits", "melted the candle to liquid wax"."""
        if self._lemma(verb) not in _CHANGING:
            return
        things = list(objects) or [a for a in agents if a.pos_ == "NOUN"]
        for prep in [p for token in (verb, *things) for p in children(token, "prep")]:
            for noun in children(prep, "pobj") if prep.lower_ in ("into", "to", "in") else ():
                word = self._written[noun.i].lower_
                pieces = singular(word) in _PIECES
                if noun in things or not (pieces or (prep.lower_ != "in" and not _is_known(noun))):
                    continue
                self.add(things, word, real, result=True)
                if not pieces and singular(word) == word:
                    for adjective in children(noun, "amod"):
                        self.add(things, self._joined(adjective), real, result=True)


def _is_known(noun: Token) -> bool:
    """Whether a noun is one with "the": that is a thing or place that was there before, no outcome."""
    return any(c.lower_ in ("the", "this", "that") or c.tag_ == "PRP$" for c in noun.lefts) or noun.pos_ != "NOUN"
