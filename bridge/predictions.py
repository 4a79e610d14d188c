"""Predictions in the shape of TRIP's official evaluation, matched to the pairs they are of.

An item holds, for one pair, ``story_pred`` (the index of the story called plausible), ``conflict_pred`` (sentences)
and ``preconditions_pred`` and ``effects_pred`` (``{entity: {sentence: {attribute: value}}}``, trivial values left
out), the last three of the story that gold calls implausible; mostly also the gold labels under ``..._label``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np
from pydantic import Field

from ..symbolic.errors import Location, StoryError
from ..symbolic.story import StateTable, StoryPair
from ..symbolic.vocabulary import ATTRIBUTE, EFFECT, N_ATTRIBUTES, PRECONDITION
from .files import PathLike, display_name, json_values
from .metrics import PairPrediction, StoryPrediction
from .schema import MAX_SENTENCES, Strict, check_entities, shorten, validated

EntityStates = dict[str, dict[str, dict[str, int]]]

_SHAPE: Final = (
    'an item with "example_id", "story_pred", "conflict_pred", "preconditions_pred" and "effects_pred", '
    "as TRIP's evaluation writes them"
)


@dataclass(frozen=True, eq=False)
class OfficialPrediction:
    """One item; ``states`` has as many sentences as the item names (a story's last ones may be missing).

    ``valid_explanation`` is what the file's author found of verifiability, None where the file does not say.
    """

    example_id: str
    story_pred: int
    conflict_pred: tuple[int, ...]
    states: StateTable
    story_label: int | None = None
    valid_explanation: bool | None = None
    texts: tuple[str, str] | None = None
    location: Location | None = None


Choice = Annotated[int, Field(ge=0, le=1)]
Sentence = Annotated[int, Field(ge=0, lt=MAX_SENTENCES)]


class _Item(Strict):
    example_id: str
    story_pred: Choice
    conflict_pred: list[Sentence]
    preconditions_pred: EntityStates
    effects_pred: EntityStates
    story_label: Choice | None = None
    valid_explanation: bool | None = None
    story0: str | None = None
    story1: str | None = None


def read_predictions(path: PathLike) -> Iterator[OfficialPrediction]:
    """The items of a predictions file: a list of them, or one a line.

    Raises:
        StoryError: names the file, the line or item, and what is wrong.
    """
    found = False
    for location, value in json_values(path):
        items = value if isinstance(value, list) else [value]
        for number, item in enumerate(items, 1):
            found = True
            yield _prediction(item, location, f"item {number}" if isinstance(value, list) else "")
    if not found:
        raise StoryError(f"no predictions; expected {_SHAPE}", Location(display_name(path)))


def match_predictions(pairs: Sequence[StoryPair], predictions: Sequence[OfficialPrediction]) -> list[PairPrediction]:
    """For each pair the prediction with its identifier, as the metrics take it; further predictions are left aside.

    A prediction that gives ``story_label`` may have the two stories the other way round than the pair.

    Raises:
        StoryError: a pair has no prediction, or one that is of other stories; an identifier occurs twice.
    """
    by_id: dict[str, OfficialPrediction] = {}
    for prediction in predictions:
        if prediction.example_id in by_id:
            raise StoryError(f'"{shorten(prediction.example_id)}" is predicted twice: remove one', prediction.location)
        by_id[prediction.example_id] = prediction
    matched = []
    for pair in pairs:
        found = by_id.get(pair.id)
        if found is None:
            file = predictions[0].location.file if predictions and predictions[0].location else "the predictions"
            raise StoryError(
                f'no prediction for pair "{shorten(pair.id)}": give predictions of the same file', Location(file)
            )
        matched.append(pair_prediction(pair, found))
    return matched


def pair_prediction(pair: StoryPair, prediction: OfficialPrediction) -> PairPrediction:
    """One prediction as the metrics take it: its conflict and states belong to the gold-implausible story.

    Raises:
        StoryError: the pair has no label, or the prediction is of other stories.
    """
    if pair.label is None:
        raise StoryError(f'the pair "{shorten(pair.id)}" has no gold label: measure on annotated pairs')
    named = f'the prediction "{shorten(prediction.example_id)}"'
    if prediction.texts is not None:
        own = sorted("\n".join(story.sentences) for story in pair.stories)
        if sorted(prediction.texts) != own:
            raise StoryError(f"{named} is of other stories than the pair of that name", prediction.location)
    count = len(pair.stories[1 - pair.label].sentences)
    values = prediction.states.values
    if values.shape[1] > count or any(sentence >= count for sentence in prediction.conflict_pred):
        raise StoryError(f"{named} names sentences that its story of {count} does not have", prediction.location)
    padded = np.zeros((len(values), count, 2, N_ATTRIBUTES), np.int8)
    padded[:, : values.shape[1]] = values
    swapped = prediction.story_label is not None and prediction.story_label != pair.label
    implausible = StoryPrediction(prediction.conflict_pred, StateTable(prediction.states.entities, padded))
    other = StoryPrediction()
    return PairPrediction(
        1 - prediction.story_pred if swapped else prediction.story_pred,
        (other, implausible) if pair.label == 0 else (implausible, other),
    )


def official_item(pair: StoryPair, prediction: PairPrediction) -> dict[str, Any]:
    """A prediction in the official shape, of the story that gold calls implausible (without gold, the system)."""
    implausible = 1 - (prediction.choice if pair.label is None else pair.label)
    said = prediction.stories[implausible]
    tables: dict[str, EntityStates] = {"preconditions_pred": {}, "effects_pred": {}}
    if said.states is not None:
        for sentence in range(said.states.values.shape[1]):
            for name, side in (("preconditions_pred", PRECONDITION), ("effects_pred", EFFECT)):
                for state in said.states.nontrivial(sentence, side):
                    place = tables[name].setdefault(state.entity, {}).setdefault(str(sentence), {})
                    place[state.attribute] = state.value
    label = {} if pair.label is None else {"story_label": pair.label}
    return {
        "example_id": pair.id,
        "story0": "\n".join(pair.stories[0].sentences),
        "story1": "\n".join(pair.stories[1].sentences),
        **label,
        "story_pred": prediction.choice,
        "conflict_pred": list(said.conflict or ()),
        **tables,
    }


def _prediction(value: object, location: Location, within: str) -> OfficialPrediction:
    item = validated(_Item, value, location, _SHAPE, within)
    named = f"{within}: " if within else ""
    tables = {PRECONDITION: item.preconditions_pred, EFFECT: item.effects_pred}
    entities = tuple(dict.fromkeys(name for table in tables.values() for name in table))
    check_entities(entities, location)
    count = 1 + max(
        (
            _sentence_number(key, named, location)
            for table in tables.values()
            for sentences in table.values()
            for key in sentences
        ),
        default=-1,
    )
    values = np.zeros((len(entities), count, 2, N_ATTRIBUTES), np.int8)
    for side, table in tables.items():
        for row, entity in enumerate(entities):
            for key, states in table.get(entity, {}).items():
                _fill(values[row, int(key), side], states, f'{named}"{shorten(entity)}", sentence {key}', location)
    return OfficialPrediction(
        item.example_id,
        item.story_pred,
        tuple(item.conflict_pred),
        StateTable(entities, values),
        item.story_label,
        item.valid_explanation,
        None if item.story0 is None or item.story1 is None else (item.story0, item.story1),
        location,
    )


def _sentence_number(key: str, named: str, location: Location) -> int:
    if not (key.isascii() and key.isdigit() and len(key) < 4 and int(key) < MAX_SENTENCES):
        raise StoryError(f'{named}"{shorten(key)}" is not a sentence number (from 0)', location)
    return int(key)


def _fill(row: np.typing.NDArray[np.int8], states: Mapping[str, int], named: str, location: Location) -> None:
    """Write one thing's states at one side of one sentence into ``row``, (20,)."""
    for name, value in states.items():
        attribute = ATTRIBUTE.get(name)
        if attribute is None:
            raise StoryError(f'{named}: "{shorten(name)}" is not an attribute of TRIP', location)
        if not 0 <= value < len(attribute.values):
            raise StoryError(
                f"{named}: {shorten(str(value))} is not a value of {name} (0 to {len(attribute.values) - 1})", location
            )
        row[attribute.index] = value
