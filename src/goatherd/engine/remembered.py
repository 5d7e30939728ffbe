"""Ids that are worth knowing for a while."""

#: Ids that are kept; the oldest are forgotten.
MOST = 10_000


class Remembered:
    """A set that does not grow for ever."""

    def __init__(self) -> None:
        self._ids: dict[str, None] = {}

    def add(self, id: str) -> None:
        """Keep it, if need be in the place of the oldest."""
        self._ids[id] = None
        if len(self._ids) > MOST:
            del self._ids[next(iter(self._ids))]

    def __contains__(self, id: str) -> bool:
        return id in self._ids
