"""What a language model's server means when it does not answer with 200."""

import math

import httpx2
import msgspec

from examples.kitchen.ai.errors import CannotAnalyse
from examples.kitchen.ai.settings import Settings

_MOST_TEXT = 300


class _Fault(msgspec.Struct):
    message: str = ""


class _Body(msgspec.Struct):
    error: _Fault


def refusal(response: httpx2.Response, settings: Settings) -> CannotAnalyse:
    """The error to tell for a response that is no success."""
    status = response.status_code
    if status in (401, 403):
        # Servers like to repeat the key in their text, so it is not passed on.
        text = f"The language model's server refused the key ({status}); is AI_API_KEY right for {settings.model}?"
        return CannotAnalyse("wrong_key", text)
    if status == 429:
        wait = retry_after(response.headers.get("retry-after"))
        when = "later" if wait is None else f"in {wait:g} s"
        return CannotAnalyse(
            "rate_limited", f"The language model is asked too often; try again {when}.", retry_after=wait
        )
    return CannotAnalyse("provider_failed", f"The language model's server answered {status}{_said(response, settings)}")


def retry_after(written: str | None) -> float | None:
    """The seconds of a Retry-After header; a date or nonsense counts as not given."""
    try:
        seconds = float(written or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < math.inf else None


def _said(response: httpx2.Response, settings: Settings) -> str:
    try:
        said = msgspec.json.decode(response.content, type=_Body).error.message
    except (msgspec.DecodeError, UnicodeDecodeError):
        return "."
    if settings.api_key:
        said = said.replace(settings.api_key, "***")
    return f": {said[:_MOST_TEXT]}" if said else "."
