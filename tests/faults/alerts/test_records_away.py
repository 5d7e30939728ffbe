"""While the records are away, alerts are told all the same; afterwards schedulers know again what others told."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from goatherd import Goatherd
from scripts.servers.postgres import Postgres
from tests.acceptance.alerts.pager import Pager, paging, watched

pytestmark = [
    pytest.mark.servers("postgres"),
    pytest.mark.xdist_group("own postgres"),
    pytest.mark.timeout(300),
]

LONG = 120.0


@pytest.fixture
async def pager() -> AsyncIterator[Pager]:
    async with paging() as switched_on:
        yield switched_on


def lagging(folder: Path, pager: Pager, records: str) -> Goatherd:
    app = watched(folder, pager, alert_lag=0.01, records_url=records, publish_deadline=1.0)

    @app.task(name="work")
    async def work() -> None: ...

    return app


async def until(so: Callable[[], bool]) -> None:
    async with asyncio.timeout(LONG):
        while not so():
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("harm", ["killed", "frozen"])
async def test_records_that_come_back(
    tmp_path: Path,
    pager: Pager,
    own_postgres: Postgres,
    harm: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "goatherd")
    apps = [lagging(tmp_path, pager, own_postgres.url) for _ in range(2)]
    async with apps[0].serve("scheduler"), apps[1].serve("scheduler"):
        await until(lambda: all(app.samplers[0].seen.seen.get("schedules") for app in apps))
        if harm == "killed":
            own_postgres.kill()
        else:
            own_postgres.freeze()
        await apps[0].tasks["work"].send()
        # Each for itself: neither knows what the other does.
        await until(lambda: len(_of_lag(pager)) == 2)
        assert _of_lag(pager) == ["firing", "firing"]
        await until(lambda: not any(app.samplers[0].seen.seen["schedules"] for app in apps))
        assert all(app.samplers[0].seen.seen["queues"] for app in apps), "what is elsewhere is seen"
        if harm == "killed":
            own_postgres.start()
        else:
            own_postgres.thaw()
        await until(lambda: caplog.text.count("Schedulers share again which alerts were told") == 2)
        await until(lambda: all(app.samplers[0].seen.seen.get("schedules") for app in apps))
        async with apps[0].serve("worker"):
            await pager.told("lag", "resolved")
            # What a scheduler told for itself is not told again by the other, whoever looks first.
            for app in apps:
                await app.alert_watches[0].round()
    assert _of_lag(pager) == ["firing", "firing", "resolved"]


def _of_lag(pager: Pager) -> list[str]:
    return [alert["state"] for alert in pager.alerts if alert["kind"] == "lag"]
