"""Whether a verb's event really happened: negation ("did not", "forgot to") and irrealis ("wanted to", "could")."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from spacy.tokens import Token

_NEVER: Final = frozenset({"never", "hardly", "barely", "neither", "nor", "no", "not", "n't"})
_NOTHING: Final = frozenset({"nothing", "nobody", "none", "nowhere", "neither"})
_REAL_TO: Final = frozenset(
    "begin start continue proceed finish manage help use remember come happen seem appear get cease turn".split()
)
_FAILING: Final = frozenset("forget fail refuse neglect decline avoid resist skip".split())
_UNREAL: Final = frozenset(
    "ask believe consider decide dream expect hope imagine intend like love need order plan prefer pretend "
    "suggest suppose tell think try want wish wonder".split()
)
_UNREAL_GERUND: Final = frozenset("consider imagine plan suggest think dream mind recommend".split())
_TROUBLE: Final = frozenset("difficulty difficulties trouble problem problems".split())
_ABSENT: Final = frozenset({"without", "instead"})
_DOUBT: Final = frozenset({"if", "unless", "whether", "lest"})


@dataclass(frozen=True)
class Status:
    """``negated``: the text says it did not happen; ``irrealis``: it need not have happened."""

    negated: bool = False
    irrealis: bool = False


def status(verb: Token, lemma: Callable[[Token], str], depth: int = 0) -> Status:
    """Whether the event of ``verb`` is told as real; what it hangs on may undo it ("did not start to cook")."""
    own = _own_negation(verb)
    auxiliaries = [child for child in verb.children if child.dep_ == "aux"]
    if any(aux.tag_ == "MD" for aux in auxiliaries):
        # "could not find it" tells what happened; "could find it" only what might.
        return Status(own, not own)
    head = verb.head
    if head.i == verb.i or depth > 8:
        return Status(own, False)
    above = _governor(verb)
    if any(child.dep_ == "mark" and child.lower_ in _DOUBT for child in verb.children):
        return Status(own, True)
    if any(aux.tag_ == "TO" for aux in auxiliaries):
        return _infinitive(verb, above, own, lemma, depth)
    if verb.dep_ == "conj" and not any(c.dep_ in ("nsubj", "nsubjpass") for c in verb.children):
        return _conjunct(verb, own, lemma, depth)
    if above is None:
        return Status(own, False)
    inherited = status(above, lemma, depth + 1)
    if verb.tag_ == "VBG" and lemma(above) == "have" and _is_hard(verb, above):
        return Status(own, not inherited.negated)
    if verb.dep_ == "pcomp" and any(word.lower_ in _ABSENT for word in (head, head.head, *head.children)):
        return Status(not own, inherited.irrealis)
    finite = any(c.dep_ in ("nsubj", "nsubjpass") for c in verb.children) and verb.tag_ in ("VBD", "VBZ", "VBP")
    if verb.dep_ == "ccomp" and finite and verb.i < above.i:
        return Status(own, False)  # two sentences in one ("Tom looked for it, so he decided to ask")
    if (verb.dep_ == "ccomp" and finite) or any(c.dep_ == "auxpass" for c in verb.children):
        return Status(own, verb.dep_ == "ccomp" and lemma(above) in _UNREAL)
    if verb.dep_ in ("xcomp", "pcomp", "ccomp") and lemma(above) in _FAILING:
        return Status(own != (not inherited.negated), inherited.irrealis)
    if verb.dep_ in ("xcomp", "pcomp", "ccomp"):
        unreal = verb.tag_ == "VBG" and lemma(above) in _UNREAL_GERUND
        return Status(own or (inherited.negated and verb.dep_ != "pcomp"), inherited.irrealis or unreal)
    return Status(own, False)


def _infinitive(verb: Token, above: Token | None, own: bool, lemma: Callable[[Token], str], depth: int) -> Status:
    if above is None:
        return Status(own, True)
    inherited = status(above, lemma, depth + 1)
    adjective = verb.head.lower_ if verb.head.pos_ == "ADJ" else ""
    if adjective in ("able", "unable"):
        return Status(own or inherited.negated or adjective == "unable", inherited.irrealis)
    if lemma(above) in _FAILING and verb.dep_ == "xcomp":
        return Status(own != (not inherited.negated), inherited.irrealis)
    using = lemma(above) == "use" and verb.dep_ in ("xcomp", "advcl", "acl", "ccomp")
    if not adjective and (using or (lemma(above) in _REAL_TO and verb.dep_ in ("xcomp", "ccomp"))):
        return Status(own or inherited.negated, inherited.irrealis)
    return Status(own, not own)


def _conjunct(verb: Token, own: bool, lemma: Callable[[Token], str], depth: int) -> Status:
    """A second verb without a subject or tense of its own ("to wash and dry") is as real as the first."""
    if verb.head.pos_ not in ("VERB", "AUX") or verb.tag_ in ("VBD", "VBZ"):
        return Status(own, False)
    first = status(verb.head, lemma, depth + 1)
    alternative = any(c.dep_ == "cc" and c.lower_ in ("or", "nor") for c in verb.head.children)
    bare = not any(c.dep_ in ("dobj", "prep") for c in verb.head.children)
    return Status(own or (first.negated and (alternative or bare or verb.tag_ == "VB")), first.irrealis)


def _is_hard(verb: Token, above: Token) -> bool:
    """Whether a gerund tells what somebody has trouble with: "had difficulty opening the jar"."""
    return any(token.lower_ in _TROUBLE for token in verb.doc[above.i + 1 : verb.i])


def _governor(verb: Token) -> Token | None:
    for ancestor in verb.ancestors:
        if ancestor.pos_ in ("VERB", "AUX"):
            return ancestor
    return None


def _own_negation(verb: Token) -> bool:
    for child in verb.children:
        if child.dep_ == "neg" or (child.dep_ in ("advmod", "preconj") and child.lower_ in _NEVER):
            return True
        empty = child.lower_ in _NOTHING or any(_denies(c) or any(_denies(d) for d in c.lefts) for c in child.lefts)
        if empty and child.dep_ in ("dobj", "nsubj", "nsubjpass", "attr"):
            return True
    return False


def _denies(word: Token) -> bool:
    """Whether a word before a noun says that there is none: "no cup", "not a drop", "not one speck"."""
    return word.lower_ in ("no", "not", "neither") and word.dep_ in ("det", "neg", "preconj", "advmod", "predet", "cc")
