"""The suite of how jobs are found in the history: every adapter passes it."""

from collections.abc import AsyncIterator
from typing import Any, ClassVar

import msgspec
import pytest
import pytest_asyncio

from goatherd.model.event import Event, Queued
from goatherd.model.ids import new_id
from goatherd.model.job_search import JobFilter, JobPage, JobPlace
from goatherd.ports.job_search import JobSearch
from goatherd.ports.records import JobHistory
from goatherd.testing.suites.history import T, done, failed, note, queued, started
from goatherd.testing.suites.store import alive


def told(at: float = T, arguments: object = None, **more: Any) -> Queued:
    """Accepted, with what it is."""
    raw = msgspec.Raw() if arguments is None else msgspec.Raw(msgspec.json.encode(arguments))
    return Queued(attempt=0, at=at, arguments=raw, **{"task": "mail", "queue": "slow", **more})


class JobSearchSuite:
    """Subclass it as Test…, give it `store`, `open` and `open_history`."""

    # Written here, so that the suite runs in both modes of pytest-asyncio.
    pytestmark: ClassVar[pytest.MarkDecorator] = pytest.mark.asyncio

    @pytest.fixture
    def store(self) -> Any:
        """An empty store, in whatever form `open` takes it."""
        raise NotImplementedError("Give the suite a fixture `store`: an empty store, such as the path of a new file.")

    async def open(self, store: Any) -> JobSearch:
        """Open one client; called several times for one store."""
        raise NotImplementedError("Give the suite a method `open(store)` that returns one more client.")

    async def open_history(self, store: Any) -> JobHistory:
        """Open what is searched, for those who write it."""
        raise NotImplementedError("Give the suite a method `open_history(store)` that returns one more client.")

    @pytest_asyncio.fixture
    async def history(self, store: Any) -> AsyncIterator[JobHistory]:
        """Who writes."""
        before = alive()
        history = await self.open_history(store)
        yield history
        await history.close()
        assert alive() - before == set(), "these tasks and threads outlived their clients"

    @pytest_asyncio.fixture
    async def search(self, store: Any, history: JobHistory) -> AsyncIterator[JobSearch]:
        """Who reads."""
        search = await self.open(store)
        yield search
        await search.close()
        await search.close()

    async def test_an_empty_history_has_nothing(self, search: JobSearch) -> None:
        for choice in (JobFilter(), JobFilter(text="x"), JobFilter(status="done"), JobFilter(key="k")):
            assert await search.search(choice, 10) == JobPage(jobs=[])
        assert (dict(await search.counts()), list(await search.tasks())) == ({}, [])

    async def test_a_job_is_found_as_it_stands(self, history: JobHistory, search: JobSearch) -> None:
        job = await self._add(history, told(arguments={"to": "a@b.c"}, key="mail/to=a"), started(), failed())
        [found] = (await search.search(JobFilter(), 10)).jobs
        assert (found.job, found.task, found.queue, found.key) == (job, "mail", "slow", "mail/to=a")
        assert (found.arguments, found.kind, found.status) == (b'{"to":"a@b.c"}', "job", "expired")
        assert (found.attempt, found.error, found.message) == (1, "CallTimeout", "too late 🐐")
        times = (found.created, found.at, found.queued_at, found.started_at, found.ended_at)
        assert times == (T, T + 9, T, T + 1, T + 9)

    async def test_the_newest_come_first_page_by_page(self, history: JobHistory, search: JobSearch) -> None:
        jobs = [await self._add(history, told(T + n)) for n in range(7)][::-1]
        assert await self._pages(search, JobFilter(), 3) == [jobs[:3], jobs[3:6], jobs[6:]]
        assert await self._pages(search, JobFilter(task="mail", status="queued"), 4) == [jobs[:4], jobs[4:]]
        assert await self._pages(search, JobFilter(text="mail"), 7) == [jobs]

    async def test_jobs_of_one_moment_are_told_apart(self, history: JobHistory, search: JobSearch) -> None:
        jobs = {await self._add(history, told(T)) for _ in range(25)}
        for choice in (JobFilter(), JobFilter(text="mail"), JobFilter(status="queued")):
            pages = await self._pages(search, choice, 4)
            assert sorted(job for page in pages for job in page) == sorted(jobs)
        assert sum(await self._sizes(search, JobFilter(since=T, until=T + 1))) == 25
        assert sum(await self._sizes(search, JobFilter(until=T))) == 0

    async def test_who_turns_pages_sees_each_job_once(self, history: JobHistory, search: JobSearch) -> None:
        jobs = [await self._add(history, told(T + n)) for n in range(4)][::-1]
        first = await search.search(JobFilter(), 2)
        await self._add(history, told(T + 100))
        assert first.next is not None
        # As it comes back in a link.
        second = await search.search(JobFilter(), 2, JobPlace.parse(str(first.next)))
        assert [found.job for found in (*first.jobs, *second.jobs)] == jobs

    async def test_jobs_are_found_by_what_they_are(self, history: JobHistory, search: JobSearch) -> None:
        plain = await self._add(history, told(T))
        other = await self._add(history, told(T + 1, task="archive", queue="fast", what="tick"), started())
        keyed = await self._add(history, told(T + 2, key="mail/to=a"), started(), done())
        for choice, wanted in (
            (JobFilter(task="mail"), [keyed, plain]),
            (JobFilter(task="ma"), []),
            (JobFilter(queue="fast"), [other]),
            (JobFilter(status="running"), [other]),
            (JobFilter(status="done", task="archive"), []),
            (JobFilter(kind="tick"), [other]),
            (JobFilter(kind="job", queue="slow"), [keyed, plain]),
            (JobFilter(key="mail/to=a"), [keyed]),
            (JobFilter(key="mail/to=a", status="queued"), []),
            (JobFilter(key="mail/to="), []),
            (JobFilter(since=T + 1), [keyed, other]),
            (JobFilter(until=T + 1), [plain]),
            (JobFilter(since=T + 1, until=T + 2, status="running"), [other]),
        ):
            assert await self._found(search, choice) == wanted, choice

    async def test_jobs_are_found_by_words(self, history: JobHistory, search: JobSearch) -> None:
        arguments = {"to": "Ünal@example.org", "order_id": 4711, "lines": ["first\nsecond", True, 2.5]}
        job = await self._add(history, told(T, arguments), started(), failed())
        await self._add(history, told(T + 1, {"to": "b@example.org"}))
        for text in (
            "4711", "471", "ünal", "ÜNAL", "example 4711", "order_id=4711", "second", "true", "5", "calltimeout",
            "late", "TOO lat", "Mail to: ünal@example.org",
        ):  # fmt: skip
            assert await self._found(search, JobFilter(text=text)) == [job], text
        for text in ("47111", "example 4712", "nsecond", "lat too early", "71", "mail org zebra", "wmail"):
            assert await self._found(search, JobFilter(text=text)) == [], text
        assert len(await self._found(search, JobFilter(text=" example "))) == 2

    async def test_words_and_the_rest_are_found_together(self, history: JobHistory, search: JobSearch) -> None:
        mine = await self._add(history, told(T, {"city": "oslo"}, key="k/1"), started(), failed())
        await self._add(history, told(T + 1, {"city": "oslo"}, task="archive"))
        found: list[dict[str, Any]] = [{"task": "mail"}, {"status": "expired"}, {"key": "k/1"}, {"until": T + 1}]
        for more in found:
            assert await self._found(search, JobFilter(text="oslo", **more)) == [mine], more
        missed = [{"task": "none"}, {"status": "failed"}, {"status": "done"}, {"kind": "run"}, {"queue": "fast"}]
        for each in missed:
            lacking: dict[str, Any] = dict(each)
            assert await self._found(search, JobFilter(text="oslo", **lacking)) == [], each

    async def test_a_job_is_found_by_its_id(self, history: JobHistory, search: JobSearch) -> None:
        job = await self._add(history, told(T))
        other = await self._add(history, told(T + 1), job="Order-17")
        for text in (job, job[:8], job[:20], job[-6:], job[-12:], f" {job} "):
            assert await self._found(search, JobFilter(text=text)) == [job], text
        assert await self._found(search, JobFilter(text="Order-17")) == [other]
        assert await self._found(search, JobFilter(text="der-17")) == [other]
        for text in (job[:7], job[-5:], job[9:20], f"{job} x", "Order-1", "rder-18", job[:-1] + "x"):
            assert await self._found(search, JobFilter(text=text)) == [], text
        assert await self._found(search, JobFilter(text=job, status="done")) == []

    async def test_what_changes_is_found_as_it_is_now(self, history: JobHistory, search: JobSearch) -> None:
        job = await self._add(history, told(T))
        await history.note([note(job, "aa", 2, started(), failed())])
        assert await self._found(search, JobFilter(text="calltimeout", status="expired")) == [job]
        await history.note([note(job, "bb", 1, queued(T + 20), started(2, T + 21))])
        assert await self._found(search, JobFilter(text="calltimeout")) == []
        assert await self._found(search, JobFilter(text="mail", status="running", since=T + 20)) == [job]
        assert dict(await search.counts()) == {"running": 1}

    async def test_all_are_counted(self, history: JobHistory, search: JobSearch) -> None:
        for n in range(3):
            await self._add(history, told(T + n), started())
        await self._add(history, told(T + 3, task="archive"), started(), done())
        await self._add(history, queued(T + 4))
        assert dict(await search.counts()) == {"queued": 1, "running": 3, "done": 1}
        assert list(await search.tasks()) == ["archive", "mail"]
        assert await history.drop(T + 8, 2) == 2
        assert dict(await search.counts()) == {"queued": 1, "running": 1, "done": 1}
        assert await history.drop_beyond(2, 10) == 1
        assert list(await search.tasks()) == ["archive"]
        assert len(await self._found(search, JobFilter())) == 2
        assert await self._found(search, JobFilter(text="mail")) == []

    async def test_what_one_writes_another_finds(self, store: Any, history: JobHistory, search: JobSearch) -> None:
        other = await self.open(store)
        job = await self._add(history, told())
        assert [await self._found(each, JobFilter(text="mail")) for each in (search, other)] == [[job], [job]]
        await other.close()

    async def test_odd_texts_are_looked_for_like_others(self, history: JobHistory, search: JobSearch) -> None:
        await self._add(history, told(T, {"quote": 'it\'s "so" \\ & | ! ( ) : * NOT'}))
        for text in ("it's", '"so"', "it's & so", "NOT", "so*", "(so) : not"):
            assert len(await self._found(search, JobFilter(text=text))) == 1, text
        for text in ('"', "'", "\\", "*", "half \ud83d", "a\0b", "x" * 5000, "%", "_", "§t", "NEAR(so)"):
            assert await self._found(search, JobFilter(text=text)) == [], text
        assert len(await self._found(search, JobFilter(text="? !"))) == 1

    async def test_no_text_and_no_time_is_too_much(self, history: JobHistory, search: JobSearch) -> None:
        job = await self._add(history, told(T))
        many = " ".join(f"word{n}" for n in range(5000))
        assert await self._found(search, JobFilter(text=many)) == []
        assert await self._found(search, JobFilter(text="x" * 100_000)) == []
        for beyond in (1e10, 1e300, float("inf")):
            assert await self._found(search, JobFilter(until=beyond)) == [job]
            assert await self._found(search, JobFilter(since=beyond)) == []

    async def _add(self, history: JobHistory, first: Event, *more: Event, job: str = "") -> str:
        job = job or new_id()
        await history.note([note(job, "aa", 1, first, *more)])
        return job

    async def _found(self, search: JobSearch, choice: JobFilter) -> list[str]:
        return [found.job for found in (await search.search(choice, 100)).jobs]

    async def _pages(self, search: JobSearch, choice: JobFilter, limit: int) -> list[list[str]]:
        page = await search.search(choice, limit)
        pages = [[found.job for found in page.jobs]]
        while page.next is not None:
            page = await search.search(choice, limit, page.next)
            pages.append([found.job for found in page.jobs])
        return pages

    async def _sizes(self, search: JobSearch, choice: JobFilter) -> list[int]:
        return [len(page) for page in await self._pages(search, choice, 10)]
