"""What an operator does with a post that waits for a comment: `goatherd lanes`, as one would type it."""

import asyncio
import sys

from fastapi import HTTPException

APP = "examples.comments.worker.service:comments"
#: What is asked before it is done was asked in the page.
AGREED = {"retry": [], "skip": ["--yes"]}
#: Seconds that it may take.
PATIENCE = 20.0


async def operate(verb: str, post_id: int) -> str:
    """Let the post's lane try its head again, or skip it; what the command says. Raises HTTPException."""
    command = [sys.executable, "-m", "goatherd", "lanes", verb, APP, f"posts={post_id}", *AGREED[verb]]
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    try:
        async with asyncio.timeout(PATIENCE):
            said, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise HTTPException(503, f"`goatherd lanes {verb}` did not end within {PATIENCE:g} s.") from None
    told = said.decode(errors="replace").strip()
    if process.returncode != 0:
        raise HTTPException(409, told.removeprefix("Error: "))
    return told
