"""Trees of sentences, with the words mended that spaCy's small model is known to misread.

In short stories it takes verbs for nouns ("Ann types on the keyboard") and nouns for verbs ("a yellow rose"). Such a
word is replaced by one of the right kind that cannot be misread, and the sentence is analysed again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from ..symbolic.aliases import DETERMINERS, singular
from ..symbolic.vocabulary import is_human
from .antecedents import KNOWN_NAMES
from .phrases import RESULTS, has
from .qualities import DEGREES
from .subjects import UNCHANGING

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

_NOMINAL: Final = ("NOUN", "PROPN", "ADJ")
_PERCEIVING: Final = frozenset("watch see hear help let make have feel notice".split())
# Plain verbs that are put in a misread one's place; "fell" and "took" can be nothing but the past.
_VERBS: Final = ("fall", "falling", "fell", "move", "took")
_SOUNDS: Final = frozenset(
    "bang bark beep buzz chime clatter crackle creak crumble drip glitter hiss hop hum rattle ring roar rumble sizzle "
    "splash squeak squeal strike swim thunder tick whir whistle".split()
)
_POSSESSIVES: Final = frozenset("her his its my our their your".split())
# Past forms that spaCy's lemmatiser takes for base forms, or knows nothing of.
_PASTS: Final = {
    "bathed": "bathe", "ground": "grind", "lain": "lie", "lapped": "lap", "leant": "lean", "leapt": "leap",
    "rang": "ring", "slid": "slide", "spilt": "spill", "wound": "wind",
}  # fmt: skip
_INTENSE: Final = frozenset(
    "boiling burning dripping freezing piping scalding smoking soaking sopping steaming".split()
)
# Verbs that take no object: their form in -ed after a noun is the past, not "which was ...".
_NO_PASSIVE: Final = frozenset(
    "arrive bark blink bounce collapse cough crackle creak crowd disappear doze drift drip dwindle faint flare flicker "
    "float flutter glisten growl gurgle gush hiss howl hum laugh limp paddle remain roar rumble scream shimmer shiver "
    "shriek sizzle skate skid slosh slump smoulder sneeze snore sparkle squirm stagger stumble swirl tiptoe topple "
    "trickle trot tumble twinkle vanish wander whine wobble yawn yell".split()
)
# Participles in -ing that say how a thing is; the others say what it is for ("washing machine").
GOING: Final = frozenset(
    "barking blazing boiling bubbling burning buzzing clinking crackling creaking crumbling crying dripping falling "
    "flashing flickering freezing gleaming glittering glowing growing gushing hissing howling humming laughing leaking "
    "limping melting missing passing raging remaining ringing rising roaring rumbling rushing scalding scorching "
    "screaming "
    "shining shivering simmering sizzling smiling smoking smoldering smouldering soaking sparkling spinning splashing "
    "squealing squeaking standing steaming streaming swaying swinging swirling ticking trembling trickling weeping "
    "whirling whirring whistling wobbling working".split()
)
# What can begin a sentence with a capital and no article, and is no name.
SUBSTANCES: Final = frozenset(
    "beer blood bread butter cement cheese clay coffee concrete darkness dirt dust flour fog frost fruit gas gasoline "
    "glass glue grass gravel grease hail hair heat ice ink juice laughter light lightning milk moonlight mud music "
    "night oil paint paper petrol plaster rain rice rust salt sand sawdust silence smoke snow soap soil soup sparks "
    "steam sugar sunlight sunshine sweat tea thunder traffic varnish water wax wind wine wood wool".split()
)
_NOT_NAMES: Final = SUBSTANCES | frozenset(
    "breakfast dawn dinner downstairs dusk everything evening inside lunch midnight morning nearby noon nothing "
    "outside "
    "overhead spring sunrise sunset summer supper time tomorrow underneath upstairs winter yesterday".split()
)
_CALENDAR: Final = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december christmas easter".split()
)
_NAME: Final = "John"  # a name that no model takes for anything else


@dataclass(frozen=True)
class Sentence:
    """An analysed sentence: its tree, its tokens as written, and the lemmas of verbs that had to be mended.

    Where spaCy would misread a word, the tree is that of the sentence with a plain word in its place, token by token.
    """

    doc: Doc
    written: Doc
    lemmas: dict[int, str]


class Mender:
    """Analyses the sentences of a story with a spaCy pipeline and mends what it misread."""

    def __init__(self, nlp: Language) -> None:
        self._nlp = nlp
        self._irregular = _irregular_verbs(nlp)
        self._verbs, self.nouns, self.adjectives = (_known(nlp, kind) for kind in ("verb", "noun", "adj"))

    def tokenize(self, text: str) -> Doc:
        """The text's tokens, without a tree."""
        return self._nlp.make_doc(text)

    def is_only_noun(self, word: str) -> bool:
        """Whether a word is a noun and no adjective, whatever its place ("duffle" in "duffle bag")."""
        return word in self.nouns and word not in self.adjectives

    def is_only_adjective(self, word: str) -> bool:
        """Whether a word is an adjective and neither a noun nor a verb ("spotless")."""
        return word in self.adjectives and word not in self.nouns and word not in self._verbs

    def analyse(self, sentences: Sequence[str], entities: Iterable[str]) -> list[Sentence]:
        """The sentences' trees, in one batch; the words of ``entities`` are known to be nouns."""
        written = [self._nlp.make_doc(sentence) for sentence in sentences]
        names = self._uncommon_names(written, entities)
        docs = list(self._nlp.pipe(_replace(doc, _named(doc, names)) if names else doc for doc in written))
        nouns = {entity.lower().split()[-1] for entity in entities if entity.strip()}
        nouns |= {token.lower_ for doc in docs for token in doc if token.tag_ in ("NN", "NNS")}
        lemmas: list[dict[int, str]] = [{} for _ in docs]
        mended: list[int] = []
        for number, doc in enumerate(docs):
            verb = self._missed_verb(doc)
            plain = self._plain_words(doc, nouns)
            if verb is not None and not {"fell", "took"} & set(plain.values()):
                lemmas[number][verb] = self._verb_lemma(doc[verb].lower_)
                docs[number] = _replace(doc, {verb: _verb_like(doc[verb].lower_, lemmas[number][verb])})
            elif plain:
                verbs = {i: self._verb_lemma(doc[i].lower_) for i, word in plain.items() if word in _VERBS}
                docs[number] = _replace(doc, plain)
                lemmas[number].update(verbs)
            else:
                continue
            mended.append(number)
        for number, doc in zip(mended, self._nlp.pipe([docs[number] for number in mended]), strict=True):
            docs[number] = doc
        for doc, text in zip(docs, written, strict=True):
            self._mend_lemmas(doc, text)
        return [Sentence(*parts) for parts in zip(docs, written, lemmas, strict=True)]

    def _mend_lemmas(self, doc: Doc, written: Doc) -> None:
        for token in doc:
            if token.pos_ == "VERB" and token.lower_ == written[token.i].lower_:
                token.lemma_ = self._base(token)

    def _base(self, token: Token) -> str:
        """The verb's base form; spaCy makes "scrap" of "scraped" and invents verbs for forms it does not know."""
        word, guess = token.lower_, token.lemma_.lower()
        if word in _PASTS and (word != "ground" or token.tag_ == "VBD"):
            return _PASTS[word]
        if word.endswith("ed") and f"{guess}e" in self._verbs and _would_double(word[:-2]):
            return f"{guess}e" if guess == word[:-2] else guess
        return guess if guess in self._verbs or not self._verbs else (self._verb_lemma(word) or guess)

    def _uncommon_names(self, docs: Sequence[Doc], entities: Iterable[str]) -> frozenset[str]:
        """Names of people that the model may take for something else: they begin sentences as no common word would.

        Those that are common first names it knows.
        """
        given = {word for entity in entities if is_human(entity) for word in entity.split()}
        lower = {token.text for doc in docs for token in doc if token.text.islower()}
        starts = [doc[0].text for doc in docs if len(doc) > 1]
        found: set[str] = set()
        for token in (token for doc in docs for token in doc[:-1]):
            if not token.text[:1].isupper() or not token.text.istitle() or not token.is_alpha or len(token) < 2:
                continue
            word, after = token.lower_, token.nbor()
            if token.is_stop or word in lower:
                continue
            if (
                word in _NOT_NAMES
                or word in KNOWN_NAMES
                or after.text.istitle()
                or (token.i and token.nbor(-1).text.istitle())
            ):
                continue
            owner = after.lower_ in ("'s", "’s")
            if token.text in given:
                found.add(token.text)
            elif token.i:
                if (
                    word not in _CALENDAR
                    and (owner or self._begins_clause(after))
                    and token.nbor(-1).text[-1] not in ".'’-"
                ):
                    found.add(token.text)
            elif owner or (after.lower_ == "and" and token.i + 2 < len(token.doc) and token.nbor(2).text.istitle()):
                if word not in _CALENDAR and (owner or not self._is_plain(word)):
                    found.add(token.text)
            elif self._begins_clause(after) and (
                not self._is_plain(word) or starts.count(token.text) > 1 or _is_one(token.doc)
            ):
                found.add(token.text)
        return frozenset(found)

    def _begins_clause(self, word: Token) -> bool:
        """Whether a word can be a verb's past form with its subject before it."""
        if word.lower_ in UNCHANGING and word.i + 1 < len(word.doc):
            unknown = word.i == 1 and not {word.nbor(-1).lower_} & (self.nouns | self.adjectives | self._verbs)
            return unknown or word.nbor().lower_ in DETERMINERS
        return self._is_past(word.lower_)

    def _is_plain(self, word: str) -> bool:
        """Whether a word may begin a sentence without an article though it names nobody: a plural or an adverb."""
        one = singular(word)
        if word.endswith("ly"):
            return bool({word[:-2], word[:-3] + "y", word[:-1] + "e"} & self.adjectives)
        plural = word.endswith(("men", "children")) or (one != word and (one in self.nouns or self._is_joined(one)))
        return plural or word.endswith(("ing", "ed")) or (word in self.adjectives and word not in self.nouns)

    def _is_joined(self, word: str) -> bool:
        return any(word[:i] in self.nouns and word[i:] in self.nouns for i in range(3, len(word) - 2))

    def _is_past(self, word: str) -> bool:
        """Whether a word can be a verb's past form or an auxiliary."""
        if word in ("was", "had", "is", "has", "could", "would", "did", "never", "then", "also", "just", "still"):
            return True
        known = word in self._irregular or word in _PASTS or word.endswith("ed")
        return known and bool(self._verb_lemma(word)) and self._verb_lemma(word) != word

    def _missed_verb(self, doc: Doc) -> int | None:
        """The token that must be the verb of a sentence in which spaCy saw none ("Ann types on the keyboard")."""
        tokens = [token for token in doc if not token.is_space]
        if len(tokens) < 2:
            return None
        first, second = tokens[0], tokens[1]
        # "Heat oil in a pan": a noun where an imperative would stand, and something for it to be done to.
        if first.is_alpha and first.pos_ in _NOMINAL and first.lower_ in self._verbs:
            root = next((token for token in tokens if token.dep_ == "ROOT"), first)
            if (
                root.pos_ in _NOMINAL
                and len(tokens) > 3
                and second.pos_ in ("NOUN", "DET", "PRON", "ADJ", "ADP", "ADV", "NUM")
            ):
                return first.i
            # "Cook soup": no one thing soups, and two nouns say nothing.
            noun = second.lower_ in self.nouns and second.text.islower() and second.lower_ not in UNCHANGING
            if noun and (root.pos_ in _NOMINAL or (root.i == second.i and root.tag_ in ("VB", "VBP"))):
                return first.i
        if any(t.pos_ in ("VERB", "AUX") and t.dep_ not in ("amod", "acl", "relcl") for t in tokens):
            return None
        for token, following in pairwise(tokens):
            # At the start of a sentence a name can pass for anything: "Sara drank juice", read as a kind of juice.
            opening = token.i == first.i and token.is_title and token.dep_ in ("compound", "nmod", "amod")
            subject = (token.pos_ in ("PROPN", "PRON") and token.lower_ not in _POSSESSIVES) or opening
            verb = (
                following.pos_ in (*_NOMINAL, "VERB")
                and following.text.islower()
                and self._verb_lemma(following.lower_)
            )
            if subject and verb:
                return following.i
        for token in tokens[1:]:
            if (
                token.dep_ == "ROOT"
                and token.pos_ in _NOMINAL
                and has(token, "nsubj")
                and self._verb_lemma(token.lower_)
            ):
                return token.i  # "the vacuum quit"
            if token.tag_ == "VBN" and token.dep_ in ("amod", "acl") and token.nbor(-1).text == "-":
                return token.i  # "hard-boiled all of them"
            inflected = token.pos_ in _NOMINAL and token.lower_ != self._verb_lemma(token.lower_)
            if inflected and self._verb_lemma(token.lower_) and token.nbor(-1).pos_ in ("NOUN", "PROPN"):
                return token.i
        return None

    def _plain_words(self, doc: Doc, nouns: set[str]) -> dict[int, str]:
        """Words that spaCy misreads in a known way, each with a plain word to be read in its place."""
        plain: dict[int, str] = {}
        for token in doc:
            before = token.nbor(-1) if token.i else None
            if before is None:
                continue
            if token.pos_ == "VERB" and _must_be_noun(token, before, nouns, self.nouns):
                plain[token.i] = "lamps" if token.lower_.endswith("s") else "lamp"
            elif token.pos_ == "VERB" and self._is_no_verb(token, before):
                plain[token.i] = "lamps" if token.tag_ == "NNS" else "lamp"  # "the pearl earring"
            elif _is_degree(token):
                plain[token.i] = "very"  # "sound asleep", "dripping wet"
            elif token.lower_ == "home" and token.tag_ == "NN" and self._joined(before):
                plain[token.i] = "there"  # "rode his skateboard home"
            elif token.lower_ in RESULTS and self._follows_its_noun(token):
                plain[token.i] = "away"  # "kept the soup warm"
                if before.lower_ in DEGREES:
                    plain[before.i] = "right"
            elif self._is_second_noun(token, before):
                plain[token.i] = "lamps"  # "moved the kitchen chairs"
            elif token.tag_ == "NN" and self._is_done_by(token, before):
                plain[token.i] = "move"  # "watched Ann wash the cup"
            elif (
                self._base_sound(token.lower_)
                and token.pos_ in ("NOUN", "PROPN")
                and before.dep_ == "compound"
                and _seen(token)
            ):
                plain[token.i] = "falling" if token.lower_.endswith("ing") else "fall"  # "heard the phone ring"
            elif token.lower_ == "can" and token.tag_ == "MD" and before.pos_ in ("NOUN", "ADJ", "DET"):
                plain[token.i] = "tin"  # "a coffee can"
            elif self._is_missed_past(token):
                plain[token.i] = _past_like(token)  # "the phone rang"
            elif token.tag_ == "VBD" and self._is_odd_past(token, before):
                plain[token.i] = "lamp"  # "sold her table saw"
            elif self._is_odd_ring(token, before):
                plain[token.i] = "lamp"  # "the gold ring on her finger"
            elif (
                token.tag_ == "VBG"
                and token.dep_ in ("pcomp", "csubj", "acl")
                and token.lower_ in GOING
                and _has_next_object(token)
            ):
                plain[token.i] = "hot"  # "filled it with steaming cocoa"
            elif token.tag_ == "VBG" and self._names_paper(token, before):
                plain[token.i] = "big"  # "all of her wrapping paper"
            elif (
                token.tag_ in ("VB", "NN")
                and token.dep_ in (("xcomp", "advcl") if token.tag_ == "NN" else ("xcomp",))
                and token.lemma_ != "be"
                and self._is_outcome(token, before)
            ):
                plain[token.i] = "dust"  # "turned to paste"
        return plain

    def _is_no_verb(self, token: Token, before: Token) -> bool:
        """Whether the dictionary knows no such verb and it stands where a noun may."""
        word = token.lower_
        if (
            not self._verbs
            or word in _PASTS
            or self._verb_lemma(word)
            or before.tag_ not in ("DT", "JJ", "NN", "NNP", "PRP$")
        ):
            return False
        return word in self.nouns or not word.endswith(("ed", "ing", "s"))

    def _base_sound(self, word: str) -> bool:
        return word in _SOUNDS or (word.endswith("ing") and self._verb_lemma(word) in _SOUNDS)

    def _is_missed_past(self, token: Token) -> bool:
        """Whether a word is a verb's past, taken for a noun or for a participle that describes one."""
        word = token.lower_
        before = token.nbor(-1)
        if token.pos_ in _NOMINAL and (word in self._irregular or word in _PASTS) and token.text.islower():
            known = word in self.nouns or word in self.adjectives
            if token.dep_ == "conj" and token.head.pos_ == "VERB" and before.pos_ == "CCONJ" and not token.n_lefts:
                known = False  # "sat down and bit into it"
            return (
                not known and self._is_past(word) and token.nbor(-1).pos_ in ("NOUN", "PROPN", "PRON", "CCONJ", "ADV")
            )
        if token.dep_ in ("ROOT", "acl") and (word in UNCHANGING or token.dep_ == "acl"):
            # "the campfire spread and burned", "the concrete set hard": there is no other verb before it
            noun = token if token.tag_ == "NN" else token.head
            bare = token.tag_ in ("NN", "VBN") and before.pos_ in ("NOUN", "PROPN") and noun.dep_ == "ROOT"
            if bare and (token.tag_ == "VBN" or any(c.dep_ == "conj" and c.tag_ == "VBD" for c in token.children)):
                return not any(t.pos_ in ("VERB", "AUX") for t in token.doc[: token.i])
        if not word.endswith("ed") or token.tag_ not in ("VBN", "VBD", "JJ"):
            return False
        if token.tag_ != "VBD" and token.dep_ in ("acl", "ROOT", "conj", "amod", "ccomp", "advcl", "relcl"):
            passive = any(c.dep_ in ("auxpass", "aux", "agent") for c in token.children)
            if (
                not passive
                and self._verb_lemma(word) in _NO_PASSIVE
                and token.nbor(-1).pos_ in ("NOUN", "PROPN", "PRON")
            ):
                return True
        if token.dep_ != "acl" or token.tag_ != "VBN" or any(c.dep_ in ("agent", "aux") for c in token.children):
            return False
        noun = token.head
        if noun.dep_ == "nsubj" and noun.head.i > token.i and noun.i + 1 == token.i:
            # "the bulb flickered once and then burned": two verbs of one subject
            return any(t.dep_ == "cc" for t in token.doc[token.i : noun.head.i])
        opened = any(t.text == "," and t.nbor().dep_ == "cc" for t in token.doc[noun.head.i : noun.i] if t.i < noun.i)
        return noun.dep_ == "conj" and opened and noun.i + 1 == token.i  # "it burst, and all the air hissed out"

    def _is_odd_past(self, token: Token, before: Token) -> bool:
        """Whether a noun after a noun was taken for the past of a verb with neither subject nor object."""
        if token.lower_ not in self.nouns or token.lower_.endswith("ed") or before.tag_ != "NN" or not before.n_lefts:
            return False
        loose = token.dep_ in ("advcl", "ccomp", "acl", "dep", "conj") and before.head.i == token.head.i
        return loose and before.dep_ == "dobj" and not has(token, "nsubj", "dobj", "aux", "neg", "mark", "cc")

    def _is_odd_ring(self, token: Token, before: Token) -> bool:
        """Whether a noun after a noun was taken for a verb that does not agree with it."""
        if token.tag_ not in ("VBP", "VB") or before.tag_ not in ("NN", "JJ") or token.lower_ not in self.nouns:
            return False
        first = before.nbor(-1) if before.i else before
        if first.tag_ not in ("DT", "PRP$", "JJ", "POS") or any(
            c.dep_ in ("aux", "neg", "dobj") for c in token.children
        ):
            return False
        return not (_seen(token) or token.head.lemma_ in _PERCEIVING) and any(
            t.pos_ in ("VERB", "AUX") and t.i != token.i for t in token.doc
        )

    def _names_paper(self, token: Token, before: Token) -> bool:
        """Whether a gerund is the first part of a noun, taken for a verb with an object."""
        if before.tag_ not in ("PRP$", "DT", "JJ", "CD") or token.i + 1 >= len(token.doc):
            return False
        return token.nbor().tag_ in ("NN", "NNS") and token.dep_ in ("xcomp", "pcomp", "acl", "advcl", "ccomp", "dobj")

    def _is_outcome(self, token: Token, before: Token) -> bool:
        """Whether a bare noun that something turns to was taken for an infinitive."""
        turning = token.head.lemma_ in ("turn", "burn", "melt", "crumble", "go", "smash", "crush", "freeze")
        return (
            turning
            and before.lower_ == "to"
            and token.lower_ in self.nouns
            and not any(c.dep_ in ("dobj", "advmod", "prt") for c in token.children)
        )

    def _joined(self, before: Token) -> bool:
        """Whether a noun was taken for a modifier of the word that follows it."""
        return before.dep_ in ("compound", "amod", "nmod") and (before.pos_ == "NOUN" or before.lower_ in self.nouns)

    def _follows_its_noun(self, token: Token) -> bool:
        """Whether an adjective stands after the noun it is said of, and the parser took it for something else."""
        if token.i + 1 < len(token.doc) and token.nbor().pos_ in ("NOUN", "PROPN", "ADJ", "NUM", "DET"):
            return False
        noun = token.nbor(-1)
        if noun.lower_ in DEGREES and noun.i > 1:
            noun = noun.nbor(-1)
        if noun.pos_ not in ("NOUN", "PROPN") and not (noun.tag_ == "JJ" and noun.lower_ in self.nouns):
            return False
        misread = token.pos_ in ("NOUN", "PROPN", "VERB") or token.dep_ in ("amod", "compound", "nmod", "dobj", "pobj")
        done = any(t.pos_ == "VERB" and t.lemma_ != "be" for t in token.doc[: noun.i])
        determined = any(t.tag_ in ("DT", "PRP$", "POS", "NNP") for t in token.doc[max(0, noun.i - 3) : noun.i + 1])
        return misread and done and determined and token.dep_ != "conj"

    def _is_second_noun(self, token: Token, before: Token) -> bool:
        """Whether a plural after a noun was taken for a verb ("all the kitchen chairs")."""
        if token.tag_ != "VBZ" or token.dep_ not in ("dobj", "pobj") or before.pos_ != "NOUN":
            return False
        return singular(token.lower_) in self.nouns

    def _is_done_by(self, token: Token, before: Token) -> bool:
        seen = token.head.lemma_ in _PERCEIVING and token.head.pos_ == "VERB"
        return seen and before.pos_ == "PROPN" and before.dep_ == "compound" and token.lower_ in self._verbs

    def _verb_lemma(self, word: str) -> str:
        """The base form of a word that can be a verb, or ""."""
        if word in self._irregular:
            return self._irregular[word]
        candidates = [word]
        for ending, replacements in (
            ("ies", ("y",)),
            ("es", ("e", "")),
            ("s", ("",)),
            ("ied", ("y",)),
            ("ed", ("e", "")),
            ("ing", ("e", "")),
        ):
            if word.endswith(ending):
                stem = word[: -len(ending)]
                candidates += [stem + r for r in replacements]
                if len(stem) > 2 and stem[-1] == stem[-2]:
                    candidates.append(stem[:-1])
        return next(
            (c for c in reversed(candidates) if c in self._verbs and c != word), word if word in self._verbs else ""
        )


