"""Trees of sentences, with the words mended that spaCy's small model is known to misread.

In short stories it takes verbs for nouns ("Ann types on the keyboard") and nouns for verbs ("a yellow rose"). Such a
word is replaced by one of the right kind that cannot be misread, and the sentence is analysed again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from ..symbolic.aliases import singular
from .qualities import DEGREES, RESULTS
from .subjects import UNCHANGING

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

_NOMINAL: Final = ("NOUN", "PROPN", "ADJ")
_PERCEIVING: Final = frozenset("watch see hear help let make have feel notice".split())
_VERBS: Final = ("fall", "falling", "move")
_SOUNDS: Final = frozenset("beep beeping buzz buzzing ring ringing tick ticking".split())


@dataclass(frozen=True)
class Sentence:
    """An analysed sentence: its tree, its tokens as written, and the lemmas of verbs that had to be mended.

    Where spaCy misread a word, the tree is that of the sentence with a plain word in its place, token by token.
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
        written = list(self._nlp.pipe(sentences))
        nouns = {entity.lower().split()[-1] for entity in entities if entity.strip()}
        nouns |= {token.lower_ for doc in written for token in doc if token.tag_ in ("NN", "NNS")}
        docs = list(written)
        lemmas: list[dict[int, str]] = [{} for _ in docs]
        mended: list[int] = []
        for number, doc in enumerate(written):
            verb = self._missed_verb(doc)
            plain = self._plain_words(doc, nouns)
            if verb is not None:
                lemmas[number][verb] = self._verb_lemma(doc[verb].lower_)
                docs[number] = _replace(doc, {verb: _verb_like(doc[verb].lower_, lemmas[number][verb])})
            elif plain:
                docs[number] = _replace(doc, plain)
                verbs = {i: self._verb_lemma(doc[i].lower_) for i, word in plain.items() if word in _VERBS}
                lemmas[number].update(verbs)
            else:
                continue
            mended.append(number)
        for number, doc in zip(mended, self._nlp.pipe([docs[number] for number in mended]), strict=True):
            docs[number] = doc
        return [Sentence(*parts) for parts in zip(docs, written, lemmas, strict=True)]

    def _missed_verb(self, doc: Doc) -> int | None:
        """The token that must be the verb of a sentence in which spaCy saw none ("Ann types on the keyboard")."""
        tokens = [token for token in doc if not token.is_space]
        if len(tokens) < 2:
            return None
        first, second = tokens[0], tokens[1]
        # "Heat oil in a pan": a noun where an imperative would stand, and something for it to be done to.
        if first.is_alpha and first.pos_ in _NOMINAL and first.lower_ in self._verbs and len(tokens) > 3:
            root = next((token for token in tokens if token.dep_ == "ROOT"), first)
            if root.pos_ in _NOMINAL and second.pos_ in ("NOUN", "DET", "PRON", "ADJ", "ADP", "ADV", "NUM"):
                return first.i
        if any(t.pos_ in ("VERB", "AUX") and t.dep_ not in ("amod", "acl", "relcl") for t in tokens):
            return None
        for token, following in pairwise(tokens):
            # At the start of a sentence a name can pass for anything: "Sara drank juice", read as a kind of juice.
            opening = token.i == first.i and token.is_title and token.dep_ in ("compound", "nmod", "amod")
            subject = token.pos_ in ("PROPN", "PRON") or opening
            verb = (
                following.pos_ in (*_NOMINAL, "VERB")
                and following.text.islower()
                and self._verb_lemma(following.lower_)
            )
            if subject and verb:
                return following.i
        for token in tokens[1:]:
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
                plain[token.i] = "plates" if token.lower_.endswith("s") else "plate"
            elif token.lower_ == "home" and token.tag_ == "NN" and self._joined(before):
                plain[token.i] = "there"  # "rode his skateboard home"
            elif token.lower_ in RESULTS and self._follows_its_noun(token):
                plain[token.i] = "away"  # "kept the soup warm"
                if before.lower_ in DEGREES:
                    plain[before.i] = "right"
            elif self._is_second_noun(token, before):
                plain[token.i] = "plates"  # "moved the kitchen chairs"
            elif token.tag_ == "NN" and self._is_done_by(token, before):
                plain[token.i] = "move"  # "watched Ann wash the cup"
            elif token.lower_ in _SOUNDS and token.pos_ == "NOUN" and before.dep_ == "compound":
                plain[token.i] = "falling" if token.lower_.endswith("ing") else "fall"  # "heard the phone ring"
        return plain

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
    if before.tag_ == "JJ" and before.i and before.nbor(-1).tag_ in ("DT", "PRP$"):
        # "a yellow rose"
        return token.tag_ in ("VBD", "VBZ", "VBP", "VB") and (token.lower_ in nouns or token.lower_ in dictionary)
    if token.tag_ not in ("VB", "VBP") or token.dep_ != "conj" or token.lower_ in UNCHANGING:
        return False  # "put ice cream and cake into a cup"
    told = token.head.tag_ in ("VBD", "VBZ", "VBN", "VBG", "NN", "NNS")
    known = token.lower_ in nouns or (token.head.tag_ == "VBD" and token.lower_ in dictionary)
    return told and known and not any(c.dep_ in ("aux", "nsubj", "neg", "dobj", "prt") for c in token.children)


def _verb_like(word: str, base: str) -> str:
    """A verb in the form of ``word`` that cannot be taken for a noun; ``base`` is the word's base form."""
    if word != base and not word.endswith(("s", "ing")):
        return "moved"
    if word.endswith("s"):
        return "moves"
    return "moved" if word.endswith("ed") else "moving" if word.endswith("ing") else "move"


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
