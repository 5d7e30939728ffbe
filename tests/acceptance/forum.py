"""An app whose jobs are done in order; copied into the story's own folder."""

import asyncio
import os
from pathlib import Path

from goatherd import Context, Goatherd, Retry

app = Goatherd("forum")

#: While this file is there, comments cannot be written.
BROKEN = Path("broken")


@app.task(queue="comments", key="post_id", retry=Retry(0))
async def comment(post_id: int, text: str, password: str = "") -> None:
    """Write a line to the post's file."""
    if BROKEN.exists():
        raise LookupError(f"no post {post_id}")
    with Path(f"post-{post_id}").open("a", encoding="utf-8") as file:
        file.write(f"{text}\n")


@app.task(queue="comments", key="post_id", retry=Retry(5, base=3600, max=3600, jitter=0))
async def patient(post_id: int) -> None:
    """Fail, and wait for long before the next attempt."""
    raise ConnectionError("not yet")


@app.task(queue="likes", key="post_id")
async def like(ctx: Context, post_id: int, port: int) -> None:
    """Tell the story that the job runs, and go on when the story says so."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(f"{post_id}|{os.getpid()}|{ctx.attempt}|\n".encode())
        await reader.readexactly(1)
        writer.write(b"done\n")
        await writer.drain()
    finally:
        writer.close()
