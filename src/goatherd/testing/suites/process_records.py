"""The suite of the records of processes: every adapter passes it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, ClassVar

import msgspec
import pytest
import pytest_asyncio

from goatherd.model.process import BUCKET, Counted, ProcessReport, ProcessState, RunningJob
from goatherd.ports.processes import ProcessRecords
from goatherd.testing.suites.listener_records import Hand

ALIVE = 15.0


def state_of(id: str, **fields: Any) -> ProcessState:
    """A worker."""
    plain: dict[str, Any] = {"host": "barn", "pid": 7, "roles": ("worker",), "version": "1", "started": 5.0}
    return ProcessState(**{**plain, **fields}, id=id)


def report_of(id: str, number: int, counted: Mapping[str, Counted] | None = None, **fields: Any) -> ProcessReport:
    """What that worker tells."""
    return ProcessReport(state=state_of(id), number=number, counted=counted or {}, **fields)


class ProcessRecordsSuite:
    """Subclass it as Test…, give it `store` and `open(store, now, app)`."""

    # Written here, so that the suite runs in both modes of pytest-asyncio.
    pytestmark: ClassVar[pytest.MarkDecorator] = pytest.mark.asyncio

    async def open(self, store: Any, now: Callable[[], float], app: str = "suite") -> ProcessRecords:
        """A client of the store for an app, whose time is told by `now`."""
        raise NotImplementedError

    @pytest.fixture
    def hand(self) -> Hand:
        return Hand()

    @pytest_asyncio.fixture
    async def records(self, store: Any, hand: Hand) -> AsyncIterator[ProcessRecords]:
        opened = await self.open(store, hand)
        yield opened
        await opened.close()

    async def test_nothing_is_on_record_at_first(self, records: ProcessRecords) -> None:
        assert await records.find() == []
        assert await records.counts(60) == {}

    async def test_what_a_process_tells_is_seen_by_others(
        self, store: Any, hand: Hand, records: ProcessRecords
    ) -> None:
        job = RunningJob(job_id="j", task="mäh", queue="q", key="post=1\0", since=99.5)
        state = state_of(
            "a", roles=("worker", "router"), queues=("q", "p-{}"), concurrency=16, running=(job,), running_count=3,
            memory=1 << 40, streams=4, ready=False, reasons=("broker: down",),
        )  # fmt: skip
        await records.report(ProcessReport(state=state, number=1), ALIVE)
        hand.time += 2.5
        other = await self.open(store, hand)
        [row] = await other.find()
        await other.close()
        assert row.state == state
        assert row.silent == pytest.approx(2.5)

    async def test_the_newest_word_counts(self, records: ProcessRecords) -> None:
        await records.report(report_of("a", 1), ALIVE)
        changed = state_of("a", running_count=9)
        await records.report(ProcessReport(state=changed, number=2), ALIVE)
        assert [row.state for row in await records.find()] == [changed]

    async def test_by_host_and_the_oldest_first(self, records: ProcessRecords) -> None:
        for id, host, started in (("a", "b", 3.0), ("b", "b", 1.0), ("c", "a", 9.0)):
            state = state_of(id, host=host, started=started)
            await records.report(ProcessReport(state=state, number=1), ALIVE)
        assert [row.state.id for row in await records.find()] == ["c", "b", "a"]
        assert [row.state.id for row in await records.find(limit=2)] == ["c", "b"]

    async def test_a_silent_process_is_taken_for_dead(self, records: ProcessRecords, hand: Hand) -> None:
        await records.report(report_of("a", 1), ALIVE)
        await records.report(report_of("b", 1), 2 * ALIVE)
        hand.time += ALIVE + 1
        assert [row.state.id for row in await records.find()] == ["b"]
        await records.report(report_of("a", 2), ALIVE)
        assert len(await records.find()) == 2

    async def test_who_leaves_is_gone(self, records: ProcessRecords) -> None:
        await records.report(report_of("a", 1, {"q": Counted(done=2)}), ALIVE)
        await records.leave("a")
        await records.leave("a")
        assert await records.find() == []
        assert await records.counts(60) == {"q": Counted(done=2)}

    async def test_what_processes_counted_is_added_up(self, store: Any, hand: Hand, records: ProcessRecords) -> None:
        first = {"q": Counted(sent=1, done=2, failed=3, retried=4, dead=5), "p-{}": Counted(done=1)}
        await records.report(report_of("a", 1, first), ALIVE)
        other = await self.open(store, hand)
        await other.report(report_of("b", 1, {"q": Counted(sent=10, dead=1)}), ALIVE)
        await other.close()
        assert await records.counts(60) == {
            "q": Counted(sent=11, done=2, failed=3, retried=4, dead=6),
            "p-{}": Counted(done=1),
        }

    async def test_a_report_that_comes_twice_counts_once(self, records: ProcessRecords) -> None:
        report = report_of("a", 1, {"q": Counted(done=2)}, stream_events=3)
        again = msgspec.structs.replace(report, state=state_of("a", running_count=1))
        await records.report(report, ALIVE)
        await records.report(again, ALIVE)
        assert await records.counts(60) == {"q": Counted(done=2)}
        assert [row.state.running_count for row in await records.find()] == [1]
        await records.report(report_of("a", 2, {"q": Counted(done=2)}), ALIVE)
        assert await records.counts(60) == {"q": Counted(done=4)}

    async def test_also_when_both_come_at_once(self, store: Any, hand: Hand) -> None:
        clients = [await self.open(store, hand) for _ in range(3)]
        report = report_of("a", 1, {"q": Counted(done=2)})
        await asyncio.gather(*(client.report(report, ALIVE) for client in clients))
        assert await clients[0].counts(60) == {"q": Counted(done=2)}
        for client in clients:
            await client.close()

    async def test_and_after_its_process_was_taken_for_dead(self, records: ProcessRecords, hand: Hand) -> None:
        report = report_of("a", 1, {"q": Counted(done=2)})
        await records.report(report, ALIVE)
        hand.time += 10 * ALIVE
        await records.report(report_of("b", 1), ALIVE)
        await records.report(report, ALIVE)
        assert await records.counts(3600) == {"q": Counted(done=2)}

    async def test_throughput_has_a_sample_for_each_step(self, records: ProcessRecords, hand: Hand) -> None:
        hand.time = 1_000_000.0
        await records.report(report_of("a", 1, {"q": Counted(done=1), "r": Counted(sent=7)}), ALIVE)
        hand.time += 2 * BUCKET
        await records.report(report_of("a", 2, {"q": Counted(done=3)}, stream_events=5), ALIVE)
        samples = await records.throughput(4 * BUCKET, BUCKET)
        assert [each.at for each in samples] == [1_000_000.0 + BUCKET * at for at in (-1, 0, 1, 2)]
        assert {each.seconds for each in samples} == {float(BUCKET)}
        assert [each.counted for each in samples] == [
            Counted(), Counted(sent=7, done=1), Counted(), Counted(done=3),
        ]  # fmt: skip
        assert [each.stream_events for each in samples] == [0, 0, 0, 5]

    async def test_throughput_of_one_queue(self, records: ProcessRecords, hand: Hand) -> None:
        await records.report(report_of("a", 1, {"q": Counted(done=1), "r": Counted(sent=7)}, stream_events=2), ALIVE)
        [sample] = await records.throughput(BUCKET, BUCKET, "r")
        assert (sample.counted, sample.stream_events) == (Counted(sent=7), 0)

    async def test_longer_steps_are_added_up(self, records: ProcessRecords, hand: Hand) -> None:
        hand.time = 600_000.0
        for number in range(1, 13):
            await records.report(report_of("a", number, {"q": Counted(done=1)}), ALIVE)
            hand.time += BUCKET
        samples = await records.throughput(180, 60)
        assert [(each.at, each.seconds, each.counted.done) for each in samples] == [
            (600_000.0, 60.0, 6), (600_060.0, 60.0, 6), (600_120.0, 60.0, 0),
        ]  # fmt: skip

    async def test_what_was_counted_for_long_is_spread_over_that_time(
        self, records: ProcessRecords, hand: Hand
    ) -> None:
        hand.time = 1_000_000.0
        report = report_of("a", 1, {"q": Counted(done=40)}, seconds=4.0 * BUCKET, stream_events=6)
        await records.report(report, ALIVE)
        samples = await records.throughput(6 * BUCKET, BUCKET)
        assert [each.counted.done for each in samples] == [0, 0, 10, 10, 10, 10]
        assert [each.stream_events for each in samples] == [0, 0, 1, 1, 2, 2]

    async def test_old_counts_are_forgotten_in_small_batches(self, records: ProcessRecords, hand: Hand) -> None:
        for number in range(1, 6):
            await records.report(report_of("a", number, {"q": Counted(done=1)}), ALIVE)
            hand.time += BUCKET
        assert await records.prune(3 * BUCKET, 2) == 2
        assert await records.prune(3 * BUCKET, 2) == 1
        assert await records.prune(3 * BUCKET, 2) == 0
        assert await records.counts(3600) == {"q": Counted(done=2)}

    async def test_another_app_has_processes_of_its_own(self, store: Any, hand: Hand, records: ProcessRecords) -> None:
        await records.report(report_of("a", 1, {"q": Counted(done=1)}), ALIVE)
        other = await self.open(store, hand, "another")
        assert await other.find() == []
        assert await other.counts(60) == {}
        assert await other.prune(-60, 10) == 0
        await other.leave("a")
        await other.close()
        assert len(await records.find()) == 1

    async def test_closing_twice_is_no_harm(self, store: Any, hand: Hand) -> None:
        records = await self.open(store, hand)
        await records.close()
        await records.close()
