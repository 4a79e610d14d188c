"""TRIP's files as story pairs, in any of the three shapes that people have them in.

- converted lines: two lines a pair, ``states[entity][sentence] = [precondition[20], effect[20]]``;
- official pairs, one a line: change labels per sentence and attribute (``{"wet": [["shirt", 4]]}``);
- the official file: ``[cloze, order]``, each an object of partitions (train, dev, test) that list official pairs.

Source: TRIP (Storks et al., 2021) and its conversion in CGLI (Ma et al., 2022). The published figures are of the cloze
pairs alone (partition ``cloze/dev`` or ``cloze/test``); the conflict labels of order pairs are unreliable.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final

import numpy as np
from pydantic import Field

from ..symbolic.errors import Location, StoryError
from ..symbolic.story import Gold, IntArray, StateTable, Story, StoryPair
from ..symbolic.vocabulary import ATTRIBUTE, ATTRIBUTES, EFFECT, N_ATTRIBUTES, PRECONDITION, change_to_states
from .files import Line, PathLike, json_values
from .schema import Strict, check_entities, check_sentences, json_type, shorten, validated

KINDS: Final = ("cloze", "order")
_VALUE_LIMIT: Final = np.array([len(attribute.values) for attribute in ATTRIBUTES])

_LINE_SHAPE: Final = 'a line with "para_id", "sentence_texts", "participants", "plausible", "confl_pairs", "states"'
_PAIR_SHAPE: Final = 'an official pair: "example_id", "label", "stories": [two with "sentences", "plausible", "states"]'

Label = Annotated[int, Field(ge=-1, le=1)]


class _Line(Strict):
    """A converted story; its ``states`` are checked by ``_table``, which is faster and says more."""

    para_id: str
    sentence_texts: list[str]
    participants: list[str]
    plausible: bool
    confl_pairs: list[list[int]]
    states: list[Any]


class _OfficialStory(Strict):
    example_id: str = ""
    sentences: list[str]
    plausible: bool
    breakpoint: int = -1
    confl_sents: list[int] = Field(default_factory=list)
    confl_pairs: list[list[int]] = Field(default_factory=list)
    states: list[dict[str, list[list[Any]]]]


class _OfficialPair(Strict):
    example_id: str
    label: Label | None = None
    stories: Annotated[list[_OfficialStory], Field(min_length=2, max_length=2)]


def read_pairs(
    path: PathLike, partition: str | None = None, lines: Iterator[Line] | None = None
) -> Iterator[StoryPair]:
    """The annotated pairs of a TRIP file of any shape, in the file's order (both stories too), one at a time.

    ``partition`` chooses from an official file, which has several: "dev", "cloze" or "cloze/dev"; None takes all.
    ``lines`` are those of the file that are not blank, where the caller has read them.

    Raises:
        StoryError: names the file, the line or item, and what is wrong.
    """
    pending: tuple[Location, _Line] | None = None
    for location, within, value in _values(path, lines):
        if isinstance(value, list):
            yield from _official_file(value, partition, location)
            continue
        if partition is not None:
            raise StoryError(f'this file has no partitions: leave out "{shorten(partition)}"', location)
        if isinstance(value, dict) and "stories" in value:
            yield official_pair(value, location, within)
            continue
        line = validated(_Line, value, location, _LINE_SHAPE, within)
        if pending is None:
            pending = (location, line)
        else:
            yield _converted_pair(pending, (location, line))
            pending = None
    if pending is not None:
        raise StoryError("the last story has no twin: a pair is two lines, one plausible and one not", pending[0])


def _values(path: PathLike, lines: Iterator[Line] | None) -> Iterator[tuple[Location, str, object]]:
    """The values of a file, where each is, and its number in a list of pairs or stories (CGLI's ``dev.json``)."""
    for location, value in json_values(path, lines):
        if isinstance(value, list) and value and all(_is_pair_or_story(item) for item in value):
            for number, item in enumerate(value, 1):
                yield location, f"item {number}", item
        else:
            yield location, "", value


def _is_pair_or_story(item: object) -> bool:
    return isinstance(item, dict) and ("stories" in item or "sentence_texts" in item)


def official_pair(value: object, location: Location, within: str = "") -> StoryPair:
    """One official pair; ``within`` says which item of the file it is.

    Raises:
        StoryError: the pair does not have the official shape or contradicts itself.
    """
    pair = validated(_OfficialPair, value, location, _PAIR_SHAPE, within)
    named = f'{within or "pair"} "{shorten(pair.example_id)}"'
    first, second = (_official_story(story, location, named) for story in pair.stories)
    label = _plausible_index((first, second), location, named)
    if pair.label is not None and pair.label != label:
        raise StoryError(f'{named}: "label" is {pair.label} but story {label} is the plausible one', location)
    return StoryPair((first, second), label, pair.example_id)


def gold_conflict(
    pairs: Sequence[Sequence[int]], sentences: Sequence[int] = (), break_at: int = -1
) -> tuple[int, int] | None:
    """The one gold pair: the latest conflicting sentence before the breakpoint, and the breakpoint.

    ``pairs`` are all the conflicting pairs (none in order stories), ``sentences`` those in conflict with the
    breakpoint; a negative ``break_at`` means the first one that ``pairs`` has. None when there is no conflict.
    """
    ordered = [(min(pair), max(pair)) for pair in pairs]
    if break_at < 0 and ordered:
        break_at = min(later for _, later in ordered)
    candidates = [earlier for earlier, later in ordered if later == break_at and earlier < later]
    candidates = candidates or [sentence for sentence in sentences if sentence < break_at]
    return (max(candidates), break_at) if candidates else None


def _official_file(value: list[Any], partition: str | None, location: Location) -> Iterator[StoryPair]:
    location = Location(location.file)  # one document: its first line says nothing
    if len(value) != len(KINDS) or not all(isinstance(part, dict) for part in value):
        raise StoryError(
            "a list, but not TRIP's official one: expected [cloze, order], each an object of partitions", location
        )
    available: list[str] = []
    found = False
    for kind, parts in zip(KINDS, value, strict=True):
        for name, items in parts.items():
            available.append(f"{kind}/{name}")
            if partition not in (None, kind, name, f"{kind}/{name}"):
                continue
            if not isinstance(items, list):
                raise StoryError(f"{kind}/{shorten(name)} must be a list of pairs, not {json_type(items)}", location)
            for number, item in enumerate(items, 1):
                found = True
                yield official_pair(item, location, f"{kind}/{shorten(name)} pair {number}")
    if not found:
        wanted = f'no pairs in partition "{shorten(partition)}"' if partition is not None else "no story pairs"
        raise StoryError(f"{wanted}: the file has {shorten(', '.join(available) or 'no partitions', 200)}", location)


def _plausible_index(stories: tuple[Story, Story], location: Location, named: str) -> int:
    plausible = [story.gold is not None and story.gold.plausible for story in stories]
    if sum(plausible) != 1:
        raise StoryError(f"{named}: one of the two stories must be plausible and the other not", location)
    return plausible.index(True)


def _converted_pair(first: tuple[Location, _Line], second: tuple[Location, _Line]) -> StoryPair:
    stories = (_converted_story(*first), _converted_story(*second))
    named = f'stories "{shorten(stories[0].id)}" and "{shorten(stories[1].id)}"'
    label = _plausible_index(stories, second[0], named)
    return StoryPair(stories, label, _pair_id(stories[label].id, stories[1 - label].id, second[0], named))


def _pair_id(plausible: str, implausible: str, location: Location, named: str) -> str:
    """The pair's own identifier: the implausible story's is it twice ("13-C0-13-C0"), its twin's begins with it."""
    parts = implausible.split("-")
    half = len(parts) // 2
    if parts[:half] != parts[half:]:
        return implausible
    pair = "-".join(parts[:half])
    if not plausible.startswith(f"{pair}-"):
        raise StoryError(f"{named} are not a pair: lines 2k-1 and 2k must hold the two stories of one", location)
    return pair


def _converted_story(location: Location, line: _Line) -> Story:
    named = f'story "{shorten(line.para_id)}"'
    check_sentences(line.sentence_texts, location)
    check_entities(line.participants, location)
    count = len(line.sentence_texts)
    if len(line.states) != len(line.participants):
        raise StoryError(
            f"{named}: states of {len(line.states)} entities for {len(line.participants)} participants", location
        )
    rows: dict[str, IntArray] = {}
    for entity, sentences in zip(line.participants, line.states, strict=True):
        row = _row(sentences, count, location, f'{named}: "states" of "{shorten(entity)}"')
        # A name listed twice is one thing: what one row leaves unknown the other may say.
        rows[entity] = row if entity not in rows else np.where(rows[entity] == 0, row, rows[entity])
    conflict = _checked_conflict(line.plausible, line.confl_pairs, (), -1, count, location, named)
    return _story(line.para_id, line.sentence_texts, rows, Gold(line.plausible, conflict))


def _row(sentences: object, count: int, location: Location, named: str) -> IntArray:
    """One entity's states, (sentences, 2, 20), with the sentences that the file leaves out at 0."""
    row = np.zeros((count, 2, N_ATTRIBUTES), np.int8)
    if not isinstance(sentences, list) or len(sentences) > count:
        raise StoryError(f"{named} must be a list of at most {count} sentences", location)
    for sentence, sides in enumerate(sentences):
        shaped = isinstance(sides, list) and len(sides) == 2
        if not shaped or not all(isinstance(side, list) and len(side) == N_ATTRIBUTES for side in sides):
            raise StoryError(f"{named} at sentence {sentence} must be [precondition[20], effect[20]]", location)
        if not all(type(value) is int for side in sides for value in side):
            raise StoryError(f"{named} at sentence {sentence} must be whole numbers", location)
        values = np.array(sides, dtype=object)
        wrong = np.argwhere((values < 0) | (values >= _VALUE_LIMIT))
        if len(wrong):
            side, index = wrong[0]
            raise StoryError(
                f"{named} at sentence {sentence}: {shorten(str(sides[side][index]))} is not a value of "
                f"{ATTRIBUTES[index].name} (0 to {_VALUE_LIMIT[index] - 1})",
                location,
            )
        row[sentence] = values.astype(np.int8)
    return row


def _official_story(story: _OfficialStory, location: Location, named: str) -> Story:
    named = f'{named}, story "{shorten(story.example_id)}"'
    check_sentences(story.sentences, location)
    count = len(story.sentences)
    if len(story.states) > count:
        raise StoryError(f"{named}: states of {len(story.states)} sentences for a story of {count}", location)
    rows: dict[str, IntArray] = {}
    for sentence, labels in enumerate(story.states):
        for name, changes in labels.items():
            attribute = ATTRIBUTE.get(name)
            if attribute is None:
                raise StoryError(f'{named}: "{shorten(name)}" is not an attribute of TRIP', location)
            for change in changes:
                if len(change) != 2 or not isinstance(change[0], str) or type(change[1]) is not int:
                    raise StoryError(
                        f'{named}: "{name}" at sentence {sentence} must list ["entity", label] pairs', location
                    )
                entity, label = change
                try:
                    precondition, effect = change_to_states(attribute, label)
                except ValueError as error:
                    raise StoryError(f"{named}, sentence {sentence}: {shorten(str(error), 90)}", location) from None
                row = rows.setdefault(entity, np.zeros((count, 2, N_ATTRIBUTES), np.int8))
                row[sentence, PRECONDITION, attribute.index] = precondition
                row[sentence, EFFECT, attribute.index] = effect
    check_entities(list(rows), location)
    conflict = _checked_conflict(
        story.plausible, story.confl_pairs, story.confl_sents, story.breakpoint, count, location, named
    )
    return _story(story.example_id, story.sentences, rows, Gold(story.plausible, conflict))


def _checked_conflict(
    plausible: bool,
    pairs: list[list[int]],
    sentences: Sequence[int],
    break_at: int,
    count: int,
    location: Location,
    named: str,
) -> tuple[int, int] | None:
    """The gold pair, or None in a plausible story and in an implausible one whose conflict the file leaves out."""
    for pair in pairs:
        if len(pair) != 2 or pair[0] == pair[1]:
            raise StoryError(f'{named}: "confl_pairs" must hold pairs of different sentences, not {pair}', location)
    named_sentences = [*sentences, *itertools.chain.from_iterable(pairs)]
    outside = [number for number in named_sentences if not 0 <= number < count]
    if outside or break_at >= count:
        raise StoryError(
            f"{named}: its conflict names sentence {(outside or [break_at])[0]} and its last one is {count - 1}",
            location,
        )
    if plausible:
        if pairs:
            raise StoryError(f'{named}: plausible, yet it has "confl_pairs"', location)
        return None
    return gold_conflict(pairs, sentences, break_at)


def _story(identifier: str, sentences: list[str], rows: dict[str, IntArray], gold: Gold) -> Story:
    entities = tuple(rows)
    values = np.stack(list(rows.values())) if rows else np.zeros((0, len(sentences), 2, N_ATTRIBUTES), np.int8)
    table = StateTable(entities, values)
    return Story(tuple(sentences), entities, identifier, Gold(gold.plausible, gold.conflict, table))
