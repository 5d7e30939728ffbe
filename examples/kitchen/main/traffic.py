"""Count the requests to each endpoint, from many threads."""

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable

from flask import Flask, Response, g, request
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

#: The status of a request whose answer did not come in time.
TIMED_OUT = 504


class Traffic(Collector):
    """What every endpoint of this process has answered."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answered: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._waiting = 0

    def watch(self, web: Flask) -> None:
        """Count every request to this service."""
        web.before_request(self._begin)
        web.after_request(self._end)
        web.teardown_request(self._over)

    def ratios(self) -> dict[str, dict[str, float]]:
        """How many requests to each endpoint there were, and how many of them timed out."""
        with self._lock:
            return {
                endpoint: {
                    "requests": statuses.total(),
                    "timeouts": statuses[TIMED_OUT],
                    "ratio": round(statuses[TIMED_OUT] / statuses.total(), 4),
                }
                for endpoint, statuses in sorted(self._answered.items())
            }

    def text(self) -> str:
        """The same in Prometheus text."""
        registry = CollectorRegistry()
        registry.register(self)
        return generate_latest(registry).decode()

    def collect(self) -> Iterable[Metric]:
        """For the registry."""
        requests = CounterMetricFamily("kitchen_http_requests", "Requests by status", labels=("endpoint", "status"))
        seconds = CounterMetricFamily("kitchen_http_seconds", "How long they took", labels=("endpoint",))
        timeouts = GaugeMetricFamily("kitchen_http_timeout_ratio", "Share that timed out", labels=("endpoint",))
        waiting = GaugeMetricFamily("kitchen_http_waiting", "Requests that wait for their answer now")
        with self._lock:
            for endpoint, statuses in self._answered.items():
                for status, count in statuses.items():
                    requests.add_metric((endpoint, str(status)), count)
                seconds.add_metric((endpoint,), self._seconds[endpoint])
                timeouts.add_metric((endpoint,), statuses[TIMED_OUT] / statuses.total())
            waiting.add_metric((), self._waiting)
        return requests, seconds, timeouts, waiting

    def _begin(self) -> None:
        g.began = time.monotonic()
        with self._lock:
            self._waiting += 1

    def _end(self, response: Response) -> Response:
        # Addresses that no endpoint has are anybody's invention, and would fill the memory.
        endpoint = str(request.url_rule) if request.url_rule is not None else "none"
        with self._lock:
            self._answered[endpoint][response.status_code] += 1
            self._seconds[endpoint] += time.monotonic() - g.began
        return response

    def _over(self, _error: BaseException | None) -> None:
        with self._lock:
            self._waiting -= 1
