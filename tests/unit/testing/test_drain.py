"""Stories: jobs are done when the test says so, with all that they cause."""

import asyncio
import threading
from unittest.mock import AsyncMock

import pytest

from goatherd import Goatherd, RetryLater
from goatherd.testing import JobRecord, testing
from tests.unit.testing.shop import ask_later, diary, pack, send_mail, shop, square, take_order, told


async def test_a_job_waits_for_the_drain_and_is_done_by_it() -> None:
    async with testing(shop) as t:
        job_id = await send_mail.send("ada", subject="hi")
        [queued] = t.jobs(send_mail)
        assert (queued.state, queued.attempts, queued.result) == ("queued", 0, None)
        await t.drain()
        assert t.jobs(send_mail) == [
            JobRecord(
                id=job_id, arguments={"to": "ada", "subject": "hi"}, state="done", attempts=1, result="hi sent",
                error=None, due_at=t.now,
            )
        ]  # fmt: skip
        assert t.dead == []


async def test_jobs_that_jobs_send_are_done_too() -> None:
    async with testing(shop) as t:
        await take_order.send("ada", items=3)
        await t.drain()
        [order] = t.jobs(take_order)
        assert order.result == 3
        assert [parcel.result for parcel in t.jobs(pack)] == ["parcel 0", "parcel 1", "parcel 2"]
        assert {parcel.state for parcel in t.jobs(pack)} == {"done"}


async def test_jobs_stand_in_the_order_in_which_they_were_sent() -> None:
    async with testing(shop) as t:
        await send_mail.options(delay=5).send("late")
        await shop.send_many(send_mail.job(name) for name in ("b", "c"))
        await send_mail.send("d")
        await t.advance(5)
        assert [job.arguments["to"] for job in t.jobs(send_mail)] == ["late", "b", "c", "d"]
        assert told("mail") == ["mail to b", "mail to c", "mail to d", "mail to late"]


async def test_many_jobs_are_all_done() -> None:
    async with testing(shop) as t:
        await shop.send_many(pack.job("ada", number) for number in range(200))
        await t.drain()
        assert [job.result for job in t.jobs(pack)] == [f"parcel {number}" for number in range(200)]


async def test_draining_again_finds_nothing_to_do() -> None:
    async with testing(shop) as t:
        await t.drain()
        await send_mail.send("ada")
        await t.drain()
        await t.drain()
        assert told("mail") == ["mail to ada"]


async def test_two_drains_at_once_do_everything_once() -> None:
    async with testing(shop) as t:
        await send_mail.send("ada")
        await asyncio.gather(t.drain(), t.drain())
        assert told("mail") == ["mail to ada"]


async def test_lifespans_and_wrappers_run() -> None:
    async with testing(shop) as t:
        assert diary == ["opened"]
        await send_mail.send("ada")
        await t.drain()
        await t.drain()
        assert diary == ["opened", "around mail", "mail to ada"]
    assert diary[-1] == "closed"


async def test_a_task_in_a_process_runs_in_one() -> None:
    async with testing(shop) as t:
        await square.send(12)
        await t.drain(timeout=60)
        [job] = t.jobs(square)
        assert (job.state, job.result) == ("done", 144)


async def test_a_herd_that_does_not_come_to_rest_says_what_moves() -> None:
    kiln = Goatherd("kiln", concurrency=1)

    @kiln.task
    async def burn() -> None:
        await asyncio.Event().wait()

    async with testing(kiln) as t:
        job_id = await burn.send()
        await burn.send()
        with pytest.raises(AssertionError) as raised:
            await t.drain(timeout=0.3)
        moving = f"burn[{job_id}] is running (attempt 1); 1 more job waits (queues: kiln)"
        assert f"did not come to rest within 0.3 s: {moving}." in str(raised.value)
        assert [job.state for job in t.jobs(burn)] == ["retrying", "queued"]


async def test_jobs_that_go_round_for_ever_are_noticed() -> None:
    carousel = Goatherd("carousel")

    @carousel.task
    async def turn() -> None:
        raise RetryLater(after=0, count=False)

    async with testing(carousel) as t:
        await turn.send()
        with pytest.raises(AssertionError, match="did not come to rest"):
            await t.drain(timeout=0.3)


async def test_after_a_drain_that_failed_the_next_goes_on() -> None:
    bakery = Goatherd("bakery")
    hot = asyncio.Event()

    @bakery.task
    async def bake() -> str:
        await hot.wait()
        return "bread"

    async with testing(bakery) as t:
        await bake.send()
        with pytest.raises(AssertionError):
            await t.drain(timeout=0.2)
        hot.set()
        await t.drain()
        assert t.jobs(bake)[0].result == "bread"


async def test_an_app_that_only_sends_has_nothing_to_drain() -> None:
    sender = Goatherd("sender")

    @sender.task(remote=True)
    async def elsewhere(number: int) -> None:
        raise NotImplementedError

    async with testing(sender) as t:
        await elsewhere.send(7)
        await t.drain()
        [job] = t.jobs(elsewhere)
        assert (job.state, job.arguments) == ("queued", {"number": 7})


async def test_jobs_that_another_thread_sends_are_seen() -> None:
    async def serve() -> None:
        async with shop:
            await send_mail.send("from another loop")

    async with testing(shop) as t:
        await asyncio.to_thread(asyncio.run, serve())
        await t.drain()
        assert [job.state for job in t.jobs(send_mail)] == ["done"]


async def test_the_app_may_be_opened_again_inside() -> None:
    async with testing(shop) as t, shop:
        await ask_later.send(times=0)
        await t.drain()
        assert t.jobs(ask_later)[0].result == "now"


async def test_a_mock_may_stand_in_for_a_task() -> None:
    mailbox = AsyncMock(return_value="noted")
    async with testing(shop) as t:
        t.fake(send_mail, mailbox)
        await send_mail.send("ada")
        await t.drain()
        assert t.jobs(send_mail)[0].result == "noted"
    mailbox.assert_awaited_once_with(to="ada")


async def test_nothing_is_left_of_a_test() -> None:
    threads = set(threading.enumerate())
    tasks = asyncio.all_tasks()
    async with testing(shop) as t:
        await send_mail.send("ada")
        await t.drain()
    left = {thread for thread in threading.enumerate() if not thread.name.startswith("asyncio_")}
    assert left <= threads
    assert asyncio.all_tasks() == tasks
