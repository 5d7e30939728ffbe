"""Stories: a test that calls a task gets its answer, for the herd works while somebody waits."""

import asyncio
from unittest.mock import patch

import pytest

from goatherd import Goatherd
from goatherd.errors import CallTimeout, JobFailed, Refused
from goatherd.testing import testing
from tests.unit.testing.shop import analyse, pack, send_mail, shop, square, take_order, told


async def test_a_call_is_answered_without_further_ado() -> None:
    async with testing(shop) as t:
        assert await send_mail.call("ada", subject="hi") == "hi sent"
        [job] = t.jobs(send_mail)
        assert (job.state, job.attempts, job.result, job.error) == ("done", 1, "hi sent", None)
        assert job.arguments == {"to": "ada", "subject": "hi"}
        assert t.dead == []


async def test_calls_of_every_kind_of_task_are_answered() -> None:
    async with testing(shop):
        assert await pack.call("ada", 3) == "parcel 3"
        assert await square.call(7) == 49


async def test_many_calls_at_once_are_answered() -> None:
    async with testing(shop) as t:
        results = await asyncio.gather(*(pack.call("ada", number) for number in range(50)))
        assert results == [f"parcel {number}" for number in range(50)]
        assert {job.state for job in t.jobs(pack)} == {"done"}


async def test_a_failure_is_raised_and_neither_retried_nor_kept() -> None:
    async with testing(shop) as t:
        with pytest.raises(JobFailed, match="ConnectionError: no route"):
            await send_mail.call("broken@example.org")
        await t.advance(3600)
        [job] = t.jobs(send_mail)
        assert (job.state, job.attempts, job.error) == ("failed", 1, "ConnectionError: no route")
        assert (t.dead, told("mail")) == ([], ["mail to broken@example.org"])


async def test_a_fake_answers_for_another_program() -> None:
    async def clever(user_input: str) -> dict[str, str]:
        return {"dish": user_input}

    async with testing(shop) as t:
        t.fake(analyse, clever)
        assert await analyse.call("soup") == {"dish": "soup"}


async def test_a_call_that_nobody_answers_times_out_when_the_clock_is_moved() -> None:
    async with testing(shop) as t:
        call = asyncio.create_task(analyse.options(deadline=100).call("soup"))
        await t.advance(99)
        assert not call.done()
        await t.advance(1)
        with pytest.raises(CallTimeout, match="within 100 s"):
            await call


async def test_an_expired_request_is_never_started() -> None:
    ran: list[str] = []

    async def late(user_input: str) -> dict[str, str]:
        ran.append(user_input)
        return {}

    async with testing(shop) as t:
        call = asyncio.create_task(analyse.options(deadline=5).call("soup"))
        await t.advance(5)
        assert isinstance(await asyncio.gather(call, return_exceptions=True), list)
        t.fake(analyse, late)
        await t.drain()
        [job] = t.jobs(analyse)
        assert (job.state, job.attempts, ran, t.dead) == ("expired", 0, [], [])


async def test_a_call_that_nobody_answers_does_not_hang_the_test() -> None:
    with patch("goatherd.testing.callers.PATIENCE", 0.2):
        async with testing(shop):
            with pytest.raises(AssertionError, match=r"Nobody answers .* t\.fake\(task, function\).*t\.advance"):
                await analyse.options(id="j").call("soup")


async def test_a_drain_meets_calls_that_wait() -> None:
    async with testing(shop) as t:
        calls = [asyncio.create_task(pack.call("ada", number)) for number in range(5)]
        await t.drain()
        assert [call.done() for call in calls] == [True] * 5, "it includes the way back"


async def test_a_task_may_call_another() -> None:
    app = Goatherd("nested")

    @app.task
    async def inner(number: int) -> int:
        return number + 1

    @app.task
    async def outer(number: int) -> int:
        return await inner.call(number) * 2

    async with testing(app) as t:
        assert await outer.call(1) == 4
        await outer.send(2)
        await t.drain()
        assert [job.result for job in t.jobs(outer)] == [4, 6]
        assert [job.result for job in t.jobs(inner)] == [2, 3]


async def test_what_a_called_task_sends_is_done_too() -> None:
    async with testing(shop) as t:
        assert await take_order.call("ada", items=2) == 2
        await t.drain()
        assert [parcel.state for parcel in t.jobs(pack)] == ["done", "done"]


async def test_a_worker_that_dies_is_replaced_while_the_caller_waits() -> None:
    async with testing(shop) as t:
        t.crash(send_mail, at="end")
        assert await send_mail.call("ada") == "hello sent"
        [job] = t.jobs(send_mail)
        assert (job.state, job.attempts) == ("done", 2)


async def test_a_job_that_kills_every_worker_is_told_to_its_caller() -> None:
    async with testing(shop) as t:
        t.crash(send_mail, at="start", times=3)
        with pytest.raises(JobFailed, match="3 processes died while they ran it") as caught:
            await send_mail.call("ada")
        assert (caught.value.error_type, t.dead) == ("WorkerDied", [])


async def test_a_second_delivery_brings_a_second_answer_that_is_dropped() -> None:
    async with testing(shop) as t:
        t.duplicate(send_mail)
        assert await send_mail.call("ada") == "hello sent"
        await t.drain()
        assert told("mail") == ["mail to ada"] * 2
        assert shop.meter.readings().strays == {"late": 1}


async def test_a_caller_that_gives_up_leaves_nothing_to_do() -> None:
    async with testing(shop) as t:
        call = asyncio.create_task(analyse.call("soup"))
        await t.drain()
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        [job] = t.jobs(analyse)
        assert job.state == "cancelled"


async def test_jobs_that_wait_are_done_while_a_call_waits() -> None:
    async with testing(shop) as t:
        await send_mail.send("ada")
        await pack.call("ada", 1)
        await t.drain()
        assert [job.state for job in t.jobs(send_mail)] == ["done"]


async def test_limits_hold_in_a_test_too() -> None:
    app = Goatherd("small", calls_in_flight=1)

    @app.task(remote=True)
    async def ask() -> None:
        raise NotImplementedError

    async with testing(app) as t:
        first = asyncio.create_task(ask.options(deadline=5).call())
        await t.drain()
        with pytest.raises(Refused):
            await ask.call()
        await t.advance(5)
        await asyncio.gather(first, return_exceptions=True)


async def test_a_call_leaves_nothing_running_behind_the_test() -> None:
    before = asyncio.all_tasks()
    async with testing(shop):
        await pack.call("ada", 1)
    assert asyncio.all_tasks() == before
