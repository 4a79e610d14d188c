"""Who or what does a verb: its own subject, or the one it shares with the clause it hangs on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from .phrases import children, has, is_noun, shared_noun

if TYPE_CHECKING:
    from spacy.tokens import Token

_OBJECT_CONTROL: Final = frozenset(
    "allow ask call catch find force get hear help invite keep leave let make notice order remind see send set teach "
    "tell watch".split()
)
_PERCEIVING: Final = frozenset("see find notice hear watch leave catch spot keep".split())
# Verbs that rather tell of the noun before them: "the polka coming from the radio".
_BEING: Final = frozenset("burn come drip fall float flow hang leak lie pour sit spill stand stick".split())
# Verbs whose past looks like the imperative and the infinitive.
UNCHANGING: Final = frozenset("beat burst cut hit hurt let put quit read run set shut split spread".split())


class Subjects:
    """Finds subjects in one sentence.

    Args:
        lemma: the lemma of a token, as corrected.
        nouns: the nouns that a token stands for (its conjuncts too).
        verb: whether a token is a verb with a clause of its own.
    """

    def __init__(
        self, lemma: Callable[[Token], str], nouns: Callable[[Token], list[Token]], verb: Callable[[Token], bool]
    ) -> None:
        self._lemma = lemma
        self._nouns = nouns
        self._verb = verb
        self._cache: dict[int, list[Token]] = {}

    def is_passive(self, verb: Token) -> bool:
        """Whether the verb is in the passive, with an auxiliary of its own or a shared one."""
        if has(verb, "auxpass"):
            return True
        if (
            verb.tag_ == "VBN"
            and verb.dep_ in ("advcl", "xcomp")
            and not has(verb, "aux", "nsubj", "dobj", "mark", "cc")
        ):
            return True  # "climbed out soaked to the skin"
        if verb.dep_ == "conj" and verb.tag_ == "VBN" and not has(verb, "nsubj", "aux"):
            return self.is_passive(verb.head)
        return verb.dep_ == "acl" and verb.tag_ == "VBN"

    def passive(self, verb: Token) -> list[Token]:
        """What a passive verb is done to."""
        own = [n for s in subjects_of(verb, "nsubjpass", "nsubj") for n in self._relative(verb, s)]
        if own:
            return own
        if verb.dep_ == "acl":
            return self._nouns(verb.head)
        if verb.dep_ == "advcl" and has(verb, "auxpass"):
            return []
        if verb.dep_ == "conj" and verb.head.pos_ in ("VERB", "AUX"):
            return self.passive(verb.head) or self.of(verb.head)
        return self.of(verb)

    def _relative(self, verb: Token, subject: Token) -> list[Token]:
        if subject.tag_ in ("WDT", "WP") and verb.dep_ == "relcl":
            return self._nouns(verb.head)
        return self._nouns(subject)

    def of(self, verb: Token) -> list[Token]:
        """The verb's own subjects, or those it shares with the clause it hangs on; none for an imperative."""
        if verb.i not in self._cache:
            self._cache[verb.i] = []  # a malformed tree must not send us round in circles
            self._cache[verb.i] = self._find_subjects(verb)
        return self._cache[verb.i]

    def _find_subjects(self, verb: Token) -> list[Token]:
        shared = shared_noun(verb)
        if shared is not None:
            return self._nouns(shared[1])
        own = [n for s in subjects_of(verb, "nsubj") for n in self._relative(verb, s)]
        if own:
            return own
        stray = [c for c in verb.lefts if c.dep_ in ("npadvmod", "nmod", "dep", "compound") and c.pos_ == "PROPN"]
        if stray and not has(verb, "nsubjpass"):
            return self._nouns(stray[0])
        if has(verb, "nsubjpass"):
            return [n for s in children(verb, "nsubjpass") for n in self._relative(verb, s)]
        governor = verb.head
        let = governor.tag_ == "VB" and governor.dep_ in ("ccomp", "xcomp") and self._lemma(governor.head) == "let"
        if verb.dep_ == "conj" and verb.tag_ == "VBD" and let:
            return self.of(governor.head)  # "let the wax set and shaped the candle": not the wax shaped it
        if verb.dep_ == "ROOT" or governor.i == verb.i:
            return []
        joined = [c for c in children(governor, "conj") if governor.i < c.i < verb.i and c.pos_ in ("NOUN", "PROPN")]
        if verb.dep_ == "conj" and verb.tag_ == "VBD" and joined and not has(governor, "dobj"):
            return self._nouns(joined[-1])  # "the mains failed and the bulb, her only light, went out"
        told = governor.tag_ in ("VBD", "VBZ", "VBN") and self._lemma(governor) not in _OBJECT_CONTROL
        bare = verb.tag_ == "VB" and verb.lower_ not in UNCHANGING and self._lemma(verb) == verb.lower_
        if told and bare and verb.dep_ in ("conj", "ccomp", "dep") and not has(verb, "aux"):
            return []  # an imperative after a clause of another mood: "once it has boiled, add the salt"
        if verb.dep_ == "acl" and is_noun(governor):
            main = _governing_verb(governor)
            # "found the key using a magnet": what is seen uses nothing.
            seen = main is not None and self._lemma(main) in _PERCEIVING and self._lemma(verb) != "use"
            beside = verb.tag_ == "VBG" and verb.i == governor.i + 1 and self._lemma(verb) in _BEING
            if main is None or governor.dep_ in ("nsubj", "nsubjpass") or (verb.tag_ == "VBG" and seen) or beside:
                return self._nouns(governor)
            return self.of(main)
        if governor.pos_ not in ("VERB", "AUX") and not self._verb(governor):
            main = _governing_verb(governor)
            return self.of(main) if main is not None else []
        if verb.dep_ in ("xcomp", "ccomp") and self._lemma(governor) in _OBJECT_CONTROL:
            patients = [n for o in children(governor, "dobj") for n in self._nouns(o)]
            if patients:
                return patients
        return self.of(governor)


def subjects_of(verb: Token, *deps: str) -> list[Token]:
    """A verb's subjects; the parser hangs some on the auxiliary."""
    return children(verb, *deps) or [s for aux in children(verb, "auxpass", "aux") for s in children(aux, *deps)]


def _governing_verb(token: Token) -> Token | None:
    for ancestor in token.ancestors:
        if ancestor.pos_ in ("VERB", "AUX"):
            return ancestor
    return None
