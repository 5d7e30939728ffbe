"""Cases of tallies: what is added."""

import asyncio
from typing import Any

import pytest

from goatherd.errors import Refused
from goatherd.model.tally import LARGEST, REMEMBERED_FOR
from goatherd.ports.tallies import Tallies
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.tally_store import EVERY, TALLY, TallyCases, post_all, sealed

ODD_KEYS = ("a:b", "a b", "{a}", "ä🐐", "a'b\"c", "%s", "1", "-1", "a\nb", "x" * 200)


class AdditionCases(TallyCases):
    """Part of `TalliesSuite`."""

    async def test_what_all_add_is_added_up_for_each_key(self, tallies: Tallies, other: Tallies) -> None:
        assert await tallies.waiting(TALLY) == (0, 0)
        for client, key, amount in (
            (tallies, "ann", 1),
            (other, "ann", 20),
            (tallies, "bob", 300),
            (tallies, "ann", -4),
        ):
            assert await client.add(TALLY, key, amount)
        assert await other.waiting(TALLY) == (2, 317)
        totals = {batch.key: batch.total for batch in await sealed(tallies)}
        assert totals == {"ann": 17, "bob": 300}

    async def test_an_id_counts_once_whoever_adds_it(self, tallies: Tallies, other: Tallies) -> None:
        assert await tallies.add(TALLY, "ann", 5, "gift-1")
        assert not await other.add(TALLY, "ann", 5, "gift-1")
        # Also with another key: whoever uses an id twice means the same gift.
        assert not await tallies.add(TALLY, "bob", 7, "gift-1")
        assert await tallies.add(TALLY, "ann", 5, "gift-2")
        assert await tallies.waiting(TALLY) == (1, 10)

    async def test_an_id_counts_once_also_when_its_total_is_long_gone(
        self, tallies: Tallies, clock: StandingClock
    ) -> None:
        await tallies.add(TALLY, "ann", 5, "gift-1")
        await post_all(tallies)
        clock.advance(REMEMBERED_FOR - 1)
        assert not await tallies.add(TALLY, "ann", 5, "gift-1")
        assert await tallies.waiting(TALLY) == (0, 0)

    async def test_ids_are_forgotten_after_a_day(self, tallies: Tallies, clock: StandingClock) -> None:
        await tallies.add(TALLY, "ann", 5, "gift-1")
        clock.advance(REMEMBERED_FOR + 1)
        assert await tallies.add(TALLY, "ann", 5, "gift-1")
        assert not await tallies.add(TALLY, "ann", 5, "gift-1")

    async def test_ids_and_keys_of_tallies_are_apart(self, tallies: Tallies) -> None:
        for tally in ("a", "b", "a:b", "a:state"):
            assert await tallies.add(tally, "ann", 5, "gift-1")
            assert await tallies.waiting(tally) == (1, 5)
        assert [batch.total for batch in await post_all(tallies, "a")] == [5]
        assert await tallies.waiting("b") == (1, 5)

    async def test_of_many_at_once_with_one_id_one_counts(self, tallies: Tallies, other: Tallies) -> None:
        clients = (tallies, other) * 8
        counted = await asyncio.gather(*(client.add(TALLY, "ann", 3, "gift-1") for client in clients))
        assert sorted(counted) == [False] * 15 + [True]
        assert await tallies.waiting(TALLY) == (1, 3)

    async def test_many_at_once_lose_nothing(self, tallies: Tallies, other: Tallies) -> None:
        adding = [
            client.add(TALLY, f"key-{number % 7}", number) for number in range(100) for client in (tallies, other)
        ]
        await asyncio.gather(*adding)
        assert await tallies.waiting(TALLY) == (7, 2 * sum(range(100)))

    async def test_a_key_that_comes_to_nothing_is_forgotten(self, tallies: Tallies, store: Any) -> None:
        await tallies.add(TALLY, "ann", 5)
        await tallies.add(TALLY, "ann", -5)
        assert await tallies.waiting(TALLY) == (0, 0)
        assert await sealed(tallies) == []
        assert await self.kept(store) == []

    async def test_a_total_below_zero_stays_until_it_is_above(self, tallies: Tallies, clock: StandingClock) -> None:
        await tallies.add(TALLY, "ann", -5)
        assert await sealed(tallies) == []
        assert await tallies.waiting(TALLY) == (1, -5)
        await tallies.add(TALLY, "ann", 7)
        clock.advance(EVERY)
        assert [batch.total for batch in await sealed(tallies)] == [2]

    async def test_totals_are_exact_up_to_the_largest(self, tallies: Tallies, clock: StandingClock) -> None:
        await tallies.add(TALLY, "ann", LARGEST - 1)
        await tallies.add(TALLY, "ann", 1)
        await tallies.add(TALLY, "bob", -LARGEST)
        await tallies.add(TALLY, "cat", LARGEST - 2)
        assert await tallies.waiting(TALLY) == (3, LARGEST - 2)
        assert {batch.key: batch.total for batch in await post_all(tallies)} == {"ann": LARGEST, "cat": LARGEST - 2}
        await tallies.add(TALLY, "bob", LARGEST)
        assert await tallies.waiting(TALLY) == (0, 0)

    async def test_more_than_the_largest_is_refused_and_nothing_changes(self, tallies: Tallies) -> None:
        await tallies.add(TALLY, "ann", LARGEST)
        await tallies.add(TALLY, "bob", -LARGEST)
        for key, amount in (("ann", 1), ("ann", LARGEST), ("bob", -1), ("bob", -LARGEST)):
            for id in (None, "gift-1"):
                with pytest.raises(Refused, match=r"would be larger than 9,007,199,254,740,991"):
                    await tallies.add(TALLY, key, amount, id)
        assert await tallies.waiting(TALLY) == (2, 0)
        # It was not counted, so its id is not known.
        assert await tallies.add(TALLY, "ann", -1, "gift-1")
        assert {batch.key: batch.total for batch in await sealed(tallies)} == {"ann": LARGEST - 1}

    async def test_keys_and_ids_are_any_text(self, tallies: Tallies) -> None:
        for place, key in enumerate(ODD_KEYS):
            assert await tallies.add(TALLY, key, place + 1, key)
            assert not await tallies.add(TALLY, key, place + 1, key)
        totals = {batch.key: batch.total for batch in await post_all(tallies)}
        assert totals == {key: place + 1 for place, key in enumerate(ODD_KEYS)}
