"""Cases of tallies: totals that are set apart."""

import asyncio
from typing import Any

import pytest

from goatherd.ports.tallies import Tallies
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.tally_store import EVERY, TALLY, TallyCases, job_of, post_all, sealed


class BatchCases(TallyCases):
    """Part of `TalliesSuite`."""

    async def test_a_batch_is_given_again_unchanged_until_it_is_a_job(
        self, tallies: Tallies, other: Tallies, clock: StandingClock
    ) -> None:
        await tallies.add(TALLY, "ann", 5)
        [batch] = await sealed(tallies)
        await tallies.add(TALLY, "ann", 3)
        assert await sealed(other) == [batch]
        clock.advance(10 * EVERY)
        assert await sealed(tallies) == [batch]
        assert await tallies.waiting(TALLY) == (1, 8)

    async def test_what_comes_later_is_the_next_batch(self, tallies: Tallies, clock: StandingClock) -> None:
        await tallies.add(TALLY, "ann", 5)
        [first] = await post_all(tallies)
        await tallies.add(TALLY, "ann", 3)
        clock.advance(EVERY)
        [second] = await sealed(tallies)
        assert (first.total, second.total) == (5, 3)
        assert second.seq > first.seq

    async def test_a_round_begins_when_it_is_time_whoever_asks(
        self, tallies: Tallies, other: Tallies, clock: StandingClock
    ) -> None:
        await tallies.add(TALLY, "ann", 5)
        await post_all(tallies)
        await tallies.add(TALLY, "bob", 3)
        clock.advance(EVERY - 1)
        told = await other.seal(TALLY, EVERY, 10)
        assert list(told.batches) == []
        assert told.next_due == pytest.approx(1.0)
        clock.advance(1)
        told = await other.seal(TALLY, EVERY, 10)
        assert [batch.key for batch in told.batches] == ["bob"]
        assert told.next_due == pytest.approx(EVERY)
        # The same round, seen by another.
        assert (await tallies.seal(TALLY, EVERY, 10)).batches == told.batches

    async def test_an_empty_round_counts_too(self, tallies: Tallies, clock: StandingClock) -> None:
        assert await sealed(tallies) == []
        await tallies.add(TALLY, "ann", 5)
        assert await sealed(tallies) == []
        clock.advance(EVERY)
        assert [batch.total for batch in await sealed(tallies)] == [5]

    async def test_a_clock_that_was_set_back_stops_nothing(self, tallies: Tallies, clock: StandingClock) -> None:
        await tallies.add(TALLY, "ann", 5)
        [first] = await post_all(tallies)
        clock.advance(-3600)
        await tallies.add(TALLY, "ann", 3)
        [second] = await sealed(tallies)
        assert second.seq > first.seq

    async def test_a_large_round_goes_on_in_parts_and_then_ends(self, tallies: Tallies, clock: StandingClock) -> None:
        for number in range(7):
            await tallies.add(TALLY, f"key-{number}", 1)
        parts = []
        while True:
            told = await tallies.seal(TALLY, EVERY, 3)
            if not told.batches:
                break
            parts.append(len(told.batches))
            assert (told.next_due == 0) == (sum(parts) < 7)
            await tallies.post(TALLY, [job_of(batch) for batch in told.batches])
            # What comes during a round waits for the next one, or a round might never end.
            for batch in told.batches:
                await tallies.add(TALLY, batch.key, 1)
        assert parts == [3, 3, 1]
        assert told.next_due == pytest.approx(EVERY)
        clock.advance(EVERY)
        assert len(await sealed(tallies)) == 7

    async def test_no_more_are_given_than_wanted_and_the_oldest_come_first(self, tallies: Tallies) -> None:
        for number in range(6):
            await tallies.add(TALLY, f"key-{number}", 1)
        all_of_them = await sealed(tallies)
        assert [batch.seq for batch in all_of_them] == sorted({batch.seq for batch in all_of_them})
        assert await sealed(tallies, limit=2) == all_of_them[:2]
        await tallies.done(TALLY, all_of_them[:3])
        assert await sealed(tallies, limit=2) == all_of_them[3:5]

    async def test_a_key_with_a_batch_waits_for_its_turn(self, tallies: Tallies, clock: StandingClock) -> None:
        await tallies.add(TALLY, "ann", 5)
        [first] = await sealed(tallies)
        for key in ("ann", "bob"):
            await tallies.add(TALLY, key, 1)
        clock.advance(EVERY)
        assert [(batch.key, batch.total) for batch in await sealed(tallies)] == [("ann", 5), ("bob", 1)]
        await tallies.done(TALLY, [first])
        assert sorted((batch.key, batch.total) for batch in await sealed(tallies)) == [("ann", 1), ("bob", 1)]

    async def test_seqs_grow_in_a_store_that_was_emptied(
        self, tallies: Tallies, clock: StandingClock, store: Any
    ) -> None:
        await tallies.add(TALLY, "ann", 5)
        [first] = await post_all(tallies)
        await self.wipe(store)
        clock.advance(0.001)
        await tallies.add(TALLY, "ann", 5)
        [second] = await sealed(tallies)
        assert second.seq > first.seq

    async def test_two_who_set_apart_at_once_get_the_same(self, tallies: Tallies, other: Tallies) -> None:
        for number in range(20):
            await tallies.add(TALLY, f"key-{number}", number + 1)
        told = await asyncio.gather(*(sealed(client) for client in (tallies, other) * 3))
        assert all(batches == told[0] for batches in told)
        assert sum(batch.total for batch in told[0]) == 210

    async def test_nothing_is_lost_or_doubled_while_others_add(self, tallies: Tallies, other: Tallies) -> None:
        async def add_many() -> None:
            for number in range(60):
                await other.add(TALLY, f"key-{number % 3}", 1)

        async def seal_many() -> int:
            taken = 0
            for _ in range(30):
                told = await tallies.seal(TALLY, 0.0, 2)
                await tallies.done(TALLY, told.batches)
                taken += sum(batch.total for batch in told.batches)
            return taken

        *_, taken = await asyncio.gather(add_many(), add_many(), seal_many())
        assert taken + (await tallies.waiting(TALLY))[1] == 120
