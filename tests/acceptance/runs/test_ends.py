"""Whatever becomes of a job, its watchers are told, and nobody waits for ever."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import ModuleType
from typing import Any

import pytest

from goatherd import DeadLetter, Goatherd, JobFailed, Run, Task
from goatherd.errors import JobExpired
from goatherd.events import Event, Failed, Retrying, Started, Token
from goatherd.roles import working
from tests.acceptance.runs.notes import PATIENCE, Notes, kinds, told, until


async def failure_of(run: Run[Any], status: str = "failed") -> JobFailed:
    """The error that its result raises; its last event says the same."""
    with pytest.raises(JobFailed) as caught:
        await run.result(PATIENCE)
    last = (await told(run))[-1]
    assert isinstance(last, Failed)
    assert (last.error, last.message) == (caught.value.error_type, caught.value.message)
    assert await run.status() == last.reason == status
    return caught.value


async def test_an_attempt_that_fails_is_followed_by_another_whose_text_begins_anew(office: ModuleType) -> None:
    async with office.app.serve("worker"):
        run = await office.stumble.start(2)
        assert await run.result(PATIENCE) == 3
        events = await told(run)
        assert await run.text() == "attempt 3"
    assert kinds(events) == ["Queued", *["Started", "Token", "Retrying"] * 2, "Started", "Token", "Done"]
    delays = [(event.attempt, event.delay, event.error) for event in events if isinstance(event, Retrying)]
    assert delays == [(1, 0.05, "ConnectionError: the line is cut"), (2, 0.1, "ConnectionError: the line is cut")]


async def test_after_the_last_attempt_it_has_failed(office: ModuleType) -> None:
    async with office.app.serve("worker"):
        run = await office.stumble.start(9)
        failure = await failure_of(run)
        assert (failure.error_type, failure.message) == ("ConnectionError", "the line is cut")
        assert "office.py" in failure.traceback
        assert kinds(await told(run))[-3:] == ["Started", "Token", "Failed"]


async def test_a_job_that_gives_up_has_failed_at_once(office: ModuleType) -> None:
    async with office.app.serve("worker"):
        run = await office.refuse.start()
        assert (await failure_of(run)).error_type == "GiveUp"
        assert kinds(await told(run)) == ["Queued", "Started", "Failed"]


async def test_a_job_that_takes_too_long_has_failed(office: ModuleType) -> None:
    async with office.app.serve("worker"):
        assert (await failure_of(await office.dawdle.start())).error_type == "TimeoutError"


async def test_a_job_that_no_worker_starts_in_time_expires(office: ModuleType, notes: Notes) -> None:
    async with office.app:
        run = await office.write.options(deadline=0.3).start(3)
        assert kinds(await told(run)) == ["Queued", "Failed"]
        assert isinstance(await failure_of(run, "expired"), JobExpired)
    async with office.app.serve("worker"):
        await (await office.write.start(1)).result(PATIENCE)
    assert notes.lines == ["write"]


async def test_a_job_that_runs_when_its_deadline_passes_expires(office: ModuleType, notes: Notes) -> None:
    async with office.app.serve("worker"):
        run = await office.idle.options(deadline=0.5).start()
        assert isinstance(await failure_of(run, "expired"), JobExpired)
        await notes.saw("idle stopped")


async def test_a_job_that_waits_longer_than_its_queue_allows_expires(office: ModuleType, notes: Notes) -> None:
    async with office.app:
        run = await office.brief.start()
        assert isinstance(await failure_of(run, "expired"), JobExpired)
    assert notes.lines == []


async def test_a_hook_hears_of_jobs_that_expired_and_so_do_their_watchers(office: ModuleType) -> None:
    heard: asyncio.Queue[DeadLetter] = asyncio.Queue()

    @office.app.on_dead_letter
    async def hear(letter: DeadLetter) -> None:
        heard.put_nowait(letter)

    async with office.app:
        run = await office.write.options(deadline=0.3).start(3)
        async with working(office.app, queues=["office.dead-letters"]):
            assert isinstance(await failure_of(run, "expired"), JobExpired)
            async with asyncio.timeout(PATIENCE):
                letter = await heard.get()
            assert (letter.job_id, letter.reason, letter.task) == (run.id, "expired", "write")


async def test_the_news_of_a_death_leave_the_log_as_it_is(office: ModuleType) -> None:
    heard: asyncio.Queue[DeadLetter] = asyncio.Queue()

    @office.app.on_dead_letter
    async def hear(letter: DeadLetter) -> None:
        heard.put_nowait(letter)

    async with office.app.serve("worker"):
        run = await office.refuse.start()
        events = await told(run)
        async with asyncio.timeout(PATIENCE):
            await heard.get()
        assert await told(run) == events


@pytest.mark.parametrize(("kind", "error"), [("no JSON", "NotImplementedError"), ("large", "ResultTooLarge")])
async def test_a_result_that_cannot_be_told_is_a_failure(office: ModuleType, kind: str, error: str) -> None:
    async with office.app.serve("worker"):
        failure = await failure_of(await office.strange_result.start(kind))
        assert failure.error_type == error
        assert "result" in failure.message


async def test_a_job_that_kills_three_processes_has_failed(office: ModuleType) -> None:
    async with office.app.serve("worker"):
        run = await office.die.start()
        failure = await failure_of(run)
        assert failure.error_type == "WorkerDied"
        assert "SIGKILL" in failure.message
        assert kinds(await told(run)) == ["Queued", *["Started", "Retrying"] * 2, "Started", "Failed"]


async def test_a_worker_that_stops_hands_the_job_to_the_next(office: ModuleType) -> None:
    seen: list[Event] = []
    async with office.app:
        async with working(office.app):
            run = await office.write.start(40, pause=0.05)
            await until(run, Token)
        assert await run.status() == "retrying"
        async with working(office.app):
            assert await run.result(PATIENCE) == "40 words"
            seen = await told(run)
    [handed_back] = [event for event in seen if isinstance(event, Retrying)]
    assert (handed_back.delay, handed_back.error) == (0, "the worker was stopped")
    last = max(place for place, event in enumerate(seen) if isinstance(event, Started))
    text = "".join(event.text for event in seen[last:] if isinstance(event, Token))
    assert text == "".join(f"word{number} " for number in range(40))


# --- what its worker does not know ---------------------------------------------------------------------------------


@asynccontextmanager
async def somebody_else(office: ModuleType) -> AsyncIterator[tuple[Task[[str], None], Task[[int], None]]]:
    """Another program of the same app, whose idea of its tasks is not the worker's."""
    settings = office.app.settings
    app = Goatherd("office", broker_url=settings.broker_url, events_url=settings.events_url)

    @app.task(name="write", remote=True)
    async def misunderstood(words: str) -> None:
        raise NotImplementedError

    @app.task(remote=True)
    async def never_written(number: int) -> None:
        raise NotImplementedError

    async with app:
        yield misunderstood, never_written


async def test_arguments_that_do_not_fit_are_a_failure(office: ModuleType, notes: Notes) -> None:
    async with office.app.serve("worker"), somebody_else(office) as (misunderstood, _):
        failure = await failure_of(await misunderstood.start("many"))
        assert failure.error_type == "InvalidArguments"
        assert notes.lines == []


async def test_a_task_that_nobody_knows_is_a_failure(office: ModuleType) -> None:
    async with office.app.serve("worker"), somebody_else(office) as (_, never_written):
        run = await never_written.start(1)
        failure = await failure_of(run)
        assert "no task 'never_written' here" in failure.message
        assert kinds(await told(run)) == ["Queued", "Failed"]
