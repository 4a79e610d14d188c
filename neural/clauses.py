"""Clauses of one analysed sentence: who does what to what, and what is said to be how, as tokens, not yet as names.

In comes spaCy's dependency tree of a sentence, out come ``Clause`` (a verb and its arguments) and ``Quality`` (a word
said of a noun). The tree is taken with a pinch of salt: phrases hung on the wrong noun are handed to the verb.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from .modality import Status, status
from .phrases import Phrases, children, compounded, has, is_noun
from .qualities import RESULTS, Qualities, Quality
from .subjects import Subjects

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_PARTICLES: Final = frozenset("apart aside away back down in off on open out over together up".split())
# Verb and particle that take an object together, where the parser may see a verb and a prepositional phrase.
_PHRASAL: Final = frozenset(
    pair.replace("_", " ")
    for pair in (
        "blow_out blow_up clean_out clean_up close_up cut_off cut_out cut_up dry_off fill_up flip_off flip_on get_out "
        "hang_up lift_up light_up open_up pick_out pick_up plug_in pour_out pull_off pull_on pull_out put_away "
        "put_back put_down put_on put_out set_down set_up shut_down shut_off slip_off slip_on switch_off switch_on "
        "take_apart take_away take_down take_off take_out tear_up throw_away throw_out toss_out try_on turn_down "
        "tie_on turn_off turn_on turn_up use_up wash_off wash_out wear_out wipe_off wrap_up zip_up"
    ).split()
)
_BECOMING: Final = frozenset("be become get feel look seem grow stay remain turn go appear fall smell taste".split())
_SMALL_CLAUSE: Final = frozenset("find get hear keep leave paint discover see notice hold watch".split())
_STRICTLY_TRANSITIVE: Final = frozenset(
    "bake boil break chop crack cut drop fold fry grab grate hang iron mash open peel rinse slice smash spread tear "
    "use wear wipe".split()
)
_INTRANSITIVE: Final = frozenset(
    "arrive come cry exit fall get go jump kneel laugh lean leave lie listen look return ride rise run sit sleep "
    "smile stand start stay stop swim talk travel try wait wake walk work".split()
)
# Verbs of which "back" makes another verb; "poured back" is poured again.
_BACK: Final = frozenset(
    "bring call come fall fold get give go hold lean pay pull put send set sit step take turn".split()
)
_STORING: Final = frozenset("drop hang lay pack place put set stow throw".split())
# "leaned back" goes nowhere it had been before.
_NO_RETURN: Final = frozenset("fall fold hold lay lean lie look pull sit stand step talk".split())


@dataclass
class Clause:
    """A verb's lemma with its particle, its token, its arguments as (role, token), and whether it really happened.

    ``again``: it is told as a return ("again", "back"). The role ``whole`` is of what an argument is part of.
    """

    verb: str
    token: Token
    arguments: list[tuple[str, Token]]
    status: Status
    again: bool = False


class Analysis:
    """The clauses and qualities of one sentence.

    Args:
        doc: the sentence's tree.
        written: its tokens as written, one for each of the tree's.
        lemmas: lemmas of tokens that spaCy got wrong, by their index.
        named: tokens that are part of a known name, and so no verbs.
        same: whether two tokens belong to one known name (then the second is no argument of its own).
        is_adjective: whether a word can be nothing but an adjective.
    """

    def __init__(
        self,
        doc: Doc,
        written: Doc,
        lemmas: dict[int, str],
        named: frozenset[int],
        same: Callable[[Token, Token], bool],
        is_adjective: Callable[[str], bool],
    ) -> None:
        self._written = written
        self._lemmas = lemmas
        self._named = named
        self._phrases = Phrases(self.lemma, named, same, self._is_verb)
        self._subjects = Subjects(self.lemma, self._phrases.nouns, self._is_verb)
        self._said = Qualities(written, self.lemma, self._phrases, named, is_adjective)
        self.clauses: list[Clause] = []
        for token in doc:
            if is_noun(token):
                self._said.attributive(token)
            if self._is_verb(token):
                clause = self._clause(token)
                if clause is not None:
                    self.clauses.append(clause)
            elif token.dep_ == "ccomp" and token.pos_ == "ADJ":
                self._small_clause(token)
        self._share_objects()
        self._mark_returns(doc)

    @property
    def qualities(self) -> list[Quality]:
        """What the sentence says of its nouns."""
        return self._said.found

    def lemma(self, token: Token) -> str:
        """The token's lemma, lower case, as corrected."""
        return self._lemmas.get(token.i, token.lemma_.lower())

    def _is_verb(self, token: Token) -> bool:
        if token.i in self._lemmas:
            return True
        if token.i in self._named:
            return False
        if (
            token.pos_ not in ("VERB", "AUX")
            or token.tag_ == "MD"
            or token.dep_ in ("aux", "auxpass", "compound", "nmod", "acomp", "case")
        ):
            return False
        if token.dep_ == "amod":  # "the heart shaped drawings", but not "the broken plate that Tom washed"
            return False
        if token.dep_ == "prep" and not any(c.dep_ in ("dobj", "nsubj") for c in token.children):
            return False
        if token.dep_ in ("dobj", "pobj", "nsubj", "attr") and token.tag_ != "VB":
            return any(c.dep_ in ("dobj", "nsubj") for c in token.children)
        return True

    def _clause(self, verb: Token) -> Clause | None:
        lemma = self.lemma(verb)
        real = status(verb, self.lemma)
        if lemma == "be":
            return self._copula(verb, real)
        if lemma in ("go", "have") and _infinitive_child(verb) and not has(verb, "dobj", "prep", "prt", "advmod"):
            return None  # "was going to", "had to": an auxiliary in all but name
        if lemma == "rid" or (lemma == "get" and any(c.lower_ == "rid" for c in verb.children)):
            return self._rid(verb, real)
        passive = self._subjects.is_passive(verb)
        agents = [] if passive else self._subjects.of(verb)
        objects = self._subjects.passive(verb) if passive else []
        roles: list[tuple[str, Token]] = []
        particles: list[str] = []
        for child in verb.children:
            if child.dep_ == "dobj" and child.pos_ == "PROPN" and any(o.i > child.i for o in children(verb, "dobj")):
                roles += [("recipient", noun) for noun in self._phrases.nouns(child)]  # "handed Tom the towel"
            elif child.dep_ == "dobj" and compounded(child) is None:
                objects += self._objects(verb, child)
            elif child.dep_ == "conj" and objects and child.pos_ in ("NOUN", "PROPN"):
                objects += self._phrases.nouns(child)  # joined to the verb though it goes with the object
            elif child.dep_ == "agent":
                agents += [noun for pobj in children(child, "pobj") for noun in self._phrases.nouns(pobj)]
            elif child.dep_ == "dative":
                roles += self._phrases.dative(child)
            elif child.dep_ in ("prt", "prep", "advmod", "npadvmod", "advcl", "dep", "acomp"):
                self._adjunct(lemma, verb, child, roles, particles)
            elif lemma in _SMALL_CLAUSE and _is_small_clause(child):
                objects += children(child, "nsubj")
        if not objects and not passive:
            objects = self._gap(verb)
        complement = self._said.complements(verb, _PARTICLES)
        self._said.completed(verb, agents, objects, complement, real)
        if complement and not objects and lemma in _BECOMING and lemma not in ("fall", "go"):
            return None
        self._said.outcome(verb, agents, objects, real)
        if passive and not has(verb, "agent"):
            got = any(self.lemma(c) == "get" for c in children(verb, "auxpass"))
            self._said.add(objects, verb.lower_, real, got or _is_until(verb))
        for noun in list(objects):
            particles += [late.lower_ for late in children(noun, "prt")]  # "cut a piece of the paper out"
            for late in children(noun, "advmod"):  # "put her skirt and pants back on", "brought the key up from there"
                if late.i > noun.i and (f"{lemma} {late.lower_}" in _PHRASAL or f"{lemma} {late.lower_}" == "bring up"):
                    particles.append(late.lower_)
                    roles += [role for prep in children(late, "prep") for role in self._phrases.phrase(prep)]
            roles += self._phrases.lifted(noun, lemma)
        if self.lemma(verb.head) == "use" and any(a.tag_ == "TO" for a in children(verb, "aux")):
            roles += [("with", tool) for used in children(verb.head, "dobj") for tool in self._phrases.nouns(used)]
        particle = _choose(lemma, particles)
        if particle and not objects and f"{lemma} {particle}" in _PHRASAL:
            roles, objects = _unwrap(roles, particle)
        arguments = [("agent", a) for a in agents] + [("object", o) for o in objects] + roles
        parts = [n for role, n in arguments if role in ("agent", "object") or not objects]
        arguments += [("whole", whole) for part in parts for whole in self._phrases.wholes(part)]
        return Clause(f"{lemma} {particle}" if particle else lemma, verb, _unique(arguments), real)

    def _objects(self, verb: Token, child: Token) -> list[Token]:
        if child.tag_ in ("WDT", "WP") and verb.dep_ == "relcl":
            return self._phrases.nouns(verb.head)
        return self._phrases.nouns(child)

    def _adjunct(
        self, lemma: str, verb: Token, child: Token, roles: list[tuple[str, Token]], particles: list[str]
    ) -> None:
        """Sort one dependent into a particle ("away") or arguments under their preposition."""
        word = self._written[child.i].lower_
        if child.dep_ in ("advcl", "dep", "acomp") and (word not in _PARTICLES or child.n_lefts or child.n_rights):
            return
        has_noun = has(child, "pobj") or (has(child, "prep") and word in ("out", "next", "close"))
        if (
            word in ("home", "upstairs", "downstairs")
            or child.dep_ == "npadvmod"
            or (child.dep_ == "advmod" and word not in _PARTICLES and not has_noun)
        ):
            if word in ("home", "upstairs", "downstairs", "outside", "inside") and child.i > verb.i:
                roles.append(("to", child))
            elif word in RESULTS and child.i > verb.i:  # "pried it loose with a chisel"
                for prep in children(child, "prep"):
                    roles += self._phrases.phrase(prep)
            elif word == "again":  # "tied her apron on again"
                particles += [left.lower_ for left in child.lefts if left.lower_ in _PARTICLES]
            return
        if has_noun and child.dep_ in ("prep", "advmod", "prt"):
            if f"{lemma} {word}" in _PHRASAL and has(child, "pobj") and not has(verb, "dobj", "nsubjpass"):
                particles.append(word)  # "put on her socks" read as a place to put something
            of_it = next((c for c in children(child, "prep") if c.lower_ == "of"), None)
            if lemma == "run" and word == "out" and of_it is not None:  # "ran out of ink" is no way of running
                particles.append("out")
                roles += self._phrases.phrase(of_it, "of")
            else:
                particles += [left.lower_ for left in child.lefts if left.lower_ in ("together", "back", "away")]
                roles += self._phrases.phrase(child)
        elif word == "back" and child.i > verb.i:  # "put the hat back on", "drove from home back to the office"
            particles += [word, *(c.lower_ for c in child.rights if f"{lemma} {c.lower_}" in _PHRASAL)]
            for prep in children(child, "prep"):
                roles += self._phrases.phrase(prep)
        elif word in _PARTICLES and child.i > verb.i and not _detached(verb, child):
            particles.append(word)
            for prep in children(child, "prep"):
                roles += self._phrases.phrase(prep)

    def _gap(self, verb: Token) -> list[Token]:
        """The noun that a relative clause or participle modifies, where it is what the verb is done to."""
        if verb.dep_ == "acl" and verb.tag_ == "VBN":
            return self._phrases.nouns(verb.head)
        marks = [c for c in children(verb, "mark") if c.lower_ == "that" and c.i and c.nbor(-1).pos_ == "NOUN"]
        if verb.dep_ == "ccomp" and marks and self.lemma(verb) in _STRICTLY_TRANSITIVE:
            return self._phrases.nouns(marks[0].nbor(-1))  # "onto the apron that she was wearing"
        own = [c for c in children(verb, "nsubj") if c.tag_ not in ("WDT", "WP")]
        if verb.dep_ == "relcl" and own and not any(not has(p, "pobj", "pcomp") for p in children(verb, "prep")):
            return (
                self._phrases.nouns(verb.head)
                if verb.head.lower_ not in ("time", "day", "way", "place", "reason")
                else []
            )
        return []

    def _rid(self, verb: Token, real: Status) -> Clause:
        nouns = [
            noun
            for node in (verb, *verb.children)
            for prep in children(node, "prep")
            if prep.lower_ == "of"
            for pobj in children(prep, "pobj")
            for noun in self._phrases.nouns(pobj)
        ]
        agents = self._subjects.of(verb) or [n for s in children(verb, "nsubjpass") for n in self._phrases.nouns(s)]
        return Clause("get rid", verb, [("agent", a) for a in agents] + [("object", o) for o in nouns], real)

    def _copula(self, verb: Token, real: Status) -> Clause | None:
        subjects = self._subjects.of(verb)
        if has(verb, "expl"):
            subjects = [n for attr in children(verb, "attr", "nsubj") for n in self._phrases.nouns(attr)]
        self._said.predicate(subjects, children(verb, "acomp", "oprd"), real, _is_until(verb))
        roles: list[tuple[str, Token]] = []
        particles: list[str] = []
        for child in verb.children:
            if child.dep_ in ("prep", "advmod", "prt"):
                self._adjunct("be", verb, child, roles, particles)
        for word in particles:
            self._said.add(subjects, word, real)
        for noun in subjects if has(verb, "expl") else ():
            roles += self._phrases.lifted(noun, "be")
        if not (roles or has(verb, "expl")) or not subjects:
            return None
        return Clause("be", verb, _unique([("agent", s) for s in subjects] + roles), real)

    def _small_clause(self, adjective: Token) -> None:
        """An adjective with the noun as its subject ("found the door open"); after "let" it is really a verb."""
        subjects = [n for s in children(adjective, "nsubj") for n in self._phrases.nouns(s)]
        real = status(adjective.head, self.lemma) if adjective.head.pos_ == "VERB" else Status()
        if self.lemma(adjective.head) in ("let", "help"):
            self.clauses.append(Clause(adjective.lower_, adjective, [("agent", s) for s in subjects], real))
        else:
            self._said.add(subjects, self._written[adjective.i].lower_, real, self.lemma(adjective.head) == "leave")

    def _share_objects(self) -> None:
        by_token = {clause.token.i: clause for clause in self.clauses}
        joined = [
            (by_token[second.token.head.i], second)
            for second in self.clauses
            if second.token.dep_ == "conj" and second.token.head.i in by_token
            if not has(second.token, "nsubj", "nsubjpass")
        ]
        for first, second in reversed(joined):  # "peeled and cut the potato"
            between = first.token.doc[first.token.i + 1 : second.token.i]
            adjacent = all(token.dep_ in ("cc", "advmod", "punct") for token in between)
            plain = first.verb not in _INTRANSITIVE and " " not in first.verb
            alike = second.token.tag_ != "VBD" or first.token.tag_ != "VB"
            if adjacent and plain and alike and not _objects_of(first):
                first.arguments += [("object", token) for token in _objects_of(second)]
        for first, second in joined:  # "held the mug and dropped"
            if second.verb in _STRICTLY_TRANSITIVE and not _objects_of(second) and not _roles_of(second):
                second.arguments += [("object", token) for token in _objects_of(first)]

    def _mark_returns(self, doc: Doc) -> None:
        """Mark the clauses told as a return: "put it on again", "plugged it back in", "brought the chair back"."""
        by_token = {clause.token.i: clause for clause in self.clauses}
        for token in doc:
            word = self._written[token.i].lower_
            more = word == "once" and token.i + 1 < len(doc) and token.nbor().lower_ == "more"
            if word not in ("again", "back") and not more:
                continue
            if word == "back" and token.pos_ not in ("ADV", "ADP", "PART"):
                continue
            head = token.head
            while head.i not in by_token and head.i != head.head.i and head.dep_ not in ("acomp", "advcl"):
                head = head.head
            clause = by_token.get(head.i)
            if clause is not None and not (word == "back" and _is_no_return(clause.verb)):
                clause.again = True


