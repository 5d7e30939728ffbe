"""Counters by key, flushed into ordered jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from goatherd.model.retry import Retry
from goatherd.model.seconds import Seconds
from goatherd.model.topology import Queue

if TYPE_CHECKING:
    from goatherd.app import Goatherd


class Tally:
    """Counters by key, flushed into ordered jobs; nothing lost, nothing counted twice."""

    def __init__(self, app: Goatherd, name: str) -> None:
        self._app = app
        self._name = name

    async def add(self, key: str, amount: int, *, id: str | None = None) -> None:
        """Add to a key's counter; an id seen before is not added again."""
        raise NotImplementedError

    def flush(
        self,
        *,
        every: Seconds,
        queue: str | Queue | None = None,
        retry: Retry | None = None,
        timeout: Seconds | None = None,
        remote: bool = False,
    ) -> Any:
        """Declare the task that gets each key's total, one at a time for a key and in order."""
        raise NotImplementedError
