"""Messages and ids that could be mistaken for others: each step is done by its own code, and nothing goes round."""

import asyncio

import msgspec
import pytest

from goatherd import Goatherd
from goatherd.model.ids import new_id
from goatherd.model.message import Message
from goatherd.testing import testing
from goatherd.wiring import open_ports


async def post(app: Goatherd, queue: str, **members: object) -> None:
    """Send a message as other programs do."""
    ports = await open_ports(app.settings, app.clock)
    await ports.broker.publish([Message(id=new_id(), queue=queue, body=msgspec.json.encode(members), task="")])
    await ports.close()


async def test_a_message_that_does_not_name_its_pipeline_is_about_the_one_of_its_run(app: Goatherd) -> None:
    done: list[str] = []
    app.queue("work", format="native")
    one = app.pipeline("one", takes=int, gives=int)
    two = app.pipeline("two", takes=int, gives=int)

    @one.step(after=one.input, queue="work", name="go")
    async def go_one(number: int) -> int:
        done.append("one")
        return number + 1

    @two.step(after=two.input, queue="work", name="go")
    async def go_two(number: int) -> int:
        done.append("two")
        return number + 2

    async with testing(app) as t:
        run = await two.options(id="r", delay=60).start(1)
        await t.advance(59)
        records = await app.session().records()
        await records.operations.resume_from("r", two.definition.from_here("go"))
        await post(app, "work", task_id="r", step="go", payload=1)
        await t.drain()
        assert await run.result(timeout=5) == 3
        assert done == ["two"]


async def test_a_message_that_would_begin_a_run_whose_id_is_taken_does_not_go_round(app: Goatherd) -> None:
    app.queue("work", format="native")
    one = app.pipeline("one", takes=int, gives=int)
    two = app.pipeline("two", takes=int, gives=int)

    @one.step(after=one.input, queue="work")
    async def go(number: int) -> int:
        return number + 1

    @two.step(after=two.input)
    async def come(number: int) -> int:
        return number + 2

    async with testing(app) as t:
        run = await two.options(id="r").start(1)
        await t.drain()
        await post(app, "work", task_id="r", step="go", payload=1)
        async with asyncio.timeout(20):
            await t.advance(3600)
        assert await run.result(timeout=5) == 3
        assert len(t.dead) == 1


@pytest.mark.parametrize("id", ["a/b", "a/go", "a/go/1", "/", "ä ö/ü?#%", "x" * 255])
async def test_strange_ids(app: Goatherd, id: str) -> None:
    one = app.pipeline("one", takes=list[int], gives=list[int])

    @one.map(over=one.input)
    async def go(number: int) -> int:
        return number + 1

    async with testing(app) as t:
        first = await one.options(id="a").start([1, 2])
        run = await one.options(id=id).start([1, 2, 3])
        await t.drain()
        assert await first.result(timeout=5) == [2, 3]
        assert await run.result(timeout=5) == [2, 3, 4]


async def test_a_pipeline_that_only_others_do_is_conducted_all_the_same(app: Goatherd) -> None:
    one = app.pipeline("one", takes=int, gives=int)

    @app.task
    async def plain() -> None: ...

    @one.step(after=one.input, queue="abroad", remote=True)
    async def go(number: int) -> int:
        raise NotImplementedError

    async with testing(app) as t:
        run = await one.options(id="r").start(1)
        await t.drain()
        await post(app, "shop.step-answers", task_id="r", step="go", payload=7)
        await t.drain()
        assert await run.result(timeout=5) == 7
