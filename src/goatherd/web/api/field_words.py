"""What the code says of the fields of its facts, for the description of the API."""

import dataclasses
import inspect
import re
import sys
from collections.abc import Mapping
from typing import Any

_FIELD = re.compile(r"\s+(\w+):")
_WORDS = re.compile(r"\s*#:\s?(.*)")


def add_words(schemas: dict[str, Any]) -> None:
    """Describe what the desk's facts have in them, where nobody has yet."""
    for name, kind in _facts().items():
        properties = schemas.get(name, {}).get("properties", {})
        for field, words in words_of(kind).items():
            if field in properties:
                properties[field].setdefault("description", words)


def words_of(kind: type) -> dict[str, str]:
    """The comments `#:` before each field of a class."""
    try:
        lines = inspect.getsource(kind).splitlines()
    except OSError:
        # The program was packed without its source; then the names have to do.
        return {}
    found: dict[str, str] = {}
    words: list[str] = []
    for line in lines:
        if comment := _WORDS.fullmatch(line):
            words.append(comment[1])
            continue
        if words and (field := _FIELD.match(line)):
            found[field[1]] = " ".join(words)
        words = []
    return found


def _facts() -> Mapping[str, type]:
    """All dataclasses of the desk; whatever the API gives has been imported by now."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("goatherd.desk.")]
    every = [each for module in modules for each in vars(module).values()]
    return {each.__name__: each for each in every if isinstance(each, type) and dataclasses.is_dataclass(each)}
