"""The engine: what a verdict rests on, what ``choose`` may know, and how a user's rules change it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from disproof.bridge.engine import Engine, differing_sentence, weights_file
from disproof.bridge.scoring import Weights
from disproof.neural.fake import FakeTagger
from disproof.symbolic.errors import ModelError, RuleError, UsageError
from disproof.symbolic.facts import value_constant
from disproof.symbolic.parse import Mention, Parse
from disproof.symbolic.story import Gold, StateTable, Story
from disproof.symbolic.vocabulary import ATTRIBUTE, EFFECT, PRECONDITION

OFF, SIT, READ, ON = "Ann unplugged the lamp.", "Ann sat down.", "Ann read by the lamp.", "Ann plugged in the lamp."
NAMES = ("Ann", "lamp")
LOST = Story((OFF, SIT, READ), NAMES, "lost")
FINE = Story((SIT, ON, READ), NAMES, "fine")
# Differs from LOST in one sentence only.
FIXED = Story((ON, SIT, READ), NAMES, "fixed")
TAGGER = FakeTagger(
    {
        OFF: {("effect", "lamp", "power"): (1, 0.9)},
        ON: {("effect", "lamp", "power"): (2, 0.9)},
        READ: {("precondition", "lamp", "power"): (2, 0.8)},
    }
)
EVEN = Weights(default=3.0, features={"neural prior": 1.0})


class Names:
    """A parser that sees nothing in a text but the names it is given."""

    def split(self, text: str) -> tuple[str, ...]:
        return tuple(f"{part.strip()}." for part in text.split(".") if part.strip())

    def parse(self, sentences: Sequence[str], entities: Sequence[str] | None = None) -> Parse:
        names = NAMES if entities is None else tuple(entities)
        found = [
            Mention(t, sentence.index(name), sentence.index(name) + len(name), name)
            for t, sentence in enumerate(sentences)
            for name in names
            if name in sentence
        ]
        return Parse(tuple(sentences), names, mentions=tuple(found))


Make = Callable[..., Engine]


@pytest.fixture(scope="module")
def make() -> Make:
    """Engines that differ in what a test says, and share the loaded rules where they may."""
    solvers: dict[tuple[str, ...], Any] = {}

    def build(**options: Any) -> Engine:
        options = {"tagger": TAGGER, "parser": cast(Any, Names()), "weights": EVEN} | options
        engine = Engine(**options)
        if not options.get("rules"):
            key = tuple(options.get("without", ()))
            if key not in solvers:
                solvers[key] = engine.solver
            engine.__dict__["solver"] = solvers[key]  # the cached property's own place
        return engine

    return build


def gold(story: Story, states: Sequence[tuple[int, int, str, str, int]]) -> Story:
    values = np.zeros((len(NAMES), len(story.sentences), 2, 20), np.int8)
    for sentence, side, entity, attribute, value in states:
        values[NAMES.index(entity), sentence, side, ATTRIBUTE[attribute].index] = value
    return Story(story.sentences, story.entities, story.id, Gold(False, (0, 2), StateTable(NAMES, values)))


# ---- What a verdict rests on


def test_a_conflict_by_rules_comes_with_its_proof(make: Make) -> None:
    verdict = make().explain(LOST)
    assert (verdict.plausible, verdict.basis, verdict.pair) == (False, "proof", (0, 2))
    assert verdict.conflict is not None
    assert (verdict.conflict.evidence, verdict.conflict.breakpoint) == verdict.pair
    assert verdict.conflict.entity == "lamp"
    assert {(s.side, s.sentence, s.value) for s in verdict.states} == {("effect", 0, 1), ("precondition", 2, 2)}
    assert (verdict.id, verdict.sentences, verdict.entities) == ("lost", LOST.sentences, NAMES)
    assert 0.5 < verdict.confidence <= 1


def test_nothing_against_a_story_is_said_so(make: Make) -> None:
    verdict = make().explain(FINE)
    assert (verdict.plausible, verdict.basis, verdict.pair, verdict.conflict) == (True, "no conflict", None, None)
    assert (verdict.states, verdict.others) == ((), ())
    assert verdict.confidence > 0.5


def test_a_guess_of_the_prior_never_dresses_as_a_proof(make: Make) -> None:
    verdict = make(tagger=FakeTagger({}, {(SIT, READ): 6.0})).explain(FIXED)
    assert (verdict.plausible, verdict.basis, verdict.pair, verdict.conflict) == (False, "neural prior", (1, 2), None)


def test_the_symbolic_system_has_no_prior(make: Make) -> None:
    verdict = make(tagger=FakeTagger({}, {(SIT, READ): 6.0}), system="symbolic").explain(FIXED)
    assert (verdict.plausible, verdict.basis) == (True, "no conflict")


def test_a_weak_proof_is_outweighed(make: Make) -> None:
    verdict = make(weights=Weights(default=0.1, threshold=1.0)).explain(LOST)
    assert (verdict.plausible, verdict.conflict) == (True, None)


def test_a_second_story_is_judged_as_the_first_was(make: Make) -> None:
    engine = make()
    assert engine.explain(LOST) == engine.explain(LOST)


# ---- Gold states


def test_gold_states_take_the_place_of_the_taggers(make: Make) -> None:
    states = [(0, EFFECT, "lamp", "open", 1), (2, PRECONDITION, "lamp", "open", 2)]
    verdict = make(system="symbolic", states="gold").explain(gold(LOST, states))
    assert verdict.conflict is not None
    assert verdict.conflict.attribute == "open"
    assert all(state.probability == 1 for state in verdict.states)


def test_gold_states_have_no_prior_and_need_the_symbolic_system() -> None:
    with pytest.raises(UsageError, match="symbolic"):
        Engine(states="gold")


def test_a_story_without_annotation_has_no_gold_states(make: Make) -> None:
    with pytest.raises(UsageError, match="'lost' has no annotated states"):
        make(system="symbolic", states="gold").explain(LOST)


# ---- Choosing


def test_the_story_without_a_conflict_is_chosen(make: Make) -> None:
    engine = make()
    for stories, better in (((LOST, FIXED), 1), ((FIXED, LOST), 0)):
        choice = engine.choose(*stories)
        assert choice.choice == better
        assert sum(choice.probabilities) == pytest.approx(1)
        assert choice.probabilities[better] > 0.5
        assert choice.verdicts[better].plausible
        assert choice.verdicts[1 - better].pair == (0, 2)
        assert choice.verdicts[0].confidence == choice.verdicts[1].confidence == choice.probabilities[better]


SHARED = FakeTagger({}, {(SIT, READ): 9.0, (OFF, READ): 2.0, (OFF, SIT): 1.0}, other_pairs=-9.0)


def test_what_two_stories_share_is_not_held_against_either(make: Make) -> None:
    choice = make(tagger=SHARED).choose(LOST, FIXED)
    assert choice.choice == 1
    assert choice.verdicts[0].pair == (0, 2)


def test_a_story_by_itself_is_judged_without_its_twin(make: Make) -> None:
    assert make(tagger=SHARED).explain(LOST).pair == (1, 2)


@pytest.mark.parametrize(
    ("other", "sentence"),
    [((ON, SIT, READ), 0), ((OFF, SIT, READ), None), ((ON, READ, READ), None), ((OFF, SIT), None)],
)
def test_the_differing_sentence_is_the_only_one_that_differs(other: tuple[str, ...], sentence: int | None) -> None:
    assert differing_sentence((LOST, Story(other))) == sentence


# ---- The user's own rules


def test_a_rule_that_is_left_out_changes_the_verdict(make: Make) -> None:
    rule = make().explain(LOST).conflict
    assert rule is not None
    assert rule.rule not in {c.rule for c in make(without=[rule.rule]).explain(LOST).others}
    none = [c.rule for c in make().analyse(LOST).candidates[0].conflicts]
    assert make(without=none).explain(LOST).basis == "no conflict"


def test_a_name_that_no_rule_has_cannot_be_left_out(make: Make) -> None:
    with pytest.raises(RuleError, match="state_clash"):
        make(without=["state_clas"])


def overlay(folder: Path, text: str) -> list[Path]:
    path = folder / "mine.lp"
    path.write_text(text)
    return [path]


@pytest.mark.slow
def test_a_new_rule_flips_a_verdict(make: Make, tmp_path: Path) -> None:
    rules = overlay(
        tmp_path,
        '%!rule restless\n%!trace_rule {"% cannot sit in sentence %", E, I}.\n'
        "conflict(I,J,restless,E,conscious) :- human(E), mention(I,E), mention(J,E), I < J.\n",
    )
    assert make().explain(FINE).plausible
    engine = make(rules=rules)
    verdict = engine.explain(FINE)
    assert (verdict.plausible, verdict.basis) == (False, "proof")
    assert verdict.conflict is not None
    assert verdict.conflict.rule == "restless"
    assert verdict.conflict.proof.wording == f"Ann cannot sit in sentence {verdict.conflict.evidence + 1}"
    assert verdict.conflict.proof.file == str(rules[0])
    cast(Any, engine.solver).close()


@pytest.mark.slow
def test_a_rule_by_the_same_name_replaces_the_shipped_one(make: Make, tmp_path: Path) -> None:
    shipped = make().explain(LOST).conflict
    assert shipped is not None
    changed = overlay(
        tmp_path,
        f"%!rule {shipped.rule}\nconflict(I,J,{shipped.rule},E,wet) :- never(I,J,E), entity(E), sentence(I).\n"
        "#defined never/3.\n",
    )
    engine = make(rules=changed)
    assert shipped.rule not in {c.rule for k in engine.analyse(LOST).candidates for c in k.conflicts}
    cast(Any, engine.solver).close()


# ---- Facts, weights, models


def test_the_facts_are_those_the_verdict_rests_on(make: Make) -> None:
    told = {str(symbol) for symbol in make().facts(LOST).symbols}
    assert f'label(eff,0,"lamp",power,{value_constant("power", 1)},105)' in told
    assert {'mention(0,"lamp")', 'human("Ann")', 'previous(2,"lamp",0)'} <= told


def test_a_models_own_weights_come_before_those_shipped_for_its_name(tmp_path: Path) -> None:
    assert weights_file("small", "predicted").name == "small.json"
    assert weights_file(str(tmp_path), "predicted").name == "small.json"
    (tmp_path / "rule_weights.json").write_text("{}")
    assert weights_file(str(tmp_path), "predicted") == tmp_path / "rule_weights.json"
    assert weights_file(str(tmp_path), "gold").name == "gold.json"


def test_damaged_weights_are_an_error_that_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "rule_weights.json").write_text("{}")
    with pytest.raises(ModelError, match=r"rule_weights\.json"):
        _ = Engine(str(tmp_path)).weights


def test_an_engine_says_what_it_is() -> None:
    assert repr(Engine("small", system="symbolic")) == "Engine('small', system='symbolic', states='predicted')"
