"""Jobs of which there is to be one: `id=` and `unique=`, as users see them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

import pytest

from goatherd import Context, GiveUp, Goatherd, Retry
from goatherd.adapters.sqlite import opening
from goatherd.adapters.sqlite.broker import SqliteBroker
from goatherd.engine import uniqueness
from goatherd.errors import DefinitionError, Unavailable
from goatherd.model.unique import LAST_RESORT
from goatherd.testing import testing

shop = Goatherd("unique-shop")
ran: list[str] = []


@shop.task
async def mail(to: str, subject: str = "hello", tags: set[str] = frozenset()) -> None:  # type: ignore[assignment]
    ran.append(to)


@shop.task(unique="until_done", retry=Retry(2, base=10, jitter=0))
async def report(ctx: Context, day: int, fails: int = 0) -> int:
    ran.append(f"report {day}")
    if ctx.attempt <= fails:
        raise RuntimeError("not yet")
    if day < 0:
        raise GiveUp("no such day")
    return day


@shop.task(key="post", unique="until_done", on_exhausted="skip", retry=Retry(0))
async def comment(post: int, text: str) -> None:
    ran.append(text)
    if text == "bad":
        raise RuntimeError(text)


@pytest.fixture(autouse=True)
def fresh() -> None:
    ran.clear()


async def test_an_id_stands_for_one_job() -> None:
    async with testing(shop) as t:
        named = mail.options(id="welcome-7")
        assert await named.send("a@b.c") == "welcome-7"
        assert await named.send("a@b.c") == "welcome-7"
        assert await shop.send_many([named.job("a@b.c"), mail.job("d@e.f"), named.job("g@h.i")]) == [
            "welcome-7",
            t.jobs(mail)[-1].id,
            "welcome-7",
        ]
        await t.drain()
        assert await named.send("a@b.c") == "welcome-7"
        await t.drain()
        assert ran == ["a@b.c", "d@e.f"]
        # An hour later it is forgotten.
        await t.advance(3601)
        await named.send("later")
        await t.drain()
        assert ran == ["a@b.c", "d@e.f", "later"]


async def test_no_second_one_with_the_same_arguments_for_a_while() -> None:
    async with testing(shop) as t:
        once = mail.options(unique=timedelta(minutes=1))
        first = await once.send("a@b.c", tags={"x", "y", "z"})
        assert await once.send(to="a@b.c", subject="hello", tags={"z", "y", "x"}) == first
        assert await once.send("a@b.c", tags={"x", "y"}) != first
        assert await mail.send("a@b.c", tags={"x", "y", "z"}) != first, "who does not ask is not asked"
        await t.drain()
        await t.advance(58)
        assert await once.send("a@b.c", tags={"x", "y", "z"}) == first
        await t.advance(3)
        assert await once.send("a@b.c", tags={"x", "y", "z"}) != first


async def test_those_that_are_sent_together_are_told_apart() -> None:
    async with testing(shop) as t:
        once = mail.options(unique=60)
        earlier = await once.send("b")
        jobs = [once.job("a"), once.job("b"), mail.job("a"), once.job("a"), once.job("c"), once.job("b")]
        ids = await shop.send_many(jobs)
        assert ids == [jobs[0].id, earlier, jobs[2].id, jobs[0].id, jobs[4].id, earlier]
        await t.drain()
        assert sorted(ran) == ["a", "a", "b", "c"]


async def test_until_it_is_done_whatever_happens_on_the_way() -> None:
    async with testing(shop) as t:
        first = await report.send(7, fails=1)
        t.crash(report, at="start")
        assert await report.send(7, fails=1) == first
        await t.drain()
        assert await report.send(7, fails=1) == first, "it waits to be tried again"
        t.crash(report, at="end")
        await t.advance(11)
        second = await report.send(7, fails=1)
        assert second != first
        await t.advance(11)
        assert ran.count("report 7") == 5


async def test_a_dead_letter_lets_go() -> None:
    async with testing(shop) as t:
        first = await report.send(-1)
        await t.drain()
        assert [letter.job_id for letter in t.dead] == [first]
        assert await report.send(-1) != first


async def test_one_that_is_cancelled_lets_go() -> None:
    async with testing(shop):
        run = await report.start(7)
        assert (await report.start(7)).id == run.id
        assert await run.cancel()
        assert (await report.start(7)).id != run.id


async def test_one_that_expires_lets_go_soon() -> None:
    async with testing(shop) as t:
        first = await report.options(deadline=10).send(7)
        assert await report.send(7) == first
        await t.advance(75)
        assert await report.send(7) != first


async def test_one_that_was_lost_lets_go_after_a_day() -> None:
    async with testing(shop) as t:
        first = await report.options(delay=100).send(7)
        await shop.session().ports.operations.purge("unique-shop")
        await t.advance(LAST_RESORT)
        assert await report.send(7) == first
        await t.advance(101)
        assert await report.send(7) != first


async def test_jobs_in_lanes_too() -> None:
    async with testing(shop) as t:
        first = await comment.send(7, "good")
        assert await comment.send(7, "good") == first
        assert await shop.send_many([comment.job(7, "good"), comment.job(8, "good")]) != [first, first]
        bad = await comment.send(7, "bad")
        assert await comment.send(7, "bad") == bad
        await t.drain()
        assert ran == ["good", "good", "bad"]
        assert len(t.dead) == 1
        await shop.session().carry_letters()
        assert await comment.send(7, "good") != first
        assert await comment.send(7, "bad") != bad


async def test_calls_are_never_the_same() -> None:
    async with testing(shop) as t:
        first = await report.send(7)
        assert await report.call(7) == 7
        with pytest.raises(ValueError, match="unique= is for `send`"):
            await report.options(unique=60).call(7)
        await t.drain()
        assert await report.send(7) != first


async def test_in_a_test_there_is_no_transaction_to_wait_for() -> None:
    class Connection:
        def execute(self, statement: str) -> None:
            raise AssertionError("it is not used")

    async with testing(shop) as t:
        given = mail.options(within=Connection())
        await given.send("a")
        await shop.send_many([given.job("b"), mail.job("c")])
        run = await report.options(within=Connection()).start(7)
        assert await run.status() == "queued"
        await t.drain()
        assert sorted(ran) == ["a", "b", "c", "report 7"]


def test_mistakes_are_told() -> None:
    for wrong in (0, -1, "for ever", float("nan")):
        with pytest.raises(DefinitionError, match="unique="):
            mail.options(unique=wrong)  # type: ignore[arg-type]
    with pytest.raises(DefinitionError, match="Task 'wrong' has unique='daily'"):

        @Goatherd("wrong").task(unique="daily")  # type: ignore[call-overload, untyped-decorator]
        async def wrong() -> None: ...


# --- between processes ----------------------------------------------------------------------------------


def app_in(folder: Path, **more: float) -> Goatherd:
    app = Goatherd("unique-file", broker_url=f"sqlite:///{folder}/jobs.db", **more)  # type: ignore[arg-type]

    @app.task(name="mail")
    async def mail(to: str) -> None: ...

    return app


@asynccontextmanager
async def process(app: Goatherd) -> AsyncIterator[Goatherd]:
    """An app with a connection of its own, as in a process of its own."""
    with patch.object(opening, "FILES", opening.Files()):
        async with app:
            yield app


async def test_of_many_processes_one_sends_it(tmp_path: Path) -> None:
    async with process(app_in(tmp_path)) as one, process(app_in(tmp_path)) as two:
        tasks = [app.tasks["mail"].options(unique=60) for app in (one, two)]
        ids = await asyncio.gather(*(tasks[number % 2].send("a@b.c") for number in range(20)))
        assert len(set(ids)) == 1
        [state] = await one.session().ports.operations.queues()
        assert state.ready == 1


async def test_what_was_not_accepted_can_be_sent_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_: object) -> None:
        raise Unavailable("the disk is full")

    async with process(app_in(tmp_path)) as app:
        once = app.tasks["mail"].options(unique=60)
        named = app.tasks["mail"].options(id="welcome-7")
        with monkeypatch.context() as patched:
            patched.setattr(SqliteBroker, "publish", refuse)
            for task in (once, named):
                with pytest.raises(Unavailable):
                    await task.send("a@b.c")
        assert await once.send("a@b.c") != "welcome-7"
        assert await named.send("a@b.c") == "welcome-7"
        [state] = await app.session().ports.operations.queues()
        assert state.ready == 2


async def test_one_that_died_while_it_sent_is_waited_for_and_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uniqueness, "SLACK", 0.1)
    async with process(app_in(tmp_path, publish_deadline=0.5)) as one, process(app_in(tmp_path)) as two:
        dies = one.tasks["mail"].options(unique=60)
        job = dies.job("a@b.c")
        uniques = await one.session().user_records.uniques()
        claims = uniqueness.Uniqueness("", one.session().user_records.uniques, one.clock, 1, shared=True)
        await uniques.take(claims.claims(job, tracked=False), "one that dies", 0.6)
        assert await two.tasks["mail"].options(unique=60).send("a@b.c") != job.id
        [state] = await two.session().ports.operations.queues()
        assert state.ready == 1
