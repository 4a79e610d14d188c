"""The names of one story's things, told by the program, beside those of its annotation.

An engine that finds a story's entities itself may call them otherwise than the annotators did ("cup of coffee" and
"coffee cup"), so what it says is put under their names before it is measured. Of a thing that the annotation does not
have it says nothing, so neither is anything held against the engine there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..symbolic.aliases import head
from ..symbolic.story import StateTable, Story, StoryPair
from .metrics import PairPrediction, StoryPrediction


def nameless(pair: StoryPair) -> StoryPair:
    """The pair without its entities, as a text that nobody annotated."""
    first, second = (replace(story, entities=None) for story in pair.stories)
    return replace(pair, stories=(first, second))


def align(own: Sequence[str], annotated: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The annotated names of each thing, by own name: the same one, else the same but for case, else of one head noun.

    Annotators list a thing once for each of its names ("computer", "desktop computer"), so that it may have several.
    """
    found: dict[str, tuple[str, ...]] = {}
    taken: set[str] = set()
    for key in (str, str.casefold, head):
        left = _by(key, [name for name in own if name not in found])
        right = _by(key, [name for name in annotated if name not in taken])
        for shared, names in left.items():
            if len(names) == 1 and len(right.get(shared, ())) == 1:
                found[names[0]] = tuple(right[shared])
                taken.update(right[shared])
    heads = _by(head, own)
    for shared, names in _by(head, [name for name in annotated if name not in taken]).items():
        if len(heads.get(shared, ())) == 1:
            found[heads[shared][0]] = (*found.get(heads[shared][0], ()), *names)
    return found


def aligned(pair: StoryPair, prediction: PairPrediction) -> PairPrediction:
    """The prediction in the names of the pair's annotation."""
    first, second = (_renamed(said, story) for said, story in zip(prediction.stories, pair.stories, strict=True))
    return replace(prediction, stories=(first, second))


def _by(key: Callable[[str], str], names: Sequence[str]) -> Mapping[str, list[str]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[key(name)].append(name)
    return groups


def _renamed(said: StoryPrediction, story: Story) -> StoryPrediction:
    table, annotated = said.states, story.entities or ()
    if table is None or table.entities == annotated:
        return said
    names = align(table.entities, annotated)
    values = np.zeros((len(annotated), *table.values.shape[1:]), table.values.dtype)
    for row, entity in enumerate(table.entities):
        for number, sentence in enumerate(story.sentences):
            if entity in names:
                values[annotated.index(_name_in(sentence, names[entity])), number] = table.values[row, number]
    cited = said.proof_states
    if cited is not None:
        cited = tuple(
            replace(state, entity=_name_in(story.sentences[state.sentence], names[state.entity]))
            for state in cited
            if state.entity in names
        )
    return replace(said, states=StateTable(annotated, values), proof_states=cited)


def _name_in(sentence: str, names: Sequence[str]) -> str:
    """The name by which a sentence calls a thing: the longest that stands in it, else the first."""
    return max(names, key=lambda name: len(name) if name.casefold() in sentence.casefold() else 0)
