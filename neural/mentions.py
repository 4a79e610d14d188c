"""Where a text names the known entities of its story (``naming`` finds a story's entities where none are given)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ..symbolic.aliases import DETERMINERS, LEXICALISED, head, lemma, singular
from ..symbolic.vocabulary import is_human

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

PERSON_NOUNS: Final = frozenset(
    "actor apprentice artist assistant aunt baby baker barber bartender boss boy boyfriend bride brother builder buyer "
    "carer caretaker carpenter cashier chauffeur chef child cleaner clerk coach colleague courier cousin customer dad "
    "daughter dentist diver doctor driver electrician family farmer father fireman fisherman friend gardener girl "
    "girlfriend glazier goalkeeper granddaughter grandfather grandma grandmother grandpa grandson groom guard guest "
    "guide guy hairdresser helper husband janitor joiner judge keeper kid lady landlady landlord lifeguard locksmith "
    "lodger man manager mate mechanic milkman mom mother mover neighbor neighbour nephew niece nurse officer owner "
    "parent partner person pilot plumber policeman porter postman priest pupil roommate sailor salesman scout "
    "secretary "
    "shepherd shopkeeper sister soldier son stranger student tailor teacher teammate technician thief toddler trainer "
    "trucker twin uncle vet visitor waiter waitress warden wife woman worker".split()
)
_NOUN_DEPS: Final = frozenset(
    "nsubj nsubjpass dobj pobj dative attr conj compound appos poss oprd npadvmod nmod ROOT".split()
)


def is_person(name: str) -> bool:
    """Whether a name is a person's ("Tom", "Mary Smith") or a word for one ("his brother")."""
    words = name.split()
    return (is_human(name) and all(word[:1].isupper() for word in words)) or head(name) in PERSON_NOUNS


@dataclass(frozen=True)
class _Entry:
    words: tuple[str, ...]
    entity: str


class Names:
    """An index of a story's entities that finds where they are named in a sentence.

    The longest name wins ("hot pizza" over "pizza"), then the one spelled exactly so ("oranges" over "orange").

    Args:
        entities: the known names.
        tokenize: makes tokens of a name.
        wordings: other wordings, each with the name it stands for.
    """

    def __init__(
        self, entities: Iterable[str], tokenize: Callable[[str], Doc], wordings: Mapping[str, str] | None = None
    ) -> None:
        self._by_last: dict[str, list[_Entry]] = defaultdict(list)
        self._by_head: dict[str, list[str]] = defaultdict(list)
        for entity in dict.fromkeys(entities):
            words = [token.text for token in tokenize(entity) if not token.is_space]
            while len(words) > 1 and words[0].lower() in DETERMINERS:
                words = words[1:]
            if not words:
                continue
            self._by_last[singular(words[-1].lower())].append(_Entry(tuple(words), entity))
            if len(words) > 1 and "of" not in words and lemma(entity) not in LEXICALISED:
                self._by_head[head(entity)].append(entity)
        for wording, entity in (wordings or {}).items():
            words = [token.text for token in tokenize(wording) if not token.is_space]
            self._by_last[singular(words[-1].lower())].append(_Entry(tuple(words), entity))

    def find(self, doc: Doc, written: Doc, verbs: Iterable[int] = ()) -> list[tuple[int, int, str]]:
        """The places [start, end) in tokens that name an entity, left to right, without overlap.

        Args:
            doc: the sentence's tree.
            written: its tokens as written, one for each of the tree's.
            verbs: tokens known to be verbs, whatever the tree says.
        """
        not_nouns = set(verbs)
        found: list[tuple[int, bool, int, int, str]] = []
        for token in doc:
            if token.i in not_nouns:
                continue
            for entry in self._by_last.get(singular(written[token.i].lower_), ()):
                start = token.i - len(entry.words) + 1
                if start >= 0 and _matches(doc, written[start : token.i + 1], entry.words):
                    exact = written[start : token.i + 1].text == entry.entity
                    found.append((-len(entry.words), not exact, start, token.i + 1, entry.entity))
        taken: set[int] = set()
        chosen: list[tuple[int, int, str]] = []
        for _, _, start, end, entity in sorted(found):
            if not taken & set(range(start, end)):
                taken |= set(range(start, end))
                chosen.append((start, end, entity))
        for token in doc:  # "the bottle" where only a "water bottle" is known
            whole = self._by_head.get(singular(written[token.i].lower_), ())
            if len(whole) != 1:
                continue
            bare = token.pos_ == "NOUN" and not any(c.dep_ in ("compound", "amod") for c in token.children)
            if bare and token.dep_ != "compound" and not {token.i} & (taken | not_nouns):
                chosen.append((token.i, token.i + 1, whole[0]))
        return sorted(chosen)


def _matches(doc: Doc, span: Span, words: tuple[str, ...]) -> bool:
    for token, word in zip(span, words, strict=True):
        if token.lower_ != word.lower() and singular(token.lower_) != singular(word.lower()):
            return False
    last = doc[span.end - 1]
    if is_human(words[0]) and len(words) == 1 and not span[-1].text[:1].isupper():
        return False  # "mark the page" does not name Mark
    if len(words) == 1:
        if last.pos_ in ("VERB", "AUX", "ADP", "ADV", "SCONJ", "PART") and last.dep_ not in _NOUN_DEPS:
            return False
        if last.pos_ in ("VERB", "AUX") and last.dep_ in ("ROOT", "conj") and last.tag_ != "VBG":
            return False
        if last.i + 1 < len(last.doc) and f"{last.lower_} {singular(last.nbor().lower_)}" in LEXICALISED:
            return False
        if last.i > 0 and f"{last.nbor(-1).lower_} {singular(last.lower_)}" in LEXICALISED:
            return False
        # In "pizza joint" the joint is named, not the pizza.
        if last.dep_ == "compound" and last.head.i > last.i and last.head.pos_ in ("NOUN", "PROPN"):
            return is_human(words[0])
    return True
