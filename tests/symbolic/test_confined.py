"""Rules of strangers give the same conflicts from a process with limits, and cannot do anything else."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from disproof.neural.fake import FakeTagger
from disproof.symbolic.confined import ConfinedSolver
from disproof.symbolic.errors import RuleError
from disproof.symbolic.parse import Event, Mention, Parse
from disproof.symbolic.rulebook import load
from disproof.symbolic.solver import Solver

pytestmark = pytest.mark.slow

SENTENCES = ("Ann unplugged the phone.", "Ann sat down.", "Ann called Tom on the phone.")
NAMES = ("Ann", "Tom", "phone")
PARSE = Parse(
    SENTENCES,
    NAMES,
    (
        Event(0, 0, "unplug", (("agent", "Ann"), ("object", "phone"))),
        Event(2, 0, "call", (("agent", "Ann"), ("object", "Tom"), ("on", "phone"))),
    ),
    (Mention(0, 0, 3, "Ann"), Mention(0, 18, 23, "phone"), Mention(2, 23, 28, "phone")),
)
TAGGING = FakeTagger(
    {
        SENTENCES[0]: {("effect", "phone", "power"): (1, 0.9)},
        SENTENCES[2]: {("precondition", "phone", "power"): (2, 0.8)},
    }
).tag(SENTENCES, NAMES)
GOOD = "%!rule too_lazy\nconflict(I,J,too_lazy,E,conscious) :- human(E), mention(I,E), sentence(J), I + 1 = J.\n"
# Harmless to a story without an agent, endless with one.
ENDLESS = (
    '%!rule counts\nticks(N+1) :- ticks(N).\nticks(0) :- arg(_,"call",agent,_).\n'
    "conflict(I,J,c,E,wet) :- ticks(I), ticks(J), entity(E).\n"
)


@pytest.fixture
def confine(tmp_path: Path) -> Iterator[Callable[..., ConfinedSolver]]:
    made: list[ConfinedSolver] = []

    def build(text: str, **options: Any) -> ConfinedSolver:
        path = tmp_path / "theirs.lp"
        path.write_text(text)
        made.append(ConfinedSolver([path], **options))
        return made[-1]

    yield build
    for solver in made:
        solver.close()


def test_the_conflicts_are_those_of_the_solver(confine: Callable[..., ConfinedSolver], tmp_path: Path) -> None:
    found = confine(GOOD).solve_story(PARSE, TAGGING)
    assert found == Solver(load(overlays=[tmp_path / "theirs.lp"])).solve_story(PARSE, TAGGING)
    assert "too_lazy" in {conflict.rule for conflict in found.conflicts}
    assert len({conflict.rule for conflict in found.conflicts}) > 1


def test_the_rules_that_fire_are_those_of_the_solver(confine: Callable[..., ConfinedSolver], tmp_path: Path) -> None:
    fired = confine(GOOD).fired(PARSE, TAGGING)
    assert fired == Solver(load(overlays=[tmp_path / "theirs.lp"])).fired(PARSE, TAGGING)
    assert {"too_lazy", "label_effect", "verb_causes"} <= fired


def test_rules_can_be_left_out(confine: Callable[..., ConfinedSolver]) -> None:
    found = confine(GOOD, without=["too_lazy"]).solve_story(PARSE, TAGGING)
    assert found.conflicts
    assert "too_lazy" not in {conflict.rule for conflict in found.conflicts}


def test_a_rule_that_grounds_for_ever_is_stopped_named_and_the_next_story_served(
    confine: Callable[..., ConfinedSolver],
) -> None:
    solver = confine(ENDLESS, seconds=3.0, memory_mb=512)
    started = time.monotonic()
    with pytest.raises(RuleError) as caught:
        solver.solve_story(PARSE, TAGGING)
    assert time.monotonic() - started < 60
    message = str(caught.value)
    assert "grounding the rules was stopped" in message
    assert "'counts'" in message
    assert "theirs.lp:2" in message
    assert "\n" not in message
    with pytest.raises(RuleError, match="was stopped"):
        solver.fired(PARSE, TAGGING)
    quiet = Parse(SENTENCES, NAMES, PARSE.events[:1], PARSE.mentions)
    assert solver.solve_story(quiet, TAGGING).conflicts


def test_a_proof_of_200_sentences_comes_back(confine: Callable[..., ConfinedSolver]) -> None:
    sentences = tuple(f"s{t}" for t in range(200))
    parse = Parse(sentences, ("lamp",), mentions=tuple(Mention(t, 0, 1, "lamp") for t in range(200)))
    states = FakeTagger({"s0": {("effect", "lamp", "wet"): 2}}).tag(sentences, ("lamp",))
    text = "kept(T,E,T) :- label(eff,T,E,wet,true,_).\nkept(T,E,S) :- kept(P,E,S), previous(T,E,P).\n"
    text += "%!rule still_wet\nconflict(S,199,still_wet,E,wet) :- kept(199,E,S).\n"
    found = [c for c in confine(text).solve_story(parse, states).conflicts if c.rule == "still_wet"]
    assert [(c.evidence, c.breakpoint) for c in found] == [(0, 199)]
    assert sum(1 for _ in found[0].proof.walk()) > 400


@pytest.mark.parametrize(
    "text", ["#script (python) import os #end.\n", '#include "/etc/passwd".\n', "p(@f()).\n", "&sum { x } < 1.\n"]
)
def test_what_is_refused_never_reaches_a_process(
    text: str, confine: Callable[..., ConfinedSolver], monkeypatch: pytest.MonkeyPatch
) -> None:
    def started(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr("disproof.symbolic.sandbox.subprocess.Popen", started)
    with pytest.raises(RuleError) as caught:
        confine(GOOD + text)
    location = caught.value.location
    assert location is not None
    assert location.line == 3


def test_it_says_what_it_is(confine: Callable[..., ConfinedSolver]) -> None:
    assert repr(confine(GOOD)) == "ConfinedSolver(Worker(_serve, 10 s, 2048 MB, not started))"


# ---- On the command line


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("#script (python) import os #end.\n", "#script"),
        ('#include "other.lp".\n', "#include"),
        ("p(X) :- q(Y).\n", "unsafe"),
        ("p(X) :- entity(X), not p(X).\n", "stratified"),
        (":- entity(X).\n", "constraint"),
        ("p(\n", "theirs.lp"),
    ],
)
def test_bad_rules_end_the_command_line_with_one_line(
    text: str, says: str, command_line: Callable[..., Any], tmp_path: Path
) -> None:
    rules = tmp_path / "theirs.lp"
    rules.write_text(text)
    done = command_line("explain", "--rules", rules, "-", stdin="\n".join(SENTENCES).encode())
    assert (done.status, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert "theirs.lp:1" in done.err
    assert says in done.err
    assert "Traceback" not in done.err


def test_a_good_rule_of_their_own_is_used_by_the_command_line(command_line: Callable[..., Any], tmp_path: Path) -> None:
    rules = tmp_path / "theirs.lp"
    rules.write_text(GOOD)
    done = command_line("explain", "--rules", rules, "--exit-code", "-", stdin=b"Ann sat down.\nAnn stood up.\n")
    assert done.status == 1, done
    assert "too_lazy" in done.out
    without = command_line("explain", "--exit-code", "-", stdin=b"Ann sat down.\nAnn stood up.\n")
    assert without.status == 0
