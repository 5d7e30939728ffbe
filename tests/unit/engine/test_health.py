import asyncio
from typing import Any

import pytest

from goatherd import Goatherd, Unavailable
from goatherd.engine import health as health_module
from tests.unit.engine.stage import at_work, opened


@pytest.fixture
def busy(app: Goatherd) -> Goatherd:
    @app.task(queue="mail")
    async def send_mail() -> None: ...

    return app


async def test_a_worker_that_can_work_is_ready_and_tells_its_queues(busy: Goatherd) -> None:
    async with at_work(busy):
        health = await busy.health()
    assert (health.ready, health.reasons, health.ports) == (True, [], {"broker": "up"})
    mail = health.queues["mail"]
    assert (mail.depth, mail.consumers, mail.oldest_age) == (0, 1, None)


async def test_jobs_that_wait_and_jobs_to_come_make_the_depth(busy: Goatherd) -> None:
    async with opened(busy):
        await busy.tasks["send_mail"].send()
        await busy.tasks["send_mail"].options(delay=60).send()
        health = await busy.health()
    assert health.queues["mail"].depth == 2


async def test_a_store_that_is_away_makes_the_process_unready_with_the_reason(
    busy: Goatherd, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(busy):

        async def away(_also: object = ()) -> Any:
            raise Unavailable("the disk is full")

        monkeypatch.setattr(busy.session().ports.operations, "queues", away)
        health = await busy.health()
    assert (health.ready, health.reasons) == (False, ["broker: the disk is full"])
    assert health.ports == {"broker": "down"}


async def test_a_store_that_does_not_answer_is_not_waited_for_for_ever(
    busy: Goatherd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health_module, "DEADLINE", 0.01)
    async with opened(busy):

        async def asleep(_also: object = ()) -> Any:
            await asyncio.Event().wait()

        monkeypatch.setattr(busy.session().ports.operations, "queues", asleep)
        health = await busy.health()
    assert health.reasons == ["broker: no answer within 0.01 s"]


async def test_health_can_be_told_as_plain_values(busy: Goatherd) -> None:
    async with opened(busy):
        told = (await busy.health()).to_dict()
    assert told["ready"] is True
    assert told["queues"]["mail"]["depth"] == 0
    assert isinstance(told["last_heartbeat"], str)


async def test_every_store_that_is_in_use_is_asked(app: Goatherd) -> None:
    likes = app.tally("likes")

    @app.task(key="number")
    async def in_order(number: int) -> None: ...

    @app.cron("0 0 4 * * *")
    async def clean_up() -> None: ...

    async with app.serve("worker", "scheduler", "router"):
        await likes.add("goat", 1)
        health = await app.health()
    assert (health.ready, health.reasons) == (True, [])
    assert health.ports == dict.fromkeys(["broker", "lanes", "events", "records"], "up")


async def test_stores_that_nobody_uses_are_left_alone(app: Goatherd) -> None:
    @app.task(key="number")
    async def in_order(number: int) -> None: ...

    async with opened(app):
        assert set((await app.health()).ports) == {"broker", "lanes"}
    async with app.serve("router"):
        assert set((await app.health()).ports) == {"broker", "events", "records"}


@pytest.mark.parametrize(
    ("port", "store", "asked"),
    [
        ("lanes", "lanes", "get"),
        ("lanes", "tallies", "waiting"),
        ("events", "events", "state"),
        ("records", "runs", "look"),
        ("records", "schedules", "history"),
    ],
)
async def test_each_of_them_can_make_the_process_unready(app: Goatherd, port: str, store: str, asked: str) -> None:
    likes = app.tally("likes")

    @app.task(key="number")
    async def in_order(number: int) -> None: ...

    @app.cron("0 0 4 * * *")
    async def clean_up() -> None: ...

    async def away(*_: object) -> Any:
        raise Unavailable("the disk is full")

    async with app.serve("worker", "scheduler"):
        await likes.add("goat", 1)
        session = app.session()
        stores: dict[str, object] = {
            "lanes": (await session.lanes()).operations,
            "tallies": await session.recurring.tallies(),
            "events": await session.events(),
            "runs": (await session.records()).operations,
            "schedules": (await session.recurring.schedules()).operations,
        }
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stores[store], asked, away)
            health = await app.health()
        assert (health.ready, health.reasons) == (False, [f"{port}: the disk is full"])
        assert [each for each, state in health.ports.items() if state != "up"] == [port]
        assert (await app.health()).ready
