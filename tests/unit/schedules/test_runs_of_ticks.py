"""A tick is a run: it can be waited for, cancelled and taken up again by its id, and commands know it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from goatherd import Goatherd, Retry
from goatherd.cli.run_checks import run_checks
from goatherd.desk.errors import NotThere
from goatherd.desk.run_finding import check_pipeline, check_step_of, code_of
from goatherd.errors import JobCancelled, JobFailed, UnknownStep
from goatherd.model.run_record import RunFilter


@pytest.fixture
def office(tmp_path: Path) -> Goatherd:
    """An app without any pipeline of its own."""
    app = Goatherd("office", broker_url=f"sqlite:///{tmp_path}/office.db")
    tries: list[int] = []

    @app.every(86_400)
    async def wait() -> None:
        await asyncio.Event().wait()

    @app.every(86_400, retry=Retry(0))
    async def stumble() -> str:
        tries.append(1)
        if len(tries) == 1:
            raise ValueError("once")
        return "well"

    return app


@pytest_asyncio.fixture
async def served(office: Goatherd) -> AsyncIterator[Goatherd]:
    async with office.serve("worker", "scheduler"):
        yield office


async def test_a_tick_that_is_cancelled_is_over_for_its_schedule(served: Goatherd) -> None:
    run = served.run(await served.schedules.trigger("wait"))
    assert await run.cancel()
    with pytest.raises(JobCancelled):
        await run.result(timeout=30)
    records = await served.session().records()
    [on_record] = await records.operations.find(RunFilter(pipeline="wait"), 10)
    assert on_record.state == "cancelled"


async def test_a_tick_that_failed_can_be_tried_again(served: Goatherd) -> None:
    run = served.run(await served.schedules.trigger("stumble"), of=served.tasks["stumble"])
    with pytest.raises(JobFailed, match="once"):
        await run.result(timeout=30)
    with pytest.raises(UnknownStep):
        await run.retry_step("stumble")
    await run.retry_step("stumble@tick")
    assert await run.result(timeout=30) == "well"


def test_commands_know_the_runs_of_scheduled_tasks(office: Goatherd) -> None:
    code = code_of(office, "wait")
    assert code is not None
    assert list(code.steps) == ["wait@tick"]
    check_pipeline(office, "wait")
    check_step_of(office, "wait@tick", ["wait"])
    with pytest.raises(NotThere, match="Did you mean 'wait'"):
        check_pipeline(office, "wai")


async def test_the_doctor_looks_at_them(office: Goatherd) -> None:
    [check] = [check async for check in run_checks(office, "office:app")]
    assert check.state == "well"
    assert check.found.startswith("2 scheduled tasks, with runs on record in")
