"""How far back one has to look for units that are due.

What was claimed leaves traces in the index until the server clears them away, which it cannot while any transaction of
a user is open. So that not every look runs over all of them, most begin shortly before the last one that saw all.
"""

from collections.abc import Sequence

#: Seconds between two looks at everything: for whoever committed late what was due before.
THOROUGH_EVERY = 5.0
#: Seconds that a transaction may take without being one of those.
MARGIN = 2.0
#: More microseconds than there are.
ALL = 10**17


class Horizon:
    """Of one client; for each choice of pipelines that it asks for."""

    def __init__(self) -> None:
        self._seen: dict[frozenset[str], float] = {}
        self._thorough: dict[frozenset[str], float] = {}

    def back(self, pipelines: Sequence[str], now: float) -> int:
        """How many microseconds to look back."""
        choice = frozenset(pipelines)
        seen, thorough = self._seen.get(choice), self._thorough.get(choice)
        if seen is None or thorough is None or now - thorough >= THOROUGH_EVERY:
            return ALL
        return round((now - seen + MARGIN) * 1_000_000)

    def note(self, pipelines: Sequence[str], back: int, began: float) -> None:
        """All that was due was seen in a look that began then."""
        choice = frozenset(pipelines)
        self._seen[choice] = began
        if back == ALL:
            self._thorough[choice] = began
