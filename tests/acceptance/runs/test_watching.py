"""Start a job and watch it: here, elsewhere, from the beginning, from the middle, and after the end."""

import asyncio
import json
import sys
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from types import ModuleType

import pytest

from goatherd.errors import UnknownJob
from goatherd.events import Done, Progress, Queued, Started, Token
from goatherd.sync import blocking
from tests.acceptance.runs.notes import PATIENCE, kinds, told, until

TEXT = "".join(f"word{number} " for number in range(50))


async def test_a_job_is_watched_from_the_beginning_to_the_end(office: ModuleType) -> None:
    async with office.app.serve("worker"):
        run = await office.write.start(50, pause=0.002)
        events = await told(run)
        assert await run.result(PATIENCE) == "50 words"
        assert await run.text() == TEXT
        assert await run.status() == "done"
    queued, started, outline, *tokens, review, done = events
    assert isinstance(queued, Queued)
    assert isinstance(started, Started)
    assert (queued.attempt, started.attempt) == (0, 1)
    assert started.worker
    assert isinstance(outline, Progress)
    assert isinstance(review, Progress)
    assert (outline.stage, outline.percent, outline.status, outline.fields) == ("outline", 10, "started", {"words": 50})
    assert "".join(token.text for token in tokens if isinstance(token, Token)) == TEXT
    assert len(tokens) < 50, "tokens go together"
    assert isinstance(done, Done)
    assert done.result == "50 words"
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert all(before.at <= after.at for before, after in pairwise(events))
    assert abs(datetime.now(UTC) - done.at) < timedelta(minutes=1)


async def test_a_watcher_goes_on_where_it_was(office: ModuleType) -> None:
    async with office.app.serve("worker"):
        run = await office.write.start(20)
        events = await told(run)
        for place in range(len(events)):
            assert await told(run, after=events[place].id) == events[place + 1 :]
        assert await told(run) == events, "also after the end"


async def test_another_process_watches_by_the_id(office: ModuleType) -> None:
    async with office.app.serve("worker"):
        run = await office.write.start(50, pause=0.02)
        first = await until(run, Started)
        lines = await in_another_process("watch", run.id, first.id)
        *events, (status, text) = lines
        assert (status, text) == ("done", TEXT)
        assert events == [[type(event).__name__, event.id] for event in await told(run, after=first.id)]


async def test_another_process_cancels_by_the_id(office: ModuleType) -> None:
    async with office.app.serve("worker"):
        run = await office.idle.start()
        await until(run, Started)
        assert await in_another_process("cancel", run.id) == [True]
        assert kinds(await told(run)) == ["Queued", "Started", "Failed"]
        assert await in_another_process("cancel", run.id) == [False]


async def in_another_process(*words: str) -> list[object]:
    program = await asyncio.create_subprocess_exec(
        sys.executable, office_file(), *words, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(PATIENCE):
        said, _ = await program.communicate()
    assert program.returncode == 0
    return [json.loads(line) for line in said.splitlines()]


def office_file() -> str:
    return str(sys.modules["office"].__file__)


async def test_several_watch_one_job_and_one_of_them_leaves(office: ModuleType) -> None:
    async with office.app.serve("worker"):
        run = await office.write.start(50, pause=0.005)
        watching = [asyncio.create_task(told(office.app.run(run.id))) for _ in range(5)]
        await until(run, Token)
        first, *rest = await asyncio.gather(*watching)
        assert all(other == first for other in rest)
        assert kinds(first)[-1] == "Done"


async def test_a_result_may_be_waited_for_by_many_and_not_for_ever(office: ModuleType) -> None:
    async with office.app.serve("worker"):
        run = await office.idle.start()
        with pytest.raises(TimeoutError):
            await run.result(0.05)
        assert await run.status() in ("queued", "running"), "the job goes on"
        await run.cancel()
        other = await office.write.start(3)
        results = await asyncio.gather(*(office.app.run(other.id, of=office.write).result(PATIENCE) for _ in range(5)))
        assert results == ["3 words"] * 5


async def test_a_job_that_nobody_knows_is_told_at_once(office: ModuleType) -> None:
    async with office.app:
        run = office.app.run("never heard of")
        for asking in (run.status(), run.text(), run.result(1), run.cancel(), told(run)):
            with pytest.raises(UnknownJob, match="never heard of"):
                await asking
        with pytest.raises(ValueError, match="no position"):
            await told(run, after="nonsense")


async def test_a_job_sent_without_being_tracked_is_not_known(office: ModuleType) -> None:
    async with office.app.serve("worker"):
        job = await office.write.send(3)
        assert await office.write.call(1) == "1 words"
        with pytest.raises(UnknownJob):
            await office.app.run(job).status()


def test_a_threaded_program_has_the_same_verbs(office: ModuleType) -> None:
    with blocking(office.app).serve("worker") as app:
        run = blocking(office.write).start(20, pause=0.002)
        events = list(run.events())
        assert kinds(events)[:3] == ["Queued", "Started", "Progress"]
        assert kinds(events)[-1] == "Done"
        assert run.result(PATIENCE) == "20 words"
        assert run.status() == "done"
        assert run.text() == "".join(f"word{number} " for number in range(20))
        again = app.run(run.id, of=office.write)
        assert list(again.events(after=events[2].id)) == events[3:]
        assert not again.cancel()
        waiting = blocking(office.idle).start()
        for event in waiting.events():
            if isinstance(event, Started):
                break
        assert waiting.cancel()
        with pytest.raises(UnknownJob):
            app.run("never heard of").status()
        with pytest.raises(UnknownJob):
            list(app.run("never heard of").events())
    blocking(office.app).close()
