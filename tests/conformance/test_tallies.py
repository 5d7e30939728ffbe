"""The suite of tallies, on every store of lanes, and what only one of them promises."""

from pathlib import Path
from typing import Any

import pytest
import redis

from goatherd.adapters.redis import commands
from goatherd.adapters.redis.connection import answers_to, opened
from goatherd.errors import Unavailable
from goatherd.ports.tallies import Tallies
from goatherd.testing.suites import TalliesSuite
from goatherd.testing.suites.tally_store import TALLY, sealed
from tests.conformance.postgres_store import asked
from tests.conformance.redis_store import operator as redis_operator
from tests.conformance.tally_stores import PostgresTallyStore, RedisTallyStore, SqliteTallyStore


class TestSqliteTallies(SqliteTallyStore, TalliesSuite):
    async def forget(self, store: Path, tallies: Tallies) -> None:
        for number in range(10):
            await tallies.add(TALLY, "later", 1, f"later-{number}")
            await tallies.add(TALLY, "later", -1)
        self._lanes._do(store, "DELETE FROM tally_id WHERE id LIKE 'later-%'")


@pytest.mark.servers("redis")
@pytest.mark.xdist_group("redis")
class TestRedisTallies(RedisTallyStore, TalliesSuite):
    async def test_all_keys_are_of_one_slot(self, store: str, tallies: Tallies) -> None:
        await tallies.add(TALLY, "ann", 5, "gift-1")
        await sealed(tallies)
        await tallies.add(TALLY, "bob", 5)
        async with redis_operator(self._lanes.url()) as client:
            keys = [key async for key in client.scan_iter(f"*{store}*")]
        assert len(keys) == 6
        assert all(key.startswith(f"{{{store}}}:tallies:1:") for key in keys)

    async def test_an_addition_without_an_id_is_not_tried_twice(
        self, tallies: Tallies, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The server has done it, but its answer was lost; whoever asked must know that nobody knows."""
        losing = True

        async def lose_answers(*asked: Any) -> list[Any]:
            nonlocal losing
            answers = await answers_to(*asked)
            if losing:
                losing = False
                raise redis.exceptions.ConnectionError("the line was cut")
            return answers

        monkeypatch.setattr(commands, "answers_to", lose_answers)
        with pytest.raises(Unavailable, match=r"\(the line was cut\), so nobody knows whether it was done"):
            await tallies.add(TALLY, "ann", 5)
        assert await tallies.waiting(TALLY) == (1, 5)
        losing = True
        # With an id it is tried again, and has been counted once.
        assert not await tallies.add(TALLY, "ann", 5, "gift-1")
        assert await tallies.waiting(TALLY) == (1, 10)

    async def test_one_that_was_not_sent_is_tried_until_it_can_be(
        self, tallies: Tallies, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        refusals = 2

        async def refuse(*asked: Any) -> Any:
            nonlocal refusals
            if refusals:
                refusals -= 1
                raise redis.exceptions.ConnectionError("refused")
            return await opened(*asked)

        monkeypatch.setattr(commands, "opened", refuse)
        await tallies._commands._hang_up()  # type: ignore[attr-defined]
        assert await tallies.add(TALLY, "ann", 5)
        assert refusals == 0
        assert await tallies.waiting(TALLY) == (1, 5)


@pytest.mark.servers("postgres")
@pytest.mark.xdist_group("postgres")
class TestPostgresTallies(PostgresTallyStore, TalliesSuite):
    async def forget(self, store: str, tallies: Any) -> None:
        # Done now and then, and of all apps.
        await asked("SELECT goatherd.tally_forget(100000, %s)", tallies._time())
