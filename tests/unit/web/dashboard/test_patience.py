"""Nobody waits long for a page: whatever hangs, it is told in time, to all who wait."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator

import pytest
from fastapi.responses import StreamingResponse

from goatherd import Goatherd
from goatherd.web.dashboard import app as serving
from goatherd.web.dashboard import opened
from goatherd.web.dashboard.app import Dashboard
from goatherd.web.dashboard.asking import App
from tests.unit.web.dashboard.callers import Caller


async def test_a_page_whose_store_hangs(
    served: Dashboard, operator: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    async def hangs(app: App) -> None:
        await asyncio.Event().wait()

    served.web.get("/probe/hangs")(hangs)
    # The app is open by now, so that nothing else takes time.
    assert (await operator.get("/tasks")).status_code == 200
    monkeypatch.setattr(serving, "PATIENCE", 0.05)
    page = await operator.get("/probe/hangs")
    assert (page.status_code, "did not answer within" in page.text) == (503, True)
    assert "retry-after" in page.headers
    part = await operator.get_part("/probe/hangs?part=rows")
    assert (part.status_code, "did not answer within" in part.headers["hx-trigger"]) == (503, True)


async def test_what_has_begun_may_last(
    served: Dashboard, operator: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    async def told() -> AsyncIterator[str]:
        yield "begun, "
        # As long as it takes until a page would have been cut off.
        await asyncio.sleep(2 * serving.PATIENCE)
        yield "and ended"

    async def lasts(app: App) -> StreamingResponse:
        return StreamingResponse(told())

    served.web.get("/probe/lasts")(lasts)
    assert (await operator.get("/tasks")).status_code == 200
    monkeypatch.setattr(serving, "PATIENCE", 0.5)
    answer = await operator.get("/probe/lasts")
    assert (answer.status_code, answer.text) == (200, "begun, and ended")


async def test_all_wait_for_one_opening_and_not_for_each_others(
    served: Dashboard, operator: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts = 0

    async def hangs(app: Goatherd) -> AsyncGenerator[Goatherd]:
        nonlocal attempts
        attempts += 1
        await asyncio.Event().wait()
        yield app

    monkeypatch.setattr(opened, "_held", hangs)
    monkeypatch.setattr(opened, "DEADLINE", 0.05)
    answers = await asyncio.gather(*(operator.get(path) for path in ("/", "/queues", "/jobs", "/dead", "/audit")))
    assert [answer.status_code for answer in answers] == [503] * 5
    assert all("did not open within" in answer.text for answer in answers)
    assert attempts == 1
    await operator.get("/")
    assert attempts == 2, "the next who comes tries again"


async def test_who_hangs_up_does_not_break_off_the_opening_for_others(
    served: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = opened._held
    go_on, attempts = asyncio.Event(), 0

    async def slowly(app: Goatherd) -> AsyncGenerator[Goatherd]:
        nonlocal attempts
        attempts += 1
        await go_on.wait()
        async for each in usual(app):
            yield each

    monkeypatch.setattr(opened, "_held", slowly)
    impatient = asyncio.create_task(served.opened.app())
    patient = asyncio.create_task(served.opened.app())
    await asyncio.sleep(0)
    impatient.cancel()
    await asyncio.wait({impatient})
    go_on.set()
    assert await patient is served.app
    assert attempts == 1


async def test_it_can_be_closed_while_it_opens(served: Dashboard, monkeypatch: pytest.MonkeyPatch) -> None:
    async def hangs(app: Goatherd) -> AsyncGenerator[Goatherd]:
        await asyncio.Event().wait()
        yield app

    monkeypatch.setattr(opened, "_held", hangs)
    waiting = asyncio.create_task(served.opened.app())
    await asyncio.sleep(0)
    await served.close()
    await asyncio.wait({waiting})
    assert waiting.cancelled()
