"""How a process and its queues are."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

LinkState: TypeAlias = Literal["up", "connecting", "blocked", "down"]


@dataclass(frozen=True, kw_only=True)
class QueueHealth:
    """One queue."""

    depth: int
    consumers: int
    oldest_age: float | None
    published_per_second: float
    acked_per_second: float


@dataclass(frozen=True, kw_only=True)
class Health:
    """What `/readyz` tells: the state of this process and of its queues."""

    ready: bool
    reasons: Sequence[str]
    ports: Mapping[str, LinkState]
    queues: Mapping[str, QueueHealth]
    loop_alive: bool
    last_heartbeat: datetime

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values for JSON."""
        told = asdict(self)
        told["reasons"] = list(self.reasons)
        told["last_heartbeat"] = self.last_heartbeat.isoformat()
        return told
