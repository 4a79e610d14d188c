"""The lexicon of things: it loads, says nothing twice, never contradicts itself, and knows the household by heart."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from functools import lru_cache
from pathlib import Path

import clingo
import pytest

from disproof.rules.sources import survey, tidy
from disproof.symbolic.aliases import head, lemma
from disproof.symbolic.vocabulary import is_human

RULES = Path(__file__).resolve().parents[2] / "rules"
# What may not be said of one noun together: kind -> the only other kinds that a noun of it may have.
ONLY_WITH = {
    "abstract": set(),
    "person": set(),
    "animal": {"food", "perishable", "cuttable"},
    "food": {
        "perishable", "cuttable", "freezable", "meltable", "powder", "liquid", "drink", "brittle", "fragile",
        "burnable", "absorbent", "animal", "part", "cleaning_agent",
    },
    "place": {
        "building", "room", "surface", "openable", "container", "fixture", "water_source", "plant", "trash",
    },
    "body_part": {"part", "openable", "surface", "sharp", "nature"},
    "gas": {"burnable", "nature"},
    "vehicle": {
        "machine", "device", "battery_device", "openable", "container", "cutting_tool", "toy", "sports_gear",
        "clothing", "footwear", "wearable", "tool",
    },
}  # fmt: skip

# Two dozen words that mean something else elsewhere, and what they are at home; "!" before what they must not be.
HOUSEHOLD = {
    "mouse": "device !animal", "iron": "device heater !material", "glass": "dish container fragile !material",
    "plant": "plant !building", "bat": "sports_gear !animal", "orange": "food cuttable !abstract",
    "nail": "fastener sharp !body_part", "pen": "writing_tool !container", "light": "device light !abstract",
    "stove": "heater device surface", "dryer": "device heater openable", "fan": "device !person",
    "bulb": "light fragile part !plant", "mixer": "device !person", "range": "heater device !abstract",
    "charge": "abstract", "watch": "jewelry battery_device", "tap": "water_source fixture",
    "match": "igniter burnable !sports_gear", "chest": "container !body_part", "date": "abstract !food",
    "hood": "part !body_part", "trunk": "container openable", "can": "container openable",
    "oven": "device machine heater container openable", "fridge": "cooler device openable container",
    "washing machine": "device machine container", "lawn mower": "machine cutting_tool !device",
    "car": "machine vehicle openable !device", "bicycle": "vehicle !machine", "cell phone": "battery_device device",
    "hair dryer": "device heater", "coffee maker": "device heater", "ice cream": "food meltable",
    "trash can": "trash container", "frying pan": "cookware container", "cutting board": "cookware surface",
    "remote control": "battery_device", "tape measure": "tool", "sewing machine": "device", "glue gun": "heater tool",
    "power drill": "tool device", "smoke detector": "battery_device", "flashlight": "battery_device light",
    "water": "drink liquid freezable", "milk": "drink perishable", "sugar": "food powder", "butter": "food meltable",
    "egg": "food fragile", "soap": "cleaning_agent", "shampoo": "cleaning_agent liquid", "towel": "absorbent textile",
    "sponge": "cleaning_tool absorbent", "broom": "cleaning_tool", "shoe": "footwear clothing wearable",
    "ring": "jewelry wearable", "pillow": "bedding textile", "book": "paper openable burnable",
    "table": "furniture surface",
    "drawer": "container openable", "kitchen": "room place", "park": "place !building", "house": "building place",
    "knife": "cutting_tool sharp cutlery", "scissors": "cutting_tool sharp", "candle": "meltable light burnable",
    "ice": "meltable freezable", "vase": "fragile container", "guitar": "instrument", "kite": "toy",
    "basketball": "ball toy", "money": "money", "aspirin": "medicine", "mother": "person", "dog": "animal",
    "hand": "body_part", "party": "abstract", "wood": "material burnable", "soup": "food liquid",
}  # fmt: skip


@lru_cache(maxsize=1)
def lexicon() -> dict[str, set[tuple[str, str]]]:
    """Every fact of the three files by predicate, as clingo itself reads them; any message of clingo is a failure."""
    messages: list[str] = []
    control = clingo.Control(logger=lambda _code, text: messages.append(text))
    for name in tidy.LEXICON:
        control.load(str(RULES / name))
    control.ground()
    facts: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for atom in control.symbolic_atoms:
        assert atom.is_fact
        first, second = atom.symbol.arguments
        facts[atom.symbol.name].add((first.string, second.string if second.type == second.type.String else str(second)))
    assert not messages
    return dict(facts)


def kinds() -> dict[str, set[str]]:
    table: dict[str, set[str]] = defaultdict(set)
    for noun, kind in lexicon()["kind"]:
        table[noun].add(kind)
    return table


def test_the_files_load_in_clingo_without_a_message_and_hold_only_the_facts_they_promise() -> None:
    assert set(lexicon()) == {"kind", "part", "essential", "supplies", "synonym", "near_synonym", "isa"}


@pytest.mark.parametrize("name", tidy.LEXICON)
def test_no_fact_is_written_twice(name: str) -> None:
    counts = Counter(map(str, tidy.read_facts(RULES / name)))
    assert [fact for fact, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("name", tidy.LEXICON)
def test_the_files_are_tidy(name: str) -> None:
    text = (RULES / name).read_text(encoding="utf-8")
    assert tidy.tidy(text, name) == text
    assert max(map(len, text.splitlines())) <= 120


def test_nouns_are_lower_case_without_stray_spaces() -> None:
    nouns = {noun for facts in lexicon().values() for fact in facts for noun in fact}
    assert [noun for noun in nouns if noun != " ".join(noun.lower().split())] == []


def test_every_noun_that_another_file_relates_is_a_known_thing() -> None:
    known = set(kinds())
    for predicate in ("part", "essential", "supplies", "synonym", "near_synonym"):
        assert {noun for fact in lexicon()[predicate] for noun in fact} - known == set(), predicate
    assert {specific for specific, _general in lexicon()["isa"]} - known == set()


@pytest.mark.parametrize("kind", ONLY_WITH)
def test_no_noun_has_contradictory_kinds(kind: str) -> None:
    clashes = {noun: own - ONLY_WITH[kind] - {kind} for noun, own in kinds().items() if kind in own}
    assert {noun: extra for noun, extra in clashes.items() if extra} == {}


@pytest.mark.parametrize(
    ("kind", "implied"),
    [
        ("battery_device", "device"), ("drink", "liquid"), ("footwear", "clothing"), ("clothing", "wearable"),
        ("jewelry", "wearable"), ("building", "place"), ("room", "place"), ("ball", "toy"),
    ],
)  # fmt: skip
def test_a_kind_brings_the_kinds_it_implies(kind: str, implied: str) -> None:
    assert [noun for noun, own in kinds().items() if kind in own and implied not in own] == []


@pytest.mark.parametrize("noun", HOUSEHOLD)
def test_a_household_word_has_its_household_meaning(noun: str) -> None:
    own = kinds()[noun]
    for word in HOUSEHOLD[noun].split():
        assert (word.removeprefix("!") in own) is not word.startswith("!"), word


def test_synonyms_have_the_same_kinds() -> None:
    table = kinds()
    assert {(a, b) for a, b in lexicon()["synonym"] if table[a] != table[b]} == set()


def test_synonym_pairs_are_written_once_in_order_and_are_not_also_near_synonyms() -> None:
    for predicate in ("synonym", "near_synonym"):
        assert {(a, b) for a, b in lexicon()[predicate] if a >= b} == set()
    assert lexicon()["synonym"] & lexicon()["near_synonym"] == set()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("fridge", "refrigerator"), ("faucet", "tap"), ("flashlight", "torch"), ("rubbish", "trash"),
        ("hoover", "vacuum"), ("bin", "trash can"), ("couch", "sofa"), ("television", "tv"), ("cell phone", "phone"),
        ("bicycle", "bike"),
    ],
)  # fmt: skip
def test_british_and_american_names_are_synonyms(a: str, b: str) -> None:
    assert (a, b) in lexicon()["synonym"]


@pytest.mark.parametrize(("a", "b"), [("cup", "glass"), ("glass", "mug"), ("backpack", "bag"), ("document", "paper")])
def test_doubtful_pairs_are_only_near_synonyms(a: str, b: str) -> None:
    assert (a, b) not in lexicon()["synonym"]
    assert (a, b) in lexicon()["near_synonym"]


def test_no_general_name_is_circular() -> None:
    up: dict[str, set[str]] = defaultdict(set)
    for specific, general in lexicon()["isa"]:
        up[specific].add(general)

    def above(noun: str, path: tuple[str, ...]) -> None:
        assert noun not in path, (*path, noun)
        for general in up.get(noun, ()):
            above(general, (*path, noun))

    for noun in list(up):
        above(noun, ())


@pytest.mark.parametrize(
    ("specific", "general"),
    [
        ("pizza", "food"), ("washing machine", "machine"), ("tea", "drink"), ("tea", "beverage"), ("apple", "fruit"),
        ("carrot", "vegetable"), ("beef", "meat"), ("truck", "vehicle"), ("guitar", "instrument"), ("shirt", "clothes"),
        ("dress", "outfit"), ("toaster", "appliance"), ("sofa", "furniture"), ("puppy", "pet"), ("baseball", "ball"),
        ("novel", "book"), ("cookie", "snack"), ("cake", "dessert"), ("lasagna", "dish"), ("lunch", "meal"),
        ("hammer", "tool"), ("kite", "toy"), ("jar", "container"), ("laptop", "device"), ("horse", "animal"),
    ],
)  # fmt: skip
def test_stories_may_take_a_thing_up_by_its_general_name(specific: str, general: str) -> None:
    assert (specific, general) in lexicon()["isa"]


def test_an_ice_cream_is_no_cream_and_a_hot_dog_no_dog() -> None:
    wrong = {("ice cream", "cream"), ("hot dog", "dog"), ("peanut butter", "butter"), ("dutch oven", "oven")}
    assert wrong & lexicon()["isa"] == set()


def test_a_pair_is_either_an_essential_part_or_another_part() -> None:
    assert lexicon()["essential"] & lexicon()["part"] == set()


def test_nothing_is_a_part_of_its_own_part() -> None:
    parts = lexicon()["essential"] | lexicon()["part"]
    assert {(a, b) for a, b in parts if a == b or (b, a) in parts} == set()


@pytest.mark.parametrize(
    ("part", "whole"),
    [
        ("battery", "phone"), ("bulb", "lamp"), ("tire", "bicycle"), ("tire", "car"), ("string", "guitar"),
        ("handle", "hammer"), ("needle", "sewing machine"), ("cord", "iron"), ("blade", "knife"),
    ],
)  # fmt: skip
def test_the_whole_does_not_work_without_an_essential_part(part: str, whole: str) -> None:
    assert (part, whole) in lexicon()["essential"]


@pytest.mark.parametrize(("part", "whole"), [("mirror", "car"), ("drawer", "desk"), ("lid", "jar"), ("page", "book")])
def test_the_whole_still_works_without_another_part(part: str, whole: str) -> None:
    assert (part, whole) in lexicon()["part"]


@pytest.mark.parametrize(
    ("supply", "device"),
    [("ink", "printer"), ("staple", "stapler"), ("gas", "car"), ("ink", "pen"), ("toner", "copier")],
)
def test_devices_use_up_their_supplies(supply: str, device: str) -> None:
    assert (supply, device) in lexicon()["supplies"]


def test_tidy_sorts_packs_and_removes_repeats_but_keeps_comments() -> None:
    text = '% tools\nkind("saw", tool). kind("axe", tool).\nkind("saw", tool).\n\n% toys\nkind("kite", toy).\n'
    assert tidy.tidy(text) == '% tools\nkind("axe", tool). kind("saw", tool).\n\n% toys\nkind("kite", toy).\n'


def test_tidy_names_the_line_that_is_no_fact() -> None:
    with pytest.raises(ValueError, match=r'^x\.lp:2: expected facts .* found \'kind\("oven" device\)\.\''):
        tidy.tidy('% devices\nkind("oven" device).\n', "x.lp")


@pytest.fixture
def wordnet(tmp_path: Path) -> survey.WordNet:
    """A WordNet of four senses: a range is an extent, a mug a container, and so is a tankard; geese are irregular."""
    (tmp_path / "index.noun").write_text(
        "  1 This licence line is indented.\n"
        "range n 1 0 1 0 00000001\nmug n 1 1 @ 1 0 00000002\ntankard n 1 1 @ 1 0 00000002\n"
        "container n 1 0 1 0 00000003\ngoose n 1 0 1 0 00000004\n"
    )
    (tmp_path / "data.noun").write_text(
        "00000001 07 n 01 range 0 000 | an extent\n"
        "00000002 06 n 02 mug 0 tankard 0 001 @ 00000003 n 0000 | for drinking\n"
        "00000003 06 n 01 container 0 000 | holds things\n"
        "00000004 05 n 01 goose 0 000 | a bird\n"
    )
    (tmp_path / "noun.exc").write_text("geese goose\n")
    return survey.WordNet(tmp_path)


def test_the_survey_takes_kinds_from_all_that_stands_above_a_sense(wordnet: survey.WordNet) -> None:
    mug = wordnet.first("mug")
    assert mug is not None
    assert wordnet.kinds(mug) == {"container"}


@pytest.mark.parametrize(("word", "noun"), [("mugs", "mug"), ("geese", "goose"), ("goose", "goose"), ("mu", None)])
def test_the_survey_finds_the_noun_of_a_form(wordnet: survey.WordNet, word: str, noun: str | None) -> None:
    assert wordnet.lemma(word) == noun


def test_the_survey_disputes_a_kind_that_the_first_sense_contradicts(wordnet: survey.WordNet) -> None:
    found = list(survey.disputed(wordnet, {"range": {"device", "heater"}, "mug": {"container"}}))
    assert found == ["range: device; WordNet: range (file 7)"]


def test_the_survey_offers_names_of_one_sense_that_are_not_yet_paired(wordnet: survey.WordNet) -> None:
    own = {"mug": {"dish"}, "tankard": {"dish"}}
    assert list(survey.unpaired(wordnet, own, set())) == ['synonym("mug", "tankard").  % mug, tankard']
    assert list(survey.unpaired(wordnet, own, {frozenset(own)})) == []


def test_nearly_every_thing_of_trip_is_known_by_its_name_or_its_head(data_dir: Path) -> None:
    table = kinds()
    things: Counter[str] = Counter()
    with gzip.open(data_dir / "trip" / "dev.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            things.update(name for name in json.loads(line)["participants"] if not is_human(name))
    known = sum(count for name, count in things.items() if lemma(name) in table or head(name) in table)
    assert known >= 0.98 * things.total()
