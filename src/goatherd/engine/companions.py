"""What others keep beside an open app: one of each kind, for as long as the app is open."""

from collections.abc import Callable
from typing import Protocol, TypeVar, cast


class Companion(Protocol):
    """Something that is kept."""

    async def close(self) -> None:
        """Let go of everything; must not raise."""


_C = TypeVar("_C", bound=Companion)


class Companions:
    """Of one open app."""

    def __init__(self) -> None:
        self._kept: dict[type[Companion], Companion] = {}

    def get(self, kind: type[_C], make: Callable[[], _C]) -> _C:
        """The one of that kind, made when it is first asked for."""
        if kind not in self._kept:
            self._kept[kind] = make()
        return cast(_C, self._kept[kind])

    async def close(self) -> None:
        """Close them, the newest first."""
        while self._kept:
            await self._kept.popitem()[1].close()
