"""Readers: files in, the same ``Story``, ``StoryPair`` and ``PiqaItem`` out, whatever shape the file has.

A user's own stories are read here; TRIP and PIQA, each with a module of its own, are offered from here too. Formats
are told apart by content; the name decides only where the content allows both.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field

from ..symbolic.errors import Location, StoryError
from ..symbolic.story import Story, StoryPair
from .files import Line, PathLike, bare_name, display_name, json_values, read_text
from .piqa_data import PiqaItem, read_piqa
from .schema import MAX_SENTENCES, Strict, check_distinct, check_entities, check_sentences, validated
from .trip import official_pair, read_pairs

__all__ = ["PiqaItem", "Split", "make_story", "read_pair", "read_pairs", "read_piqa", "read_stories"]

Split = Callable[[str], Sequence[str]]
"""Cuts prose into sentences (the caller's: it may need a language model)."""

_STORY_SHAPE: Final = 'a story: {"sentences": ["...", "..."], "entities": ["..."]}, where "entities" may be left out'
_PAIR_SHAPE: Final = 'a pair of stories: {"stories": [{"sentences": [...]}, {"sentences": [...]}]}'
_JSON_NAMES: Final = (".json", ".jsonl", ".ndjson")
_JSON_START: Final = re.compile(r'\s*(\{\s*("|\}|$)|\[\s*([\[{"\]]|$))')
_SENTENCE_END: Final = re.compile(r"[.!?…。！？][\"'”’»)\]]*$")
_END_WITHIN: Final = re.compile(r"[.!?…][\"'”’»)\]]*\s+\S|[。！？]\S")


def _as_text(value: object) -> object:
    return str(value) if type(value) is int else value


class _UserStory(Strict):
    sentences: list[str]
    entities: list[str] | None = None
    id: Annotated[str, BeforeValidator(_as_text)] = ""


class _UserPair(Strict):
    stories: Annotated[list[dict[str, Any]], Field(min_length=2, max_length=2)]
    id: Annotated[str, BeforeValidator(_as_text)] = ""
    label: Annotated[int, Field(ge=0, le=1)] | None = None


def read_stories(
    path: PathLike,
    split: Split | None = None,
    max_sentences: int = MAX_SENTENCES,
    lines: Iterator[Line] | None = None,
) -> Iterator[Story]:
    """A user's own stories: text (one story) or JSON (a story, a list of them, or one a line), one at a time.

    Text is a sentence a line, or prose, which ``split`` cuts: a single line, or lines that break off in mid-sentence.
    ``lines`` are those of the file that are not blank, where the caller has read them.

    Raises:
        StoryError: names the file and line; also for a story of one sentence, over ``max_sentences``, or with an
            empty or over-long sentence or an entity name that is empty, over-long or given twice.
    """
    lines = read_text(path) if lines is None else lines
    first = next(lines)
    lines = itertools.chain([first], lines)
    if not _is_json(path, first[1]):
        yield _text_story(path, lines, split, max_sentences)
        return
    for location, value in json_values(path, lines):
        if isinstance(value, list):
            if not value:
                raise StoryError(f"an empty list; expected {_STORY_SHAPE}", location)
            for number, item in enumerate(value, 1):
                yield _json_story(item, location, max_sentences, f"story {number}")
        else:
            yield _json_story(value, location, max_sentences)


def read_pair(path: PathLike, max_sentences: int = MAX_SENTENCES) -> StoryPair:
    """The one pair of a file: ``{"stories": [story, story]}``, the user's own or an official one of TRIP.

    Raises:
        StoryError: as ``read_stories``; also where the file holds more than one pair.
    """
    values = json_values(path)
    location, value = next(values)
    if next(values, None) is not None:
        raise StoryError("more than one pair: give a file with one", location)
    pair = validated(_UserPair, value, location, _PAIR_SHAPE)
    if all("states" in story and "plausible" in story for story in pair.stories):
        return official_pair(value, location)
    first, second = (
        _json_story(story, location, max_sentences, f"story {number}") for number, story in enumerate(pair.stories, 1)
    )
    return StoryPair((first, second), pair.label, pair.id)


def make_story(
    sentences: Sequence[str],
    entities: Sequence[str] | None = None,
    identifier: str = "",
    location: Location | None = None,
    max_sentences: int = MAX_SENTENCES,
) -> Story:
    """A user's story, checked: what every reader of one, and the Python API, makes it with.

    Raises:
        StoryError: the limits that ``read_stories`` names.
    """
    location = location or Location("story")
    check_sentences(sentences, location, max_sentences)
    if len(sentences) < 2:
        raise StoryError("the story has one sentence, and a conflict takes two: give at least two", location)
    if entities is not None:
        check_entities(entities, location)
        check_distinct(entities, location)
    return Story(tuple(sentences), None if entities is None else tuple(entities), identifier)


def _is_json(path: PathLike, first: str) -> bool:
    if bare_name(path).endswith(_JSON_NAMES):
        return True
    return _JSON_START.match(first) is not None


def _json_story(value: object, location: Location, max_sentences: int, within: str = "") -> Story:
    if isinstance(value, dict) and "sentences" not in value:
        if "stories" in value:
            raise StoryError("this is a pair of stories, not one: use the command choose", location)
        if "sentence_texts" in value:
            raise StoryError("this is TRIP's data, not a story of your own: use the command evaluate trip", location)
    story = validated(_UserStory, value, location, _STORY_SHAPE, within)
    try:
        return make_story(story.sentences, story.entities, story.id, location, max_sentences)
    except StoryError as error:
        raise StoryError(f"{within}: {error.message}" if within else error.message, location) from None


def _text_story(path: PathLike, lines: Iterator[Line], split: Split | None, max_sentences: int) -> Story:
    name = display_name(path)
    numbered = list(lines)
    texts = [" ".join(text.split()) for _, text in numbered]
    if split is not None and _is_prose(texts):
        sentences = [sentence.strip() for sentence in split(" ".join(texts))]
        return make_story([text for text in sentences if text], location=Location(name), max_sentences=max_sentences)
    for number, text in numbered:  # one by one, so that the error names the line
        check_sentences([text], Location(name, number))
    return make_story(texts, location=Location(name), max_sentences=max_sentences)


def _is_prose(lines: list[str]) -> bool:
    """Whether lines are a paragraph to be cut: a single one, or some that break off while sentences end within."""
    if len(lines) == 1:
        return True
    return any(_END_WITHIN.search(line) for line in lines) and not all(_SENTENCE_END.search(line) for line in lines)
