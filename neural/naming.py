"""A story's own entities: what its noun phrases name, where no entities are given.

Several phrases may name one thing. Its name is its noun with the nouns it is compounded with ("car key"); adjectives
are kept only where they tell two things of one story apart ("black mug", "blue mug").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ..symbolic.aliases import DETERMINERS, LEXICALISED, PARTITIVES, singular
from .mending import GOING, SUBSTANCES
from .mentions import PERSON_NOUNS
from .phrases import AMOUNTS, RESULTS, TIMES, UNITS, compounded, content
from .qualities import INSTANCES, NAMING, SET_PHRASES, is_shown

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_NOT_THINGS: Final = PARTITIVES | frozenset(
    "anyone anything everybody everyone everything fun help kind nobody nothing one order other rid somebody "
    "someone something sort thing type use way".split()
)
_NOTNAMING: Final = DETERMINERS | frozenset(
    "first last next only same second third few many more most other several own various very".split()
)
_EPITHETS: Final = frozenset("big dear little old poor young".split())
# Words of one line exclude each other in one thing at one time; the words of one group mean the same here.
_SCALES: Final = tuple(
    tuple(frozenset(group.split()) for group in scale.split("|"))
    for scale in (
        "red|blue|green|yellow|black|white|brown|gray grey|pink|purple|orange|golden|silver|beige",
        "big bigger biggest large larger largest huge giant|small smaller smallest little tiny mini medium",
        "long longer|short shorter|tall taller",
        "thick thicker|thin thinner",
        "old older|young younger|new",
        "wooden|metal|plastic|leather|silk|woolen|ceramic|iron|steel|brass|copper|concrete|marble",
        "toy fake mock model pretend|real actual",
    )
)
_COLOURING: Final = frozenset("paint dye color colour stain bleach".split())
_MATERIALS: Final = frozenset("brass copper iron leather metal plastic silk silver steel marble concrete".split())
_APART: Final = frozenset("spare extra toy fake mock model pretend".split())


@dataclass(frozen=True)
class Found:
    """The names found, in order of first mention, and other wordings of them ("mug" for the only "coffee mug")."""

    entities: tuple[str, ...] = ()
    wordings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Phrase:
    """A noun phrase without determiners: adjectives, and the noun with its compounds and owner."""

    adjectives: tuple[str, ...]
    core: tuple[str, ...]

    @property
    def key(self) -> tuple[str, ...]:
        return (*(w.lower() for w in self.core[:-1]), singular(self.core[-1].lower()))


def discover(
    analysed: Sequence[tuple[Doc, Doc]],
    dictionary: frozenset[str] = frozenset(),
    adjectives: frozenset[str] = frozenset(),
) -> Found:
    """The entities of a story, people capitalised as in TRIP.

    Args:
        analysed: each sentence's tree and its tokens as written, token by token.
        dictionary: common nouns, which are no names though they begin a sentence.
        adjectives: words that can be adjectives.
    """
    chunks = [(chunk, written) for doc, written in analysed for chunk in doc.noun_chunks]
    lower = {token.text for _, written in analysed for token in written if token.text.islower()}
    owners: dict[str, set[str]] = defaultdict(set)
    for chunk, written in chunks:
        owners[chunk.root.lower_] |= {written[t.i].lower_ for t in chunk if t.dep_ == "poss" and t.pos_ == "PROPN"}
    people = {
        written[t.i].text
        for doc, written in analysed
        for t in doc
        if _acts_as_person(t, written[t.i], dictionary) and written[t.i].lower_ not in lower
    }
    people |= {name for name in _leads(analysed) if name.lower() not in lower}
    reader = _Reader(people, dictionary, adjectives)
    measured = {singular(c.root.lower_) for c, _ in chunks if singular(c.root.lower_) in AMOUNTS and content(c.root)}
    phrases: list[_Phrase] = []
    for chunk, written in chunks:
        if singular(chunk.root.lower_) in measured:
            continue  # of "a pile of leaves" the leaves are the thing, and "the pile" names them again
        if singular(chunk.root.lower_) in UNITS and content(chunk.root):
            continue
        if is_shown(chunk.root) or _is_bare(chunk.root, adjectives, dictionary):
            continue
        keep_owner = len(owners[chunk.root.lower_]) > 1 or singular(chunk.root.lower_) in PERSON_NOUNS
        phrases += reader.read(chunk, written, keep_owner)
    coloured = any(token.lemma_ in _COLOURING for doc, _ in analysed for token in doc)
    return _merge(phrases, _SCALES[1:] if coloured else _SCALES)


def _is_bare(root: Token, adjectives: frozenset[str], dictionary: frozenset[str]) -> bool:
    """Whether an object is an adjective alone: "lay senseless"."""
    word = root.lower_
    if root.dep_ != "dobj" or root.n_lefts or word not in adjectives:
        return False
    return word not in dictionary and singular(word) not in dictionary


def _leads(analysed: Sequence[tuple[Doc, Doc]]) -> set[str]:
    """Capitalised words that most sentences begin with as their subject: a name, even one that is a common noun."""
    first = [
        written[0].text
        for doc, written in analysed
        if len(doc) > 1 and doc[0].dep_ == "nsubj" and doc[0].pos_ in ("NOUN", "PROPN")
    ]
    return {word for word in first if word[:1].isupper() and first.count(word) > max(1, len(analysed) // 2)}


def _acts_as_person(token: Token, word: Token, dictionary: frozenset[str]) -> bool:
    """A capitalised word that does or owns something; a brand or a town is seldom in that place.

    ``token`` is the word in the tree, ``word`` as written.
    """
    if not word.text[:1].isupper() or (word.text.isupper() and len(word) > 1) or word.lower_ in SUBSTANCES:
        return False
    if token.i > 0 and token.nbor(-1).tag_ in ("DT", "PRP$"):
        return False
    if token.text != word.text:
        return token.pos_ == "PROPN"  # taken for a name before
    if word.lower_ in TIMES:
        return token.dep_ == "nsubj" and token.pos_ == "PROPN" and token.i == 0
    named = token.pos_ == "PROPN" or (token.tag_ == "NN" and word.lower_ not in dictionary)
    while token.dep_ == "conj" and token.head.i != token.i:
        token = token.head
    addressed = token.dep_ == "pobj" and (
        token.head.lower_ in ("with", "for", "by") or (token.head.lower_ == "to" and token.head.dep_ == "dative")
    )
    acting = token.dep_ in ("nsubj", "nsubjpass", "poss", "dative", "npadvmod", "compound")
    return named and (acting or addressed or (token.dep_ == "dobj" and token.tag_ == "NNP"))


class _Reader:
    """Reads noun chunks into phrases."""

    def __init__(self, people: set[str], dictionary: frozenset[str], adjectives: frozenset[str]) -> None:
        self._people = people
        self._nouns = dictionary
        self._adjectives = adjectives

    def read(self, chunk: Span, written: Doc, keep_owner: bool) -> Iterator[_Phrase]:
        """The owner, the nouns joined by "and", and the noun itself."""
        root = chunk.root
        second = compounded(root)
        if second is not None:
            root = second
        elif root.i and compounded(root.nbor(-1)) is not None:
            return
        for token in chunk:
            if token.dep_ == "poss" and written[token.i].text in self._people:
                yield _Phrase((), (written[token.i].text,))
        if root.lower_ in ("i", "me"):
            yield _Phrase((), ("I",))
            return
        if chunk[0].lower_ == "how":
            return
        said = written[root.i]
        word = singular(said.lower_)
        if root.pos_ in ("PRON", "NUM", "DET") or not root.text[:1].isalnum():
            return
        if word in TIMES and said.text not in self._people:
            return
        words: list[tuple[str, bool]] = []
        called = said.text in self._people
        for token in root.doc[chunk.start : root.i + 1]:
            joined = (token.text == "-" and bool(words)) or bool(words and words[-1][0].endswith("-"))
            if token.i != root.i and not joined:
                if token.pos_ == "CCONJ" and words and token.i and token.nbor(-1).pos_ in ("NOUN", "PROPN"):
                    yield from self._phrase(words)  # "a red ribbon and gold foil", taken for one phrase
                if token.pos_ in ("DET", "PRON", "NUM", "PUNCT", "ADV", "SPACE", "CCONJ"):
                    words.clear()
                    continue
                if (
                    token.lower_ in _NOTNAMING
                    or (called and token.lower_ in _EPITHETS)
                    or (token.dep_ in ("poss", "case") and not keep_owner)
                ):
                    continue
            if token.tag_ == "POS" and words:
                words[-1] = (words[-1][0] + token.text, False)
            elif joined:
                words.append((words.pop()[0] + written[token.i].lower_, self._describes(token, written[token.i])))
            else:
                text = written[token.i].text
                name = text in self._people or text == "TV"
                describes = token.i != root.i and self._describes(token, written[token.i])
                words.append((text if name else text.lower(), describes))
        yield from self._phrase(words)

    def _describes(self, token: Token, written: Token) -> bool:
        """Whether a word before a noun says how the thing is, and so is no part of its name."""
        word = written.lower_
        if word in NAMING or token.dep_ == "poss" or written.text in self._people:
            return False
        if token.tag_ == "VBG" or word.endswith("ing"):
            return word in GOING
        if word in self._nouns and word not in self._adjectives:
            return False
        if token.tag_ in ("JJ", "JJR", "JJS", "VBN", "VBD") or word in INSTANCES:
            return True
        return (word in self._adjectives and word not in self._nouns) or (word in RESULTS and token.dep_ == "amod")

    def _phrase(self, words: list[tuple[str, bool]]) -> Iterator[_Phrase]:
        if not words:
            return
        core = [word for word, describes in words[:-1] if not describes] + [words[-1][0]]
        adjectives = [word for word, describes in words[:-1] if describes]
        if len(words) > 1 and words[-2][1]:
            both = f"{words[-2][0]} {singular(words[-1][0].lower())}"
            if both in SET_PHRASES:
                core.insert(len(core) - 1, adjectives.pop())
        if len(core) > 1 and core[0] == "TV":
            core[0] = "tv"  # only the bare "TV" keeps its capitals without passing for a person
        if not (len(core) == 1 and singular(core[0]) in _NOT_THINGS):
            yield _Phrase(tuple(adjectives), tuple(core))


def _merge(phrases: Sequence[_Phrase], scales: Sequence[Sequence[frozenset[str]]]) -> Found:
    """One entity for all phrases that name one thing, as far as their words tell."""
    groups: dict[tuple[str, ...], list[_Phrase]] = defaultdict(list)
    for phrase in phrases:
        groups[phrase.key].append(phrase)
    host = {key: _host(key, groups) for key in groups}
    united: dict[tuple[str, ...], list[_Phrase]] = defaultdict(list)
    for phrase in phrases:
        united[host[phrase.key]].append(phrase)
    name_of: dict[_Phrase, str] = {}
    for key, members in united.items():
        cores = [p.core for p in members if p.key == key]
        shortest = min((p.core for p in members), key=len)
        if len(cores[0]) == 2 and cores[0][0] in _MATERIALS and len(shortest) == 1:
            cores = [shortest]
        name_of |= _named(members, key, " ".join(cores[0]), scales)
    entities = tuple(dict.fromkeys(name_of[phrase] for phrase in phrases))
    wordings = {
        text: name_of[phrase]
        for phrase in phrases
        for text in (" ".join([*phrase.adjectives, *phrase.core]), " ".join(phrase.core))
        if not f" {text}".endswith(f" {name_of[phrase]}") and (text not in entities)
    }
    bare = {" ".join(p.core) for p in phrases}
    several = {text for text in bare if len({name_of[p] for p in phrases if " ".join(p.core) == text}) > 1}
    return Found(entities, {text: name for text, name in wordings.items() if text not in several})


def _host(key: tuple[str, ...], groups: Mapping[tuple[str, ...], object]) -> tuple[str, ...]:
    """The one longer compound that a bare noun takes up again ("key" for "car key"), else the noun itself."""
    longer = [
        other
        for other in groups
        if len(other) > len(key) and other[len(other) - len(key) :] == key and other[-len(key) - 1] not in _APART
        if " ".join(other[-2:]) not in LEXICALISED and "of" not in other
    ]
    kinds = [a for a in longer if not any(b != a and a[len(a) - len(b) :] == b for b in longer)]
    if len(kinds) != 1:
        return key
    return key if len(key) > 1 else kinds[0]


def _named(
    members: Sequence[_Phrase], key: tuple[str, ...], core: str, scales: Sequence[Sequence[frozenset[str]]]
) -> dict[_Phrase, str]:
    """The name of each phrase of one noun: the noun alone, unless the adjectives speak of several things."""
    apart = [frozenset(w for w in p.adjectives if _place(w, scales) is not None) for p in members]
    if any(w in _APART for p in members for w in p.adjectives) and any(not set(p.adjectives) & _APART for p in members):
        apart = [words | (set(p.adjectives) & _APART) for words, p in zip(apart, members, strict=True)]
        rivals = {w for words in apart for w in words if w in _APART}
    else:
        rivals = set()
    rivals |= {w for a in apart for b in apart for w in a if any(_rival(w, other, scales) for other in b)}
    if not rivals:
        return dict.fromkeys(members, core)
    kinds = list(dict.fromkeys(words & rivals for words in apart if words & rivals))
    names: dict[_Phrase, str] = {}
    for phrase, words in zip(members, apart, strict=True):
        own = words & rivals
        fitting = [kind for kind in kinds if own <= kind]
        chosen = fitting[0] if len(fitting) == 1 and len(kinds) > 1 else own
        chosen = own if any(w in _APART for w in chosen) else chosen
        noun = core if phrase.key == key or not chosen else " ".join(phrase.core)
        names[phrase] = " ".join([*_in_order(members, chosen), noun])
    return names


def _in_order(members: Sequence[_Phrase], words: frozenset[str] | set[str]) -> list[str]:
    return [w for w in dict.fromkeys(w for p in members for w in p.adjectives) if w in words]


def _place(word: str, scales: Sequence[Sequence[frozenset[str]]]) -> tuple[int, int] | None:
    return next(((i, j) for i, scale in enumerate(scales) for j, group in enumerate(scale) if word in group), None)


def _rival(a: str, b: str, scales: Sequence[Sequence[frozenset[str]]]) -> bool:
    first, second = _place(a, scales), _place(b, scales)
    return first is not None and second is not None and first[0] == second[0] and first[1] != second[1]
