"""How the consumer of one queue stands, as its process sees it."""

from typing import Literal, TypeAlias

import msgspec

#: - `starting`: it has not consumed yet.
#: - `running`: the broker has confirmed it on the connection that we have now.
#: - `down`: it was ended, or could not be started, and is tried again soon.
#: - `quarantined`: it failed so often in a row that it is tried again only now and then.
#: - `paused`, `stopped`: as somebody wished.
Condition: TypeAlias = Literal["starting", "running", "down", "quarantined", "paused", "stopped"]

#: Failed starts in a row after which a consumer is in quarantine.
QUARANTINE_AFTER = 5


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How a consumer stands."""

    condition: Condition
    #: Since when, in seconds since the epoch.
    since: float
    #: How often it was started again after it had run.
    restarts: int = 0
    #: Failed starts since it last ran.
    failures: int = 0
    #: Why it is not running, in words; what ended it last, if it runs again.
    why: str = ""
    #: When it last delivered something; None if it never did.
    last_delivery: float | None = None

    @property
    def healthy(self) -> bool:
        """Whether nobody needs to look at it."""
        return self.condition in ("running", "paused", "stopped")


class ListenerRow(msgspec.Struct, frozen=True, kw_only=True):
    """A listener of one process as it is on record, or a source of them that fails."""

    #: The process, as `host:pid:…`.
    process: str
    pattern: str
    #: The pattern once more, if the source is what it is about.
    queue: str
    standing: Standing
    #: Seconds since its process was last heard of.
    silent: float = 0.0

    @property
    def is_source(self) -> bool:
        """Whether it is about a source, and not about a queue."""
        return self.queue == self.pattern


class ListenerCount(msgspec.Struct, frozen=True, kw_only=True):
    """How many listeners of one pattern a process has."""

    wanted: int
    running: int
    unhealthy: int
    #: How often one of them was started again after it had run.
    restarts: int
    #: Whether the source does not tell what is wanted.
    source_failing: bool
