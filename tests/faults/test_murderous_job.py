"""A job that kills its worker is given up after three deaths, and takes no other job with it."""

from pathlib import Path

import pytest

from goatherd.model.dead_letter import LetterFilter
from tests.faults.arena import Arena
from tests.faults.herd import murder, work
from tests.faults.history import History, judge


@pytest.mark.timeout(90)
async def test_only_the_guilty_job_is_given_up(tmp_path: Path) -> None:
    async with Arena(tmp_path, seed=1) as arena, arena.app:
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
        assert letters[0].burial.reason == "crashed"
