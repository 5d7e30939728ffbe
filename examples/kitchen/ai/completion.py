"""Read the answer of a language model, which promises JSON and does not always keep it."""

import re

import msgspec
from msgspec import Struct

from examples.kitchen.ai.errors import CannotAnalyse
from examples.kitchen.ai.recipe import Recipe

#: Some servers wrap JSON in a fence, although they were asked for JSON alone.
_FENCED = re.compile(r"\s*```(?:json)?\s*(.*?)\s*```\s*", re.DOTALL | re.IGNORECASE)


class _Message(Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(Struct):
    message: _Message
    finish_reason: str | None = None


class _Completion(Struct):
    choices: list[_Choice]


def read_answer(body: bytes) -> Recipe:
    """The recipe in the body of a chat completion; raises CannotAnalyse."""
    try:
        choice = msgspec.json.decode(body, type=_Completion).choices[0]
    except (msgspec.DecodeError, UnicodeDecodeError, IndexError) as error:
        text = "The server's answer is no chat completion; look whether AI_BASE_URL is an OpenAI-compatible server."
        raise CannotAnalyse("bad_answer", text) from error
    if choice.message.refusal or choice.finish_reason == "content_filter":
        raise CannotAnalyse("bad_answer", "The language model refused to answer.")
    if choice.finish_reason == "length":
        raise CannotAnalyse("bad_answer", "The language model's answer was cut off; try a shorter text.")
    return _recipe_in(choice.message.content or "")


def _recipe_in(content: str) -> Recipe:
    fenced = _FENCED.fullmatch(content)
    try:
        return msgspec.json.decode(fenced[1] if fenced else content, type=Recipe)
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        text = f"The language model's answer is not the JSON that it was asked for ({error}); try again."
        raise CannotAnalyse("bad_answer", text) from error
