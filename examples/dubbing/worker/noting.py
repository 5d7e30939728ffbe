"""What the tables say of tasks and their steps, as these go on."""

import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from examples.dubbing.contract import Dubbing
from examples.dubbing.herd import database, settings
from examples.running.database.database import Desk
from goatherd import Context, DeadLetter

#: The item of a step that is done as a whole.
WHOLE = -1

log = logging.getLogger("dubbing.alert")


@asynccontextmanager
async def noted(ctx: Context, task: Dubbing, step: str, timeout: float, item: int = WHOLE) -> AsyncIterator[None]:
    """Note that an attempt begins, and how it ends; the block is the attempt."""
    async with database.transaction() as desk:
        number = await _begin(desk, task, step, timeout, item)
    which = f"{step} of task {task.task_id}" + ("" if item == WHOLE else f" from segment {item} on")
    ctx.log.info("%s, attempt %d: the time-out is %g s", which, number, timeout)
    try:
        yield
    except BaseException as error:  # whatever it was, it is noted, and goes on
        told = str(error) or type(error).__name__
        async with database.transaction() as desk:
            await _end(desk, task, step, number, "failed", told)
        raise
    async with database.transaction() as desk:
        await _end(desk, task, step, number, "succeeded")


async def note_failure(letter: DeadLetter) -> None:
    """Write into the task why it failed."""
    log.error("Task %s failed in %s: %s: %s", letter.job_id, letter.task, letter.error_type, letter.message)
    told = f"{(letter.task or '').removeprefix('dub.')}: {letter.error_type}: {letter.message}"
    async with database.transaction() as desk:
        await desk.do(
            "UPDATE tasks SET state = 'failed', error = ?, ended_at = ? WHERE id = ? AND state <> 'done'",
            told, time.time(), letter.job_id,
        )  # fmt: skip


async def accept(desk: Desk, task: Dubbing) -> None:
    """A task that is there."""
    await desk.do(
        "INSERT INTO tasks (id, state, source_video_key, output_video_key, source_language, target_language, "
        "created_at) VALUES (?, 'queued', ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
        task.task_id, task.source_video_key, task.output_video_key, task.source_language, task.target_language,
        time.time(),
    )  # fmt: skip


async def finish(desk: Desk, task: Dubbing) -> None:
    """A task that is done."""
    await desk.do("UPDATE tasks SET state = 'done', error = '', ended_at = ? WHERE id = ?", time.time(), task.task_id)


async def _begin(desk: Desk, task: Dubbing, step: str, timeout: float, item: int) -> int:
    # Whoever accepted it may have died before it could note it.
    await accept(desk, task)
    # Also keeps others from numbering attempts of this task at the same time.
    await desk.do(
        "UPDATE tasks SET state = CASE state WHEN 'done' THEN 'done' ELSE 'running' END, "
        "error = CASE state WHEN 'failed' THEN '' ELSE error END WHERE id = ?",
        task.task_id,
    )  # fmt: skip
    # Whoever began it before has died, or has lost it to us.
    await desk.do(
        "UPDATE task_steps SET state = 'lost' WHERE task_id = ? AND step = ? AND item = ? AND state = 'running'",
        task.task_id, step, item,
    )  # fmt: skip
    rows = await desk.do(
        "INSERT INTO task_steps (task_id, step, attempt, item, state, worker, timeout_seconds, started_at) "
        "SELECT ?, ?, coalesce(max(attempt), 0) + 1, ?, 'running', ?, ?, ? FROM task_steps "
        "WHERE task_id = ? AND step = ? RETURNING attempt",
        task.task_id, step, item, settings.worker, timeout, time.time(), task.task_id, step,
    )  # fmt: skip
    return int(rows[0][0])


async def _end(desk: Desk, task: Dubbing, step: str, number: int, state: str, error: str = "") -> None:
    await desk.do(
        "UPDATE task_steps SET state = ?, error = ?, ended_at = ? "
        "WHERE task_id = ? AND step = ? AND attempt = ? AND state = 'running'",
        state, error, time.time(), task.task_id, step, number,
    )  # fmt: skip
