"""A page in Node that reads a job's stream by the AI SDK's own means."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from scripts.servers.addresses import node_packages
from scripts.servers.node import node

PROGRAM = Path(__file__).with_name("chat.mjs")
PATIENCE = 30.0


class Page:
    """What the page shows, as far as it has told."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        #: All that it told, in order.
        self.told: list[dict[str, Any]] = []

    @property
    def answers(self) -> list[dict[str, Any]]:
        """The messages on the page that are not the user's."""
        shown = [told["messages"] for told in self.told if "messages" in told]
        return [message for message in shown[-1] if message["role"] == "assistant"] if shown else []

    @property
    def text(self) -> str:
        """The answer; there is at most one."""
        assert len(self.answers) <= 1, self.answers
        return "".join(part["text"] for answer in self.answers for part in answer["parts"] if part["type"] == "text")

    @property
    def stages(self) -> list[dict[str, Any]]:
        return [part["data"] for answer in self.answers for part in answer["parts"] if part["type"] == "data-stage"]

    @property
    def status(self) -> str:
        return str([told["status"] for told in self.told if "status" in told][-1])

    @property
    def texts(self) -> list[str]:
        """Every text that was ever on the page."""
        shown = [
            message for told in self.told for message in told.get("messages", ()) if message["role"] == "assistant"
        ]
        return ["".join(part["text"] for part in message["parts"] if part["type"] == "text") for message in shown]

    async def shows(self, text: str) -> None:
        """Wait until the answer is this one."""
        await self.until(lambda page: page.text == text)

    async def over(self) -> None:
        """Wait until it has done what it was told to."""
        await self.until(lambda page: page.told[-1:] == [{"over": True}])

    async def until(self, holds: Callable[["Page"], bool]) -> None:
        """Wait until something is so; fails if the page ends before."""
        assert self._process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            while not holds(self):
                line = await self._process.stdout.readline()
                assert line, f"the page has ended: {self.told[-3:]} {await self._last_words()}"
                self.told.append(json.loads(line))

    async def _last_words(self) -> str:
        assert self._process.stderr is not None
        return (await self._process.stderr.read()).decode()


@asynccontextmanager
async def opened(story: str, stream: str, token: str) -> AsyncIterator[Page]:
    """A page that does what a story in `chat.mjs` says."""
    told = json.dumps({"story": story, "stream": stream, "token": token})
    process = await asyncio.create_subprocess_exec(
        node(), "--input-type=module", "-", cwd=node_packages(), env={**os.environ, "STORY": told},
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        limit=16 * 1024 * 1024,
    )  # fmt: skip
    try:
        assert process.stdin is not None
        # Read from there, it finds its packages in the folder that it runs in.
        process.stdin.write(PROGRAM.read_bytes())
        process.stdin.close()
        yield Page(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
