"""Clauses of one analysed sentence: who does what to what, and what is said to be how, as tokens, not yet as names.

In comes spaCy's dependency tree of a sentence, out come ``Clause`` (a verb and its arguments) and ``Quality`` (a word
said of a noun). The tree is taken with a pinch of salt: phrases hung on the wrong noun are handed to the verb.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ..symbolic.aliases import singular
from .mentions import is_person
from .modality import Status, status
from .phrases import CONTAINERS, RESULTS, TIMES, Phrases, children, compounded, content, has, is_noun, shared_noun
from .qualities import Qualities, Quality
from .subjects import Subjects

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_PARTICLES: Final = frozenset("apart aside away back down in off on open out over together under up".split())
# Verb and particle that take an object together, where the parser may see a verb and a prepositional phrase.
_PHRASAL: Final = frozenset(
    pair.replace("_", " ")
    for pair in (
        "bite_off blow_out blow_up break_off burn_up chop_off chop_up clean_out clean_up close_up cut_down cut_off "
        "cut_out cut_up drink_down drink_up dry_off eat_up fill_up flip_off flip_on gather_up get_out give_away "
        "gobble_down gobble_up gulp_down hand_over hang_up haul_up heat_up kick_off knock_over lick_up lift_up "
        "light_up "
        "lock_up mop_up nail_down open_up pack_up peel_off peg_down pick_out pick_up plug_in pour_off pour_out "
        "pull_down pull_off pull_on "
        "pull_out put_away put_back put_down put_on put_out roll_up rub_off saw_off saw_up scoop_out scoop_up "
        "scrape_off set_down set_up shake_off shake_out shut_down shut_off slip_off slip_on snap_off soak_up "
        "squeeze_out "
        "strip_off swallow_down sweep_up switch_off switch_on take_apart take_away take_down take_off take_out "
        "tear_off "
        "tear_up throw_away throw_out tie_on tie_up tip_out toss_out try_on turn_down turn_off turn_over turn_on "
        "turn_up use_up "
        "warm_up wash_off wash_out wear_out wipe_off wipe_up wolf_down wrap_up wring_out zip_up"
    ).split()
)
# What a person puts somewhere with the place left unsaid: "screwed in a bulb", "sewed on a button".
_PLACED: Final = frozenset(
    f"{verb} {particle}"
    for verbs, particle in (
        ("beat carry crack drop fold grate hammer mix plug pop pound pour rain rub screw shake sift squeeze stick stir "
         "tack tap throw tip wheel whip whisk", "in"),
        ("bolt cast clip glue nail screw sew snap strap tie", "on"),
    )
    for verb in verbs.split()
)  # fmt: skip
_NOT_PLACED: Final = CONTAINERS | frozenset("blender circle direction floor machine mixer oven sink".split())
# With these a particle and a noun say where it went ("rolled off the table"); of a person some are something done.
_MOVING: Final = frozenset(
    "bounce clamber crawl cycle dart dash drift fall flow glide gurgle hike hop hurry jog jump leap march plunge race "
    "run rush sail scramble scurry skid ski sprint stagger step stride stroll swim tiptoe topple trot trudge tumble "
    "wade walk wander".split()
)
_MOVED: Final = frozenset("drive drip ride roll slide slip spill tip turn".split())
_ALONG: Final = frozenset("along around down off over past through up".split())
_SEEKING: Final = frozenset(
    "come cycle dig drive feel fish go grope hunt hurry look return ride rummage run rush scan search walk".split()
)
_GROUND: Final = frozenset("deck floor grass ice mud path peel road stair stairs step wet".split())
_BECOMING: Final = frozenset("be become get feel look seem grow stay remain turn go appear fall smell taste".split())
_WHO: Final = frozenset("he i she they we who you".split())
_MAKING: Final = frozenset("get leave make render set turn work".split())
_PERCEIVING: Final = frozenset("feel hear help let make see watch".split())
_SMALL_CLAUSE: Final = frozenset("find get hear keep leave paint discover see notice hold watch".split())
_STRICTLY_TRANSITIVE: Final = frozenset(
    "bake boil break chop crack cut drop fold fry grab grate hang iron mash open peel rinse slice smash spread tear "
    "use wear wipe".split()
)
_INTRANSITIVE: Final = frozenset(
    "arrive bend blink come cough cry exit faint fall get giggle go grin hesitate jump kneel laugh lean leave lie "
    "listen "
    "look nod pause relax rest return ride rise run shrug sigh sit sleep slip smile sneeze snore stand start stay stop "
    "stumble swim talk travel trip try vanish wait wake walk whir wobble work yawn".split()
)
# Verbs of which "back" makes another verb; "poured back" is poured again.
_BACK: Final = frozenset(
    "bring call come fall fold get give go hold lean pay pull put send set sit step take turn".split()
)
# Gerunds that are prepositions.
_PREPOSITIONS: Final = frozenset(
    "according concerning considering depending during excluding including regarding".split()
)
_OWNING: Final = frozenset("have own possess".split())
_STORING: Final = frozenset("drop hang lay pack place put set stow throw".split())
# "leaned back" goes nowhere it had been before.
_NO_RETURN: Final = frozenset("fall fold hold lay lean lie look pull sit stand step talk".split())


@dataclass
class Clause:
    """A verb's lemma with its particle, its token, its arguments as (role, token), and whether it really happened.

    ``again``: it is told as a return ("again", "back"). The role ``whole`` is of what an argument is part of.
    ``silent``: it only says how its agent is, which is no event, but a pronoun may take the agent up.
    """

    verb: str
    token: Token
    arguments: list[tuple[str, Token]]
    status: Status
    again: bool = False
    silent: bool = False


class Analysis:
    """The clauses and qualities of one sentence.

    Args:
        doc: the sentence's tree.
        written: its tokens as written, one for each of the tree's.
        lemmas: lemmas of tokens that spaCy got wrong, by their index.
        named: tokens that are part of a known name, and so no verbs.
        same: whether two tokens belong to one known name (then the second is no argument of its own).
        is_adjective: whether a word can be nothing but an adjective.
        adjectives: words that can be adjectives.
    """

    def __init__(
        self,
        doc: Doc,
        written: Doc,
        lemmas: dict[int, str],
        named: frozenset[int],
        same: Callable[[Token, Token], bool],
        is_adjective: Callable[[str], bool],
        adjectives: frozenset[str],
    ) -> None:
        self._written = written
        self._lemmas = lemmas
        self._named = named
        self._phrases = Phrases(self.lemma, named, same, self._is_verb, is_adjective)
        self._is_adjective = is_adjective
        self._subjects = Subjects(self.lemma, self._phrases.nouns, self._is_verb)
        self._said = Qualities(written, self.lemma, self._phrases, named, is_adjective, adjectives)
        self.clauses: list[Clause] = []
        for token in doc:
            if is_noun(token):
                self._said.attributive(token)
                for word in self._said.following(token):
                    governor = next((t for t in token.ancestors if self._is_verb(t)), None)
                    if governor is not None:
                        self._said.predicate(self._subjects.of(governor), [word], status(governor, self.lemma), False)
            if self._is_verb(token):
                clause = self._clause(token)
                if clause is not None:
                    self.clauses.append(clause)
            elif token.dep_ == "ccomp" and token.pos_ in ("ADJ", "NOUN") and token.head.pos_ == "VERB":
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
        if token.tag_ == "VBG" and token.dep_ in ("pobj", "dobj", "conj") and _modifies(token):
            return False
        if (
            token.dep_ == "prep"
            and token.lower_ in _PREPOSITIONS
            and not any(c.dep_ in ("dobj", "nsubj") for c in token.children)
        ):
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
        if self._is_left_so(verb):
            return None
        passive = self._subjects.is_passive(verb)
        agents = [] if passive else self._subjects.of(verb)
        objects = self._subjects.passive(verb) if passive else []
        roles: list[tuple[str, Token]] = []
        particles: list[str] = []
        for child in verb.children:
            if child in self._misplaced(verb):
                continue
            if child.dep_ == "dobj" and child.pos_ == "PROPN" and any(o.i > child.i for o in children(verb, "dobj")):
                roles += [("recipient", noun) for noun in self._phrases.nouns(child)]  # "handed Tom the towel"
            elif child.dep_ == "dobj" and self._said.is_bare(child, verb):
                roles += [role for prep in children(child, "prep") for role in self._phrases.phrase(prep)]
            elif child.dep_ == "dobj" and self._along(lemma, verb, child):
                roles += [(verb.doc[child.left_edge.i - 1].lower_, noun) for noun in self._phrases.nouns(child)]
                roles += self._phrases.lifted(child, lemma)
            elif child.dep_ in ("ccomp", "advcl", "xcomp", "oprd") and _is_thing(child) and not has(verb, "dobj"):
                objects += self._phrases.nouns(child)  # "tightened the head bolts", taken for a clause
            elif shared_noun(child) is not None:
                objects += [c for c in children(child, "nsubj") if shared_noun(child)]
            elif child.dep_ in ("advcl", "ccomp") and child.pos_ == "ADJ" and _is_split_off(verb, child):
                objects += [noun for s in children(child, "nsubj") for noun in self._phrases.nouns(s)]
            elif child.dep_ == "dobj" and child.lower_ in ("all", "everything") and has(child, "relcl"):
                objects += self._phrases.nouns(child)
                roles += _held(child, self._phrases)
            elif child.dep_ == "dobj" and compounded(child) is None:
                objects += self._objects(verb, child)
                if child not in objects:  # "rubbed a clove of garlic on the crust"
                    roles += self._phrases.lifted(child, lemma)
            elif child.dep_ == "conj" and objects and child.pos_ in ("NOUN", "PROPN"):
                objects += self._phrases.nouns(child)  # joined to the verb though it goes with the object
            elif child.dep_ == "agent":
                agents += [noun for pobj in children(child, "pobj") for noun in self._phrases.nouns(pobj)]
            elif child.dep_ == "npadvmod" and child.i and compounded(child.nbor(-1)) is not None:
                objects += self._phrases.nouns(child)  # "slammed the bathroom door"
            elif child.dep_ == "npadvmod" and any(c.lower_ == "half" for c in child.lefts) and not has(verb, "dobj"):
                objects += self._phrases.nouns(child)  # "drank half the juice"
            elif child.dep_ == "dative":
                roles += self._phrases.dative(child)
            elif child.dep_ == "prt" and self._moves(lemma, verb, child):
                continue
            elif child.dep_ in ("prt", "prep", "advmod", "npadvmod", "advcl", "dep", "acomp"):
                self._adjunct(lemma, verb, child, roles, particles)
            elif lemma in _SMALL_CLAUSE and _is_small_clause(child):
                objects += children(child, "nsubj")
        if not objects and not passive:
            objects = self._gap(verb)
        complement = self._said.complements(verb, _PARTICLES)
        self._said.completed(verb, agents, objects, complement, real)
        for word in children(verb, "advcl"):  # "climbed out, dripping from head to toe", "ate them raw"
            if (
                word.pos_ == "ADJ"
                and word.i > verb.i
                and word not in complement
                and not has(word, "mark", "nsubj", "aux", "advmod")
            ):
                paused = word.left_edge.i and word.left_edge.nbor(-1).text == ","
                self._said.predicate((agents or objects) if paused else (objects or agents), [word], real, False)
        for word in complement:
            roles += [
                role
                for prep in children(word, "prep")
                if word.dep_ == "acomp" and prep.lower_ not in ("of", "as", "than", "like", "for")
                for role in self._phrases.phrase(prep)
            ]
        if complement and not objects and lemma in _BECOMING and lemma not in ("fall", "go"):
            return Clause("be", verb, [("agent", a) for a in agents], real, silent=True) if agents else None
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
            for inner in content(noun):  # "took photos of the penguins with the camera"
                roles += [r for p in children(inner, "prep") if p.lower_ == "with" for r in self._phrases.phrase(p)]
        for thing in children(verb, "dobj"):
            for clause in children(thing, "relcl"):
                roles += [role for prep in self._misplaced(clause) for role in self._phrases.phrase(prep)]
        if lemma in _SEEKING:
            for noun in [*objects, *(n for _, n in roles)]:
                roles += [r for p in children(noun, "prep") if p.lower_ == "for" for r in self._phrases.phrase(p)]
        if self.lemma(verb.head) == "use" and any(a.tag_ == "TO" for a in children(verb, "aux")):
            roles += [("with", tool) for used in children(verb.head, "dobj") for tool in self._phrases.nouns(used)]
        particle = _choose(lemma, particles)
        if particle and not objects and f"{lemma} {particle}" in _PHRASAL | _PLACED:
            roles, objects = _unwrap(roles, particle)
        arguments = [("agent", a) for a in agents] + [("object", o) for o in objects] + roles
        parts = [n for role, n in arguments if role != "recipient"]
        arguments += [("whole", whole) for part in parts for whole in self._phrases.wholes(part)]
        return Clause(f"{lemma} {particle}" if particle else lemma, verb, _unique(arguments), real)

    def _misplaced(self, owning: Token) -> list[Token]:
        """Places hung on a clause that says whose a thing is: "put the clothes she had into the bag"."""
        main = owning.head.head
        if owning.dep_ != "relcl" or self.lemma(owning) not in _OWNING or self.lemma(main) not in _STORING:
            return []
        return [prep for prep in children(owning, "prep") if prep.lower_ in ("in", "into", "on", "onto")]

    def _along(self, lemma: str, verb: Token, noun: Token) -> bool:
        """Whether a particle before an object says where the subject goes: "rolled off the table"."""
        before = verb.doc[noun.left_edge.i - 1] if noun.left_edge.i > verb.i + 1 else None
        return before is not None and before.dep_ == "prt" and self._moves(lemma, verb, before)

    def _moves(self, lemma: str, verb: Token, particle: Token) -> bool:
        if particle.lower_ not in _ALONG or not (lemma in _MOVING or (lemma in _MOVED and not self._acts(verb))):
            return False
        return any(c.left_edge.i == particle.i + 1 and not self._said.is_bare(c, verb) for c in children(verb, "dobj"))

    def _acts(self, verb: Token) -> bool:
        """Whether somebody does it, as far as the form of the subject tells."""
        return any(
            s.pos_ == "PROPN" or s.lower_ in _WHO or is_person(self._written[s.i].lower_)
            for s in self._subjects.of(verb)
        )

    def _is_placed(self, lemma: str, verb: Token, child: Token) -> bool:
        """Whether "in" and a noun after a verb are a particle and its object: "screwed in a fresh bulb"."""
        if (
            f"{lemma} {child.lower_}" not in _PLACED
            or child.i != verb.i + 1
            or has(verb, "dobj", "nsubjpass", "auxpass")
        ):
            return False
        if any(self.lemma(noun) in _NOT_PLACED for noun in children(child, "pobj")):
            return False
        return self._acts(verb) or not self._subjects.of(verb)

    def _is_left_so(self, verb: Token) -> bool:
        """Whether a participle tells how the object before it is left: "left the oven switched off and cold"."""
        head = verb.head
        if (
            verb.tag_ != "VBN"
            or verb.dep_ not in ("conj", "xcomp", "ccomp", "oprd", "acl")
            or has(verb, "nsubj", "aux")
        ):
            return False
        owner = head if head.pos_ == "VERB" else head.head
        if self.lemma(owner) not in ("leave", "keep", "find", "have", "get", "want") or has(verb, "dobj", "auxpass"):
            return False
        objects = children(owner, "dobj")
        if not objects or objects[-1].i > verb.i or any(t.dep_ == "cc" for t in verb.doc[objects[-1].i : verb.i]):
            return False
        real = status(owner, self.lemma)
        particles = [c.lower_ for c in children(verb, "prt", "advmod") if c.lower_ in ("on", "off", "open", "shut")]
        things = [noun for thing in objects for noun in self._phrases.nouns(thing)]
        for word in (verb.lower_, *particles):
            self._said.add(things, word, real, self.lemma(owner) == "leave")
        joined = [c for c in children(verb, "conj") if c.pos_ == "ADJ"]
        self._said.predicate(things, joined, real, self.lemma(owner) == "leave")
        return True

    def _objects(self, verb: Token, child: Token) -> list[Token]:
        if child.tag_ in ("WDT", "WP") and verb.dep_ == "relcl":
            return self._phrases.nouns(verb.head)
        if child.lower_ == "that" and child.i < verb.i:  # "the apron that she was wearing"
            return self._phrases.nouns(child.nbor(-1)) if child.i and is_noun(child.nbor(-1)) else []
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
            elif singular(word) in TIMES and word not in ("time", "times") and child.tag_ in ("NN", "NNS", "NNP"):
                lasting = any(c.lower_ in ("all", "whole") for c in child.lefts)
                roles.append(("for" if lasting else "at", child))
            elif word in ("later", "afterwards", "afterward") and has(child, "npadvmod"):
                roles += [("after", noun) for noun in children(child, "npadvmod")]
            elif child.dep_ == "advmod" and has(child, "prep") and child.i > verb.i and word not in RESULTS:
                for prep in children(child, "prep"):  # "read it aloud to her husband"
                    roles += self._phrases.phrase(prep) if prep.lower_ not in ("of", "as", "than") else []
            elif word in RESULTS and child.i > verb.i:  # "pried it loose with a chisel"
                for prep in children(child, "prep"):
                    roles += self._phrases.phrase(prep)
            elif word == "again":  # "tied her apron on again"
                particles += [left.lower_ for left in child.lefts if left.lower_ in _PARTICLES]
            return
        if has_noun and child.dep_ in ("prep", "advmod", "prt"):
            placed = self._is_placed(lemma, verb, child)
            phrasal = f"{lemma} {word}" in _PHRASAL and child.i == verb.i + 1
            if (phrasal and _is_done_to(lemma, child) and not has(verb, "dobj", "nsubjpass")) or placed:
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
        elif word in _PARTICLES and child.i > verb.i:
            completed = any(verb.i < c.i < child.i for c in self._said.complements(verb, _PARTICLES) if c.i != child.i)
            if not _detached(verb, child) and not completed and not (lemma == "soak" and has(child, "prep")):
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
        if any(c.lower_ in ("when", "where", "why") for c in children(verb, "advmod")):
            return []
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
        late = [c for c in children(verb, "advmod") if c.i > verb.i and self._written[c.i].lower_ in RESULTS]
        self._said.predicate(subjects, [*children(verb, "acomp", "oprd"), *late], real, _is_until(verb))
        roles: list[tuple[str, Token]] = []
        particles: list[str] = []
        for child in verb.children:
            if child.dep_ in ("prep", "advmod", "prt"):
                self._adjunct("be", verb, child, roles, particles)
        for word in particles:
            self._said.add(subjects, word, real)
        if not has(verb, "expl"):
            self._said.identity(subjects, children(verb, "attr"), real, _is_until(verb))
        for adjective in children(verb, "acomp"):  # "black with grease", "full of lumps"
            for node in (adjective, *children(adjective, "conj")):
                for prep in children(node, "prep"):
                    roles += self._phrases.phrase(prep) if prep.lower_ in ("with", "of", "in") else []
        for noun in subjects if has(verb, "expl") else ():
            roles += self._phrases.lifted(noun, "be")
        if not subjects and not (roles and has(verb, "expl")):
            return None
        if not (roles or has(verb, "expl")):
            main = verb.dep_ in ("ROOT", "conj", "ccomp")
            return Clause("be", verb, [("agent", s) for s in subjects], real, silent=True) if main else None
        return Clause("be", verb, _unique([("agent", s) for s in subjects] + roles), real)

    def _small_clause(self, adjective: Token) -> None:
        """An adjective with the noun as its subject ("found the door open"); after "let" it is really a verb."""
        subjects = [n for s in children(adjective, "nsubj") for n in self._phrases.nouns(s)]
        if not subjects:  # "made the tablecloth smooth", read as one noun phrase
            subjects = [
                c for c in children(adjective, "amod", "compound", "nmod") if c.tag_ == "NN" and has(adjective, "det")
            ]
        if adjective.pos_ == "NOUN" and not has(adjective, "nsubj"):
            return
        real = status(adjective.head, self.lemma) if adjective.head.pos_ == "VERB" else Status()
        word, governor = self._written[adjective.i].lower_, self.lemma(adjective.head)
        adjectival = word in RESULTS or self._is_adjective(word) or word.endswith(("ed", "ing"))
        if governor in ("let", "help") or (governor in _PERCEIVING and not adjectival and has(adjective, "nsubj")):
            roles = [role for prep in children(adjective, "prep") for role in self._phrases.phrase(prep)]
            self.clauses.append(Clause(word, adjective, [("agent", s) for s in subjects] + roles, real))
        else:
            self._said.add(subjects, word, real, governor in _MAKING)

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
            if word == "back" and (token.pos_ not in ("ADV", "ADP", "PART") or self._goes_nowhere(token)):
                continue
            head = token.head
            while head.i not in by_token and head.i != head.head.i and head.dep_ not in ("acomp", "advcl"):
                head = head.head
            clause = by_token.get(head.i)
            if clause is not None and not (word == "back" and _is_no_return(clause.verb)):
                clause.again = True

    def _goes_nowhere(self, back: Token) -> bool:
        """Whether "back" tells a place or a direction: "Back at home, he ...", "to the back", "back and forth"."""
        before = back.nbor(-1) if back.i else None
        fronted = before is None or before.text == ","
        forth = any(t.lower_ == "forth" for t in back.doc[back.i + 1 : back.i + 3])
        return forth or (fronted and back.i < back.head.i) or (before is not None and before.lower_ == "to")


def _is_thing(token: Token) -> bool:
    """Whether what was taken for a clause is a plain noun phrase."""
    if token.tag_ not in ("NN", "NNS") or has(token, "nsubj", "cop", "aux", "mark", "cc"):
        return False
    return any(t.dep_ in ("det", "poss") and t.i < token.i for t in token.subtree)


def _is_split_off(verb: Token, adjective: Token) -> bool:
    """Whether an object was taken for the subject of the adverb after it: "snapped both rails clean through"."""
    subjects = children(adjective, "nsubj")
    return bool(subjects) and subjects[0].i > verb.i and not has(verb, "dobj") and not has(adjective, "aux", "mark")


def _held(everything: Token, phrases: Phrases) -> list[tuple[str, Token]]:
    """Where all of something was: "poured out all that was left in the thermos"."""
    places = [p for clause in children(everything, "relcl") for p in children(clause, "prep") if p.lower_ == "in"]
    return [("from", noun) for place in places for _, noun in phrases.phrase(place)]


def _modifies(token: Token) -> bool:
    """Whether a gerund only describes the noun after it: "filled it with steaming cocoa"."""
    if any(c.i < token.i for c in token.children) or token.i + 1 >= len(token.doc):
        return False
    return token.nbor().dep_ == "dobj" and token.nbor().head.i == token.i and not token.nbor().n_lefts


def _is_done_to(lemma: str, prep: Token) -> bool:
    """Whether what follows a particle can be its object; "slipped on the stairs" is no dressing."""
    nouns = children(prep, "pobj")
    return bool(nouns) and not (lemma == "slip" and any(noun.lower_ in _GROUND for noun in nouns))


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
    if phrasal and particle.lower_ in ("down", "over", "up") and has(verb, "dobj") and not has(particle, "advmod"):
        return False
    if particle.nbor(-1).lower_ == "upside":
        return True
    if any(c.lower_ != "back" or not phrasal for c in children(particle, "advmod")):
        return True
    if any(verb.i < prep.i < particle.i for prep in children(verb, "prep")):
        return True
    moved = any(verb.i < thing.i < particle.i for thing in children(verb, "dobj"))
    onward = particle.i + 1 < len(particle.doc) and particle.nbor().tag_ == "IN" and particle.nbor().dep_ == "prep"
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
