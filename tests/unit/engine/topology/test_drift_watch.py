"""A process that looks now and then whether the broker is as wanted."""

import asyncio
import logging
from dataclasses import replace
from pathlib import Path

import pytest

from goatherd import Goatherd
from goatherd.engine.topology.drift_watch import DriftWatch
from goatherd.errors import Unavailable
from goatherd.model.blueprint import Blueprint, PolicySpec, QueueSpec
from goatherd.model.definition import Definition
from goatherd.model.difference import Scope
from goatherd.model.survey import Survey
from tests.plumbing_in_memory import MemoryPlumbing

WANTED = Blueprint(queues=(QueueSpec(name="mail"), QueueSpec(name="orders")))


async def define() -> Definition:
    return Definition(blueprint=WANTED, scope=lambda seen: Scope(crowds=seen.crowds, strangers=()))


class Weather(MemoryPlumbing):
    """A broker that can be away, and tells when it was looked at."""

    away = False

    def __init__(self, blueprint: Blueprint) -> None:
        super().__init__(blueprint)
        self.looks: asyncio.Queue[None] = asyncio.Queue()

    async def survey(self, wanted: Blueprint) -> Survey:
        self.looks.put_nowait(None)
        if self.away:
            raise Unavailable("It is away.")
        return await super().survey(wanted)


@pytest.fixture
def broker(caplog: pytest.LogCaptureFixture) -> Weather:
    caplog.set_level("INFO", "goatherd.topology")
    return Weather(WANTED)


async def test_all_classes_are_counted(broker: Weather) -> None:
    watch = DriftWatch(broker, define, 300)
    assert not watch.counts
    await watch.look()
    assert set(watch.counts.values()) == {0}
    assert {"create", "replace queue", "orphan"} < set(watch.counts)
    del broker.queues["mail"]
    await watch.look()
    assert watch.counts["create"] == 1


async def test_the_log_tells_of_changes_only(broker: Weather, caplog: pytest.LogCaptureFixture) -> None:
    watch = DriftWatch(broker, define, 300)
    await watch.look()
    assert not caplog.records
    mail = broker.queues.pop("mail")
    for _ in range(3):
        await watch.look()
    [told] = caplog.records
    assert told.levelno == logging.WARNING
    assert "1 create" in told.message
    assert "create queue  mail  it is missing" in told.message
    del broker.queues["orders"]
    await watch.look()
    assert len(caplog.records) == 2
    broker.queues |= {"mail": mail, "orders": QueueSpec(name="orders", type="classic")}
    await watch.look()
    assert caplog.records[-1].levelno == logging.INFO
    assert "as wanted again" in caplog.records[-1].message


async def test_what_is_not_known_is_not_counted(broker: Weather, caplog: pytest.LogCaptureFixture) -> None:
    watch = DriftWatch(broker, define, 300)
    await watch.look()
    broker.away = True
    for _ in range(2):
        await watch.look()
    assert not watch.counts
    assert [record.message for record in caplog.records] == [
        "Whether the broker is as wanted is not known: It is away."
    ]
    broker.away = False
    await watch.look()
    assert watch.counts


async def test_it_looks_again_and_again_until_it_is_stopped(broker: Weather) -> None:
    watch = DriftWatch(broker, define, 0.01)
    watch.start()
    async with asyncio.timeout(20):
        for _ in range(3):
            await broker.looks.get()
    await watch.stop()
    await watch.stop()
    while not broker.looks.empty():
        broker.looks.get_nowait()
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "goatherd drift watch"]


@pytest.mark.parametrize("makes", [True, False])
async def test_policies_that_are_gone_are_made_again_by_who_makes_things(broker: Weather, makes: bool) -> None:
    day = PolicySpec(name="day", pattern="^orders$", definition={"expires": 86_400_000})

    async def with_policy() -> Definition:
        return replace(await define(), blueprint=replace(WANTED, policies=(day,)))

    watch = DriftWatch(broker, with_policy, 300, makes=makes)
    await watch.look()
    assert broker.policies == ({"day": day} if makes else {})
    assert watch.counts["policy"] == (0 if makes else 1)
    broker.policies["day"] = replace(day, priority=7)
    await watch.look()
    assert watch.counts["policy"] == 1, "what is there is not altered"


async def test_the_app_tells_it_in_its_metrics(broker: Weather) -> None:
    app = Goatherd("shop")
    assert "goatherd_topology_drift{" not in app.metrics()
    watch = DriftWatch(broker, define, 300)
    app.drift_watches.append(watch)
    assert "goatherd_topology_drift{" not in app.metrics(), "it is not known yet"
    del broker.queues["mail"]
    await watch.look()
    assert 'goatherd_topology_drift{change="create"} 1.0' in app.metrics()
    assert 'goatherd_topology_drift{change="replace queue"} 0.0' in app.metrics()


async def test_nobody_watches_a_file(tmp_path: Path) -> None:
    app = Goatherd("shop", broker_url=f"sqlite:///{tmp_path / 'jobs.db'}")
    async with app.serve("scheduler"):
        assert not app.drift_watches


async def test_a_fault_does_not_end_it(broker: Weather, caplog: pytest.LogCaptureFixture) -> None:
    asked = asyncio.Event()
    faults = iter([KeyError("oh")])

    async def faulty() -> Definition:
        for fault in faults:
            raise fault
        asked.set()
        return await define()

    watch = DriftWatch(broker, faulty, 0.01)
    watch.start()
    await asyncio.wait_for(asked.wait(), 20)
    await watch.stop()
    assert "a fault of Goatherd" in caplog.text
