"""What the pronouns of a story stand for, where it is safe to say: a story followed clause by clause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..symbolic.aliases import head, lemma, singular
from ..symbolic.vocabulary import is_human
from .mentions import is_person
from .phrases import TIMES, UNITS

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


KNOWN_NAMES: Final = _FEMALE | _MALE
# What each of some verbs is done to; of the things named before, "it" is then one of these.
_VEHICLES: Final = (
    "bicycle bike boat bus cab canoe car cart ferry jeep kayak limousine lorry motorbike motorcycle mower pickup plane "
    "scooter ship skateboard sled taxi tractor trailer train truck van wagon"
)
_DEVICES: Final = (
    "alarm blender breaker burner camera car cleaner clock computer copier dishwasher drill dryer engine fan "
    "flashlight "
    "freezer fridge furnace generator grill grinder headlamp heater iron kettle lamp laptop lawnmower light machine "
    "microwave mixer motor motorcycle mower oven phone printer radio refrigerator saw shredder sprinkler stove "
    "television toaster torch tractor truck tv vacuum van washer"
)
_DRINKS: Final = "beer broth cider cocoa coffee cola drink juice lemonade liquid milk smoothie soda soup tea water wine"
_CLOTHES: Final = (
    "apron belt blazer boot cap coat dress glasses glove goggles hat helmet jacket jeans mask mitten pants raincoat "
    "ring "
    "robe sandal scarf shirt shoe shorts skirt sneaker sock sweater swimsuit tie trousers vest watch"
)
_ANIMALS: Final = "bear bird cat chicken cow dog goat hen horse kitten parrot pig pony puppy rabbit sheep spaniel"
_WRITINGS: Final = (
    "book card contract letter magazine map menu newspaper note novel page paper poem postcard report story"
)
_FOODS: Final = (
    "apple banana bread bun burger cake candy carrot cheese chicken chocolate cookie corn cream doughnut egg fish "
    "fruit ham "
    "lunch meal meat muffin noodle orange pancake pasta pie pizza potato rice salad sandwich sausage snack soup "
    "steak stew toast tomato waffle watermelon"
)
_FIRES: Final = "candle fire flame lamp lantern light match torch"
# What each of some parts is a part of.
_OWNING: Final = {
    part: frozenset(things.split())
    for parts, things in (
        ("blade button cord lid motor plug switch", _DEVICES),
        ("bumper engine hood tank tire tyre wheel windshield", _VEHICLES),
        ("belly collar fur leg paw tail", _ANIMALS),
    )
    for part in parts.split()
}
_FITTING: Final = {
    verb.replace("_", " "): frozenset(things.split())
    for verbs, things in (
        ("bail_out drive moor paddle park pedal ride row sail steer", _VEHICLES),
        ("charge click_on plug_in power shut_off start switch_off switch_on turn_off turn_on unplug", _DEVICES),
        ("drink drink_down drink_up gulp gulp_down sip slurp", _DRINKS),
        ("button lace put_on take_off tie_on try_on wear", _CLOTHES),
        ("leash milk pet shoo shoo_away shoo_off shoo_out stroke", _ANIMALS),
        ("bite chew devour eat eat_up gobble gobble_up swallow", _FOODS),
        ("post read sign", _WRITINGS),
    )
    for verb in verbs.split()
}
# What does each of some verbs.
_ACTING: Final = {
    verb.replace("_", " "): frozenset(things.split())
    for verbs, things in (
        ("boil_over drain drain_away evaporate flow leak spill trickle", f"{_DRINKS} foam gas gasoline oil petrol"),
        ("burn_out die go_out", _FIRES),
        ("bark graze growl limp meow purr whimper whine", _ANIMALS),
    )
    for verb in verbs.split()
}
# Nothing that a pronoun takes up: measures, times and turns of phrase.
_PASSED_OVER: Final = (
    TIMES | UNITS | frozenset("boil fire hold home joke place side size start stop turn way width".split())
)
PLURALS: Final = frozenset(
    "binoculars clothes glasses goggles headphones jeans overalls pajamas pants pliers scissors shears shorts "
    "sunglasses tights tongs trousers tweezers".split()
)
_LEAVING: Final = frozenset("come cycle disappear drive escape flee fly go leave ride run vanish walk".split())
_SHOPS: Final = frozenset("fair market shop stall stand store street supermarket town".split())
_KINDS: Final = frozenset("another any more none one ones other others some".split())


@dataclass(frozen=True)
class _Clause:
    sentence: int
    verb: str
    arguments: tuple[tuple[str, str], ...]
    silent: bool = False


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
    _REACH: Final = 2

    def __init__(self, entities: Sequence[str]) -> None:
        self._people = [entity for entity in entities if is_person(entity)]
        self._names = [
            person for person in self._people if is_human(person) and "'" not in person and "’" not in person
        ]
        self._subjects: list[tuple[int, str]] = []
        self._clauses: list[_Clause] = []
        self._many: dict[str, bool] = {}
        self._female: dict[str, bool] = {}
        self._placed = False  # whether what was found last was only the place of something
        self._last: dict[tuple[int, bool], str] = {}

    def add(self, sentence: int, verb: str, arguments: Sequence[tuple[str, str]], silent: bool = False) -> None:
        """Remember a clause whose names are resolved; ``silent``: it only says how its agent is."""
        self._clauses.append(_Clause(sentence, verb, tuple(arguments), silent))
        for role, name in arguments:
            if role == "agent" and is_person(name):
                self._subjects.append((sentence, name))

    def gender(self, name: str, female: bool) -> None:
        """Remember whether somebody is a she."""
        self._female.setdefault(name, female)

    def number(self, name: str, many: bool) -> None:
        """Remember whether a thing was last named in the plural ("the mangoes", "a mango")."""
        self._many[name] = many

    def resolve(self, pronoun: str, sentence: int, verb: str, role: str, others: Sequence[str]) -> list[str]:
        """The names a pronoun stands for, none where it is not safe to say; ``others`` are in the same clause."""
        if pronoun in ("he", "she", "him", "her", "himself", "herself"):
            return self._person(pronoun, sentence, others if role != "agent" and "self" not in pronoun else ())
        if pronoun in ("i", "me", "myself"):
            return ["I"]
        if pronoun in ("it", "itself", "its"):
            return self._thing(sentence, verb, role, others, plural=False)
        if pronoun in _KINDS:
            return self._kind(sentence)
        if pronoun in ("they", "them", "themselves"):
            group = self._group() if role == "agent" else []
            things = self._thing(sentence, verb, role, others, plural=True)
            if role == "agent" and verb != "be":
                alone = (len(self._names) < 3 and not things) or (len(self._names) == 2 and self._placed)
                return group or (self._names if alone and self._names else things)
            return things or group
        return []

    def _person(self, pronoun: str, sentence: int, others: Sequence[str]) -> list[str]:
        """He or she: who acts earlier in the sentence, else the story's only named person, else whom it is about."""
        female = pronoun.startswith(("she", "her"))
        barred = _MALE if female else _FEMALE

        def fits(name: str) -> bool:
            if name in self._female:
                return self._female[name] == female and name not in others
            return head(name) not in barred and name not in others

        near = [name for place, name in reversed(self._subjects) if place == sentence and fits(name)]
        beside = [
            name
            for clause in reversed(self._clauses)
            if clause.sentence == sentence
            for _, name in clause.arguments
            if is_person(name) and fits(name)
        ]
        # An earlier sentence is about its first subject; whoever is known to be a he or a she comes first.
        topics = dict(reversed([pair for pair in self._subjects if fits(pair[1])]))
        latest = [topics[place] for place in sorted(topics, reverse=True)]
        known = [name for name in self._people if fits(name)]
        if near:
            found = near[:1]
        elif len(self._names) == 1 and fits(self._names[0]):
            found = [self._names[0]]
        else:
            found = [n for n in latest if n in self._female][:1] or latest[:1] or beside[:1]
            found = found or (known if len(known) == 1 else [])
        for name in found:
            self._female.setdefault(name, female)
        return found

    def _kind(self, sentence: int) -> list[str]:
        """What "another" or "a new one" is another of: what was last named, be it one or many."""
        for clause in reversed(self._clauses):
            if sentence - clause.sentence > self._REACH + 1:
                break
            for wanted in (("object",), ("for",), ("agent",), ("of", "with")):
                for place, name in clause.arguments:
                    if place in wanted and not is_person(name) and head(name) not in _PASSED_OVER | _SHOPS:
                        return [name]
        return []

    def _group(self) -> list[str]:
        for clause in reversed(self._clauses):
            people = list(dict.fromkeys(name for _, name in clause.arguments if is_person(name)))
            if people:
                return people if len(people) > 1 or any(_is_plural(name) for name in people) else []
        return []

    def _thing(self, sentence: int, verb: str, role: str, others: Sequence[str], plural: bool) -> list[str]:
        fitting = _FITTING.get(verb)
        if role == "agent":
            fitting = _ACTING.get(verb)
            if (sentence, plural) in self._last and self._last[sentence, plural] not in others and verb not in _ACTING:
                return [self._last[sentence, plural]]  # "gave it a shot, and it slept"
        if role == "whole":
            fitting = _OWNING.get(verb)
        if fitting is not None and role in ("agent", "object", "whole"):
            for clause in reversed(self._clauses):
                if sentence - clause.sentence > self._REACH:
                    break
                fit = [
                    (place, name)
                    for place, name in clause.arguments
                    if head(name) in fitting and name not in others and self._counts_as_many(name) == plural
                ]
                if fit:  # "put ice cream and cake on a plate and ate it"
                    return [name for place, name in fit if place == fit[0][0]]
        # What only says how a thing is tells of it best within its sentence.
        near = [c for c in self._clauses if not c.silent or sentence - c.sentence < 2]
        found = self._latest(near, sentence, verb, role, others, plural)
        found = found or self._latest(self._clauses, sentence, verb, role, others, plural)
        if len(found) == 1:
            self._last[sentence, plural] = found[0]
        return found

    def _latest(
        self, clauses: Sequence[_Clause], sentence: int, verb: str, role: str, others: Sequence[str], plural: bool
    ) -> list[str]:
        base = verb.split()[0] if verb else ""
        for clause in reversed(clauses):
            if sentence - clause.sentence > self._REACH:
                break
            things = [
                (place, name)
                for place, name in clause.arguments
                if not is_person(name) and name not in others and name != "I" and head(name) not in _PASSED_OVER
            ]
            if base in self._TOOL_VERBS:
                things = [(place, name) for place, name in things if lemma(name) not in self._TOOLS]
            if clause.verb == "use":  # "used the key to open it"
                things = [(place, name) for place, name in things if place != "object"]
            # "heated oil in a pan and put the onions in it": what holds things is what holds more of them.
            inside = (("in", "into"),) if role in ("in", "into", "out_of", "from") else ()
            source = (("from", "out_of"),) if role in ("in", "into") else ()
            taken = (("with",),) if clause.verb.split()[0] in _LEAVING else ()  # "ran off with her passport"
            for wanted in (
                *inside,
                ("object",),
                *source,
                ("agent",),
                *taken,
                ("of",),
                ("into", "in", "on", "onto", "to", "at", "from", "out_of", "over", "under", "through", "for"),
            ):
                names = [name for place, name in things if place in wanted]
                self._placed = wanted not in (("object",), ("agent",))
                if plural:
                    many = [name for name in names if self._counts_as_many(name)]
                    if many or len(names) > 1:
                        return many if many and wanted != ("object",) else names
                else:
                    single = [name for name in names if not self._counts_as_many(name)]
                    if single:
                        # Two things just handled together ("put milk and flour in a bowl") are "it" together.
                        return single if wanted == ("object",) else single[-1:]
            if plural and clause.sentence == sentence and len(things) > 1:
                return [name for _, name in things]  # "put the pizza on the pan and put them into the oven"
        return []

    def _counts_as_many(self, name: str) -> bool:
        if name in self._many:
            return self._many[name]
        return _is_plural(name) or not PLURALS.isdisjoint(lemma(name).split()[-1:])


def _is_plural(name: str) -> bool:
    words = name.lower().split()
    return bool(words) and singular(words[-1]) != words[-1]
