"""Names that Kubernetes takes, made from the names that a broker takes."""

import hashlib
import re

from goatherd.model.operator_schema import LONGEST_RESOURCE_NAME, RESOURCE_NAME

_OTHERS = re.compile(r"[^a-z0-9.]+")
_EDGES = re.compile(r"-*\.[-.]*")
#: Letters of the mark that keeps apart what would look the same.
_MARK = 10


class ResourceNames:
    """Of the resources of one file; every one of a kind gets a name of its own, the same each time."""

    def __init__(self) -> None:
        self._taken: set[tuple[str, str]] = set()

    def name(self, kind: str, *parts: str) -> str:
        """The one part, if it can be a name; otherwise what is left of all parts, and a mark made from them."""
        found = parts[0] if len(parts) == 1 and _is_name(parts[0]) else _marked(parts)
        attempt = 0
        while (kind, found) in self._taken:
            # Somebody chose a name that ends in the mark of another.
            attempt += 1
            found = _marked((*parts, str(attempt)))
        self._taken.add((kind, found))
        return found


def _is_name(text: str) -> bool:
    return len(text) <= LONGEST_RESOURCE_NAME and RESOURCE_NAME.fullmatch(text) is not None


def _marked(parts: tuple[str, ...]) -> str:
    # With their lengths, so that "a-b" and "c" are not "a" and "b-c".
    exact = "".join(f"{len(part)}:{part}" for part in parts)
    mark = hashlib.sha256(exact.encode()).hexdigest()[:_MARK]
    rest = _EDGES.sub(".", _OTHERS.sub("-", "-".join(part for part in parts if part).lower()))
    rest = rest[: LONGEST_RESOURCE_NAME - _MARK - 1].strip("-.")
    return f"{rest}-{mark}" if rest else mark
