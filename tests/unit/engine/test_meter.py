import pytest

from goatherd import Goatherd, Retry
from goatherd.engine.meter import SAMPLE_EVERY, Meter, Rate
from goatherd.model.message import Message
from goatherd.model.readings import BOUNDS
from tests.unit.engine.stage import HandClock, at_work
from tests.unit.model.samples import work

MESSAGE = Message(id="j", queue="mail", body=b"", task="send_mail")


def test_what_happens_is_counted_by_queue_and_task() -> None:
    meter = Meter()
    meter.sent(MESSAGE)
    meter.sent(MESSAGE)
    meter.started("mail", "send_mail", work(), 0.002)
    meter.started("mail", "send_mail", work(), 3.0)
    meter.ended("mail", "send_mail", work(), "done", 0.02)
    meter.buried("mail", "send_mail", "j", "failed")
    meter.link("broker", "up")
    read = meter.readings()
    assert read.sent == {("mail", "send_mail"): 2}
    assert read.running == {("mail", "send_mail"): 1}
    assert read.ended == {("mail", "send_mail", "done"): 1}
    assert read.buried == {("mail", "send_mail", "failed"): 1}
    assert read.links == {"broker": "up"}
    waits = read.wait_seconds["mail", "send_mail"]
    assert (sum(waits.classes), waits.total) == (2, 3.002)
    assert waits.classes[BOUNDS.index(0.005)] == waits.classes[BOUNDS.index(5.0)] == 1


def test_a_duration_beyond_all_bounds_has_a_class_of_its_own() -> None:
    meter = Meter()
    meter.started("mail", "send_mail", work(), 1e9)
    assert meter.readings().wait_seconds["mail", "send_mail"].classes[-1] == 1


def test_a_rate_is_an_average_since_it_was_asked_for_before(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("goatherd.engine.meter.time.monotonic", lambda: now[0])
    rate = Rate()
    for _ in range(20):
        rate.count()
    now[0] += 5
    assert rate.per_second() == 4
    rate.count()
    now[0] += SAMPLE_EVERY / 2
    assert rate.per_second() == 4, "asked again at once, it is the same"
    now[0] += 9.5
    assert rate.per_second() == 0.1
    now[0] += 10_000
    assert rate.per_second() == 0


async def test_a_worker_tells_what_it_does(app: Goatherd, clock: HandClock) -> None:
    @app.task(retry=Retry(1, jitter=0))
    async def broken() -> None:
        raise ValueError

    @app.task
    async def fine() -> None: ...

    async with at_work(app) as stage:
        await broken.send()
        await fine.send()
        await stage.saw("replaced")
        clock.advance(1)
        await stage.saw("buried")
        await stage.saw("acked")
        await stage.worker.idle()
        read = app.meter.readings()
    assert read.sent == {("shop", "broken"): 1, ("shop", "fine"): 1}
    assert read.ended == {("shop", "broken", "retried"): 1, ("shop", "broken", "dead"): 1, ("shop", "fine", "done"): 1}
    assert read.buried == {("shop", "broken", "failed"): 1}
    assert set(read.running.values()) == {0}


async def test_metrics_can_be_read_as_prometheus_text(app: Goatherd) -> None:
    @app.task
    async def fine() -> None: ...

    async with app:
        await fine.send()
    assert 'queue="shop"' in app.metrics()
