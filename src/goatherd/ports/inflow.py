"""How much comes into queues, where a broker tells that instead of the age of what waits there."""

from collections.abc import Mapping
from typing import Protocol

from goatherd.model.flow import Flow
from goatherd.model.head_age import Inflow


class QueueInflow(Protocol):
    """Asked now and then, for metrics and for those who watch."""

    async def inflows(self) -> Mapping[str, Inflow]:
        """Of every queue of which it is told, as of some seconds ago; raises Unavailable or SettingsError."""

    async def flows(self) -> Mapping[str, Flow]:
        """The same for all queues, with how fast they fill and empty; raises Unavailable or SettingsError."""
