"""What rules do on data: firings of hand-made analyses, counted on the page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from disproof.bridge.engine import Analysis
from disproof.bridge.rule_stats import Firings, count_firings, rule_weight
from disproof.bridge.scoring import Weights, candidates
from disproof.symbolic.proof import Conflict, ProofNode
from disproof.symbolic.rulebook import load
from disproof.symbolic.story import Gold, Story, StoryPair, Tagging
from disproof.symbolic.vocabulary import N_ATTRIBUTES, N_VALUES

NOTHING = Tagging((), np.zeros((0, 3, 2, N_ATTRIBUTES, N_VALUES), np.float32))
Fired = tuple[int, int, str]


def story(name: str, conflict: tuple[int, int] | None) -> Story:
    return Story((f"{name} one.", f"{name} two.", f"{name} three."), (), name, Gold(conflict is None, conflict))


def analysed(of: Story, *fired: Fired) -> Analysis:
    proof = ProofNode("c", "rule")
    conflicts = [Conflict(i, j, rule, rule, f"thing {k}", "power", proof) for k, (i, j, rule) in enumerate(fired)]
    return Analysis(of, (), NOTHING, tuple(candidates(conflicts, len(of.sentences))))


GOOD, BAD, WORSE = story("good", None), story("bad", (0, 2)), story("worse", (1, 2))
PAIRS = [StoryPair((GOOD, BAD), 0, "first"), StoryPair((WORSE, GOOD), 1, "second")]


def test_a_firing_is_a_story_and_a_pair_of_sentences() -> None:
    good = analysed(GOOD, (0, 1, "a"))
    found = count_firings(
        PAIRS,
        [
            (good, analysed(BAD, (0, 2, "a"), (0, 2, "a"), (0, 1, "a"), (0, 2, "b"))),
            (analysed(WORSE, (0, 2, "a"), (1, 2, "b")), good),
        ],
    )
    # Of "a": one in the plausible story, which both pairs share; two in the bad one, where two proofs of one pair are
    # one firing; and one in the worse one, on a pair that is not its gold.
    assert found == {"a": Firings(fires=4, hits=1, in_plausible=1), "b": Firings(fires=2, hits=2, in_plausible=0)}
    assert (found["a"].precision, found["b"].precision) == (0.25, 1.0)


def test_the_gold_pair_of_a_plausible_story_is_none() -> None:
    odd = Story(("odd one.", "odd two."), (), "odd", Gold(True))
    found = count_firings([StoryPair((odd, BAD), 0)], [(analysed(odd, (0, 1, "a")), analysed(BAD))])
    assert found == {"a": Firings(1, 0, 1)}


def test_a_rule_that_never_fires_has_no_precision() -> None:
    assert Firings().precision is None
    assert count_firings([], []) == {}


def test_a_rule_has_the_weight_that_was_learned_or_else_the_default(tmp_path: Path) -> None:
    path = tmp_path / "some.lp"
    path.write_text(
        "%!rule known\nconflict(I,J,known,E,wet) :- mention(I,E), mention(J,E), I < J.\n"
        "%!rule new\nconflict(I,J,new,E,wet) :- thing(E), mention(I,E), mention(J,E), I < J.\n"
        "%!rule serves\nthing(E) :- entity(E).\n"
    )
    book = load([path])
    weights = Weights({"rule known": 0.25, "rule serves": 9.0}, default=1.5)
    assert rule_weight(book, "known", weights) == (0.25, True)
    assert rule_weight(book, "new", weights) == (1.5, False)
    assert rule_weight(book, "serves", weights) is None


def test_as_many_analyses_as_pairs_are_needed() -> None:
    with pytest.raises(ValueError, match="zip"):
        count_firings(PAIRS, [])
