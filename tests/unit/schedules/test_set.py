"""Schedules that are set while the app runs: what can be sent, and what is said when it cannot."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from goatherd import Goatherd
from goatherd.errors import DefinitionError


@pytest_asyncio.fixture
async def opened(app: Goatherd) -> AsyncIterator[Goatherd]:
    async with app:
        yield app


@pytest.fixture
def greet(app: Goatherd) -> Any:
    @app.task
    async def greet(name: str) -> None: ...

    return greet


async def test_when_must_be_said_once(greet: Any, opened: Goatherd) -> None:
    with pytest.raises(DefinitionError, match="needs cron= or every=, one of the two"):
        await opened.schedules.set("x", greet.job("Ada"))
    with pytest.raises(DefinitionError, match="needs cron= or every=, one of the two"):
        await opened.schedules.set("x", greet.job("Ada"), cron="@daily", every=5)


@pytest.mark.parametrize("options", [{"delay": 5}, {"id": "mine"}])
async def test_a_job_that_is_sent_again_and_again_has_no_time_or_id_of_its_own(
    greet: Any, opened: Goatherd, options: dict[str, Any]
) -> None:
    with pytest.raises(DefinitionError, match="when, and under which id, the schedule says"):
        await opened.schedules.set("x", greet.options(**options).job("Ada"), every=5)


async def test_a_schedule_of_the_program_sends_no_other_task(greet: Any, app: Goatherd) -> None:
    @app.every(60)
    async def archive() -> None: ...

    async with app:
        with pytest.raises(DefinitionError, match="is the schedule of a task of this app"):
            await app.schedules.set("archive", greet.job("Ada"), every=5)
        await app.schedules.set("archive", archive.job(), every=5)


@pytest.mark.parametrize("verb", ["remove", "pause", "resume", "trigger"])
async def test_what_is_not_there(opened: Goatherd, verb: str) -> None:
    with pytest.raises(DefinitionError, match="There is no schedule 'nothing'"):
        await getattr(opened.schedules, verb)("nothing")


async def test_a_wrong_expression(greet: Any, opened: Goatherd) -> None:
    with pytest.raises(DefinitionError, match="'x'"):
        await opened.schedules.set("x", greet.job("Ada"), cron="every now and then")
