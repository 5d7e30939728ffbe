"""What a caller asks for: a recipe's text, or a picture with a few words about it."""

from dataclasses import dataclass

import msgspec

from examples.kitchen.ai.errors import CannotAnalyse


@dataclass(frozen=True)
class TextRequest:
    """Read this recipe."""

    text: str


@dataclass(frozen=True)
class PictureRequest:
    """Look at this picture."""

    url: str
    description: str


class _PictureObject(msgspec.Struct):
    s3_url: str
    description: str | None = None


def read_request(user_input: str, most_characters: int) -> TextRequest | PictureRequest:
    """A JSON object with `s3_url` asks for a picture; anything else is a recipe's text. Raises CannotAnalyse."""
    if len(user_input) > most_characters:
        text = f"The text has {len(user_input)} characters; at most {most_characters} are read."
        raise CannotAnalyse("too_large", text)
    if not _has_picture_address(user_input):
        return TextRequest(user_input)
    try:
        asked = msgspec.json.decode(user_input, type=_PictureObject)
    except msgspec.ValidationError as error:
        text = f'A picture is asked for with {{"s3_url": text, "description": text}}, but: {error}.'
        raise CannotAnalyse("bad_request", text) from error
    return PictureRequest(asked.s3_url, asked.description or "")


def _has_picture_address(user_input: str) -> bool:
    if not user_input.lstrip().startswith("{"):
        return False
    try:
        return "s3_url" in msgspec.json.decode(user_input, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeEncodeError):
        return False
