"""The suite of the history: every adapter passes it."""

from collections.abc import AsyncIterator
from typing import Any, ClassVar

import msgspec
import pytest
import pytest_asyncio

from goatherd.model.event import Done, Event, Failed, Position, Progress, Queued, Retrying, Snapshot, Started
from goatherd.model.ids import new_id
from goatherd.model.job_record import About, JobNote, JobRecord, Told, notes_of
from goatherd.ports.records import JobHistory
from goatherd.testing.suites.store import alive

T = 1_700_000_000.0


def note(job: str, epoch: str, first: int, *events: Event) -> JobNote:
    """Successive events of a job as one note."""
    [made] = notes_of(Told(job=job, position=Position(epoch, first + n), event=event) for n, event in enumerate(events))
    return made


def queued(at: float = T) -> Queued:
    """Accepted."""
    return Queued(attempt=0, at=at)


def started(attempt: int = 1, at: float = T + 1) -> Started:
    """An attempt began."""
    return Started(attempt=attempt, at=at, worker="w")


def stage(name: str, attempt: int = 1, at: float = T + 2) -> Progress:
    """A stage of the work."""
    return Progress(attempt=attempt, at=at, stage=name, percent=40.0)


def done(attempt: int = 1, at: float = T + 9) -> Done:
    """The good end."""
    return Done(attempt=attempt, at=at, result=msgspec.Raw(b'{"answer":42}'))


def failed(attempt: int = 1, at: float = T + 9) -> Failed:
    """The bad end."""
    return Failed(attempt=attempt, at=at, reason="expired", error="CallTimeout", message="too late 🐐", traceback="l1")


