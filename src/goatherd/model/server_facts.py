"""What servers tell about themselves, as far as it matters to those who give them jobs to keep."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

#: What a server is used for.
Use: TypeAlias = Literal["events", "live", "lanes", "records"]


@dataclass(frozen=True, kw_only=True)
class Skew:
    """How far the clock of a server is ahead of ours, in seconds; behind, if negative."""

    seconds: float
    #: The answer was on its way for some time, and some servers tell whole seconds only.
    give_or_take: float

    @property
    def at_least(self) -> float:
        """By how much the two differ for certain."""
        return max(0.0, abs(self.seconds) - self.give_or_take)


@dataclass(frozen=True, kw_only=True)
class RedisFacts:
    """One Redis; what it does not tell is None."""

    server: str
    uses: Sequence[Use]
    version: str
    skew: Skew | None
    #: Whether it may be written to.
    primary: bool
    appends: bool | None
    #: Whether what it appended last is on its disk.
    written: bool
    #: Bytes that it may use, and uses; 0 if it may use all.
    most_memory: int
    memory: int
    #: What it does when they are used up.
    eviction: str | None


@dataclass(frozen=True, kw_only=True)
class ServerSetting:
    """One setting of PostgreSQL as it is in force for a user."""

    value: str
    #: Where it is said, in the server's words: `configuration file`, `database`, `user`, `command line`, ….
    source: str


@dataclass(frozen=True, kw_only=True)
class PostgresFacts:
    """One database."""

    server: str
    uses: Sequence[Use]
    version: str
    skew: Skew
    database: str
    user: str
    #: Whether it follows another server, so that nothing can be written to it.
    standby: bool
    #: Those that matter here, by name.
    settings: Mapping[str, ServerSetting]
    #: Connections that are left to users who are nobody special, and those of them that are in use.
    most_connections: int
    connections: int
    #: Connections at most that one process makes for each thing that it keeps there.
    pool_size: int


@dataclass(frozen=True, kw_only=True)
class BrokerNode:
    """One node of a broker; what it does not tell is None."""

    name: str
    running: bool
    disk_alarm: bool
    memory_alarm: bool
    disk_free: int | None
    disk_free_limit: int | None
    files: int | None
    most_files: int | None
    #: Nodes that it has lost sight of.
    partitions: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class BrokerFacts:
    """A broker, as its management API tells."""

    server: str
    nodes: Sequence[BrokerNode]
    #: None if it does not tell the time.
    skew: Skew | None


def skew_of(told: float, before: float, after: float, resolution: float = 0.0) -> Skew:
    """What the server told between two looks at our clock; in steps of so many seconds, if it cuts off the rest."""
    middle = (before + after) / 2
    return Skew(seconds=told + resolution / 2 - middle, give_or_take=(after - before) / 2 + resolution / 2)
