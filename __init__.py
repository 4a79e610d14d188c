"""disproof: which two sentences of a story cannot both be true, with a proof that a person can read.

    import disproof
    verdict = disproof.explain(["Ann unplugged the lamp.", "Ann read by the light of the lamp."])
    verdict.plausible, verdict.pair, verdict.conflict

``explain``, ``choose`` and ``piqa`` (which of two solutions reaches a goal) load the shipped model on their first call
and keep it; an ``Engine`` of one's own takes other models, rules and settings. Importing this package loads nothing
heavy.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from .symbolic.errors import DisproofError

if TYPE_CHECKING:
    from .bridge.engine import Engine
    from .bridge.piqa import PiqaChoice, PiqaEngine
    from .bridge.verdict import Choice, Verdict
    from .symbolic.story import Story

__version__ = "0.1.0"
__all__ = [
    "Choice",
    "DisproofError",
    "Engine",
    "PiqaChoice",
    "PiqaEngine",
    "Verdict",
    "__version__",
    "choose",
    "explain",
    "piqa",
]


def explain(story: str | Sequence[str] | Story, entities: Sequence[str] | None = None) -> Verdict:
    """Judge one story: prose, a list of sentences, or a ``Story``.

    Args:
        story: what to judge; prose is split into sentences.
        entities: the things and people of the story; None finds them in the text.

    Raises:
        StoryError: the story cannot be read (empty, one sentence only, too long, ...).
    """
    return _engine().explain(_story(story, entities))


def choose(first: str | Sequence[str] | Story, second: str | Sequence[str] | Story) -> Choice:
    """Choose the plausible one of two stories, each as for :func:`explain`.

    Raises:
        StoryError: a story cannot be read.
    """
    return _engine().choose(_story(first, None), _story(second, None))


def piqa(goal: str, first: str, second: str) -> PiqaChoice:
    """Choose the one of two solutions that reaches a goal, and say why.

    Args:
        goal: what is to be reached.
        first: a solution: a sentence or several, or a thing's name.
        second: another one.

    Raises:
        StoryError: a solution is empty or too long.
    """
    from .bridge.piqa_data import PiqaItem
    from .symbolic.errors import StoryError

    for solution in (first, second):
        if not solution.strip():
            raise StoryError("a solution is empty: say what is to be done")
    return _piqa_engine().choose(PiqaItem(0, goal, (first, second)))


@lru_cache(maxsize=1)
def _piqa_engine() -> PiqaEngine:
    from .bridge.piqa import PiqaEngine

    return PiqaEngine()


@lru_cache(maxsize=1)
def _engine() -> Engine:
    from .bridge.engine import Engine

    return Engine()


def _story(story: str | Sequence[str] | Story, entities: Sequence[str] | None) -> Story:
    from .bridge.readers import make_story
    from .symbolic.story import Story

    if isinstance(story, Story):
        return story
    sentences = _engine().split(story) if isinstance(story, str) else tuple(story)
    return make_story(sentences, entities)


def __getattr__(name: str) -> object:
    """Load the classes of the public API only when they are asked for."""
    if name == "Engine":
        from .bridge.engine import Engine

        return Engine
    if name in ("Verdict", "Choice"):
        from .bridge import verdict

        return getattr(verdict, name)
    if name in ("PiqaChoice", "PiqaEngine"):
        from .bridge import piqa as choosing

        return getattr(choosing, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
