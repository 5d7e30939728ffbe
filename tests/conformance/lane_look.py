"""Compares what a store shows with the book of it."""

from collections.abc import Collection, Sequence

from goatherd.model.lane import Exchanged, LaneState
from goatherd.testing.suites.lane_store import LaneStore
from tests.conformance.lane_book import Book
from tests.conformance.lane_entries import BLUR, BookedLane


class Look:
    """One look at everything that can be seen from outside."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def at_answer(self, answer: Exchanged) -> None:
        """What an exchange tells besides."""
        due, told = self._book.next_due(), answer.next_due
        wanted = None if due is None else due - self._book.now
        same = told == wanted if told is None or wanted is None else abs(told - wanted) < BLUR
        assert same, f"I4: something is due in {wanted} s, and the store said in {told} s"
        assert answer.letters == bool(self._book.letters)

    async def at_store(self, store: LaneStore, lanes: Collection[str]) -> None:
        """All lanes and letters, and the jobs of these lanes."""
        found = await store.find(limit=1000)
        keys = [state.key for state in found]
        assert len(keys) == len(set(keys)), f"I4: a lane is in two conditions: {keys}"
        assert set(keys) == self._book.lanes.keys(), "I3, I4: lanes with jobs, and no others"
        held = [state.condition == "held" for state in found]
        assert held == sorted(held, reverse=True), "held lanes come first"
        for state in found:
            self._compare(state, self._book.lanes[state.key])
        for key in lanes:
            await self._look_into(store, key)
        await self._look_at_letters(store)
        await self._look_at_waits(store, found)

    def _compare(self, state: LaneState, lane: BookedLane) -> None:
        if state.condition == "waiting" and self._book.is_ahead(lane):
            self._book.let_wait(lane)
        overdue = lane.until is not None and lane.until <= self._book.now
        assert (state.length, state.queue, state.head) == (
            len(lane.jobs), lane.head.item.queue, lane.head.item.id,
        ), f"I3: {state.key}"  # fmt: skip
        if overdue and state.condition == "ready":
            return
        assert state.condition == lane.condition, f"I4: {state.key}"
        assert (state.worker, state.burial, state.deaths) == (lane.worker, lane.burial, lane.head.deaths), (
            f"I4: {state.key}"
        )
        assert (state.until is None) == (lane.until is None), f"I4: {state.key} until {state.until}"
        assert abs((state.until or 0.0) - (lane.until or 0.0)) < BLUR, f"until when {state.key} is {state.condition}"
        earliest, latest = lane.since
        assert earliest - BLUR < state.since < latest + BLUR, f"since when {state.key} is {state.condition}"

    async def _look_into(self, store: LaneStore, key: str) -> None:
        jobs = await store.jobs(key, 1000)
        lane = self._book.lanes.get(key)
        if lane is None:
            assert list(jobs) == [], f"I3: {key} should be empty"
            assert await store.get(key) is None
            return
        told = [(job.id, job.queue, job.content) for job in jobs]
        assert told == [(job.item.id, job.item.queue, job.content) for job in lane.jobs], f"I2, I3: {key}"
        for job, booked in zip(jobs, lane.jobs, strict=True):
            self._book.place(lane, booked, job.seq)
            assert booked.was_accepted(job.accepted), f"when {job.id} was accepted"

    async def _look_at_waits(self, store: LaneStore, found: Sequence[LaneState]) -> None:
        """What a worker could have now, and what is due."""
        later = [(job.item.queue, job.item.lane, job.accepted) for job in self._book.later]
        due = [(state.queue, state.key, state.until) for state in found if state.until is not None] + later
        for wait in await store.waiting(sorted({state.queue for state in found} | {queue for queue, *_ in later})):
            ready = sum(state.queue == wait.queue and state.condition == "ready" for state in found)
            surely, perhaps = (
                len({lane for queue, lane, at in due if queue == wait.queue and at <= self._book.now + blur})
                for blur in (-BLUR, BLUR)
            )
            assert ready + surely <= wait.lanes <= ready + perhaps, f"what waits in {wait.queue}"
            assert (wait.oldest > 0) <= (wait.lanes > 0)

    async def _look_at_letters(self, store: LaneStore) -> None:
        letters = await store.letters(1000)
        assert [(each.lane, each.content, each.burial) for each in letters] == [
            (each.lane, each.job.content, each.burial) for each in self._book.letters
        ], "I3: letters, the oldest first"
        assert len({letter.id for letter in letters}) == len(letters)
        for letter, booked in zip(letters, self._book.letters, strict=True):
            assert booked.job.was_accepted(letter.accepted)
