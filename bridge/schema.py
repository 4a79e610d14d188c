"""What comes in from files, checked: pydantic's findings and limits of size turned into errors of one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ..symbolic.errors import Location, StoryError

MAX_SENTENCES: Final = 200
MAX_SENTENCE_CHARACTERS: Final = 10_000
MAX_ENTITIES: Final = 500
MAX_ENTITY_CHARACTERS: Final = 1_000

_EXPECTED: Final = {
    "string_type": "a string",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
}
_JSON_NAMES: Final[tuple[tuple[type, str], ...]] = (
    (bool, "true or false"),
    (str, "a string"),
    (int, "a number"),
    (float, "a number"),
    (list, "a list"),
    (dict, "an object"),
)


class Strict(BaseModel):
    """A JSON object whose fields must have the very type asked for; further fields are ignored."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")


Model = TypeVar("Model", bound=BaseModel)


def validated(model: type[Model], value: object, location: Location, expected: str, within: str = "") -> Model:
    """``value`` as a ``model``; ``expected`` says what the right shape is, ``within`` names the part of the file.

    Raises:
        StoryError: with the first field that is wrong.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        finding = error.errors(include_url=False, include_context=False)[0]
        prefix = f"{within}: " if within else ""
        raise StoryError(f"{prefix}{_describe(finding)}; expected {expected}", location) from None


def _describe(finding: Any) -> str:
    field = ""
    for part in finding["loc"]:
        field += f"[{part}]" if isinstance(part, int) else f".{part}" if field else str(part)
    subject = f'"{shorten(field)}"' if field else "this"
    if finding["type"] == "missing":
        return f"{subject} is missing"
    if finding["type"] in _EXPECTED:
        return f"{subject} must be {_EXPECTED[finding['type']]}, not {json_type(finding['input'])}"
    return f"{subject} is wrong: {finding['msg'][:1].lower()}{finding['msg'][1:]}"


def json_type(value: object) -> str:
    """What a JSON value is called in an error."""
    return next((name for kind, name in _JSON_NAMES if isinstance(value, kind)), "null")


def shorten(text: str, limit: int = 60) -> str:
    """A text of the user's short enough for one line of an error, with what a terminal cannot show escaped."""
    shown = text.encode("unicode_escape").decode() if not text.isprintable() else text
    return shown if len(shown) <= limit else f"{shown[: limit - 3]}..."


def check_sentences(sentences: Sequence[str], location: Location, limit: int = MAX_SENTENCES) -> None:
    """Refuse sentences no reader can use: none, over ``limit``, empty, over-long, with characters that are no text.

    Raises:
        StoryError: counts sentences from 1.
    """
    if not sentences:
        raise StoryError("the story has no sentences", location)
    if len(sentences) > limit:
        raise StoryError(
            f"the story has {len(sentences)} sentences and the limit is {limit}: split it into shorter stories",
            location,
        )
    for number, sentence in enumerate(sentences, 1):
        check_text(sentence, f"sentence {number}", location)


def check_entities(entities: Sequence[str], location: Location) -> None:
    """Refuse names no reader can use: empty, over-long, too many, with characters that are no text.

    Raises:
        StoryError: counts entities from 1.
    """
    if len(entities) > MAX_ENTITIES:
        raise StoryError(f"the story names {len(entities)} entities and the limit is {MAX_ENTITIES}", location)
    for number, entity in enumerate(entities, 1):
        check_text(entity, f"the name of entity {number}", location, MAX_ENTITY_CHARACTERS)


def check_distinct(entities: Sequence[str], location: Location) -> None:
    """Refuse a name given twice (capitals count).

    Raises:
        StoryError: names the entity.
    """
    seen: set[str] = set()
    for entity in entities:
        if entity in seen:
            raise StoryError(f'the entity "{shorten(entity)}" is listed twice: remove one', location)
        seen.add(entity)


def check_text(text: str, what: str, location: Location, limit: int = MAX_SENTENCE_CHARACTERS) -> None:
    """Refuse a text that is empty, over ``limit`` characters, or holds what is no text; ``what`` names it.

    Raises:
        StoryError: says which and what to do.
    """
    if not text.strip():
        raise StoryError(f"{what} is empty: remove it or fill it in", location)
    if len(text) > limit:
        raise StoryError(f"{what} has {len(text):,} characters and the limit is {limit:,}: shorten it", location)
    # A NUL would cut the name short in the solver, half a surrogate pair cannot be printed; JSON can escape both.
    if "\0" in text:
        raise StoryError(f"{what} holds a NUL character: remove it", location)
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise StoryError(f"{what} holds half of a surrogate pair (\\ud800 to \\udfff): remove it", location)
