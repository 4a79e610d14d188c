"""Deciding between solutions: signals, their weights, the basis of a choice, and how it is shown."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from disproof.bridge.difference import difference
from disproof.bridge.documents import to_json
from disproof.bridge.evidence import Evidence
from disproof.bridge.output import rendered
from disproof.bridge.piqa import HEARD, PiqaReasons, PiqaWeights, Signals, decide, learn_weights
from disproof.bridge.piqa_data import PiqaItem
from disproof.bridge.piqa_evaluation import evaluate_random, measure, require_labels
from disproof.bridge.piqa_views import marked, piqa_document, piqa_view
from disproof.symbolic.errors import StoryError

ITEM = PiqaItem(4, "Knead dough.", ("Knead it with your feet.", "Knead it with your hands now."), 1)
FACTS = (Evidence("“hands” with “dough”: often", "PIQA's training pairs", -1.25), Evidence("“now”", "there", 0.25))
REASONS = PiqaReasons(difference(*ITEM.solutions), None, FACTS)
WEIGHTS = PiqaWeights({"proof": 1.0, "together": 1.0, "contrasts": 0.5, "style": 1.0, "neural": 1.0})


@pytest.mark.parametrize(
    ("signals", "choice", "basis"),
    [
        (Signals(proof=-2.0), 1, "proof"),
        (Signals(proof=2.0, together=1.0), 0, "proof"),
        (Signals(together=-1.0), 1, "evidence"),
        (Signals(together=-0.6, contrasts=-0.6), 1, "evidence"),
        (Signals(together=-0.5), 1, "neural preference"),
        (Signals(style=-3.0), 1, "neural preference"),
        (Signals(neural=0.1), 0, "neural preference"),
        (Signals(proof=-1.0, neural=3.0), 0, "neural preference"),  # outvoted: the choice does not rest on it
        (Signals(together=-1.5, neural=3.0), 0, "neural preference"),
        (Signals(), 0, "neural preference"),
    ],
)
def test_the_basis_is_the_first_that_speaks_for_the_choice_loudly_enough(
    signals: Signals, choice: int, basis: str
) -> None:
    found = decide(ITEM, signals, REASONS, WEIGHTS)
    assert (found.choice, found.basis) == (choice, basis)
    assert sum(found.probabilities) == pytest.approx(1)
    assert found.probabilities[choice] >= 0.5


def test_weights_are_learned_from_what_was_right_and_never_turn_a_signal_round() -> None:
    told = [Signals(together=x, style=-x, neural=0.1 * x) for x in (-2.0, -1.0, 1.0, 2.0, 1.5)]
    weights = learn_weights(told, [False, False, True, True, True])
    assert weights.signals["together"] > 0
    assert weights.signals["style"] == 0
    assert set(weights.signals) == {"proof", "together", "contrasts", "style", "neural"}
    assert learn_weights(told, [True] * 5, HEARD["neural"]).signals.keys() == {"neural"}
    assert learn_weights([Signals(neural=1.0)] * 3, [False] * 3, ("neural",)).signals == {"neural": 0.0}


def test_a_choice_as_data() -> None:
    document = json.loads(to_json(piqa_document(decide(ITEM, Signals(together=-2.0), REASONS, WEIGHTS))))
    assert document == {
        "goal": "Knead dough.",
        "choice": 1,
        "probabilities": [0.1192, 0.8808],
        "basis": "evidence",
        "difference": {
            "distance": 2,
            "edits": [
                {
                    "first": {"text": "feet", "start": 19, "end": 23},
                    "second": {"text": "hands now", "start": 19, "end": 28},
                }
            ],
        },
        "solutions": [],
        "evidence": [
            {"fact": "“hands” with “dough”: often", "source": "PIQA's training pairs", "weight": -1.25},
            {"fact": "“now”", "source": "there", "weight": 0.25},
        ],
    }


def test_a_page_shows_what_differs_the_choice_and_why() -> None:
    page = rendered(piqa_view(decide(ITEM, Signals(together=-2.0), REASONS, WEIGHTS), "Item 4"))
    assert page.splitlines() == [
        "Item 4",
        "Goal: Knead dough.",
        "  1 Knead it with your [feet].",
        "> 2 Knead it with your [hands now].",
        "",
        "Solution 2 (88% sure), by evidence.",
        "",
        "+ “hands” with “dough”: often (1.2)",
        "- “now” (0.2)",
    ]


def test_a_preference_says_that_it_is_nothing_more() -> None:
    page = rendered(piqa_view(decide(ITEM, Signals(neural=0.3), REASONS, WEIGHTS)))
    assert "by neural preference" in page
    assert "this is how they sound to the model" in " ".join(page.split())
    assert "often" not in page
    same = replace(REASONS, difference=difference("Knead it.", "knead it ."))
    assert "The solutions say the same." in rendered(piqa_view(decide(ITEM, Signals(), same, WEIGHTS)))


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        ("Use it now.", "Use it.", ("Use it [now].", "Use it [].")),
        ("Use [red]it\x1b[2J", "Use [red]them\x1b[2J", None),
        ("Pour", "Pour it out", ("Pour []", "Pour [it out]")),
    ],
)
def test_what_differs_is_in_brackets(first: str, second: str, shown: tuple[str, str] | None) -> None:
    found = difference(first, second)
    texts = tuple(marked(found, side).plain for side in (0, 1))
    if shown is not None:
        assert texts == shown
    assert "\x1b" not in "".join(texts)


def choices(*rows: tuple[int, Signals]) -> list[Any]:
    return [decide(replace(ITEM, label=label), signals, REASONS, WEIGHTS) for label, signals in rows]


def test_measures_count_what_rests_on_proof_or_evidence() -> None:
    figures = measure(
        choices(
            (1, Signals(proof=-2.0)),
            (1, Signals(together=2.0)),
            (0, Signals(neural=1.0)),
            (1, Signals(neural=-1.0)),
            (1, Signals()),
        ),
        "neurosymbolic",
        2.5,
    )
    assert figures["n"] == 5
    assert figures["accuracy"] == pytest.approx(0.6)
    assert figures["proof_coverage"] == pytest.approx(0.4)
    assert figures["accuracy_with_proof"] == pytest.approx(0.5)
    assert figures["seconds"] == 2.5
    assert figures["decided"]["n"] == 4
    assert figures["by_basis"]["neural preference"] == {"n": 3, "accuracy": pytest.approx(2 / 3)}
    assert figures["by_distance"]["2"]["n"] == 5
    assert figures["by_distance"]["11 or more"] == {"n": 0, "accuracy": None}
    low, high = figures["interval"]
    assert 0 <= low < 0.6 < high <= 1


def test_what_has_no_label_cannot_be_measured() -> None:
    with pytest.raises(StoryError, match="item 4 has no label"):
        require_labels([replace(ITEM, label=None)])
    with pytest.raises(StoryError, match="no items"):
        evaluate_random([])
    assert evaluate_random([ITEM] * 9, 1) == evaluate_random([ITEM] * 9, 1)
