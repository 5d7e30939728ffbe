"""A run whose events are gone can still be asked about: what is on record of it is not gone."""

import pytest

from goatherd import Goatherd, JobFailed, Pipeline
from goatherd.errors import UnknownJob
from goatherd.testing import testing


@pytest.fixture
def doubling(app: Goatherd) -> Pipeline[int, int]:
    pipeline = app.pipeline("doubling", takes=int, gives=int)

    @pipeline.step(after=pipeline.input)
    async def double(number: int) -> int:
        if number < 0:
            raise ValueError("too small")
        return 2 * number

    return pipeline


async def test_its_result_and_its_status(app: Goatherd, doubling: Pipeline[int, int]) -> None:
    async with testing(app) as t:
        run = await doubling.start(21)
        await t.drain()
        await (await app.session().events()).forget(run.id)
        assert (await run.status(), await run.result()) == ("done", 42)


async def test_its_failure(app: Goatherd, doubling: Pipeline[int, int]) -> None:
    async with testing(app) as t:
        run = await doubling.start(-1)
        await t.advance(60)
        await (await app.session().events()).forget(run.id)
        assert await run.status() == "failed"
        with pytest.raises(JobFailed, match="too small"):
            await run.result()


async def test_one_that_is_on_record_nowhere(app: Goatherd, doubling: Pipeline[int, int]) -> None:
    async with testing(app):
        with pytest.raises(UnknownJob):
            await app.run("nobody", of=doubling).status()


async def test_one_that_is_begun_a_second_time_long_after(app: Goatherd, doubling: Pipeline[int, int]) -> None:
    async with testing(app) as t:
        run = await doubling.options(id="one").start(21)
        await t.drain()
        await (await app.session().events()).forget(run.id)
        again = await doubling.options(id="one").start(21)
        assert await again.result(timeout=5) == 42
