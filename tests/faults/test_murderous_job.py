"""A job that kills its worker is given up after three deaths, and takes no other job with it."""

from pathlib import Path
from typing import Literal

import pytest

from goatherd.model.dead_letter import LetterFilter
from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host
from tests.faults.arena import Arena
from tests.faults.herd import murder, work
from tests.faults.history import History, judge


async def only_the_guilty_is_given_up(arena: Arena) -> None:
    async with arena, arena.app:
        innocent = await arena.app.send_many(work.job(milliseconds=300) for _ in range(20))
        [guilty] = await arena.app.send_many([murder.job()])
        innocent += await arena.app.send_many(work.job(milliseconds=300) for _ in range(20))
        await arena.start_worker("--processes", "2", "--concurrency", "16")
        await arena.at_rest([*innocent, guilty])
        history = History.read(arena.journal)
        verdict = judge([*innocent, guilty], history, await arena.dead_jobs())
        assert verdict.dead == {guilty}
        assert not verdict.lost
        assert history.starts[guilty] == 3, "three deaths, and not one more"
        letters = [letter async for letter in arena.app.session().ports.dead_letters.find(LetterFilter())]
        assert [letter.burial.reason for letter in letters] == ["crashed"]


@pytest.mark.timeout(90)
async def test_only_the_guilty_job_is_given_up(tmp_path: Path) -> None:
    await only_the_guilty_is_given_up(Arena(tmp_path, seed=1))


@pytest.mark.servers
@pytest.mark.timeout(90)
@pytest.mark.parametrize("queue_type", ["quorum", "classic"])
async def test_only_the_guilty_job_is_given_up_on_rabbitmq(
    tmp_path: Path, queue_type: Literal["quorum", "classic"]
) -> None:
    with management().virtual_host() as virtual_host:
        url = with_virtual_host(amqp_url(), virtual_host)
        await only_the_guilty_is_given_up(Arena(tmp_path, seed=1, broker_url=url, queue_type=queue_type))
