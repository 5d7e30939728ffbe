"""Programs as users write them. Checked by mypy and basedpyright, not run."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import msgspec
from pydantic import BaseModel

from goatherd import (
    Context,
    DeadLetter,
    GiveUp,
    Goatherd,
    GoatherdError,
    Health,
    Job,
    Queue,
    Retry,
    RetryLater,
    Task,
    Unavailable,
    sync,
)
from goatherd.errors import InvalidArguments, NotOpen, Refused
from goatherd.sync import blocking
from goatherd.testing import Herd, JobRecord, testing

# --- the verbs ----------------------------------------------------------------------------------------------------

shop = Goatherd("shop")


@shop.task(queue="mail", retry=Retry(5, on=ConnectionError), timeout=30)
async def send_mail(to: str, subject: str) -> None: ...


@shop.task
def resize(ctx: sync.Context, image: str, width: int = 800) -> str:
    if ctx.cancelled:
        raise GiveUp("nobody waits for it")
    return f"{image}@{width}"


@shop.task(executor="process", concurrency=2, priority=3, deadline=timedelta(minutes=5))
def count_words(text: str) -> int:
    return len(text.split())


@shop.task
async def summarise(ctx: Context, url: str, *, words: int = 100) -> str:
    ctx.log.info("attempt %d of %s on %s, %s s left", ctx.attempt, ctx.job_id, ctx.queue, ctx.remaining)
    await ctx.app.tasks["send_mail"].send("a@b.c", url)
    return f"{url}: {words} words"


async def verbs() -> None:
    async with shop:
        job_id: str = await send_mail.send(to="a@b.c", subject="hi")
        await send_mail.send("a@b.c", "hi")
        await send_mail.options(delay=60).send("a@b.c", "later")
        await send_mail.options(delay=timedelta(hours=1), priority=9).send("a@b.c", "later")
        await send_mail.options(at=datetime(2030, 1, 1, tzinfo=UTC)).send("a@b.c", "happy new year")
        await send_mail.options(id="welcome-7", deadline=100).send("a@b.c", "once")
        urgent = send_mail.options(priority=9)
        await urgent.options(delay=5).send("a@b.c", "soon")
        await resize.send("cat.png", width=100)
        await summarise.options(deadline=5).send("https://a", words=7)
        ids: list[str] = await shop.send_many(send_mail.job(to=to, subject="news") for to in ("a@b.c", "d@e.f"))
        mixed = [send_mail.job("a@b.c", "hi"), resize.job("cat.png"), count_words.job("one two")]
        await shop.send_many(mixed)
        await send_mail("a@b.c", "no queue: the function itself")
        text: str = await summarise("https://a")
        small: str = resize("cat.png", width=8)
        words: int = count_words("one two")
        print(job_id, ids, text, small, words)


def jobs_have_the_type_of_their_result() -> tuple[Job[str], Job[int], Job[None]]:
    return resize.job("cat.png"), count_words.job("one two"), send_mail.job("a@b.c", "hi")


def a_task_can_be_handed_on(task: Task[[str, str], None]) -> Task[[str, str], None]:
    return task.options(priority=1)


# --- threaded programs --------------------------------------------------------------------------------------------


def in_a_thread() -> None:
    job_id: str = blocking(send_mail).send("a@b.c", "hi")
    later = blocking(send_mail).options(delay=60, priority=3).options(id="welcome-8")
    later.send(to="a@b.c", subject="later")
    text: str = blocking(summarise).options(deadline=timedelta(seconds=5)).call("https://a", words=7)
    small: str = blocking(resize).call("cat.png")
    words: int = blocking(count_words).call("one two")
    herd = blocking(shop)
    ids: list[str] = herd.send_many(send_mail.job(to=to, subject="news") for to in ("a@b.c", "d@e.f"))
    with herd.serve("worker") as same:
        health: Health = same.health()
    herd.serve("worker")
    print(job_id, text, small, words, ids, health.loop_alive, health.last_heartbeat.isoformat(), herd.metrics())
    herd.close()


# --- errors and rules ---------------------------------------------------------------------------------------------


class RateLimited(Exception):
    after = 3.0


def is_busy(error: Exception) -> bool:
    return "busy" in str(error)


@shop.task(
    retry=Retry(3, base=1, factor=2, max=30, jitter=0.25, on=(ConnectionError, TimeoutError), give_up_on=KeyError)
)
async def fetch(url: str) -> bytes:
    try:
        return url.encode()
    except RateLimited as error:
        raise RetryLater(after=error.after, count=False) from error
    except FileNotFoundError as error:
        raise GiveUp("it is gone") from error


@shop.task(retry=Retry(on=is_busy))
async def poll() -> None: ...


async def careful(to: str) -> tuple[str, int]:
    try:
        return await send_mail.send(to, "hi"), 202
    except InvalidArguments as error:
        return "; ".join(error.problems.values()), 400
    except Refused as error:
        return error.limit, error.http_status
    except Unavailable as error:
        return f"try again in {error.retry_after} s: {error}", error.http_status
    except NotOpen:
        return "not open", 500
    except GoatherdError as error:
        return str(error), 500


# --- queues with contracts ----------------------------------------------------------------------------------------


class Analysis(msgspec.Struct):
    success: bool
    result: dict[str, Any]


class CrawlAnswer(BaseModel):
    job_id: str
    status: Literal["done", "failed", "in_progress"]


kitchen = Goatherd("kitchen", prefetch=10, concurrency=4, grace_period=30, retry=Retry(1), redact=["card"])
recipes: Queue = kitchen.queue("recipe_analysis_request", format="plain", type="classic", ttl=300)
answers = kitchen.queue("crawling_response_queue", format="plain", dead_letter=("", "crawl.dead"), max_length=1000)
chat = kitchen.queue("chat.process", format="taskiq", exchange="chat_tasks", routing_key="chat", prefetch=1)


@kitchen.task(queue=recipes, timeout=90)
async def analyse(user_input: str) -> Analysis:
    return Analysis(success=True, result={"ingredients": user_input.split()})


@kitchen.task(queue=answers, remote=True)
async def answer(body: CrawlAnswer, /) -> None:
    raise NotImplementedError("the main program reads these")


@kitchen.task(name="chat.process", queue=chat)
async def reply(ctx: Context, session_id: str, message: str, image_url: str | None = None) -> str:
    return f"{ctx.job_id} {session_id} {message} {image_url}"


async def cook() -> None:
    await analyse.send("soup")
    await answer.send(CrawlAnswer(job_id="7", status="done"))
    await reply.send(session_id="1", message="hi")
    analysis: Analysis = await analyse("soup")
    print(analysis.success)


# --- what stands around ---------------------------------------------------------------------------------------------


@shop.lifespan
async def pool() -> AsyncIterator[None]:
    print("open the pool")
    yield
    print("close it")


@shop.around
async def traced(ctx: Context) -> AsyncIterator[None]:
    print("before", ctx.job_id)
    yield
    print("after", ctx.job_id)


@shop.on_dead_letter
async def review(letter: DeadLetter) -> None:
    print(letter.queue, letter.task, letter.message, letter.arguments, letter.failed_at)


async def serve() -> None:
    async with shop.serve("worker") as app:
        health: Health = await app.health()
        print(health.ready, health.reasons, health.queues["mail"].depth, app.metrics())


# --- testing --------------------------------------------------------------------------------------------------------


async def test_a_lost_worker_does_not_lose_the_mail() -> None:
    async with testing(shop) as t:
        t.crash(send_mail, at="end")
        t.duplicate(resize, times=2)
        await send_mail.send("a@b.c", "hi")
        await t.drain()
        [job] = t.jobs(send_mail)
        assert (job.state, job.attempts) == ("done", 2)
        assert not t.dead


async def test_mail_waits_for_its_hour() -> None:
    async with testing(shop) as t:
        await send_mail.options(delay=3600).send("a@b.c", "later")
        await t.advance(3599)
        assert t.jobs(send_mail)[0].state == "queued"
        await t.advance(timedelta(seconds=1))
        assert t.jobs(send_mail)[0].due_at <= t.now


async def test_without_the_ai_service() -> None:
    async def fake_ai(user_input: str) -> Analysis:
        return Analysis(True, {"echo": user_input})

    async with testing(kitchen) as t:
        t.fake(analyse, fake_ai)
        await analyse.send("soup")
        await t.drain(timeout=5)
        assert first_result(t).success


def first_result(herd: Herd) -> Analysis:
    record: JobRecord[Analysis] = herd.jobs(analyse)[0]
    assert record.result is not None
    return record.result
