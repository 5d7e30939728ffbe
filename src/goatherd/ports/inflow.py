"""How much has come into queues, where a broker tells that instead of the age of what waits there."""

from collections.abc import Mapping
from typing import Protocol

from goatherd.model.head_age import Inflow


class QueueInflow(Protocol):
    """Asked now and then, for metrics."""

    async def inflows(self) -> Mapping[str, Inflow]:
        """Of every queue of which it is told, as of some seconds ago; raises Unavailable or SettingsError."""
