"""The pages about RabbitMQ are true, word for word, on a real broker.

Blocks with the note `not run: on RabbitMQ` are left out where the other pages are tested. Here they are run,
together with the rest of their page; what stands behind the comma is the note under which they are taken.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.docs.markdown import DOCS, blocks, name_of
from tests.docs.story import Story

pytestmark = [pytest.mark.servers, pytest.mark.timeout(180)]

NOTE = "not run: on RabbitMQ"
PAGES = [DOCS / "howto" / name for name in ("rabbitmq.md", "other-programs.md", "pipelines.md")]


class OnRabbitMQ(Story):
    """In a shell where the broker's address is set."""

    def __init__(self, folder: Path, url: str) -> None:
        super().__init__(folder)
        self._environment |= {"GOATHERD_BROKER_URL": url, "AMQP_URL": url}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_page_works_on_a_broker(page: Path, tmp_path: Path, url: str) -> None:
    story = OnRabbitMQ(tmp_path, url)
    try:
        for block in blocks(page):
            if block.note.startswith(NOTE):
                story.take(replace(block, note=block.note.removeprefix(NOTE).lstrip(", ")))
            elif block.file is not None:
                story.take(block)
    finally:
        for terminal in story.terminals:
            terminal.close()
