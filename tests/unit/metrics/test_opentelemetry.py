"""The same metrics as instruments of OpenTelemetry."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from goatherd import Goatherd
from goatherd.engine import snapshots
from goatherd.engine.meter import Meter
from goatherd.testing.suites.receiver import eventually
from tests.unit.metrics.scraped import looked, scraped


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemoryMetricReader]:
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader], shutdown_on_exit=False)
    monkeypatch.setattr(metrics, "get_meter", provider.get_meter)
    yield reader
    provider.shutdown()


def collected(reader: InMemoryMetricReader) -> dict[tuple[str, ...], float]:
    """Every value by the name that Prometheus gives it and the values of its labels, sorted by the labels' names."""
    found = {}
    told = reader.get_metrics_data()
    for resource in [] if told is None else told.resource_metrics:
        for scope in resource.scope_metrics:
            assert (scope.scope.name, dict(scope.scope.attributes or {})) == ("goatherd", {"app": "shop"})
            for metric in scope.metrics:
                ending = "_total" if getattr(metric.data, "is_monotonic", False) else ""
                for point in metric.data.data_points:
                    labels = (str(value) for _, value in sorted((point.attributes or {}).items()))
                    found[metric.name + ending, *labels] = point.value  # type: ignore[union-attr]
    return found


async def test_opentelemetry_tells_what_prometheus_tells(
    app: Goatherd, reader: InMemoryMetricReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "FRESH_FOR", 0.0)

    @app.task(queue="mail")
    async def send_mail() -> None: ...

    async with app.serve("worker", "scheduler", "router"):
        await send_mail.send()

        async def done() -> bool | None:
            return ("goatherd_attempts_total", "done", "mail", "send_mail") in scraped(app) or None

        await eventually(done, "a job to be done")
        await looked(app)
        # As an exporter does it, on a thread of its own.
        told = await asyncio.to_thread(collected, reader)
        expected = scraped(app)
    assert told["goatherd_run_seconds_bucket", "+Inf", "mail", "send_mail"] == 1
    assert told["goatherd_queue_consumers", "mail"] == 1
    assert told["goatherd_link", "broker", "up"] == 1
    assert "goatherd_router_lag_events" in {name for name, *_ in told}
    # A router may have seen more meanwhile.
    ours = {name for name in expected if not name[0].startswith("goatherd_router")}
    assert {name: told[name] for name in ours} == {name: expected[name] for name in ours}


async def test_the_last_counts_are_there_after_the_app_is_closed(
    app: Goatherd, reader: InMemoryMetricReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    @app.task(queue="mail")
    async def send_mail() -> None: ...

    monkeypatch.setattr(snapshots, "FRESH_FOR", 3600.0)
    for _ in range(2):
        async with app:
            await send_mail.send()
    told = await asyncio.to_thread(collected, reader)
    assert told["goatherd_jobs_sent_total", "mail", "send_mail"] == 2


async def test_a_loop_that_is_stuck_does_not_hold_an_exporter(
    app: Goatherd, reader: InMemoryMetricReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "FRESH_FOR", 0.0)
    monkeypatch.setattr(snapshots, "DEADLINE", 0.001)
    found: list[dict[tuple[str, ...], float]] = []
    async with app:
        exporter = threading.Thread(target=lambda: found.append(collected(reader)))
        exporter.start()
        exporter.join(30)  # the loop stands still meanwhile
    assert found[0]["goatherd_link", "broker", "up"] == 1


async def test_it_can_be_turned_off(app: Goatherd, reader: InMemoryMetricReader) -> None:
    quiet = Goatherd("shop", broker_url=app.settings.broker_url, opentelemetry_metrics="off")
    async with quiet:
        assert await asyncio.to_thread(collected, reader) == {}


PROGRAM = """
import asyncio, sys
from goatherd import Goatherd, GoatherdError

app = Goatherd("shop", broker_url="sqlite:///jobs.db")

async def main():
    async with app.serve("scheduler"):
        assert not [name for name in sys.modules if name.startswith("opentelemetry")]
        app.metrics()
    sys.modules["opentelemetry"] = None
    try:
        async with Goatherd("shop", broker_url="sqlite:///jobs.db", opentelemetry_metrics="on"):
            pass
    except GoatherdError as error:
        print(error)

asyncio.run(main())
"""


def test_nothing_is_imported_without_need_and_what_is_missing_is_told(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "goatherd[opentelemetry]" in done.stdout


def test_a_loop_that_does_not_answer_is_waited_for_once_and_not_for_each_metric(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(snapshots, "DEADLINE", 0.01)
    monkeypatch.setattr(snapshots, "FRESH_FOR", 60.0)
    taken = snapshots.Snapshots(Meter().readings)
    loop = asyncio.new_event_loop()
    try:
        taken.open(loop)
        taken._taken_at = -60.0  # long ago
        asked: list[object] = []
        # It takes what it is asked, and does nothing, as one that is blocked.
        monkeypatch.setattr(loop, "call_soon_threadsafe", asked.append)
        for _ in range(50):
            taken.now()
        assert len(asked) == 1
    finally:
        loop.close()