def _must_be_noun(token: Token, before: Token, nouns: set[str], dictionary: frozenset[str]) -> bool:
    if token.tag_ == "VBZ" and token.dep_ == "dobj" and before.tag_ == "JJ" and singular(token.lower_) in dictionary:
        return True  # "carved wide turns"
    if before.tag_ == "JJ" and before.i and before.nbor(-1).tag_ in ("DT", "PRP$"):
        # "a yellow rose"
        return token.tag_ in ("VBD", "VBZ", "VBP", "VB") and (token.lower_ in nouns or token.lower_ in dictionary)
    if token.tag_ not in ("VB", "VBP") or token.dep_ != "conj" or token.lower_ in UNCHANGING:
        return False  # "put ice cream and cake into a cup"
    if token.lower_ in RESULTS:
        return False
    told = token.head.tag_ in ("VBD", "VBZ", "VBN", "VBG", "NN", "NNS")
    known = token.lower_ in nouns or (token.head.tag_ == "VBD" and token.lower_ in dictionary)
    return told and known and not any(c.dep_ in ("aux", "nsubj", "neg", "dobj", "prt") for c in token.children)


def _verb_like(word: str, base: str) -> str:
    """A verb in the form of ``word`` that cannot be taken for a noun; ``base`` is the word's base form."""
    if word in UNCHANGING or (word != base and not word.endswith(("s", "ing"))):
        return "moved"
    if word.endswith("s"):
        return "moves"
    return "moved" if word.endswith("ed") else "moving" if word.endswith("ing") else "move"


