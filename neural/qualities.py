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
from .phrases import AMOUNTS, CONTAINERS, RESULTS, TIMES, UNITS, Phrases, children, content, has

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

# Words that speak of another thing of the kind: they are said of the thing, and never part of its name.
INSTANCES: Final = frozenset("another extra fresh last more new other replacement second spare".split())
DEGREES: Final = frozenset(
    "bone bright completely dark entirely fast fully half ice light nice nicely perfectly pitch purely quite rock so "
    "sopping sound stone thoroughly too totally very wide".split()
)
_BECOMING: Final = frozenset("become get grow turn go fall".split())
_SEEMING: Final = frozenset("be feel look seem stay remain appear smell taste sound".split())
# With an adjective these still only tell how the thing was all along, or how it was found.
_FINDING: Final = frozenset(
    "buy call consider discover drink eat find have "
    "hear hold keep like need notice see sell serve use want watch".split()
)
_HAPPENING: Final = frozenset(
    "bake blow boil break burn burst crack cure dry fly freeze melt pop rust set shake slam slide snap spring swing "
    "wear".split()
)
_OPENING: Final = frozenset("fling leave open prop pull push swing throw wedge".split())
_SHOWING: Final = frozenset("blaze blink blush come flash flush glow gleam lie rust shine sit stand".split())
_CHANGING: Final = frozenset(
    "bake blend boil break burn carve change char chop cook crumble crumple crush cut freeze grate grind hack mash "
    "melt "
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
# Of what a thing is, said before its noun: "a steel bowl".
MATERIALS: Final = frozenset(
    "aluminum aluminium cardboard ceramic copper foam glass iron metal nylon paper plastic rubber steel stone "
    "styrofoam tin vinyl wax wood".split()
)
QUANTITIES: Final = frozenset({"all", "last", "part"})
_ALL: Final = frozenset("all each every".split())
_PARTS: Final = frozenset(
    "bit bite chunk crumb dollop drop few fraction gulp half handful helping little mouthful most part piece pinch "
    "portion quarter scoop scrap sip slab slice sliver some splash spoonful tablespoon teaspoon wedge".split()
)
# What is said to be one of these is not told what it is.
_NO_IDENTITY: Final = (
    frozenset(
        "bit case degree end idea inch lot metre mile number part problem reason rest size thing way winner".split()
    )
    | TIMES
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
        adjectives: words that can be adjectives.
    """

    def __init__(
        self,
        written: Doc,
        lemma: Callable[[Token], str],
        phrases: Phrases,
        named: frozenset[int],
        is_adjective: Callable[[str], bool],
        adjectives: frozenset[str],
    ) -> None:
        self._adjectives = adjectives
        self._written = written
        self._lemma = lemma
        self._phrases = phrases
        self._named = named
        self._is_adjective = is_adjective
        self.found: list[Quality] = []

    def attributive(self, noun: Token) -> None:
        """The words before a noun; those of a measure ("a bone-dry pile of leaves") are said of what it measures."""
        self._quantity(noun)
        if noun.lower_ == "another" and noun.dep_ not in ("det", "amod"):
            self.found.append(Quality(noun, "another"))
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
            measures = word in AMOUNTS or word in PARTITIVES or word in UNITS
            measured = inner and (measures or (word in CONTAINERS and said in _SHARED))
            if measured:
                self.found += [Quality(token, said) for token in inner]
            if not measured or word in CONTAINERS or noun.i in self._named:
                self.found.append(Quality(noun, said))

    def _quantity(self, noun: Token) -> None:
        """How much of a thing is meant, where it is said: "part", "all" or "last"."""
        word = self._lemma(noun)
        lefts = {child.lower_ for child in noun.lefts}
        inner = [n for p in content(noun) for n in self._phrases.nouns(p)]
        said = ""
        if lefts & {"no", "not"} or any(singular(n.lower_) in TIMES for n in inner):
            return
        if word in ("all", "everything") or (word in AMOUNTS | _PARTS and lefts & _ALL) or (word == "rest" and inner):
            said = "all"
        elif word == "last":
            said = "last"
        elif (
            word in _PARTS
            and not lefts & {"last", "whole", "entire", "only"}
            and not ("the" in lefts and noun.tag_ == "NNS")
        ) or (word in CONTAINERS and any(_is_known(n) for n in inner) and lefts & {"a", "an", "one"}):
            said = "part"
        if inner and said:
            self.found += [Quality(token, said) for token in inner]
        elif not inner and word not in AMOUNTS:
            told = (
                "all"
                if "all" in lefts and singular(word) not in _NO_IDENTITY
                else "part"
                if lefts & {"half", "some of"}
                else ""
            )
            if told:
                self.found.append(Quality(noun, told))

    def following(self, noun: Token) -> list[Token]:
        """The adjectives after a noun and a comma ("the dish, clean and shiny"), and what else it is ("Tom, a cook").

        Returns those after a place, which are said of who is there: "in the rocker, asleep and snoring".
        """
        aside: list[Token] = []
        if noun.pos_ not in ("NOUN", "PROPN") or self._phrases.describes(noun):
            return aside
        for child in noun.rights:
            paused = any(t.text == "," for t in noun.doc[noun.i : child.i])
            if child.dep_ in ("conj", "appos", "amod") and child.pos_ == "ADJ":
                if paused and noun.dep_ == "pobj":
                    aside.append(child)
                elif self._is_said_after(child, paused):
                    self.predicate([noun], [child], Status(), False)
            elif child.dep_ == "appos" and noun.pos_ == "PROPN" and _is_a(child):
                self.found.append(Quality(noun, self._written[child.i].lower_, True))
        return aside

    def _is_said_after(self, adjective: Token, paused: bool) -> bool:
        if adjective.dep_ == "amod":  # "a rope thick with paint", but not "the water cold"
            return bool(adjective.n_lefts or adjective.n_rights)
        return paused and self._phrases.describes(adjective)

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
        return child.dep_ in ("compound", "nmod") and (self._is_adjective(word) or word in MATERIALS)

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
            joined = [complement]
            for word in joined:
                joined += children(word, "conj")
            for word in joined:
                text = self._written[word.i].lower_
                fits = word.pos_ in ("ADJ", "VERB", "ADV", "NOUN") or text in RESULTS
                if fits and text not in _NO_QUALITIES:
                    self.add(subjects, self._joined(word), Status(real.negated or negated, real.irrealis), result)

    def identity(self, subjects: Sequence[Token], complements: Sequence[Token], real: Status, result: bool) -> None:
        """What else a complement says the subjects are: "he is a vegetarian", "until it was a warm puddle"."""
        for noun in complements:
            named = noun.tag_ in ("NN", "NNS") or (noun.tag_ == "JJ" and has(noun, "det"))  # "a vegetarian"
            if not named or singular(noun.lower_) in _NO_IDENTITY or _is_definite(noun):
                continue
            negated = any(c.lower_ in ("no", "not") for c in noun.lefts)
            for word in (noun, *children(noun, "conj")):
                if word.i == noun.i or word.tag_ in ("NN", "NNS"):
                    status = Status(real.negated or negated, real.irrealis)
                    self.add(subjects, self._written[word.i].lower_, status, result)
                    if result or (word.tag_ == "NN" and not has(word, "det", "poss", "compound")):
                        for adjective in children(word, "amod"):
                            self.add(subjects, self._joined(adjective), status, result)

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
            if all(right.dep_ in ("prep", "advmod", "cc", "conj") for right in c.rights)
        ]
        if not found and self._lemma(verb) in _BECOMING | _SEEMING:
            found = [c for c in children(verb, "advmod") if c.tag_ == "JJ"]
        # "fell asleep with her mouth open": it is the mouth that is open
        held = [p for p in children(verb, "prep") if p.lower_ == "with" and p.i > verb.i and has(p, "pobj")]
        for late in [c for c in found if held and c.i > held[0].i and c.nbor(-1).pos_ == "NOUN"]:
            found.remove(late)
            self.predicate(children(held[0], "pobj"), [late], Status(), False)
        return found + [c for c in children(verb, "dobj", "attr", "npadvmod") if c.i > verb.i and self.is_bare(c, verb)]

    def is_bare(self, token: Token, verb: Token) -> bool:
        """Whether an object is really an adjective said of who acts: "lay senseless", "glowed bright orange"."""
        word = self._written[token.i].lower_
        if has(token, "det", "poss", "nummod", "compound", "case") or token.i in self._named:
            return False
        if word in DEGREES and token.dep_ == "npadvmod":
            return False
        if token.pos_ not in ("ADJ", "NOUN", "ADV", "VERB") or token.tag_ in ("JJS", "NNS"):
            return False
        if self._lemma(verb) in _HAPPENING | _BECOMING | _SEEMING | _SHOWING:
            return word in RESULTS or word in self._adjectives
        return self._is_adjective(word)

    def completed(
        self, verb: Token, agents: Sequence[Token], objects: Sequence[Token], found: Sequence[Token], real: Status
    ) -> None:
        """What the adjectives that complete a verb say, and of whom: of its objects, else of who does it."""
        lemma = self._lemma(verb)
        wide = {"wide", "tight", "clear", "straight"} if lemma not in _OPENING else set()
        found = [c for c in found if self._written[c.i].lower_ not in wide or c.dep_ in ("acomp", "oprd")]
        for word in [c for c in found if has(c, "nsubj")]:  # "made the tablecloth smooth"
            own = [n for s in children(word, "nsubj") for n in self._phrases.nouns(s)]
            self.predicate(own, [word], real, lemma not in _FINDING)
            found = [c for c in found if c.i != word.i]
        if objects:
            for word in found:  # "took it out of the freezer, as stiff as a board" only describes
                paused = any(t.text == "," for t in verb.doc[verb.i : word.i])
                self.predicate(objects, [word], real, lemma not in _FINDING and not paused)
        else:
            self.predicate(agents, found, real, lemma in _BECOMING or lemma in _HAPPENING)

    def outcome(self, verb: Token, agents: Sequence[Token], objects: Sequence[Token], real: Status) -> None:
        """What a thing is changed into: "chopped the log into bits", "melted the candle to liquid wax"."""
        if self._lemma(verb) not in _CHANGING:
            return
        things = list(objects) or [a for a in agents if a.pos_ == "NOUN" or a.lower_ in ("it", "they")]
        for prep in [p for token in (verb, *things) for p in children(token, "prep")]:
            spanned = any(c.lower_ == "from" and c.i < prep.i for c in verb.children)  # "from end to end"
            for noun in children(prep, "pobj") if prep.lower_ in ("into", "to", "in") and not spanned else ():
                word = self._written[noun.i].lower_
                pieces = singular(word) in _PIECES
                if singular(word) in CONTAINERS:
                    continue
                if noun in things or not (pieces or (prep.lower_ != "in" and not _is_known(noun))):
                    continue
                self.add(things, word, real, result=True)
                if not pieces and singular(word) == word:
                    for adjective in children(noun, "amod"):
                        self.add(things, self._joined(adjective), real, result=True)


def _is_a(noun: Token) -> bool:
    """Whether a noun is "a cook", and not the first of a list."""
    return noun.tag_ == "NN" and any(c.lower_ in ("a", "an") for c in noun.lefts) and not has(noun, "conj")


def is_shown(token: Token) -> bool:
    """Whether an object is really the look of who acts: "the coals glowed red"."""
    if token.dep_ not in ("dobj", "attr", "npadvmod") or has(token, "det", "poss", "nummod", "compound", "case"):
        return False
    verbs = _HAPPENING | _BECOMING | _SEEMING | _SHOWING
    return token.lower_ in RESULTS and token.head.lemma_ in verbs and token.i > token.head.i


def _is_definite(noun: Token) -> bool:
    return any(c.lower_ in ("the", "this", "that", "every", "each") or c.tag_ == "PRP$" for c in noun.lefts)


def _is_known(noun: Token) -> bool:
    """Whether a noun is one with "the": that is a thing or place that was there before, no outcome."""
    return _is_definite(noun) or noun.pos_ != "NOUN"
