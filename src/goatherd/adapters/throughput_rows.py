"""What processes counted, as the values of rows and back; which rows a question is about."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from goatherd.model.process import BUCKET, COUNTS, Counted, ProcessReport, Sample, slices_of

#: Seconds for which the number of a dead process's last report is remembered: it may only have been cut off, and come
#: back with a report that was counted before.
REMEMBERED = 3600.0


@dataclass(frozen=True, kw_only=True)
class Steps:
    """The spans of time that a question is about."""

    #: Buckets in each.
    width: int
    #: How many there are.
    count: int

    @classmethod
    def over(cls, last: float, step: float) -> "Steps":
        """So long a time in such steps."""
        width = max(1, math.ceil(step / BUCKET))
        return cls(width=width, count=max(1, math.ceil(last / (width * BUCKET))))

    def first(self, now: float) -> int:
        """The number of the oldest, counted from the epoch."""
        return self.newest(now) - self.count + 1

    def newest(self, now: float) -> int:
        """The number of the one that has begun."""
        return bucket_at(now) // self.width

    def samples(self, now: float, rows: Iterable[Sequence[Any]]) -> list[Sample]:
        """Rows of a step's number, what was counted and events of streams, with empty steps for those that lack."""
        found = {int(row[0]): row[1:] for row in rows}
        seconds = self.width * BUCKET
        return [
            _sample(number * seconds, seconds, found.get(number))
            for number in range(self.first(now), self.newest(now) + 1)
        ]


def bucket_at(now: float) -> int:
    """The number of a bucket, counted from the epoch."""
    return int(now // BUCKET)


def rows_of(report: ProcessReport) -> list[tuple[int, str, tuple[int, ...], int]]:
    """How many buckets ago, the queue, what was counted there, and events of streams; by queue."""
    # No store keeps a zero in text.
    return [
        (each.ago, each.name.replace("\0", ""), each.counted.values, each.stream_events) for each in slices_of(report)
    ]


def counted_in(values: Sequence[Any]) -> Counted:
    """The counts of a row."""
    return Counted(**{name: int(value) for name, value in zip(COUNTS, values, strict=True)})


def _sample(at: int, seconds: int, values: Sequence[Any] | None) -> Sample:
    if values is None:
        return Sample(at=float(at), seconds=float(seconds))
    *counts, events = values
    return Sample(at=float(at), seconds=float(seconds), counted=counted_in(counts), stream_events=int(events))
