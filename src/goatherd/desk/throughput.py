"""Throughput: how much all processes of the app did, step by step, and how fast they are now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from goatherd.model.envelope import moment
from goatherd.model.process import BUCKET, Sample

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: Buckets over which the rates of now are averaged; the one that has just begun is not among them.
RECENT = 3


@dataclass(frozen=True, kw_only=True)
class ThroughputPoint:
    """What all processes with a role did in one span of time."""

    at: datetime
    seconds: float
    #: Jobs that they sent; those that other programs sent are not counted.
    sent: int
    #: Attempts by their end: well; badly, which whoever called was told, or too late; badly, and tried again.
    done: int
    failed: int
    retried: int
    #: Jobs that became dead letters.
    dead: int
    #: Events that gateways sent to browsers.
    stream_events: int


@dataclass(frozen=True, kw_only=True)
class Rates:
    """The same, per second, as of the last half minute."""

    sent: float
    done: float
    failed: float
    retried: float
    dead: float
    stream_events: float


async def throughput(
    app: Goatherd, *, last: float = 3600.0, step: float = 30.0, queue: str | None = None
) -> list[ThroughputPoint]:
    """One point for each step of the last so many seconds, the oldest first; raises Unavailable.

    `queue` is one queue, or the pattern of a task that has many. The last point has just begun.
    """
    records = await app.session().control_records.processes()
    return [_point(sample) for sample in await records.throughput(last, step, queue)]


async def rates(app: Goatherd, queue: str | None = None) -> Rates:
    """How fast they are now; raises Unavailable."""
    points = await throughput(app, last=(RECENT + 1) * BUCKET, step=BUCKET, queue=queue)
    return rates_of(points[:-1])


async def rates_by_queue(app: Goatherd) -> dict[str, Rates]:
    """How fast they are now, for each queue, or pattern of a task that has many; raises Unavailable."""
    records = await app.session().control_records.processes()
    lasted = RECENT * BUCKET
    return {
        queue: Rates(
            sent=each.sent / lasted,
            done=each.done / lasted,
            failed=each.failed / lasted,
            retried=each.retried / lasted,
            dead=each.dead / lasted,
            stream_events=0.0,
        )
        for queue, each in (await records.counts(lasted)).items()
    }


def rates_of(points: Sequence[ThroughputPoint]) -> Rates:
    """The average of some points."""
    seconds = sum(point.seconds for point in points) or 1.0
    return Rates(
        sent=sum(point.sent for point in points) / seconds,
        done=sum(point.done for point in points) / seconds,
        failed=sum(point.failed for point in points) / seconds,
        retried=sum(point.retried for point in points) / seconds,
        dead=sum(point.dead for point in points) / seconds,
        stream_events=sum(point.stream_events for point in points) / seconds,
    )


def _point(sample: Sample) -> ThroughputPoint:
    counted = sample.counted
    return ThroughputPoint(
        at=moment(sample.at),
        seconds=sample.seconds,
        sent=counted.sent,
        done=counted.done,
        failed=counted.failed,
        retried=counted.retried,
        dead=counted.dead,
        stream_events=sample.stream_events,
    )