def _is_one(doc: Doc) -> bool:
    """Whether a sentence speaks of one person, as "Nils put his feet up" does."""
    return any(t.lower_ in ("he", "her", "his", "she") for t in doc) and not any(t.text.istitle() for t in doc[1:])


def _past_like(token: Token) -> str:
    """A past form that cannot be a participle, with or without an object as the word itself has one."""
    following = token.nbor() if token.i + 1 < len(token.doc) else token
    return "took" if following.pos_ in ("DET", "PRON", "NOUN", "NUM", "PROPN") else "fell"


def _would_double(stem: str) -> bool:
    """Whether a stem of one syllable would have doubled its last letter before -ed, had it no final e."""
    vowels = [letter in "aeiouy" for letter in stem]
    return len(stem) > 2 and vowels[-3:] == [False, True, False] and sum(vowels) == 1 and stem[-1] not in "wxy"


def _is_degree(token: Token) -> bool:
    """Whether a word only strengthens the adjective after it, though it could be a verb or noun."""
    following = token.nbor().lower_ if token.i + 1 < len(token.doc) else ""
    hot = token.lower_ in _INTENSE and following in ("hot", "wet", "cold")
    if token.dep_ == "dobj" and token.lower_ in ("bone", "ice", "rock", "stone") and following in RESULTS:
        return not token.n_lefts  # "dried rock hard"
    return hot or (token.lower_ in ("sound", "fast") and following == "asleep" and token.pos_ != "ADV")


