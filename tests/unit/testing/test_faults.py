"""Stories: workers die, jobs come twice, other services are away."""

import asyncio

import pytest

from goatherd import Goatherd, Retry
from goatherd.testing import testing
from tests.unit.testing.shop import analyse, diary, pack, send_mail, shop, take_order, told


async def test_a_lost_worker_does_not_lose_the_job() -> None:
    async with testing(shop) as t:
        t.crash(send_mail, at="end")
        await send_mail.send("ada")
        await t.drain()
        [job] = t.jobs(send_mail)
        assert (job.state, job.attempts) == ("done", 2)
        assert told("mail") == ["mail to ada", "mail to ada"]
        assert not t.dead


async def test_a_worker_that_dies_at_the_start_has_done_nothing() -> None:
    async with testing(shop) as t:
        t.crash(send_mail, at="start")
        await send_mail.send("ada")
        await t.drain()
        [job] = t.jobs(send_mail)
        assert (job.state, job.attempts) == ("done", 2)
        assert told("mail") == ["mail to ada"]


async def test_a_death_is_no_failure_of_the_job() -> None:
    async with testing(shop) as t:
        t.crash(take_order, at="start", times=2)
        await take_order.send("ada", items=0)
        await t.drain()
        assert told("order") == ["order of ada, attempt 1"]
        assert t.jobs(take_order)[0].attempts == 3


async def test_a_job_that_kills_three_workers_is_given_up() -> None:
    async with testing(shop) as t:
        t.crash(send_mail, times=3)
        await send_mail.send("ada")
        await t.drain()
        [job] = t.jobs(send_mail)
        assert (job.state, job.attempts) == ("failed", 3)
        [letter] = t.dead
        assert letter.reason == "crashed"
        assert diary[-1].startswith("told of send_mail: 3 processes died")


async def test_what_was_done_before_the_death_is_not_done_again() -> None:
    async with testing(shop) as t:
        t.crash(take_order)
        await shop.send_many(send_mail.job(f"customer {number}") for number in range(30))
        await t.drain()
        await take_order.send("ada", items=0)
        await t.drain()
        assert len(told("mail")) == 30


async def test_what_a_dying_job_had_sent_is_sent() -> None:
    async with testing(shop) as t:
        t.crash(take_order, at="end")
        await take_order.send("ada", items=2)
        await t.drain()
        assert [job.state for job in t.jobs(pack)] == ["done"] * 4


async def test_others_in_the_same_worker_die_with_it() -> None:
    kiln = Goatherd("kiln", concurrency=2)
    both = asyncio.Barrier(2)

    @kiln.task
    async def burn(number: int) -> int:
        if len(t.jobs(burn)) == 2 and {job.attempts for job in t.jobs(burn)} == {1}:
            await both.wait()
        return number

    async with testing(kiln) as t:
        t.crash(burn, times=1)
        await kiln.send_many([burn.job(1), burn.job(2)])
        await t.drain()
        assert [job.state for job in t.jobs(burn)] == ["done", "done"]
        assert not t.dead


async def test_a_job_may_come_twice() -> None:
    async with testing(shop) as t:
        t.duplicate(send_mail)
        await send_mail.send("ada")
        await send_mail.send("bob")
        await t.drain()
        assert sorted(told("mail")) == ["mail to ada", "mail to ada", "mail to bob"]
        assert [(job.state, job.attempts) for job in t.jobs(send_mail)] == [("done", 2), ("done", 1)]


async def test_a_plain_message_may_come_twice_too() -> None:
    async def echo(user_input: str) -> dict[str, str]:
        diary.append(f"echo {user_input}")
        return {}

    async with testing(shop) as t:
        t.fake(analyse, echo)
        t.duplicate(analyse)
        t.crash(analyse, at="start")
        await analyse.send("soup")
        await t.drain()
        assert told("echo") == ["echo soup", "echo soup"]
        assert t.jobs(analyse)[0].attempts == 3


async def test_a_fake_stands_in_for_another_service() -> None:
    async def fake_ai(user_input: str) -> dict[str, str]:
        return {"echo": user_input}

    async with testing(shop) as t:
        await analyse.send("soup")
        await t.drain()
        assert t.jobs(analyse)[0].state == "queued"
        t.fake(analyse, fake_ai)
        await t.drain()
        [job] = t.jobs(analyse)
        assert (job.state, job.result) == ("done", {"echo": "soup"})
        assert job.arguments == {"user_input": "soup"}


async def test_a_fake_that_fails_is_retried_by_the_tasks_own_rule() -> None:
    async def no_network(to: str, subject: str = "") -> str:
        raise ConnectionError("cable cut")

    async with testing(shop) as t:
        t.fake(send_mail, no_network)
        await send_mail.send("ada")
        await t.advance(1000)
        [job] = t.jobs(send_mail)
        assert (job.state, job.attempts, job.error) == ("failed", 3, "ConnectionError: cable cut")
        assert told("mail") == []


async def test_a_fake_holds_for_one_test_only() -> None:
    async def fake_pack(customer: str, number: int) -> str:
        return "fake"

    async with testing(shop) as t:
        t.fake(pack, fake_pack)
        await pack.send("ada", 1)
        await t.drain()
        assert t.jobs(pack)[0].result == "fake"
    async with testing(shop) as t:
        assert t.jobs(pack) == []
        await pack.send("ada", 1)
        await t.drain()
        assert t.jobs(pack)[0].result == "parcel 1"


async def test_a_plain_function_is_no_fake() -> None:
    def plain(to: str, subject: str = "") -> str:
        return ""

    async with testing(shop) as t:
        with pytest.raises(TypeError, match="async def"):
            t.fake(send_mail, plain)  # type: ignore[arg-type]  # that is the point


async def test_a_task_of_another_app_is_refused() -> None:
    other = Goatherd("other")

    @other.task(retry=Retry(0))
    async def stranger() -> None: ...

    async with testing(shop) as t:
        for wrong in (t.jobs, t.crash, t.duplicate):
            with pytest.raises(ValueError, match="belongs to <Goatherd other>"):
                wrong(stranger)


@pytest.mark.parametrize("times", [0, -1])
async def test_a_fault_happens_at_least_once(times: int) -> None:
    async with testing(shop) as t:
        with pytest.raises(ValueError, match="would never happen"):
            t.crash(send_mail, times=times)


async def test_a_crash_has_two_moments() -> None:
    async with testing(shop) as t:
        with pytest.raises(ValueError, match="neither 'start'"):
            t.crash(send_mail, at="middle")  # type: ignore[arg-type]  # that is the point
