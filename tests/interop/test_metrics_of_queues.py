"""What a scheduler tells of queues, listeners and dead letters on RabbitMQ."""

import logging
from pathlib import Path

import msgspec
import pytest

from goatherd import Goatherd, Retry, Unavailable
from goatherd.errors import SettingsError
from goatherd.model.flow import Flow
from goatherd.model.head_age import Inflow
from goatherd.testing.suites.receiver import eventually
from goatherd.wiring.flows import flows_of
from scripts.servers.management import Management
from tests.unit.metrics.scraped import looked

pytestmark = pytest.mark.servers


@pytest.fixture
def app(url: str, broker: Management, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Goatherd:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOATHERD_MANAGEMENT_URL", broker.url)
    return Goatherd("shop", broker_url=url, retry=Retry(0), metrics_every=3600, drift_every=0)


async def test_queues_and_dead_letters_are_told(app: Goatherd) -> None:
    @app.task(queue="mail")
    async def send_mail() -> None:
        raise ValueError

    @app.task(queue="reports")
    async def report() -> None: ...

    async with app.serve("scheduler"):
        for _ in range(3):
            await send_mail.send()

        async def waiting() -> dict[tuple[str, ...], float] | None:
            told = await looked(app)
            return told if told.get(("goatherd_queue_ready", "mail")) == 3 else None

        told = await eventually(waiting, "three ready jobs")
        assert told["goatherd_queue_consumers", "mail"] == 0
        assert told["goatherd_queue_oldest_seconds", "reports"] == 0
        assert told["goatherd_dead_letters_kept",] == 0
        first = told["goatherd_queue_backlog_seconds", "mail"]
        later = await looked(app)
        assert later["goatherd_queue_backlog_seconds", "mail"] > first
        assert later["goatherd_queue_backlog_seconds", "reports"] == 0

        async def aged() -> bool | None:
            # The broker tells some seconds later how much came.
            return (await looked(app)).get(("goatherd_queue_oldest_seconds", "mail"), 0.0) > 0 or None

        await eventually(aged, "the age of the oldest job")
        async with app.serve("worker"):

            async def buried() -> dict[tuple[str, ...], float] | None:
                told = await looked(app)
                return told if told["goatherd_dead_letters_kept",] == 3 else None

            told = await eventually(buried, "three dead letters")
            assert told["goatherd_queue_consumers", "mail"] == 1
            assert told["goatherd_queue_backlog_seconds", "mail"] == 0
            assert told["goatherd_queue_oldest_seconds", "mail"] == 0
        assert {value for name, value in told.items() if name[0] == "goatherd_seen"} == {1}


async def test_a_broker_that_does_not_tell_ages_tells_the_rest(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    @app.task(queue="mail")
    async def send_mail() -> None: ...

    async with app.serve("scheduler"):

        async def away() -> None:
            raise Unavailable("no management here")

        await send_mail.send()
        with caplog.at_level(logging.INFO, "goatherd.metrics"):
            monkeypatch.setattr(app.session().ports.inflow, "inflows", away)

            async def waiting() -> dict[tuple[str, ...], float] | None:
                told = await looked(app)
                return told if told["goatherd_queue_ready", "mail"] == 1 else None

            told = await eventually(waiting, "a ready job")
            await looked(app)
        assert told["goatherd_seen", "queues"] == 1
        assert ("goatherd_queue_oldest_seconds", "mail") not in told
        assert len([each for each in caplog.records if "no management here" in each.getMessage()]) == 1


async def test_queues_of_listeners_are_told_by_their_pattern(app: Goatherd) -> None:
    async def wanted() -> list[str]:
        return ["one", "two"]

    @app.listeners("orders.{}", wanted)
    async def order(shop: str, number: int) -> None: ...

    async with app.serve("scheduler", "worker"):

        async def both() -> bool | None:
            return (await looked(app)).get(("goatherd_queue_consumers", "orders.{}")) == 2 or None

        await eventually(both, "two consumers under one name")


async def test_what_those_who_watch_are_told_is_what_metrics_are_made_of(app: Goatherd) -> None:
    @app.task(queue="mail")
    async def send_mail() -> None: ...

    async with app:
        for _ in range(3):
            await send_mail.send()
        counts = flows_of(app.settings)
        assert counts is not None

        async def told() -> Flow | None:
            flow = (await counts.flows()).get("mail", Flow())
            return flow if flow.inflow is not None and flow.inflow.ready == 3 else None

        flow = await eventually(told, "three ready jobs to be counted")
        assert flow.inflow == Inflow(came=3, ready=3)
        assert flow.arriving is not None
        assert flow.leaving == 0.0
        assert (await counts.inflows())["mail"] == flow.inflow


async def test_a_broker_that_does_not_know_the_virtual_host(app: Goatherd) -> None:
    counts = flows_of(msgspec.structs.replace(app.settings, broker_url=f"{app.settings.broker_url}-not"))
    assert counts is not None
    with pytest.raises((Unavailable, SettingsError)):
        await counts.flows()
