"""Bring the answers into the history: when a chat is looked at, and now and then, before their events are gone."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

from examples.chat.api.history import History, Noted
from examples.chat.herd import chat
from goatherd import JobFailed, Run, Unavailable
from goatherd.errors import UnknownJob

log = logging.getLogger("chat.api")


async def settled(history: History, noted: Noted) -> Noted:
    """The message as it stands now; an answer that is whole is written down."""
    if not noted.is_open:
        return noted
    run = chat.run(noted.job_id)
    try:
        now = replace(noted, status=await run.status(), answer=await run.text())
        if not now.is_open:
            now = await _with_end(now, run)
    except UnknownJob:
        now = replace(noted, status="lost", error="its events are no longer kept")
    if not now.is_open:
        await history.settle(now)
    return now


async def _with_end(now: Noted, run: Run[Any]) -> Noted:
    try:
        result = await run.result()
    except JobFailed as failed:
        return replace(now, error=failed.message)
    # A worker that is not ours may tell something else.
    told = result if isinstance(result, dict) else {}
    return replace(now, sources=told.get("sources", []), provider=told.get("provider", ""))


async def settle_all(history: History) -> None:
    """Write down every answer that is whole by now."""
    for noted in await history.unsettled():
        await settled(history, noted)


@asynccontextmanager
async def settling(history: History) -> AsyncIterator[None]:
    """Look after all chats until the block ends."""
    every = chat.settings.event_ttl / 4

    async def look() -> None:
        while True:
            try:
                await settle_all(history)
            except Unavailable as error:
                log.warning("Answers are not written down for now: %s", error)
            await asyncio.sleep(every)

    task = asyncio.create_task(look(), name="answers into the history")
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
