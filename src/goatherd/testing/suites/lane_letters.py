"""Cases: a job that is given up is a letter until somebody has taken it to the dead letters."""

from typing import Any

from goatherd.testing.suites.lane_people import LANE, Sender, Worker, burial, give_up, item
from goatherd.testing.suites.lane_store import LanesCases, LaneStore, StandingClock


class LetterCases(LanesCases):
    """Part of `LanesSuite`."""

    async def test_letters_come_oldest_first_and_stay_until_they_are_removed(
        self, lanes: LaneStore, other: LaneStore
    ) -> None:
        await self._given_up(lanes, "a", "b", "c")
        worker = Worker(lanes)
        assert (await worker.exchange()).letters
        assert [letter.content for letter in await lanes.letters(2)] == [b"a", b"b"]
        letters = list(await other.letters(10))
        assert [letter.content for letter in letters] == [b"a", b"b", b"c"]
        await other.remove_letters([letters[1].id])
        assert list(await lanes.letters(10)) == [letters[0], letters[2]]
        assert (await worker.exchange()).letters
        await lanes.remove_letters([letters[0].id, letters[2].id])
        assert list(await lanes.letters(10)) == []
        assert not (await worker.exchange()).letters

    async def test_letters_that_are_gone_already_do_not_matter(self, lanes: LaneStore, other: LaneStore) -> None:
        await self._given_up(lanes, "a", "b")
        [first, second] = await lanes.letters(10)
        await lanes.remove_letters([first.id])
        await other.remove_letters([first.id, "no such letter", first.id])
        await lanes.remove_letters([])
        assert list(await other.letters(10)) == [second]

    async def test_a_letter_is_the_job_as_it_was_and_why_it_was_given_up(
        self, lanes: LaneStore, clock: StandingClock
    ) -> None:
        every_byte, accepted = bytes(range(256)), clock()
        await Sender(lanes).send(item("a", "post=ü 🐐", queue="posts", content=every_byte, on_exhausted="skip"))
        clock.advance(5.0)
        worker = Worker(lanes, "posts")
        await worker.exchange(give_up(await worker.one(), message="line one\nline two 🐐"))
        [letter] = await lanes.letters(10)
        assert (letter.lane, letter.content) == ("post=ü 🐐", every_byte)
        assert letter.burial == burial("line one\nline two 🐐")
        assert abs(letter.accepted - accepted) < 0.01

    async def test_letters_of_one_lane_are_in_the_order_of_their_jobs(self, lanes: LaneStore) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        await sender.put("a", "b", "c", "d", on_exhausted="skip")
        await worker.exchange(give_up(await worker.one()))
        await worker.exchange(give_up(await worker.one(), "cancel_rest"))
        assert [letter.content for letter in await lanes.letters(10)] == [b"a", b"b", b"c", b"d"]

    async def test_letters_have_ids_of_their_own(self, lanes: LaneStore) -> None:
        # The same job may be given up, replayed and given up again before anybody looks.
        for _ in range(3):
            await self._given_up(lanes, "a")
        letters = await lanes.letters(10)
        assert len({letter.id for letter in letters}) == 3

    async def test_nothing_is_kept_when_the_letters_are_gone(
        self, store: Any, lanes: LaneStore, clock: StandingClock
    ) -> None:
        await self._given_up(lanes, "a", "b")
        await Sender(lanes).put("c", "d", on_exhausted="cancel_rest")
        worker = Worker(lanes)
        await worker.exchange(give_up(await worker.one()))
        assert list(await self.kept(store)) != []
        await lanes.remove_letters([letter.id for letter in await lanes.letters(10)])
        clock.advance(1.0)
        await worker.exchange()
        assert await lanes.get(LANE) is None
        assert list(await self.kept(store)) == []

    async def _given_up(self, lanes: LaneStore, *ids: str) -> None:
        await Sender(lanes).put(*ids, on_exhausted="skip")
        worker = Worker(lanes)
        for _ in ids:
            await worker.exchange(give_up(await worker.one()))
