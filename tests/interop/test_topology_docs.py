"""The story of the five accidents is true, word for word: with the TaskIQ that it speaks of, on a real broker.

Blocks with the note `not run: on RabbitMQ` are run here; what stands behind the comma is the note under which they are
taken. Those `with TaskIQ 0.4.4` are run where that is installed.
"""

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from scripts.servers.addresses import old_taskiq
from scripts.servers.management import Management
from tests.docs.markdown import DOCS, Block, blocks
from tests.docs.story import Story

pytestmark = [pytest.mark.servers("rabbitmq", "taskiq"), pytest.mark.timeout(300)]

PAGE = DOCS / "howto" / "topology.md"
NOTE, OLD_TASKIQ = "not run: on RabbitMQ", "with TaskIQ 0.4.4"
#: Seconds for the broker to notice that somebody has left.
PATIENCE = 60.0


class OnMisusedBroker(Story):
    """In a shell where the broker's address is set."""

    def __init__(self, folder: Path, url: str, virtual_host: str, broker: Management) -> None:
        super().__init__(folder)
        self._virtual_host = virtual_host
        self._broker = broker
        self._environment |= {"GOATHERD_BROKER_URL": url, "AMQP_URL": url, "GOATHERD_MANAGEMENT_URL": broker.url}

    def follow(self, block: Block) -> None:
        """Take one block, if it is for a broker or is a file."""
        note = block.note.removeprefix(NOTE).lstrip(", ")
        if note == OLD_TASKIQ:
            self._with_taskiq(replace(block, note=""))
        elif block.note.startswith(NOTE):
            self.take(replace(block, note="" if note == "saved" else note))
        elif block.file is not None:
            self.take(block)

    def _with_taskiq(self, block: Block) -> None:
        python = Path(old_taskiq())
        assert python.is_file(), f"{python} is gone"
        own = self._environment
        path = f"{python.parent}{os.pathsep}{own['PATH']}"
        self._environment = own | {"PATH": path}
        self.take(block)
        self._environment = own
        until = time.monotonic() + PATIENCE
        # It is listed for a moment after it has left, and a plan fears for whoever may still publish.
        while self._broker.connections(self._virtual_host):
            assert time.monotonic() < until, "TaskIQ is still connected"
            time.sleep(0.05)


def test_the_story_of_the_five_accidents(tmp_path: Path, url: str, virtual_host: str, broker: Management) -> None:
    story = OnMisusedBroker(tmp_path, url, virtual_host, broker)
    try:
        for block in blocks(PAGE):
            story.follow(block)
    finally:
        for terminal in story.terminals:
            terminal.close()
