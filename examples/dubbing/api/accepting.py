"""Accept a task: its video is stored, its run begun, and noted."""

from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory

from fastapi import HTTPException

from examples.dubbing.contract import Dubbing
from examples.dubbing.herd import database, objects, settings
from examples.dubbing.worker.noting import accept
from examples.dubbing.worker.service import dub


async def store(task: Dubbing, video: AsyncIterator[bytes]) -> None:
    """Have the video that a client sends; raises HTTPException."""
    with TemporaryDirectory(prefix="dubbing-") as folder:
        path, size = Path(folder) / "video", 0
        with path.open("wb") as file:
            async for part in video:
                size += len(part)
                if size > settings.max_video:
                    raise HTTPException(413, f"A video may have {settings.max_video} bytes.")
                file.write(part)
        if not size:
            raise HTTPException(422, "The body is empty; it must be the video.")
        await objects.put(task.source_video_key, path)


async def begin(task: Dubbing) -> str:
    """Begin its run; the id. Durable when it returns, and once, however often it is asked for.

    In PostgreSQL the row and the run are one transaction. A file keeps the run first; whoever works for it writes the
    row where this program died before it could.
    """
    async with database.transaction() as desk:
        await accept(desk, task)
        chosen = dub.options(id=task.task_id)
        if settings.on_postgres:
            chosen = chosen.options(within=desk.connection)
        run = await chosen.start(task)
    return run.id