def _has_next_object(token: Token) -> bool:
    return any(c.dep_ == "dobj" and c.i == token.i + 1 for c in token.children)


def _seen(token: Token) -> bool:
    """Whether a verb of seeing, hearing or letting stands before a word and its noun."""
    return any(
        (t.lemma_ in _PERCEIVING or t.lemma_ == "listen") and t.pos_ == "VERB"
        for t in token.doc[max(0, token.i - 6) : token.i]
    )


def _named(doc: Doc, names: frozenset[str]) -> dict[int, str]:
    return {token.i: _NAME for token in doc if token.text in names}


def _replace(doc: Doc, words: dict[int, str]) -> Doc:
    from spacy.tokens import Doc as NewDoc

    plain = [words.get(t.i, t.text) for t in doc]
    plain = [word.capitalize() if t.i == 0 and t.i in words else word for t, word in zip(doc, plain, strict=True)]
    return NewDoc(doc.vocab, words=plain, spaces=[bool(t.whitespace_) for t in doc])


def _known(nlp: Language, kind: str) -> frozenset[str]:
    """The base forms of one kind that the model's lemmatiser knows; none where it has no such list."""
    lookups: Any = getattr(nlp.get_pipe("lemmatizer"), "lookups", None) if nlp.has_pipe("lemmatizer") else None
    if lookups is None or not lookups.has_table("lemma_index"):
        return frozenset()
    forms: Iterable[str] = lookups.get_table("lemma_index").get(kind, ())
    return frozenset(forms)


def _irregular_verbs(nlp: Language) -> dict[str, str]:
    """Irregular forms of verbs ("froze") with their base forms, as far as the model's lemmatiser lists them."""
    lookups: Any = getattr(nlp.get_pipe("lemmatizer"), "lookups", None) if nlp.has_pipe("lemmatizer") else None
    if lookups is None or not lookups.has_table("lemma_exc"):
        return {}
    return {form: bases[0] for form, bases in lookups.get_table("lemma_exc").get("verb", {}).items() if bases}
