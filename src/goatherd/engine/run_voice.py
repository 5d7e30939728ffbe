"""What a step's own code tells the watchers of its run."""

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec

from goatherd.engine.run_story import RunStory
from goatherd.engine.said import percent_of, size_of, word_of
from goatherd.model.event import Progress
from goatherd.ports.clock import Clock


class RunVoice:
    """Satisfies `Voice`. Steps of a run are done side by side, so that they have no text in common to stream."""

    def __init__(self, run: str, story: RunStory, clock: Clock) -> None:
        self._run = run
        self._story = story
        self._clock = clock
        self.loop = asyncio.get_running_loop()

    def progress(self, stage: str, percent: float | None, status: str, fields: Mapping[str, Any]) -> None:
        told = msgspec.json.decode(msgspec.json.encode(fields)) if fields else {}
        event = Progress(
            attempt=0,
            at=self._clock.now(),
            stage=word_of(stage),
            status=word_of(status),
            percent=percent_of(percent),
            fields=told,
        )
        self._story.tell(self._run, event)

    def token(self, text: str, node: str) -> None:
        size_of(text)
        word_of(node)

    async def room(self) -> None:
        await self._story.room()
