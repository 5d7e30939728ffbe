"""Commands from outside: stored, removed at the source, then handled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from goatherd.model.retry import Retry
from goatherd.model.seconds import Seconds
from goatherd.task import Register

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: Which member tells a command's type, or what works it out.
Route: TypeAlias = str | Callable[[Mapping[str, Any]], str] | None


class Inbox:
    """Commands from outside: stored, removed at the source, then handled."""

    def __init__(self, app: Goatherd, source: str, route: Route) -> None:
        self._app = app
        self._source = source
        self._route = route

    def on(self, type: str | None = None, *, retry: Retry | None = None, timeout: Seconds | None = None) -> Register:
        """Declare the task for commands of this type, or of any type."""
        raise NotImplementedError
