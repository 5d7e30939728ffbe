"""Streams to browsers: how many are connected, to which gateways, and how many events they get."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from goatherd.desk.processes import look_at_processes
from goatherd.desk.throughput import rates_of, throughput
from goatherd.model.process import BUCKET

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: Seconds of the past that are shown.
LAST = 3600.0
#: Points over which the rate of now is averaged.
RECENT = 3


@dataclass(frozen=True, kw_only=True)
class GatewayFacts:
    """A process that serves streams."""

    process: str
    host: str
    pid: int
    connections: int
    started: datetime
    #: Seconds since it was last heard of.
    silent: float
    ready: bool
    reasons: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class StreamPoint:
    """Events that were sent to browsers in one span of time."""

    at: datetime
    seconds: float
    events: int


@dataclass(frozen=True, kw_only=True)
class StreamFacts:
    """All streams of the app."""

    connections: int
    #: Per second, as of the last half minute.
    events_per_second: float
    gateways: tuple[GatewayFacts, ...]
    #: The last hour, the oldest first; the last point has just begun.
    series: tuple[StreamPoint, ...]


async def streams(app: Goatherd) -> StreamFacts:
    """How they stand; raises Unavailable."""
    serving = [each for each in await look_at_processes(app) if "gateway" in each.roles or each.streams]
    recent = await throughput(app, last=(RECENT + 1) * BUCKET, step=BUCKET)
    past = await throughput(app, last=LAST)
    return StreamFacts(
        connections=sum(each.streams for each in serving),
        events_per_second=rates_of(recent[:-1]).stream_events,
        gateways=tuple(
            GatewayFacts(
                process=each.id,
                host=each.host,
                pid=each.pid,
                connections=each.streams,
                started=each.started,
                silent=each.silent,
                ready=each.ready,
                reasons=each.reasons,
            )
            for each in serving
        ),
        series=tuple(StreamPoint(at=each.at, seconds=each.seconds, events=each.stream_events) for each in past),
    )
