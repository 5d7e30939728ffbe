"""A request whose caller's deadline has passed is never started, however many of them wait."""

from collections.abc import AsyncIterator
from importlib.util import find_spec, module_from_spec
from pathlib import Path

import pytest

from goatherd import Goatherd
from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host
from tests.faults.arena import Arena
from tests.faults.callers import caller, calling, check
from tests.faults.history import History
from tests.faults.watching import until

CALLS = 1_000
BROKERS = ["sqlite", pytest.param("rabbitmq", marks=pytest.mark.servers)]

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
async def broker_url(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/faults.db"
        return
    with management().virtual_host() as name:
        yield with_virtual_host(amqp_url(), name)


def new_herd() -> Goatherd:
    """One that has counted nothing, and has not yet read where its broker is, whatever ran in this process before."""
    found = find_spec("tests.faults.herd")
    assert found is not None
    assert found.loader is not None
    made = module_from_spec(found)
    # Not the one that others may have imported.
    found.loader.exec_module(made)
    app: Goatherd = made.app
    return app


@pytest.mark.parametrize("broker_url", BROKERS, indirect=True)
async def test_a_thousand_expired_requests_are_never_started(
    tmp_path: Path, broker_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, answer = caller(broker_url)
    async with Arena(tmp_path, seed=1, broker_url=broker_url) as arena, app:
        ends = await calling(answer, range(CALLS), milliseconds=1, deadline=3)
        assert check(app, ends) == {"timeout": CALLS}
        states = {state.name: state for state in await app.session().ports.operations.queues()}
        assert states["faults"].ready == CALLS, "they all wait"

        # The herd works in this process first, so that its counters can be seen, and then in one of its own.
        monkeypatch.setenv("FAULTS_JOURNAL", str(arena.journal))
        monkeypatch.setenv("GOATHERD_BROKER_URL", broker_url)
        herd = new_herd()
        async with herd.serve("worker"):
            await until(
                lambda: herd.meter.readings().answers.get(("faults", "expired"), 0) == CALLS, "all to be dropped"
            )
            readings = herd.meter.readings()
        assert (readings.ended, readings.running) == ({}, {}), "none was started"
        await arena.start_worker()
        [last] = await calling(answer, [7], milliseconds=1, deadline=30)
        assert last.result == 7
        assert len(History.read(arena.journal).starts) == 1, "nothing but the last has left a mark"
        assert await _dead(arena) == 0
        await arena.stop_workers()


async def _dead(arena: Arena) -> int:
    async with arena.app:
        return len(await arena.dead_jobs())
