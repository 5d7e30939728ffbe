"""Check what a task tells its watchers, where it tells it, so that the mistake shows at its place."""

import math
from typing import Any


def percent_of(percent: float | None) -> float | None:
    """How far it is; raises ValueError or TypeError."""
    if percent is None:
        return None
    if not math.isfinite(percent):
        raise ValueError(f"percent={percent!r} is no number; give 0 to 100, or leave it out.")
    return float(percent)


def word_of(word: Any) -> str:
    """The name of a stage, a status or a node; raises ValueError for what cannot be written."""
    text = str(word)
    # Names of files may hold bytes that are no text; these are refused here, and not where nobody can help it.
    text.encode()
    return text


def size_of(text: Any) -> int:
    """The bytes of a piece of text; raises TypeError for what is no text, ValueError for what cannot be written."""
    if not isinstance(text, str):
        raise TypeError(f"token() takes text, not {type(text).__name__}.")
    return len(text.encode())