def _is_no_return(verb: str) -> bool:
    """Whether "back" with a verb brings nothing back: "leaned back", and "put back", for which one must have it."""
    base, _, particle = verb.partition(" ")
    return base in _NO_RETURN or (base in _STORING and particle in ("", "back"))


def _is_until(verb: Token) -> bool:
    """Whether a clause says up to when: what it tells is the outcome."""
    return any(c.lower_ in ("until", "till") for c in children(verb, "mark", "advmod", "prep"))


def _is_small_clause(child: Token) -> bool:
    """What is found or heard of an object, itself the subject of it: "heard the phone ring", "left the door open"."""
    bare = child.tag_ in ("VB", "VBG", "VBN") and not has(child, "aux", "mark")
    return child.dep_ in ("ccomp", "oprd", "xcomp") and (bare or child.pos_ == "ADJ")


def _detached(verb: Token, particle: Token) -> bool:
    """Whether an adverb is too far from the verb to be its particle ("write with the lamp off", "left right away")."""
    phrasal = f"{verb.lemma_} {particle.lower_}" in _PHRASAL
    if any(c.lower_ != "back" or not phrasal for c in children(particle, "advmod")):
        return True
    if any(verb.i < prep.i < particle.i for prep in children(verb, "prep")):
        return True
    moved = any(verb.i < thing.i < particle.i for thing in children(verb, "dobj"))
    onward = particle.i + 1 < len(particle.doc) and particle.nbor().tag_ == "IN"
    return moved and onward and particle.lower_ in ("up", "down", "over")  # "threw the bag up into a tree"


def _infinitive_child(verb: Token) -> bool:
    return any(c.dep_ == "xcomp" and any(a.tag_ == "TO" for a in c.children) for c in verb.children)


def _choose(lemma: str, particles: list[str]) -> str:
    others = [word for word in particles if word != "back"]
    back = ["back"] if "back" in particles and lemma in _BACK else []
    return (others or back or [""])[0]


def _unwrap(roles: list[tuple[str, Token]], particle: str) -> tuple[list[tuple[str, Token]], list[Token]]:
    """Turn "put (on her socks)" into the phrasal verb with an object."""
    objects = [token for role, token in roles if role == particle]
    return [(role, token) for role, token in roles if role != particle], objects


def _unique(arguments: list[tuple[str, Token]]) -> list[tuple[str, Token]]:
    return list({(role, token.i): (role, token) for role, token in arguments}.values())


def _objects_of(clause: Clause) -> list[Token]:
    return [token for role, token in clause.arguments if role == "object"]


def _roles_of(clause: Clause) -> list[str]:
    return [role for role, _ in clause.arguments if role not in ("agent", "object")]
