"""Stories: a worker goes on by itself with the step after the one it has done, where nobody else waits for that."""

import pytest

from goatherd import Goatherd, Pipeline
from goatherd.testing import testing

STEPS = ("first", "second", "third")


def chain(app: Goatherd, queue: str) -> Pipeline[int, int]:
    pipeline = app.pipeline("chain", takes=int, gives=int)
    before = pipeline.input
    for name in STEPS:

        async def add_one(number: int) -> int:
            return number + 1

        before = pipeline.step(after=before, name=name, queue=queue)(add_one)
    return pipeline


@pytest.fixture
def told(app: Goatherd, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The steps of which workers were told by a message."""
    from goatherd.adapters.sqlite.broker import SqliteBroker

    names: list[str] = []
    publish = SqliteBroker.publish

    async def watched(self: SqliteBroker, messages: list) -> None:  # type: ignore[type-arg]  # as the port has it
        names.extend(message.task for message in messages if message.task)
        await publish(self, messages)

    monkeypatch.setattr(SqliteBroker, "publish", watched)
    return names


async def test_nobody_is_told_of_a_step_that_its_worker_has_already(app: Goatherd, told: list[str]) -> None:
    pipeline = chain(app, "own")
    async with testing(app) as t:
        first = await pipeline.start(0)
        await t.drain()
        told.clear()
        run = await pipeline.start(1)
        await t.drain()
        assert (await first.result(timeout=10), await run.result(timeout=10)) == (3, 4)
        assert told == ["chain.first"]


async def test_on_a_queue_that_others_know_every_step_has_its_message(app: Goatherd, told: list[str]) -> None:
    app.queue("described")
    pipeline = chain(app, "described")
    async with testing(app) as t:
        run = await pipeline.start(0)
        await t.drain()
        assert await run.result(timeout=10) == 3
        assert told == [f"chain.{name}" for name in STEPS]
