"""Random lives of a job, on both stores."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from goatherd.adapters.redis.events import RedisEvents
from goatherd.adapters.sqlite import events as sqlite
from goatherd.model.ids import new_id
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.wiring import open_events
from scripts.servers.addresses import redis_url
from tests.conformance.event_machine import EventMachine

LIVES = settings(max_examples=60, stateful_step_count=25, deadline=None)


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


def test_on_sqlite(runner: asyncio.Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "jobs.db"
        url = f"sqlite:///{path}"

        class Machine(EventMachine):
            async def wipe(self) -> None:
                connection = apsw.Connection(str(path))
                connection.set_busy_timeout(5000)
                connection.execute("DELETE FROM tracked; DELETE FROM event; DELETE FROM piece")
                connection.close()

            def change_lineage(self, lineage: str) -> None:
                monkeypatch.setattr(sqlite, "boot_id", lambda: lineage)

        play(Machine, runner, Settings(broker_url=url, default_queue="q"))


@pytest.mark.servers("redis")
def test_on_redis(runner: asyncio.Runner) -> None:
    class Machine(EventMachine):
        async def wipe(self) -> None:
            await self.events.forget(self.job)

        def change_lineage(self, lineage: str) -> None:
            assert isinstance(self.events, RedisEvents)
            self.events._commands._lineage = lineage

    prefix = f"machine-{new_id()}"
    chosen = Settings(broker_url="sqlite:///unused.db", default_queue="q", events_url=redis_url(), event_prefix=prefix)
    play(Machine, runner, chosen)


def play(machine: type[EventMachine], runner: asyncio.Runner, chosen: Settings) -> None:
    machine.runner = runner
    machine.events = runner.run(open_events(chosen, SystemClock()))
    try:
        run_state_machine_as_test(machine, settings=LIVES)
    finally:
        runner.run(machine.events.close())
