"""What a gateway counts, and its Prometheus text."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate

from goatherd.model.gateway_readings import GatewayReadings
from goatherd.model.readings import BOUNDS, Spread

CONTENT_TYPE = b"text/plain; version=0.0.4; charset=utf-8"


class GatewayMetrics:
    """Counts since the process started, and what is now."""

    def __init__(self) -> None:
        self.connections = 0
        self.jobs = 0
        #: Events that were written to clients, each counted once for each client.
        self.distributed = 0
        #: Events that a client should have got and did not; there is no way to drop one, and this shows it.
        self.dropped = 0
        #: Snapshots sent in the place of events, by why.
        self.resyncs: Counter[str] = Counter(dict.fromkeys(("new", "gap", "slow"), 0))
        self._first_bytes = [0] * (len(BOUNDS) + 1)
        self._first_bytes_total = 0.0

    def first_bytes(self, seconds: float) -> None:
        """A client got its first bytes after so long."""
        self._first_bytes[bisect_left(BOUNDS, seconds)] += 1
        self._first_bytes_total += seconds

    def readings(self) -> GatewayReadings:
        """All of it, for others; on any thread."""
        return GatewayReadings(
            connections=self.connections,
            jobs=self.jobs,
            distributed=self.distributed,
            dropped=self.dropped,
            resyncs=dict(self.resyncs),
            first_bytes=Spread(list(self._first_bytes), self._first_bytes_total),
        )

    def text(self) -> str:
        """All of it, for Prometheus."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        yield from _plain("connections_active", "gauge", "Clients that watch a job now", self.connections)
        yield from _plain("active_jobs", "gauge", "Jobs that are watched now", self.jobs)
        yield from _plain("events_distributed_total", "counter", "Events written to clients", self.distributed)
        yield from _plain("queue_dropped_total", "counter", "Events that a client did not get", self.dropped)
        yield from _head("resync_total", "counter", "Snapshots sent in the place of events")
        for why, count in self.resyncs.items():
            yield f'sse_gateway_resync_total{{reason="{why}"}} {count}'
        yield from _head("ttfb_seconds", "histogram", "How long clients waited for their first bytes")
        bounds = [*map(str, BOUNDS), "+Inf"]
        for bound, count in zip(bounds, accumulate(self._first_bytes), strict=True):
            yield f'sse_gateway_ttfb_seconds_bucket{{le="{bound}"}} {count}'
        yield f"sse_gateway_ttfb_seconds_count {sum(self._first_bytes)}"
        yield f"sse_gateway_ttfb_seconds_sum {self._first_bytes_total}"


def _plain(name: str, kind: str, text: str, value: float) -> Iterator[str]:
    yield from _head(name, kind, text)
    yield f"sse_gateway_{name} {value}"


def _head(name: str, kind: str, text: str) -> Iterator[str]:
    yield f"# HELP sse_gateway_{name} {text}"
    yield f"# TYPE sse_gateway_{name} {kind}"
