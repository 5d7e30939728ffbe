"""Whoever waits for a tracked job outlasts its store."""

import asyncio
from typing import Any

import msgspec
import pytest

from goatherd import Goatherd
from goatherd.engine import tracked
from goatherd.errors import Unavailable
from goatherd.model.admission import Append
from goatherd.model.event import Done, Queued


async def test_a_store_that_is_away_for_a_while_does_not_end_the_wait(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracked, "LOOK_AGAIN_AFTER", 0.01)
    async with app:
        session = app.session()
        events = await session.events()
        await events.append("j1", Append(events=[Queued(attempt=0, at=1.0)]))
        real, looks = events.state, asyncio.Queue[str]()

        async def away(job_id: str) -> Any:
            looks.put_nowait(job_id)
            raise Unavailable("The store is away.")

        async def once(job_id: str) -> Any:
            monkeypatch.setattr(events, "state", away)
            return await real(job_id)

        monkeypatch.setattr(events, "state", once)
        waiting = asyncio.create_task(session.tracked.end("j1"))
        for _ in range(3):
            await asyncio.wait_for(looks.get(), 10)
        monkeypatch.setattr(events, "state", real)
        await events.append("j1", Append(events=[Done(attempt=0, at=2.0, result=msgspec.Raw(b"7"))]))
        assert (await asyncio.wait_for(waiting, 10)).result == b"7"


async def test_a_store_that_is_away_from_the_beginning_is_told_at_once(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with app:
        session = app.session()
        events = await session.events()

        async def away(_job_id: str) -> Any:
            raise Unavailable("The store is away.")

        monkeypatch.setattr(events, "state", away)
        with pytest.raises(Unavailable, match="away"):
            await session.tracked.end("j1")
