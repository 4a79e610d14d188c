"""What is left out of a story's program changes nothing: the conflicts are those of plain clingo on everything."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import clingo
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from disproof.bridge.examples import examples_of, read_example
from disproof.neural.fake import FakeTagger
from disproof.neural.parser import Parser
from disproof.symbolic.example import Example
from disproof.symbolic.facts import Facts, story_facts
from disproof.symbolic.parse import Event, Mention, Parse, Property
from disproof.symbolic.program import CONFLICT, compile_program, program_text, trace_text
from disproof.symbolic.rulebook import SHIPPED, RuleBook, load
from disproof.symbolic.solver import Solver
from disproof.symbolic.vocabulary import Side


def book(text: str) -> RuleBook:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rules.lp"
        path.write_text(text)
        return load([path])


def plain_conflicts(text: str, facts: Facts) -> set[str]:
    """The well-formed conflicts of plain clingo, on all rules and all facts, told as text."""
    control = clingo.Control(["--warn=none"])
    control.add("base", [], text + "\n" + "".join(f"{symbol}.\n" for symbol in facts.symbols))
    control.ground([("base", [])])
    found: set[str] = set()
    with control.solve(yield_=True) as handle:
        model = handle.model()
        assert model is not None
        for atom in model.symbols(atoms=True):
            if atom.match(*CONFLICT):
                i, j = atom.arguments[:2]
                if i.type == j.type == clingo.SymbolType.Number and 0 <= i.number < j.number < facts.sentences:
                    found.add(str(atom))
    return found


def conflicts(solver: Solver, facts: Facts) -> set[str]:
    return {conflict.proof.atom for conflict in solver.solve(facts)}


def live(rules: RuleBook, facts: Facts) -> list[str]:
    program = compile_program(rules)
    return [traced.rule.text for traced in program.live(program.concerning(facts))]


# ---- Any rules, any facts

# Each stands for a way in which a rule can reach a fact of a lexicon, or in which a condition can be met.
RULES = (
    'conflict(I,J,constant,E,power) :- arg(I,_,object,E), verb(J,"cut"), I < J.',
    "conflict(I,J,joined,E,power) :- verb(I,V), lead(V,K), arg(J,_,object,E), isa(E,K), I < J.",
    "conflict(I,J,chained(K),E,power) :- far(V,K), verb(I,V), arg(J,_,_,E), I < J.",
    "far(V,K) :- lead(V,K).\nfar(V,L) :- far(V,K), lead(K,L).",
    'conflict(I,J,said(X),E,power) :- lead("cut",X), arg(I,_,object,E), arg(J,_,object,E), I < J.',
    'conflict(I,J,elsewhere(X),E,power) :- lead("v",X), arg(I,_,object,E), arg(J,_,object,E), I < J.',
    "conflict(0,1,anything(X),E,power) :- lead(X,_), entity(E).",
    "conflict(0,1,backwards(X),E,power) :- lead(X,E), entity(E).",
    "conflict(I,J,free,E,power) :- marked(X), not excepted(X,E), arg(I,_,object,E), sentence(J), I < J.",
    "excepted(X,E) :- marked(X), isa(E,X).",
    "excepted(X,E) :- name(E,_), lead(X,a).",
    "conflict(I,J,mixed,E,power) :- both(V), verb(I,V), arg(J,V,object,E), I < J.",
    'both("eat").\nboth(V) :- lead(V,a).',
    "conflict(I,J,opened,E,power) :- act(I,V), opening(V), arg(J,_,_,E), I < J.",
    'act(T,V) :- verb(T,V), not marked(V).\nopening("cut").\nopening(V) :- lead(V,a).\nopening(V) :- isa("v",V).',
    "conflict(I,J,opens(V),E,power) :- opening(V), doing(V), arg(I,_,object,E), mention(J,E), I < J.",
    "conflict(I,J,passing,E,power) :- act(I,V), passed(V), arg(J,_,_,E), I < J.",
    'passed(V) :- opening(V).\npassed(V) :- bare(V).\nbare(V) :- isa(V,"w").\nopening(V) :- passed(V).',
    "conflict(0,1,loose(V),E,power) :- passed(V), entity(E).",
    "doing(V) :- act(_,V).\ndoing(V) :- lead(_,V).",
    "conflict(I,J,not_opening,E,power) :- act(I,V), not opening(V), arg(I,V,_,E), mention(J,E), I < J.",
    "conflict(I,J,pair(X),E,power) :- one(X), two(X), arg(I,_,object,E), mention(J,E), I < J.",
    "one(X) :- lead(X,_).\ntwo(X) :- isa(X,_).",
    "conflict(0,1,counted(N),E,power) :- N = #count { X : lead(X,_) }, entity(E).",
    "conflict(0,2,all,E,power) :- entity(E), lead(X,_) : marked(X).",
    "conflict(I,J,pooled,E,(power;wet)) :- arg(I,_,(object;with),E), mention(J,E), I < J.",
    "conflict(I,J,between,E,power) :- arg(I,_,object,E), number(0..1), not number(2..3), sentence(J), I < J.",
    "number(0). number(3).",
    "conflict(I,I+1,next,E,power) :- arg(I,V,object,E), not lead(V,_).",
    "conflict(I,J,kept,E,power) :- kept(I,J-1,E), lost(J,E).",
    "kept(T,T,E) :- arg(T,_,object,E).\nkept(S,T+1,E) :- kept(S,T,E), not lost(T+1,E), sentence(T+1).",
    'lost(T,E) :- property(T,E,W), isa(W,"gone").\nlost(T,E) :- verb(T,V), lead(V,a), mention(T,E).',
    "there(T,E) :- mention(T,E), not gone(T,E).\ngone(T,E) :- there(S,E), mention(T,E), S < T, arg(S,_,object,E).",
    "conflict(I,J,there_then_gone,E,power) :- there(I,E), gone(J,E), I < J.",
    "conflict(I,J,again,E,wet) :- conflict(I,J,_,E,power), not not marked(E).",
    'conflict(0,1,bare,"cup",power).',
    "conflict(J,I,wrong_order,E,power) :- arg(I,_,_,E), sentence(J), I < J.",
    "conflict(E,E,no_numbers,E,power) :- entity(E).",
    "conflict(I,J,equal,E,power) :- lead(X,Y), X = Y, mention(I,E), mention(J,E), I < J.",
    "conflict(I,J,nested(X),E,power) :- boxed(box(X)), isa(E,X), mention(I,E), mention(J,E), I < J.",
    'boxed(box("cup")). boxed(box(a)).\nboxed(box(X)) :- lead(_,X).',
    "conflict(I,J,hidden,E,power) :- unused(I,J,E).",
)
WORDS = ["cup", "lid", "cut", "gone", "v", "w"]  # the last two are in no story
TERMS = [*(f'"{word}"' for word in WORDS), "a"]
LEXICON = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["lead", "isa"]), st.sampled_from(TERMS), st.sampled_from(TERMS)),
        st.tuples(st.just("marked"), st.sampled_from(TERMS)),
    ).map(lambda fact: f"{fact[0]}({','.join(fact[1:])})."),
    max_size=6,
)
NOUNS = st.sampled_from(["cup", "lid", "Ann"])
SENTENCE = st.integers(0, 3)
EVENTS = st.builds(
    Event,
    SENTENCE,
    st.just(0),
    st.sampled_from(["cut", "eat", "wash"]),
    st.lists(st.tuples(st.sampled_from(["object", "with"]), NOUNS), max_size=2).map(tuple),
)
PARSES = st.builds(
    Parse,
    st.just(("a", "b", "c", "d")),
    st.lists(NOUNS, unique=True, max_size=3).map(tuple),
    st.lists(EVENTS, max_size=4).map(tuple),
    st.lists(st.builds(Mention, SENTENCE, st.just(0), st.just(1), NOUNS), max_size=4).map(tuple),
    st.lists(st.builds(Property, SENTENCE, NOUNS, st.sampled_from(["gone", "cut"])), max_size=2).map(tuple),
)


@cache
def _facts_of(parse: Parse) -> Facts:
    return story_facts(parse, FakeTagger().tag(parse.sentences, parse.entities))


@settings(max_examples=1500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(RULES), unique=True, min_size=1), LEXICON, PARSES)
def test_a_story_gets_the_conflicts_of_plain_clingo_on_all_rules_and_facts(
    rules: Sequence[str], lexicon: Sequence[str], parse: Parse
) -> None:
    text = "\n".join((*rules, *lexicon))
    facts = _facts_of(parse)
    assert conflicts(Solver(book(text)), facts) == plain_conflicts(text, facts)


PARSE = Parse(
    ("a", "b", "c", "d"),
    ("cup", "lid", "Ann"),
    (
        Event(0, 0, "cut", (("object", "cup"), ("with", "lid"))),
        Event(0, 1, "wash", (("object", "lid"),)),
        Event(1, 0, "cut", (("object", "cup"),)),
        Event(2, 0, "eat", (("object", "cup"),)),
        Event(3, 0, "eat", (("object", "cup"),)),
    ),
    (*(Mention(t, 0, 1, "cup") for t in (0, 1, 3)), Mention(0, 2, 3, "lid"), Mention(3, 2, 3, "lid")),
    (Property(3, "cup", "cut"),),
)
FACTS = (
    'lead("cut","eat"). lead("eat",a). lead("x","cup"). lead("y","y"). isa("cup","eat"). isa("cup","cut"). '
    'isa("cut","gone"). isa("x","x"). marked("x"). marked("cup"). lead("cup","lid"). isa("lid","cup"). '
    'lead("w",b). isa("w",b). lead("v",b).'
)


def reason(atom: str) -> str:
    return atom.split(",")[2].split("(")[0]


@pytest.mark.parametrize("rule", [r for r in RULES if r.startswith("conflict")], ids=reason)
@pytest.mark.parametrize("others", [RULES, [r for r in RULES if not r.startswith("conflict")]], ids=["all", "no"])
def test_each_kind_of_rule_fires_beside_all_others_and_beside_no_other_conflicts(
    rule: str, others: Sequence[str]
) -> None:
    text = "\n".join((*dict.fromkeys((*others, rule)), FACTS))
    facts = _facts_of(PARSE)
    expected, told = (
        sorted(atom for atom in atoms if reason(atom) == reason(rule))
        for atoms in (plain_conflicts(text, facts), conflicts(Solver(book(text)), facts))
    )
    assert told == expected
    needs_others = {"again"} if others is not RULES else set()
    assert bool(told) is (reason(rule) not in {"wrong_order", "no_numbers", "hidden"} | needs_others)


# ---- What is left out


def test_a_fact_that_no_word_leads_to_is_left_out() -> None:
    text = (
        "conflict(I,J,r,E,power) :- verb(I,V), lead(V,K), fatal(K), arg(J,_,object,E), I < J.\n"
        'lead("cut","hurts"). lead("sing","moves"). fatal("hurts"). fatal("moves"). unrelated("cut").'
    )
    lexicon = compile_program(book(text)).lexicon
    assert lexicon.always == ()
    assert {str(fact.symbol) for fact in lexicon.concerning(["cut", "cup"])} == {
        'lead("cut","hurts")',
        'fatal("hurts")',
    }
    assert lexicon.concerning(["cup"]) == []


def test_the_facts_come_in_one_order_whatever_the_order_of_the_words() -> None:
    text = "conflict(0,1,r,E,power) :- verb(_,V), lead(V,K), isa(E,K).\n" + "".join(
        f'lead("{a}","{b}"). isa("{a}","{b}").\n' for a in WORDS for b in WORDS
    )
    lexicon = compile_program(book(text)).lexicon
    one, other = (lexicon.concerning(words) for words in (WORDS, list(reversed(WORDS))))
    assert [f.symbol for f in one] == [f.symbol for f in other] != []


def test_a_rule_whose_condition_cannot_be_met_is_left_out() -> None:
    text = (
        'conflict(I,J,never,E,power) :- label(eff,I,E,wet,true,_), arg(J,"swim",object,E), I < J.\n'
        "conflict(I,J,may,E,power) :- held(I,E), arg(J,_,object,E), I < J.\n"
        "held(T,E) :- arg(T,_,object,E).\n"
        "held(T,E) :- dropped(T,E).\n"
        'dropped(T,E) :- arg(T,"drop",object,E).\n'
    )
    assert live(book(text), _facts_of(PARSE)) == [
        "conflict(I,J,may,E,power) :- held(I,E), arg(J,_,object,E), I < J.",
        "held(T,E) :- arg(T,_,object,E).",
    ]


def test_rules_that_feed_only_each_other_are_left_out() -> None:
    text = "conflict(0,1,r,E,power) :- p(E).\np(E) :- q(E).\nq(E) :- p(E), entity(E).\n"
    assert live(book(text), _facts_of(PARSE)) == []


def test_rules_that_no_conflict_rests_on_are_never_compiled() -> None:
    text = "aside(E) :- entity(E).\nconflict(0,1,r,E,power) :- entity(E), not barred(E).\nbarred(E) :- human(E).\n"
    assert [t.head for t in compile_program(book(text)).traced] == [CONFLICT, ("barred", 1)]


def test_only_what_a_conflict_that_fired_rests_on_is_traced() -> None:
    text = (
        "conflict(0,1,fired,E,power) :- p(E), not q(E).\np(E) :- entity(E).\nq(E) :- human(E).\n"
        "conflict(0,1,silent,E,power) :- q(E), r(E).\nr(E) :- marked(E), entity(E).\n"
    )
    program = compile_program(book(text))
    index = program.concerning(_facts_of(PARSE))
    rules = program.live(index)
    assert trace_text(rules, [clingo.parse_term('conflict(0,1,fired,"cup",power)')]).split("\n") == [
        "_r0(conflict(0,1,fired,E,power),((p(E),),(q(E),),())) :- p(E); not q(E).",
        "_r1(p(E),((entity(E),),(),())) :- entity(E).",
    ]
    assert "_r" not in program_text(rules, index)


# ---- The shipped rules


def story(
    sentences: Sequence[str],
    entities: Sequence[str],
    events: Sequence[Event],
    states: dict[str, dict[tuple[Side, str, str], int | tuple[int, float]]],
    properties: Sequence[Property] = (),
) -> tuple[Parse, FakeTagger]:
    mentions = [
        Mention(t, sentence.index(entity), sentence.index(entity) + len(entity), entity)
        for t, sentence in enumerate(sentences)
        for entity in entities
        if entity in sentence
    ]
    parse = Parse(tuple(sentences), tuple(entities), tuple(events), tuple(mentions), tuple(properties))
    return parse, FakeTagger(states)


SHIPPED_STORIES = {
    "unplugged": story(
        ("Ann unplugged the phone.", "Ann sat down.", "Ann called Tom on the phone."),
        ("Ann", "Tom", "phone"),
        (
            Event(0, 0, "unplug", (("agent", "Ann"), ("object", "phone"))),
            Event(1, 0, "sit down", (("agent", "Ann"),)),
            Event(2, 0, "call", (("agent", "Ann"), ("object", "Tom"), ("on", "phone"))),
        ),
        {
            "Ann unplugged the phone.": {("effect", "phone", "power"): (1, 0.9)},
            "Ann called Tom on the phone.": {("precondition", "phone", "power"): (2, 0.8)},
        },
    ),
    "eaten": story(
        ("Tom ate the cake.", "Tom cut the cake with the knife.", "Tom threw the knife in the trash."),
        ("Tom", "cake", "knife", "trash"),
        (
            Event(0, 0, "eat", (("agent", "Tom"), ("object", "cake"))),
            Event(1, 0, "cut", (("agent", "Tom"), ("object", "cake"), ("with", "knife"))),
            Event(2, 0, "throw", (("agent", "Tom"), ("object", "knife"), ("in", "trash"))),
        ),
        {
            "Tom ate the cake.": {("effect", "cake", "exist"): (1, 0.95)},
            "Tom cut the cake with the knife.": {
                ("effect", "cake", "pieces"): 2,
                ("effect", "cake", "exist"): (1, 0.1),
            },
        },
    ),
    "broken": story(
        ("Tom broke the cold glass.", "Tom put the glass in the fridge.", "Tom drank water from the glass."),
        ("Tom", "glass", "fridge", "water"),
        (
            Event(0, 0, "break", (("agent", "Tom"), ("object", "glass"))),
            Event(1, 0, "put", (("agent", "Tom"), ("object", "glass"), ("in", "fridge"))),
            Event(2, 0, "drink", (("agent", "Tom"), ("object", "water"), ("from", "glass"))),
        ),
        {
            "Tom broke the cold glass.": {("effect", "glass", "functional"): 1, ("effect", "glass", "pieces"): 2},
            "Tom put the glass in the fridge.": {("effect", "glass", "location"): 6},
            "Tom drank water from the glass.": {("precondition", "glass", "functional"): 2},
        },
        (Property(0, "glass", "cold"),),
    ),
    "plausible": story(
        ("Tom took a nap.", "Tom woke up.", "Tom read a book."),
        ("Tom", "book"),
        (Event(0, 0, "nap", (("agent", "Tom"),)), Event(2, 0, "read", (("agent", "Tom"), ("object", "book")))),
        {"Tom took a nap.": {("effect", "Tom", "conscious"): 1}, "Tom woke up.": {("effect", "Tom", "conscious"): 2}},
    ),
}


@pytest.fixture(scope="module")
def shipped() -> Solver:
    return Solver(load())


@pytest.mark.parametrize("name", SHIPPED_STORIES)
def test_the_shipped_rules_give_the_same_conflicts_under_plain_clingo(name: str, shipped: Solver) -> None:
    parse, tagger = SHIPPED_STORIES[name]
    facts = story_facts(parse, tagger.tag(parse.sentences, parse.entities), shipped.synonyms)
    text = "\n".join(path.read_text("utf-8") for path in sorted(SHIPPED.glob("*.lp")))
    found = conflicts(shipped, facts)
    assert found == plain_conflicts(text, facts)
    if name in ("unplugged", "eaten"):
        assert found


def first_examples() -> dict[str, Example]:
    """By pack, a story in which one of its rules fires: of conflicts, if it has any."""
    found: dict[str, tuple[bool, Example]] = {}
    for rule, example in examples_of(load()):
        pack, proves = Path(rule.file).name, CONFLICT in rule.derives
        if example.fires and (pack not in found or (proves and not found[pack][0])):
            found[pack] = (proves, example)
    return {pack: example for pack, (_, example) in found.items()}


@pytest.mark.slow
def test_every_pack_gives_the_same_conflicts_under_plain_clingo(shipped: Solver, subtests: pytest.Subtests) -> None:
    text = "\n".join(path.read_text("utf-8") for path in sorted(SHIPPED.glob("*.lp")))
    parser = Parser()
    examples = first_examples()
    named = {Path(rule.file).name for rule in shipped.book.rules if rule.named}
    assert named
    assert named == examples.keys()
    for pack, example in examples.items():
        with subtests.test(pack):
            facts = story_facts(*read_example(example, parser), shipped.synonyms)
            assert conflicts(shipped, facts) == plain_conflicts(text, facts)
