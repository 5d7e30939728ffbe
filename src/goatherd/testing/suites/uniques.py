"""The suite of the keys of unique jobs: every adapter passes it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, ClassVar
from uuid import uuid4

import pytest
import pytest_asyncio

from goatherd.model.unique import UniqueAnswer, UniqueClaim
from goatherd.ports.uniques import Uniques

HOLD = 5.0


def claim(key: str, job: str, seconds: float = 60.0) -> UniqueClaim:
    """A job that wants a key."""
    return UniqueClaim(key=key, job=job, seconds=seconds)


def ours(job: str) -> UniqueAnswer:
    """The key is the job's."""
    return UniqueAnswer(state="ours", job=job)


def taken(job: str) -> UniqueAnswer:
    """The key is that of this job."""
    return UniqueAnswer(state="taken", job=job)


def pending(job: str) -> UniqueAnswer:
    """This job is being sent."""
    return UniqueAnswer(state="pending", job=job)


class Hand:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.time = 1_700_000_000.0

    def __call__(self) -> float:
        return self.time


class UniquesSuite:
    """Subclass it as Test…, give it `store` and `open(store, now)`."""

    # Written here, so that the suite runs in both modes of pytest-asyncio.
    pytestmark: ClassVar[pytest.MarkDecorator] = pytest.mark.asyncio

    async def open(self, store: Any, now: Callable[[], float]) -> Uniques:
        """A client of the store, whose time is told by `now`."""
        raise NotImplementedError

    @pytest.fixture
    def hand(self) -> Hand:
        return Hand()

    @pytest.fixture
    def key(self) -> str:
        """One that nobody has used."""
        return f"suite/mail/{uuid4().hex}"

    @pytest_asyncio.fixture
    async def uniques(self, store: Any, hand: Hand) -> AsyncIterator[Uniques]:
        uniques = await self.open(store, hand)
        yield uniques
        await uniques.close()

    @pytest_asyncio.fixture
    async def other(self, store: Any, hand: Hand) -> AsyncIterator[Uniques]:
        uniques = await self.open(store, hand)
        yield uniques
        await uniques.close()

    async def test_the_first_has_the_key_and_others_are_told_its_job(
        self, uniques: Uniques, other: Uniques, key: str
    ) -> None:
        assert await uniques.take([claim(key, "a")], "one", HOLD) == [ours("a")]
        assert await other.take([claim(key, "b")], "two", HOLD) == [pending("a")]
        await uniques.keep([claim(key, "a")], "one")
        assert await other.take([claim(key, "b")], "two", HOLD) == [taken("a")]
        assert await uniques.take([claim(key, "c")], "one", HOLD) == [taken("a")]

    async def test_whoever_asks_again_still_has_what_it_took(self, uniques: Uniques, key: str) -> None:
        assert await uniques.take([claim(key, "a")], "one", HOLD) == [ours("a")]
        assert await uniques.take([claim(key, "a")], "one", HOLD) == [ours("a")]

    async def test_many_are_answered_in_their_order(self, uniques: Uniques, other: Uniques, key: str) -> None:
        await uniques.take([claim(f"{key}1", "a"), claim(f"{key}3", "c")], "one", HOLD)
        await uniques.keep([claim(f"{key}3", "c")], "one")
        wanted = [claim(f"{key}{number}", f"job {number}") for number in (3, 2, 1, 0)]
        answers = await other.take(wanted, "two", HOLD)
        assert answers == [taken("c"), ours("job 2"), pending("a"), ours("job 0")]

    async def test_one_that_was_not_sent_leaves_the_key_to_others(
        self, uniques: Uniques, other: Uniques, key: str
    ) -> None:
        await uniques.take([claim(key, "a")], "one", HOLD)
        await uniques.give_up([claim(key, "a")], "one")
        assert await other.take([claim(key, "b")], "two", HOLD) == [ours("b")]
        # Too late, and not its own any more.
        await uniques.give_up([claim(key, "a")], "one")
        await uniques.keep([claim(key, "a")], "one")
        assert await uniques.take([claim(key, "c")], "three", HOLD) == [pending("b")]

    async def test_one_that_died_while_it_sent_has_the_key_for_a_moment_only(
        self, uniques: Uniques, other: Uniques, hand: Hand, key: str
    ) -> None:
        await uniques.take([claim(key, "a", 3600.0)], "one", HOLD)
        hand.time += HOLD - 0.1
        assert await other.take([claim(key, "b")], "two", HOLD) == [pending("a")]
        hand.time += 0.2
        assert await other.take([claim(key, "b")], "two", HOLD) == [ours("b")]

    async def test_a_key_is_free_when_its_time_is_over(self, uniques: Uniques, hand: Hand, key: str) -> None:
        await uniques.take([claim(key, "a", 60.0)], "one", HOLD)
        hand.time += 3.0
        await uniques.keep([claim(key, "a", 60.0)], "one")
        hand.time += 59.9
        assert await uniques.take([claim(key, "b", 60.0)], "two", HOLD) == [taken("a")]
        hand.time += 0.2
        assert await uniques.take([claim(key, "b", 60.0)], "two", HOLD) == [ours("b")]

    async def test_a_job_that_has_ended_lets_go_of_its_own_key_alone(
        self, uniques: Uniques, other: Uniques, key: str
    ) -> None:
        await uniques.take([claim(key, "a")], "one", HOLD)
        await uniques.keep([claim(key, "a")], "one")
        await other.release([(key, "another"), (f"{key}?", "a")])
        assert await other.take([claim(key, "b")], "two", HOLD) == [taken("a")]
        await other.release([(key, "a")])
        assert await other.take([claim(key, "b")], "two", HOLD) == [ours("b")]

    async def test_one_that_ended_before_its_sender_had_noted_it_is_over(self, uniques: Uniques, key: str) -> None:
        await uniques.take([claim(key, "a")], "one", HOLD)
        await uniques.release([(key, "a")])
        await uniques.keep([claim(key, "a")], "one")
        assert await uniques.take([claim(key, "b")], "two", HOLD) == [ours("b")]

    async def test_all_keys_of_a_job_can_be_let_go(self, uniques: Uniques, key: str) -> None:
        job = uuid4().hex
        claims = [claim(f"{key}1", job), claim(f"{key}2", job), claim(f"{key}3", "another")]
        await uniques.take(claims, "one", HOLD)
        await uniques.keep(claims, "one")
        await uniques.release_job(job)
        answers = await uniques.take([claim(each.key, "b") for each in claims], "two", HOLD)
        assert answers == [ours("b"), ours("b"), taken("another")]

    async def test_of_many_at_once_one_has_it(self, uniques: Uniques, other: Uniques, key: str) -> None:
        keys = [f"{key}{number}" for number in range(10)]

        async def want(number: int) -> list[UniqueAnswer]:
            # Not all in the same order.
            mine = keys if number % 2 else keys[::-1]
            client = uniques if number % 3 else other
            return list(await client.take([claim(each, f"job {number}") for each in mine], f"sender {number}", HOLD))

        answers = await asyncio.gather(*(want(number) for number in range(12)))
        assert sum(answer.state == "ours" for some in answers for answer in some) == len(keys)
        assert all(answer.state in ("ours", "pending") for some in answers for answer in some)

    async def test_what_is_over_is_forgotten(self, uniques: Uniques, hand: Hand, store: Any, key: str) -> None:
        before = await self.kept(store)
        claims = [claim(f"{key}{number}", "a", 10.0) for number in range(30)]
        await uniques.take(claims, "one", HOLD)
        await uniques.keep(claims, "one")
        assert await self.kept(store) == before + 30
        hand.time += 20.0
        await uniques.take([claim(f"{key}live", "b")], "two", HOLD)
        for _ in range(2 + before // 20):
            await uniques.forget()
        assert await self.kept(store) <= before + 1

    async def kept(self, store: Any) -> int:
        """How many keys the store has."""
        raise NotImplementedError
