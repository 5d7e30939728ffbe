"""A look that many share: what was seen a moment ago is good enough for the next who asks."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

if TYPE_CHECKING:
    from goatherd.app import Goatherd

T = TypeVar("T")


class Glance(Generic[T]):
    """Looks when it is asked, but not again while what it saw is fresh; those who ask together wait for one look."""

    def __init__(self, look: Callable[[], Awaitable[T]], fresh_for: float) -> None:
        self._look = look
        self._fresh_for = fresh_for
        self._looking = asyncio.Lock()
        self._seen: tuple[T] | None = None
        self._fresh_until = -math.inf
        self._changes = 0

    async def get(self) -> T:
        """What there is to see; raises what the look raises."""
        async with self._looking:
            if self._seen is None or asyncio.get_running_loop().time() >= self._fresh_until:
                changes = self._changes
                self._seen = (await self._look(),)
                # What changed while we looked may not have been seen.
                until = asyncio.get_running_loop().time() + self._fresh_for
                self._fresh_until = until if changes == self._changes else -math.inf
            return self._seen[0]

    def forget(self) -> None:
        """Something was changed: whoever asks next wants to see it."""
        self._changes += 1
        self._fresh_until = -math.inf


class Glances:
    """Those of one open app, by what they look at; kept beside its session."""

    def __init__(self) -> None:
        self._kept: dict[str, Glance[Any]] = {}

    def of(self, what: str, look: Callable[[], Awaitable[T]], fresh_for: float) -> Glance[T]:
        """The one for that, made when it is first asked for."""
        if what not in self._kept:
            self._kept[what] = Glance(look, fresh_for)
        return cast(Glance[T], self._kept[what])

    async def close(self) -> None:
        """Nothing is held."""


def glances_of(app: Goatherd) -> Glances:
    """Those of an open app."""
    return app.session().companions.get(Glances, Glances)
