"""Pages for people: what is marked, what is said, and that they stay plain where they must."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from disproof.bridge.output import rendered
from disproof.bridge.text import choice_view, comparison_view, metrics_view, states_view, verdict_view
from disproof.bridge.verdict import Choice, Verdict
from disproof.symbolic.proof import Conflict, ProofNode
from disproof.symbolic.story import State, Story, Tagging

SENTENCES = ("Maria unplugged the phone.", "Maria sat down.", "Maria called her sister on the phone.")
OTHER = ("Maria plugged in the phone.", *SENTENCES[1:])
LABEL = ProofNode('label(eff,0,"phone",power,false,30)', "state")
PROOF = ProofNode("c", "rule", "needs_power", "devices.lp", 12, "the phone has no power", (LABEL,))
CONFLICT = Conflict(0, 2, "needs_power", "needs_power", "phone", "power", PROOF)
PROVED = Verdict("", SENTENCES, ("phone",), False, 0.93, "proof", (0, 2), CONFLICT)
GUESSED = Verdict("", SENTENCES, ("phone",), False, 0.61, "neural prior", (0, 2))
PLAUSIBLE = Verdict("", OTHER, ("phone",), True, 0.8, "no conflict")


def test_a_proved_verdict_marks_its_two_sentences_and_shows_the_proof() -> None:
    assert rendered(verdict_view(PROVED)) == (
        "> 1 Maria unplugged the phone.\n"
        "  2 Maria sat down.\n"
        "> 3 Maria called her sister on the phone.\n"
        "\n"
        "Implausible (93% sure): sentences 1 and 3 cannot both happen.\n"
        "\n"
        "the phone has no power  [needs_power, devices.lp:12]\n"
        "└── after sentence 1 the phone is unpowered (97%)\n"
    )


def test_states_that_bear_a_proof_out_stand_below_it() -> None:
    support = (State("effect", 0, "phone", "power", 1, 0.97), State("precondition", 2, "phone", "power", 2, 0.9))
    page = rendered(verdict_view(replace(PROVED, support=support)), width=200)
    assert page.endswith(
        "The states bear it out: after sentence 1 the phone is unpowered (97%) and before sentence 3 the phone is "
        "powered (90%).\n"
    )


def test_a_plausible_verdict_marks_nothing() -> None:
    page = rendered(verdict_view(PLAUSIBLE))
    assert ">" not in page
    assert page.endswith("\nPlausible (80% sure): no conflict was found.\n")


def test_a_guess_is_never_dressed_as_a_proof() -> None:
    page = rendered(verdict_view(GUESSED), width=200)
    assert "sentences 1 and 3" in page
    assert "neural prior’s judgement alone; no rule proves it" in page
    assert "──" not in page


def test_other_rules_that_prove_the_pair_are_named_once() -> None:
    again = Conflict(0, 2, "state_clash", "state_clash", "phone", "power", PROOF)
    verdict = Verdict("", SENTENCES, (), False, 0.9, "proof", (0, 2), CONFLICT, (again, again))
    assert rendered(verdict_view(verdict)).endswith("Also proved by state_clash.\n")


def test_a_choice_says_which_and_stars_the_sentence_that_differs() -> None:
    page = rendered(choice_view(Choice(1, (0.1, 0.9), (PROVED, PLAUSIBLE))))
    assert page.startswith("Story 2 is the plausible one (90% sure).\n")
    assert ">* 1 Maria unplugged the phone." in page
    assert " * 1 Maria plugged in the phone." in page
    assert ">  3 Maria called her sister" in page


def test_no_line_is_wider_than_the_page_and_nothing_is_lost_by_wrapping() -> None:
    words = " ".join(f"word{k}" for k in range(60))
    deep = ProofNode("c", "rule", "r", "x.lp", 1, words, (LABEL,))
    verdict = Verdict("", (words, "b" * 300), (), False, 0.9, "proof", (0, 1), Conflict(0, 1, "r", "r", "e", "a", deep))
    page = rendered(verdict_view(verdict), width=80)
    assert max(map(len, page.splitlines())) <= 80
    assert page.count("word59") == 2
    assert page.count("b") >= 300


def test_a_story_cannot_steer_the_terminal_or_use_markup() -> None:
    sentences = ("\x1b[31m[bold]Tom[/bold] fell.\x07", ":smile: Tom\nslept.")
    page = rendered(verdict_view(Verdict("\x1b]0;x", sentences, (), True, 0.9, "no conflict"), "\x1b]0;x"))
    assert "\x1b" not in page
    assert "\x07" not in page
    assert "[bold]Tom[/bold] fell." in page
    assert ":smile: Tom slept." in page


def test_states_stand_in_a_table_with_before_and_after() -> None:
    belief = np.zeros((1, 3, 2, 20, 9), np.float32)
    belief[..., 0] = 1
    belief[0, 0, 0, 8] = [0, 0, 1, 0, 0, 0, 0, 0, 0]
    belief[0, 0, 1, 8] = [0.1, 0.9, 0, 0, 0, 0, 0, 0, 0]
    page = rendered(states_view(Story(SENTENCES), Tagging(("phone",), belief)))
    assert page.splitlines()[-1].split() == ["1", "phone", "power", "powered", "100%", "unpowered", "90%"]


def test_figures_are_in_percent_and_missing_ones_a_dash() -> None:
    page = rendered(metrics_view({"n": 3, "accuracy": 0.3333, "verifiability": {"proof": None}, "seconds": 1.25}))
    assert [line.split() for line in page.splitlines()] == [
        ["n", "3"],
        ["accuracy", "33.3", "%"],
        ["verifiability"],
        ["proof", "-"],
        ["seconds", "1.2"],
    ]


def test_systems_stand_side_by_side_with_what_they_lack_as_a_dash() -> None:
    rows = {"mine": {"accuracy": 0.5, "proof": 0.25}, "theirs": {"accuracy": 0.729}}
    assert rendered(comparison_view(rows, "theirs: elsewhere")).splitlines() == [
        "        accuracy  proof",
        "mine        50.0   25.0",
        "theirs      72.9      -",
        "theirs: elsewhere",
    ]
