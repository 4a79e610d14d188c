"""The package's front door: light to import, and three names that do the work."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import disproof
from disproof.bridge.engine import Engine
from disproof.bridge.scoring import Weights
from disproof.neural.fake import FakeTagger
from disproof.neural.parser import Parser
from disproof.symbolic.story import Story

OFF, READ = "Ann unplugged the lamp.", "Ann read by the light of the lamp."


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = (
        "import sys, disproof; disproof.__version__; disproof.DisproofError\n"
        "heavy = {'torch', 'transformers', 'spacy', 'clingo', 'numpy', 'pydantic', 'typer', 'rich', 'networkx'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there() -> None:
    for name in disproof.__all__:
        assert getattr(disproof, name) is not None
    assert disproof.Engine is Engine
    with pytest.raises(AttributeError, match="nothing"):
        _ = disproof.nothing


@pytest.fixture(scope="module")
def engine() -> Engine:
    states: dict[str, dict[tuple[Any, str, str], tuple[int, float]]] = {
        OFF: {("effect", "lamp", "power"): (1, 0.97)},
        READ: {("precondition", "lamp", "power"): (2, 0.95)},
    }
    return Engine(tagger=FakeTagger(states, {}), parser=Parser(), weights=Weights(default=3.0))


@pytest.fixture(autouse=True)
def _api(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disproof, "_engine", lambda: engine)


@pytest.mark.parametrize("story", [f"{OFF} {READ}", [OFF, READ], (OFF, READ), Story((OFF, READ))])
def test_prose_a_list_and_a_story_are_explained_alike(story: Any) -> None:
    verdict = disproof.explain(story)
    assert (verdict.plausible, verdict.pair, verdict.basis) == (False, (0, 1), "proof")
    assert verdict.sentences == (OFF, READ)


def test_the_things_of_a_story_can_be_named() -> None:
    verdict = disproof.explain([OFF, READ], entities=["Ann"])
    assert verdict.entities == ("Ann",)
    assert not any(state.entity == "lamp" for state in verdict.states)


def test_the_plausible_story_is_chosen() -> None:
    choice = disproof.choose(f"{OFF} {READ}", f"Ann dusted the lamp. {READ}")
    assert choice.choice == 1
    assert choice.verdicts[0].pair == (0, 1)


@pytest.mark.parametrize("story", ["", "   ", "One sentence only.", [], ["one"], ["a", " "], ["a\0b", "c"]])
def test_what_is_no_story_is_refused_in_one_line(story: Any) -> None:
    with pytest.raises(disproof.DisproofError) as caught:
        disproof.explain(story)
    assert str(caught.value)
    assert "\n" not in str(caught.value)
