"""Keep secrets out of what is shown: values under the names of the setting `redact`, however deep they stand."""

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

HIDDEN = "***"


def redacted(value: Any, names: Collection[str]) -> Any:
    """The same value with every secret replaced."""
    if isinstance(value, Mapping):
        return {name: HIDDEN if name in names else redacted(inner, names) for name, inner in value.items()}
    if isinstance(value, list):
        return [redacted(inner, names) for inner in value]
    return value


def restored(edited: Any, original: Any, names: Collection[str]) -> Any:
    """What was edited, with secrets that were left hidden put back."""
    if isinstance(edited, Mapping) and isinstance(original, Mapping):
        return {
            name: original[name]
            if name in names and inner == HIDDEN and name in original
            else restored(inner, original.get(name), names)
            for name, inner in edited.items()
        }
    if isinstance(edited, list) and isinstance(original, list):
        kept = original + [None] * (len(edited) - len(original))
        return [restored(inner, before, names) for inner, before in zip(edited, kept, strict=False)]
    return edited


def shown_body(body: bytes, names: Collection[str]) -> str:
    """A message as it is on the wire, as far as it is text; secrets can be found only where it is JSON."""
    try:
        read = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return body.decode("utf-8", "backslashreplace")
    return msgspec.json.encode(redacted(read, names)).decode()
