"""The crawler program, as its user starts it."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, STDOUT, create_subprocess_exec
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from examples.kitchen.crawler.limits import Limits

TOP = Path(__file__).parents[4]
COMMAND = (sys.executable, "-m", "goatherd", "worker", "examples.kitchen.crawler.service:app")
#: Its limits.
LIMITS = Limits(page_seconds=3.0)
ALLOWED = {"CRAWLER_ALLOW_PRIVATE": "1", "CRAWLER_PAGE_SECONDS": str(LIMITS.page_seconds)}
#: Seconds for it to start or to end.
PATIENCE = 20.0


@asynccontextmanager
async def running(**environment: str) -> AsyncIterator[None]:
    """Run it beside the case; it may visit this machine."""
    program = await create_subprocess_exec(
        *COMMAND, cwd=TOP, env={**os.environ, **ALLOWED, **environment}, stdout=PIPE, stderr=STDOUT
    )
    assert program.stdout is not None
    try:
        said = b""
        async with asyncio.timeout(PATIENCE):
            while b"Taking jobs from" not in said:
                line = await program.stdout.readline()
                assert line, f"the program ended before it took a job:\n{said.decode()}"
                said += line
        yield
        program.terminate()
        more, _ = await asyncio.wait_for(program.communicate(), PATIENCE)
        assert program.returncode == 0, (said + more).decode()
    finally:
        if program.returncode is None:
            program.kill()
            await program.communicate()
