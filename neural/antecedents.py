"""What the pronouns of a story stand for, where it is safe to say: a story followed clause by clause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..symbolic.aliases import head, lemma, singular
from ..symbolic.vocabulary import is_human
from .mentions import is_person

# Words and common first names that "he" or "she" cannot stand for; a name in neither list can be either's.
_FEMALE: Final = frozenset(
    "aunt daughter girl girlfriend grandma grandmother lady mom mother niece sister waitress wife woman "
    "alice amy andrea angela ann anna anne barbara betty carol christine cindy diana donna elizabeth ella emily emma "
    "eva grace hannah heather helen jane janet jennifer jenny jessica jill joan julia julie karen kate katie kelly "
    "laura linda lisa lucy margaret maria marie mary megan michelle nancy nicole olivia rachel rebecca rose ruth sally "
    "sandra sara sarah sophia sophie susan tina".split()
)
_MALE: Final = frozenset(
    "boy boyfriend brother dad father fireman grandfather grandpa guy husband man nephew salesman son uncle "
    "adam alan andrew anthony ben bill bob brad brian charles charlie chris daniel dave david dennis ed edward eric "
    "frank fred gary george greg harry henry jack jacob james jason jeff jim joe john josh ken kevin kyle larry liam "
    "luke mark matt matthew max michael mike nick noah oliver patrick paul pete peter richard rick rob robert roger "
    "ron ryan scott sean stephen steve steven thomas tim tom tyler will william".split()
)


@dataclass(frozen=True)
class _Clause:
    sentence: int
    verb: str
    arguments: tuple[tuple[str, str], ...]


class Antecedents:
    """What the pronouns of a story stand for; fed with each clause once its own names are known."""

    # "took a knife and cut it": what is cut is not the knife.
    _TOOL_VERBS: Final = frozenset(
        "chop cut dry eat fix hit loosen mash mix open peel repair scrub slice spread stir tighten wipe".split()
    )
    _TOOLS: Final = frozenset(
        "brush cloth fork hammer key knife mop needle pen pencil rag saw scissor scissors screwdriver spoon sponge "
        "towel wrench".split()
    )
    _PLURALS: Final = frozenset(
        "binoculars clothes glasses goggles headphones jeans overalls pajamas pants pliers scissors shears shorts "
        "sunglasses tights tongs trousers tweezers".split()
    )
    _REACH: Final = 2

    def __init__(self, entities: Sequence[str]) -> None:
        self._people = [entity for entity in entities if is_person(entity)]
        self._names = [person for person in self._people if is_human(person)]
        self._subjects: list[str] = []
        self._clauses: list[_Clause] = []

    def add(self, sentence: int, verb: str, arguments: Sequence[tuple[str, str]]) -> None:
        """Remember a clause whose names are resolved."""
        self._clauses.append(_Clause(sentence, verb, tuple(arguments)))
        for role, name in arguments:
            if role == "agent" and is_person(name):
                self._subjects.append(name)

    def resolve(self, pronoun: str, sentence: int, verb: str, role: str, others: Sequence[str]) -> list[str]:
        """The names a pronoun stands for, none where it is not safe to say; ``others`` are in the same clause."""
        if pronoun in ("he", "she", "him", "her", "himself", "herself"):
            return self._person(pronoun, others if role != "agent" and "self" not in pronoun else ())
        if pronoun in ("i", "me", "myself"):
            return ["I"]
        if pronoun in ("it", "itself"):
            return self._thing(sentence, verb, role, others, plural=False)
        if pronoun in ("they", "them", "themselves"):
            group = self._group() if role == "agent" else []
            things = self._thing(sentence, verb, role, others, plural=True)
            if role == "agent" and verb != "be":
                return group or (self._names if len(self._names) == 1 and not things else things)
            return things or group
        return []

    def _person(self, pronoun: str, others: Sequence[str]) -> list[str]:
        barred = _MALE if pronoun.startswith(("she", "her")) else _FEMALE

        def fits(name: str) -> bool:
            return head(name) not in barred and name not in others

        if len(self._names) == 1 and fits(self._names[0]):
            recent = [name for name in self._subjects[-1:] if not is_human(name) and fits(name)]
            return recent or [self._names[0]]
        for name in reversed(self._subjects):
            if fits(name):
                return [name]
        known = [name for name in self._people if fits(name)]
        return known if len(known) == 1 else []

    def _group(self) -> list[str]:
        for clause in reversed(self._clauses):
            people = list(dict.fromkeys(name for _, name in clause.arguments if is_person(name)))
            if people:
                return people if len(people) > 1 or any(_is_plural(name) for name in people) else []
        return []

    def _thing(self, sentence: int, verb: str, role: str, others: Sequence[str], plural: bool) -> list[str]:
        base = verb.split()[0] if verb else ""
        for clause in reversed(self._clauses):
            if sentence - clause.sentence > self._REACH:
                break
            things = [
                (place, name)
                for place, name in clause.arguments
                if not is_person(name) and name not in others and name not in ("home", "I")
            ]
            if base in self._TOOL_VERBS:
                things = [(place, name) for place, name in things if lemma(name) not in self._TOOLS]
            if clause.verb == "use":  # "used the key to open it"
                things = [(place, name) for place, name in things if place != "object"]
            # "heated oil in a pan and put the onions in it": what holds things is what holds more of them.
            inside = (("in", "into"),) if role in ("in", "into", "out_of", "from") else ()
            for wanted in (
                *inside,
                ("object",),
                ("agent",),
                ("into", "in", "on", "onto", "to", "at", "from", "out_of", "for"),
            ):
                names = [name for place, name in things if place in wanted]
                if plural:
                    many = [name for name in names if self._counts_as_many(name)]
                    if many or len(names) > 1:
                        return names if len(names) > 1 else many
                else:
                    single = [name for name in names if not self._counts_as_many(name)]
                    if single:
                        # Two things just handled together ("put milk and flour in a bowl") are "it" together.
                        return single if wanted == ("object",) else single[-1:]
            if plural and clause.sentence == sentence and len(things) > 1:
                return [name for _, name in things]  # "put the pizza on the pan and put them into the oven"
        return []

    def _counts_as_many(self, name: str) -> bool:
        return _is_plural(name) or not self._PLURALS.isdisjoint(lemma(name).split()[-1:])


def _is_plural(name: str) -> bool:
    words = name.lower().split()
    return bool(words) and singular(words[-1]) != words[-1]
