"""Stories: the clock stands still until the test moves it."""

from datetime import timedelta

import pytest

from goatherd import Context, Goatherd, Retry
from goatherd.testing import testing
from tests.unit.testing.shop import analyse, ask_later, diary, send_mail, shop, told


async def test_mail_waits_for_its_hour() -> None:
    async with testing(shop) as t:
        await send_mail.options(delay=3600).send("a@b.c", "later")
        await t.advance(3599)
        assert t.jobs(send_mail)[0].state == "queued"
        await t.advance(1)
        assert t.jobs(send_mail)[0].state == "done"
        assert not t.dead


async def test_a_time_of_day_is_waited_for() -> None:
    async with testing(shop) as t:
        tomorrow = t.now + timedelta(days=1)
        await send_mail.options(at=tomorrow).send("ada")
        assert t.jobs(send_mail)[0].due_at == tomorrow
        await t.advance(timedelta(hours=23, minutes=59))
        assert told("mail") == []
        await t.advance(timedelta(minutes=1))
        assert t.now == tomorrow
        assert told("mail") == ["mail to ada"]


async def test_a_drain_does_not_move_the_clock() -> None:
    async with testing(shop) as t:
        before = t.now
        await send_mail.options(delay=0.001).send("ada")
        await t.drain()
        assert t.jobs(send_mail)[0].state == "queued"
        assert t.now == before


async def test_what_falls_due_is_worked_off_in_order() -> None:
    async with testing(shop) as t:
        for delay in (30, 10, 20, 40):
            await send_mail.options(delay=delay).send(f"after {delay}")
        await send_mail.send("at once")
        await t.advance(35)
        assert told("mail") == ["mail to at once", "mail to after 10", "mail to after 20", "mail to after 30"]


async def test_retries_come_when_they_are_due() -> None:
    async with testing(shop) as t:
        started = t.now
        await send_mail.send("broken@example")
        await t.drain()
        [job] = t.jobs(send_mail)
        assert (job.state, job.attempts, job.error) == ("retrying", 1, "ConnectionError: no route")
        assert job.due_at == started + timedelta(seconds=10)
        await t.advance(9)
        assert t.jobs(send_mail)[0].attempts == 1
        await t.advance(1)
        [job] = t.jobs(send_mail)
        assert (job.state, job.attempts) == ("retrying", 2)
        assert job.due_at == started + timedelta(seconds=40)


async def test_one_advance_works_off_every_retry_in_its_time() -> None:
    kiln = Goatherd("kiln")
    tries: list[float] = []

    @kiln.task(retry=Retry(3, base=10, factor=2, max=100, jitter=0))
    async def burn(ctx: Context) -> str:
        tries.append((t.now - started).total_seconds())
        if ctx.attempt < 4:
            raise OSError("cold")
        return "fired"

    async with testing(kiln) as t:
        started = t.now
        await burn.send()
        await t.advance(1000)
        assert tries == [0, 10, 30, 70]
        [job] = t.jobs(burn)
        assert (job.state, job.attempts, job.result, job.error) == ("done", 4, "fired", None)
        assert t.now == started + timedelta(seconds=1000)


async def test_a_task_that_asks_for_later_comes_later() -> None:
    async with testing(shop) as t:
        await ask_later.send(times=2)
        await t.advance(119)
        assert t.jobs(ask_later)[0].state == "retrying"
        await t.advance(1)
        [job] = t.jobs(ask_later)
        assert (job.state, job.attempts, job.result) == ("done", 3, "now")


async def test_jobs_sent_while_the_clock_moves_are_due_from_then_on() -> None:
    relay = Goatherd("relay")
    passed: list[float] = []

    @relay.task
    async def run(leg: int) -> None:
        passed.append((t.now - started).total_seconds())
        if leg < 3:
            await run.options(delay=100).send(leg + 1)

    async with testing(relay) as t:
        started = t.now
        await run.send(1)
        await t.advance(1000)
        assert passed == [0, 100, 200]


async def test_a_deadline_that_passes_is_a_dead_letter() -> None:
    async with testing(shop) as t:
        await send_mail.options(delay=60, deadline=30).send("ada")
        await t.advance(29)
        assert t.jobs(send_mail)[0].state == "queued"
        await t.advance(1)
        [job] = t.jobs(send_mail)
        assert (job.state, job.attempts) == ("expired", 0)
        [letter] = t.dead
        assert (letter.reason, letter.job_id) == ("expired", job.id)
        assert letter.failed_at == t.now
        assert told("mail") == []


async def test_a_job_for_others_expires_too() -> None:
    async with testing(shop) as t:
        await analyse.options(deadline=100).send("soup")
        await t.advance(3600)
        assert t.jobs(analyse)[0].state == "expired"


async def test_the_dead_are_told_of_at_once() -> None:
    async with testing(shop) as t:
        await send_mail.send("broken@example")
        await t.advance(1000)
        [job] = t.jobs(send_mail)
        assert (job.state, job.attempts, job.error) == ("failed", 3, "ConnectionError: no route")
        [letter] = t.dead
        assert (letter.task, letter.reason, letter.attempts) == ("send_mail", "failed", 3)
        assert letter.arguments == {"to": "broken@example"}
        assert "no route" in letter.traceback
        assert diary[-1] == "told of send_mail: no route"


async def test_a_task_that_gives_up_is_dead_at_once() -> None:
    async with testing(shop) as t:
        await send_mail.send("nobody@example")
        await t.drain()
        assert [(letter.reason, letter.message) for letter in t.dead] == [("gave_up", "no such person")]
        assert t.jobs(send_mail)[0].state == "failed"
        assert told("told of") == ["told of send_mail: no such person"]


async def test_the_clock_does_not_go_back() -> None:
    async with testing(shop) as t:
        with pytest.raises(ValueError, match="forward only"):
            await t.advance(-1)