class HistorySuite:
    """Subclass it as Test…, give it `store` and `open`."""

    # Written here, so that the suite runs in both modes of pytest-asyncio.
    pytestmark: ClassVar[pytest.MarkDecorator] = pytest.mark.asyncio

    @pytest.fixture
    def store(self) -> Any:
        """An empty store, in whatever form `open` takes it."""
        raise NotImplementedError("Give the suite a fixture `store`: an empty store, such as the path of a new file.")

    async def open(self, store: Any) -> JobHistory:
        """Open one client; called several times for one store."""
        raise NotImplementedError("Give the suite a method `open(store)` that returns one more client.")

    @pytest_asyncio.fixture
    async def history(self, store: Any) -> AsyncIterator[JobHistory]:
        """The client that most cases begin with."""
        before = alive()
        history = await self.open(store)
        yield history
        await history.close()
        await history.close()
        assert alive() - before == set(), "these tasks and threads outlived their clients"

    @pytest.fixture
    def job(self) -> str:
        """A job that no other case uses."""
        return new_id()

    async def test_a_job_is_on_record_from_its_first_event_to_its_end(self, history: JobHistory, job: str) -> None:
        assert await history.find(job) is None
        await history.note([note(job, "aa", 1, queued())])
        record = await _found(history, job)
        assert (record.state.status, record.queued_at, record.ended_at) == ("queued", T, None)
        await history.note([note(job, "aa", 2, started(), stage("fetch"))])
        record = await _found(history, job)
        assert (record.state.status, record.state.stage, record.state.progress) == ("running", "fetch", 40.0)
        await history.note([note(job, "aa", 1040, done())])
        record = await _found(history, job)
        times = (record.at, record.created, record.queued_at, record.started_at, record.ended_at)
        assert times == (T + 9, T, T, T + 1, T + 9)
        assert (record.state.position, record.state.closed) == (Position("aa", 1040), True)
        assert (record.state.status, record.state.result) == ("done", b'{"answer":42}')
        assert record.lasted == 9

    async def test_what_a_job_is_stays_on_record(self, history: JobHistory, job: str) -> None:
        arguments = msgspec.Raw(b'{"to":"a@b.c","token":"***"}')
        told = Queued(attempt=0, at=T, task="mail", queue="slow", key="mail/to=a", arguments=arguments, what="run")
        about = About(task="mail", queue="slow", key="mail/to=a", arguments=bytes(arguments), kind="run")
        await history.note([note(job, "aa", 1, told)])
        assert (await _found(history, job)).about == about
        await history.note([note(job, "aa", 2, started(), failed())])
        assert (await _found(history, job)).about == about
        # Whoever puts it back to work may not know it.
        await history.note([note(job, "bb", 1, queued(T + 20), started(1, T + 21))])
        record = await _found(history, job)
        assert (record.about, record.created, record.state.status) == (about, T + 20, "running")

    async def test_what_only_a_worker_tells_of_a_job_is_on_record(self, history: JobHistory, job: str) -> None:
        begun = Started(attempt=1, at=T, worker="w", task="mail", queue="slow")
        await history.note([note(job, "aa", 1, begun)])
        record = await _found(history, job)
        assert (record.about, record.created, record.queued_at) == (About(task="mail", queue="slow"), T, None)

    async def test_a_bad_end_is_on_record_with_its_error(self, history: JobHistory, job: str) -> None:
        retrying = Retrying(attempt=1, at=T + 2, error="ValueError: no luck", delay=2.5)
        await history.note([note(job, "aa", 1, queued(), started(), retrying)])
        state = (await _found(history, job)).state
        assert (state.status, state.error, state.attempt) == ("retrying", "ValueError: no luck", 1)
        await history.note([note(job, "aa", 4, started(2, T + 3), failed(2))])
        record = await _found(history, job)
        state = record.state
        assert (state.status, state.attempt, state.closed) == ("expired", 2, True)
        assert (state.error, state.message, state.traceback) == ("CallTimeout", "too late 🐐", "l1")
        assert (record.started_at, record.ended_at) == (T + 3, T + 9)

    async def test_a_record_only_goes_forward(self, history: JobHistory, job: str) -> None:
        notes = [note(job, "aa", 1, queued(), started()), note(job, "aa", 3, stage("a")), note(job, "aa", 9, done())]
        await history.note(notes)
        before = await _found(history, job)
        for again in (notes, notes[::-1], notes[:1], notes[1:2]):
            await history.note(again)
            assert await _found(history, job) == before

    async def test_one_step_takes_notes_of_many_jobs(self, history: JobHistory) -> None:
        jobs = [new_id() for _ in range(300)]
        await history.note([note(job, "aa", 1, queued(), started()) for job in jobs])
        await history.note([note(job, "aa", 3, done()) for job in jobs])
        await history.note([])
        for job in jobs:
            assert (await _found(history, job)).state.closed

    async def test_a_log_that_began_anew_goes_on(self, history: JobHistory, job: str) -> None:
        await history.note([note(job, "aa", 1, queued(), started(), stage("a", at=T + 5))])
        # The store lost its end, and the attempt sent it again; or it lost all, and the attempt told the whole.
        snapshot = Snapshot(attempt=1, at=T + 6, stage="b", text="so far")
        for epoch, first, event in (("bb", 2, stage("a", at=T + 5)), ("cc", 1, snapshot), ("dd", 2, done())):
            await history.note([note(job, epoch, first, event)])
            assert (await _found(history, job)).state.position == Position(epoch, first)
        record = await _found(history, job)
        assert (record.state.stage, record.queued_at, record.state.status) == ("b", T, "done")

    async def test_an_attempt_that_is_over_does_not_come_back(self, history: JobHistory, job: str) -> None:
        await history.note([note(job, "aa", 1, queued(), started(), started(2, T + 2), done(2))])
        before = await _found(history, job)
        zombie = Snapshot(attempt=1, at=T + 20, stage="zombie", text="")
        await history.note([note(job, "bb", 1, zombie), note(job, "cc", 1, failed(attempt=0, at=T + 30))])
        assert await _found(history, job) == before

    async def test_a_later_attempt_of_a_log_that_began_anew_wins(self, history: JobHistory, job: str) -> None:
        await history.note([note(job, "aa", 1, queued(), started(), failed(1))])
        await history.note([note(job, "bb", 1, started(2, T + 10))])
        record = await _found(history, job)
        assert (record.state.status, record.state.attempt, record.state.closed) == ("running", 2, False)
        assert (record.state.error, record.ended_at) == ("", None)

    async def test_the_platforms_end_of_a_lost_log_counts(self, history: JobHistory, job: str) -> None:
        await history.note([note(job, "aa", 1, queued(), started())])
        await history.note([note(job, "bb", 1, failed(attempt=0))])
        assert (await _found(history, job)).state.status == "expired"

    async def test_an_id_that_is_used_again_is_another_job(self, history: JobHistory, job: str) -> None:
        first_life = [note(job, "aa", 1, queued(), started(), started(3, T + 5), done(3))]
        await history.note(first_life)
        await history.note([note(job, "bb", 1, queued(T + 100))])
        record = await _found(history, job)
        assert (record.state.status, record.state.attempt, record.state.result) == ("queued", 0, None)
        assert (record.queued_at, record.started_at, record.ended_at) == (T + 100, None, None)
        # Word from the first life that comes late.
        await history.note([*first_life, note(job, "aa", 5, failed(4, T + 50))])
        assert await _found(history, job) == record

    async def test_old_jobs_are_dropped_bit_by_bit(self, history: JobHistory) -> None:
        old, new = [new_id() for _ in range(5)], new_id()
        await history.note([note(job, "aa", 1, queued(T)) for job in old])
        await history.note([note(new, "aa", 1, queued(T + 100))])
        assert await history.drop(T, 10) == 0
        assert await history.drop(T + 50, 3) == 3
        assert await history.drop(T + 50, 3) == 2
        assert await history.drop(T + 50, 3) == 0
        assert [await history.find(job) for job in old] == [None] * 5
        await _found(history, new)

    async def test_the_oldest_are_dropped_when_there_are_too_many(self, history: JobHistory) -> None:
        jobs = [new_id() for _ in range(6)]
        await history.note([note(job, "aa", 1, queued(T + n)) for n, job in enumerate(jobs)])
        # What is heard of it later does not make a job younger.
        await history.note([note(jobs[0], "aa", 2, done(at=T + 50))])
        assert await history.drop_beyond(6, 10) == 0
        assert await history.drop_beyond(3, 2) == 2
        assert await history.drop_beyond(3, 2) == 1
        assert await history.drop_beyond(3, 2) == 0
        assert [await history.find(job) is None for job in jobs] == [True] * 3 + [False] * 3

    async def test_what_one_writes_another_finds(self, store: Any, history: JobHistory, job: str) -> None:
        other = await self.open(store)
        await history.note([note(job, "aa", 1, queued(), done())])
        assert (await _found(other, job)).state.closed
        await other.close()


async def _found(history: JobHistory, job: str) -> JobRecord:
    record = await history.find(job)
    assert record is not None, "the job is not on record"
    return record
