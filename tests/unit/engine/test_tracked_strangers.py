"""Tasks that are always tracked: calls of them, and what strangers send to them."""

import asyncio
from collections.abc import Callable

import msgspec
import pytest

from goatherd import Goatherd, JobFailed, Retry
from goatherd.errors import JobCancelled
from goatherd.events import Done, Failed
from goatherd.model.message import TRACKED
from tests.unit.engine.counting import Counter, kinds, spy_on_messages, told
from tests.unit.engine.stage import PATIENCE, at_work


@pytest.fixture
def counter(app: Goatherd) -> Counter:
    return Counter(app)


# --- calls and strangers ---------------------------------------------------------------------------------------------


async def test_a_call_of_a_task_that_is_always_tracked_is_written_to_its_end(app: Goatherd) -> None:
    @app.task(tracked=True)
    async def halve(number: int) -> float:
        return 100 / number

    async with at_work(app) as stage:
        assert await halve.options(id="c1").call(2) == 50
        assert kinds(await told(app.run("c1"))) == ["Started", "Done"]
        with pytest.raises(JobFailed, match="ZeroDivisionError"):
            await halve.options(id="c2").call(0)
        *_, last = await told(app.run("c2"))
        assert isinstance(last, Failed)
        assert (last.reason, last.error) == ("failed", "ZeroDivisionError")
        assert await stage.letters() == []


async def test_a_call_of_a_tracked_task_that_is_given_up_is_written_as_cancelled(app: Goatherd) -> None:
    begun = asyncio.Event()

    @app.task(tracked=True)
    async def think() -> None:
        begun.set()
        await asyncio.Event().wait()

    async with at_work(app) as stage:
        calling = asyncio.create_task(think.options(id="c1").call())
        async with asyncio.timeout(PATIENCE):
            await begun.wait()
            calling.cancel()
            await stage.saw("acked")
            with pytest.raises(JobCancelled, match="caller gave up"):
                await app.run("c1").result()


async def test_what_a_stranger_sends_to_a_tracked_task_is_written_from_its_start(
    make_app: Callable[..., Goatherd],
) -> None:
    app = make_app(retry=Retry(1, base=0, jitter=0))

    @app.task(queue=app.queue("orders", format="plain"), tracked=True)
    async def order(item: str) -> str:
        if item == "bad":
            raise ValueError(item)
        return f"one {item}"

    async with at_work(app) as stage:
        await stage.publish("orders", b'{"item": "cake"}', id="m1")
        await stage.publish("orders", b'{"item": "bad"}', id="m2")
        await stage.publish("orders", b'{"item": 5}', id="m3")
        await stage.saw("acked")
        await stage.saw("buried", 2)
        [done] = [event for event in await told(app.run("m1")) if isinstance(event, Done)]
        assert done.result == "one cake"
        assert kinds(await told(app.run("m2"))) == ["Started", "Retrying", "Started", "Failed"]
        assert stage.following[0].headers[TRACKED] == "shop", "wherever it ends now, it is known to be watched"
        [invalid] = await told(app.run("m3"))
        assert isinstance(invalid, Failed)
        assert invalid.error == "InvalidArguments"


async def test_a_mark_of_another_app_is_none_of_ours(app: Goatherd, counter: Counter) -> None:
    async with at_work(app) as stage:
        sent = spy_on_messages(stage)
        await counter.task.options(id="theirs").send("x")
        await stage.saw("acked")
        foreign = msgspec.structs.replace(sent[0], id="m2", headers={TRACKED: "somebody else"})
        await stage.broker.publish([foreign])
        await stage.saw("acked", 2)
        assert await (await app.session().events()).state("m2") is None
        assert await (await app.session().events()).state("theirs") is None
