"""A data file of any kind that stories come in: annotated pairs, broken stories with twins, or plain stories.

Which kind it is is told by what the file holds, so that a command can take them all and give as many figures as each
allows.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Literal

from ..symbolic.errors import Location, StoryError
from ..symbolic.story import Story, StoryPair
from .files import Line, PathLike, display_name, json_values, read_text
from .readers import Split, read_pairs, read_stories
from .twins import Twins, read_twins

Kind = Literal["pairs", "twins", "stories"]


@dataclass(frozen=True, eq=False)
class DataFile:
    """The stories of one file; ``pairs`` also of twins, and none where the stories are plain ones."""

    kind: Kind
    pairs: tuple[StoryPair, ...] = ()
    twins: tuple[Twins, ...] = ()
    stories: tuple[Story, ...] = ()


def read_data(
    path: PathLike, split: Split | None = None, partition: str | None = None, limit: int | None = None
) -> DataFile:
    """The first ``limit`` pairs or stories of a file (None: all); ``split`` cuts prose, see ``read_stories``.

    Raises:
        StoryError: as the reader of its kind.
    """
    lines = list(read_text(path))
    kind = _kind(path, lines)
    if kind == "stories":
        if partition is not None:
            raise StoryError("plain stories have no partitions: leave out --partition", Location(display_name(path)))
        stories = itertools.islice(read_stories(path, split, lines=iter(lines)), limit)
        return DataFile(kind, stories=tuple(stories))
    if kind == "twins":
        twins = tuple(itertools.islice(read_twins(path, iter(lines)), limit))
        return DataFile(kind, tuple(one.pair for one in twins), twins)
    return DataFile(kind, tuple(itertools.islice(read_pairs(path, partition, iter(lines)), limit)))


def _kind(path: PathLike, lines: list[Line]) -> Kind:
    """What a file holds, by the keys of its first story; what cannot be told is left to the reader of stories."""
    if lines[0][1].lstrip()[:1] not in ("{", "["):
        return "stories"
    try:
        _, first = next(json_values(path, iter(lines)))
    except StoryError:
        return "stories"
    if isinstance(first, list):
        first = first[0] if first else None
    if not isinstance(first, dict) or "sentences" in first:
        return "stories"
    if "broken" in first:
        return "twins"
    # TRIP's official file is a list of objects whose keys are partitions.
    pairs = "stories" in first or "sentence_texts" in first or any(isinstance(part, list) for part in first.values())
    return "pairs" if pairs else "stories"
