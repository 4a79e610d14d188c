"""The JSON documents: their shape is what other programs rely on."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from disproof.bridge.assertions import likely_states
from disproof.bridge.documents import (
    choice_document,
    finding_document,
    proof_document,
    rule_document,
    states_document,
    to_json,
    verdict_document,
)
from disproof.bridge.verdict import Choice, Verdict
from disproof.symbolic.check import check
from disproof.symbolic.proof import Conflict, ProofNode
from disproof.symbolic.rulebook import load
from disproof.symbolic.story import State, StateTable, Story, Tagging

SENTENCES = ("Maria unplugged the phone.", "Maria called her sister on the phone.")
STATE = State("effect", 0, "phone", "power", 1, 0.97004)
PROOF = ProofNode(
    'conflict(0,1,needs_power,"phone",power)',
    "rule",
    "needs_power",
    "devices.lp",
    12,
    "the phone has no power",
    (ProofNode('effect(0,"phone",power,false)', "rule", "e", "states.lp", 3, "w", state=STATE),),
    ('changed(1,"phone",power)',),
)
CONFLICT = Conflict(0, 1, "needs_power", "needs_power", "phone", "power", PROOF)
PROVED = Verdict("s1", SENTENCES, ("Maria", "phone"), False, 0.93456, "proof", (0, 1), CONFLICT)
GUESSED = Verdict("", SENTENCES, ("Maria", "phone"), False, 0.6, "neural prior", (0, 1))
PLAUSIBLE = Verdict("", SENTENCES, ("Maria", "phone"), True, 0.8, "no conflict")


def test_a_proved_verdict_has_the_promised_shape() -> None:
    assert json.loads(to_json(verdict_document(PROVED))) == {
        "id": "s1",
        "sentences": list(SENTENCES),
        "entities": ["Maria", "phone"],
        "plausible": False,
        "confidence": 0.9346,
        "basis": "proof",
        "conflict": {
            "evidence": 0,
            "breakpoint": 1,
            "rule": "needs_power",
            "entity": "phone",
            "attribute": "power",
        },
        "states": [
            {
                "side": "effect",
                "sentence": 0,
                "entity": "phone",
                "attribute": "power",
                "value": 1,
                "probability": 0.97,
                "cited": True,
            }
        ],
        "proof": {
            "text": "the phone has no power",
            "atom": 'conflict(0,1,needs_power,"phone",power)',
            "rule": "needs_power",
            "file": "devices.lp",
            "line": 12,
            "children": [
                {
                    "text": "after sentence 1 the phone is unpowered",
                    "atom": 'effect(0,"phone",power,false)',
                    "rule": "e",
                    "file": "states.lp",
                    "line": 3,
                    "children": [],
                    "basis": "rule",
                    "absent": [],
                }
            ],
            "basis": "rule",
            "absent": [{"text": "sentence 2 does not change the phone’s power", "atom": 'changed(1,"phone",power)'}],
        },
    }


def test_a_guess_has_its_pair_and_no_proof() -> None:
    document = verdict_document(GUESSED)
    assert document["proof"] is None
    assert document["basis"] == "neural prior"
    assert document["states"] == []
    assert document["conflict"] == {"evidence": 0, "breakpoint": 1, "rule": None, "entity": None, "attribute": None}


def test_a_plausible_verdict_has_neither_conflict_nor_proof() -> None:
    document = verdict_document(PLAUSIBLE)
    assert (document["plausible"], document["conflict"], document["proof"]) == (True, None, None)
    assert (document["states"], document["basis"]) == ([], "no conflict")


def test_a_choice_holds_both_verdicts_in_order() -> None:
    document = choice_document(Choice(1, (0.25, 0.75), (PROVED, PLAUSIBLE)))
    assert (document["choice"], document["probabilities"]) == (1, [0.25, 0.75])
    assert [story["id"] for story in document["stories"]] == ["s1", ""]


def test_json_is_one_line_in_utf8_with_four_decimals() -> None:
    assert to_json({"a": 1 / 3, "b": (True, None, "é\n")}) == '{"a": 0.3333, "b": [true, null, "é\\n"]}'


def test_json_has_no_number_that_json_does_not_know() -> None:
    with pytest.raises(ValueError, match="JSON"):
        to_json({"a": float("nan")})


def test_a_proof_as_deep_as_the_longest_story_can_be_written() -> None:
    node = ProofNode("holds(0)", "text")
    for depth in range(400):
        node = ProofNode(f"holds({depth})", "rule", "persists", "states.lp", 1, "still", (node,))
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)  # as the command line does
    try:
        assert to_json(proof_document(node)).count("persists") == 400
    finally:
        sys.setrecursionlimit(limit)


def test_states_that_bear_a_proof_out_are_told_from_those_it_cites() -> None:
    support = State("precondition", 1, "phone", "power", 2, 0.9)
    states = verdict_document(replace(PROVED, support=(support,)))["states"]
    assert [(state["side"], state["cited"]) for state in states] == [("effect", True), ("precondition", False)]


def test_only_the_likeliest_states_that_say_something_are_listed() -> None:
    values = np.zeros((1, 2, 2, 20), np.int8)
    values[0, 0, 1, 8] = 1  # unpowered: says something
    values[0, 0, 0, 6] = 2  # existent: assumed of everything
    tagging = Tagging(("phone",), np.eye(9, dtype=np.float32)[StateTable(("phone",), values).values])
    assert likely_states(tagging) == [State("effect", 0, "phone", "power", 1)]
    document = states_document(Story(SENTENCES, ("phone",), "s"), tagging)
    assert document["entities"] == ["phone"]
    assert [state["attribute"] for state in document["states"]] == ["power"]


def test_a_rule_tells_its_wording_with_the_variables_in_place(tmp_path: Path) -> None:
    file = tmp_path / "mine.lp"
    file.write_text(
        '% Ice melts.\n%!rule ice_melts\n%!trace_rule {"the % melts in sentence %", E, J}.\n'
        "conflict(I,J,ice_melts,E,solid) :- previous(J,E,I), mention(J,E).\n"
    )
    document = rule_document(load([file]).named("ice_melts"))
    assert document["wording"] == "the {E} melts in sentence {J}"
    assert (document["line"], document["pack"]) == (4, "mine")
    assert document["text"] == ["conflict(I,J,ice_melts,E,solid) :- previous(J,E,I), mention(J,E)."]


def test_a_finding_names_file_line_and_severity(tmp_path: Path) -> None:
    file = tmp_path / "mine.lp"
    file.write_text('#include "other.lp".\n')
    document = finding_document(check([file])[0])
    assert (document["file"], document["line"], document["severity"]) == (str(file), 1, "error")


@pytest.mark.parametrize("character", ["\x85", "\u2028", "\u2029", "\x0b", "\x1c"])
def test_a_document_is_one_line_to_every_reader_and_says_what_it_said(character: str) -> None:
    line = to_json({"sentences": [f"a{character}b"]})
    assert len(line.splitlines()) == 1
    assert json.loads(line) == {"sentences": [f"a{character}b"]}
