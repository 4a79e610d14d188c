"""Pairs of solutions of the kinds that PIQA's authors found hard: the choice, and the proof of it, by what ships."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from disproof.bridge.output import rendered
from disproof.bridge.piqa import PiqaEngine
from disproof.bridge.piqa_data import PiqaItem
from disproof.bridge.piqa_views import piqa_view

ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "data" / "procedures.jsonl").read_text("utf-8").splitlines()
]


@pytest.fixture(scope="module", params=["base", "small"])
def engine(request: pytest.FixtureRequest) -> PiqaEngine:
    return PiqaEngine(request.param)


def test_there_are_pairs_of_every_kind() -> None:
    kinds = {row["kind"] for row in ROWS}
    assert {"shape", "material", "commonsense", "quantity", "order", "top/bottom", "water/oil"} <= kinds
    assert len(ROWS) >= 20


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['kind']}: {row['because']}" for row in ROWS])
def test_a_solution_is_chosen_by_a_proof_that_the_other_fails(engine: PiqaEngine, row: dict[str, Any]) -> None:
    choice = engine.choose(PiqaItem(0, row["goal"], (row["sol1"], row["sol2"]), row["label"]))
    assert choice.choice == row["label"]
    assert choice.basis == "proof"
    assert choice.reasons.verdicts is not None
    conflict = choice.reasons.verdicts[1 - row["label"]].conflict
    assert conflict is not None
    assert conflict.rule == row["because"]
    assert choice.reasons.verdicts[row["label"]].conflict is None
    shown = rendered(piqa_view(choice))
    assert f"[{conflict.rule}, {conflict.proof.file}:{conflict.proof.line}]" in " ".join(shown.split())
    wrong = choice.reasons.difference
    for edit in wrong.edits:
        if wrong.text(edit, 1 - row["label"]):
            assert f"[{wrong.text(edit, 1 - row['label'])}]" in " ".join(shown.split())
