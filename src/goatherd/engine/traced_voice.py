"""What a task's code tells of its stages, told to its trace as well."""

import asyncio
from collections.abc import Mapping
from typing import Any

from goatherd.engine.emitter import Voice
from goatherd.ports.tracer import Span

#: Stages that a trace is told of one attempt: there may be one for every row of a table, and a span is kept in memory.
MOST_STAGES = 128


def traced_voice(voice: Voice | None, span: Span | None) -> Voice | None:
    """The same voice, where nobody wants traces or nobody watches."""
    return voice if voice is None or span is None else TracedVoice(voice, span)


class TracedVoice:
    """Satisfies `Voice`. A text is too much for a trace, so tokens are told only to those who watch."""

    def __init__(self, voice: Voice, span: Span) -> None:
        self._voice = voice
        self._span = span
        self._stages = 0
        #: Where it lives; code in threads finds it here.
        self.loop: asyncio.AbstractEventLoop = voice.loop

    def progress(self, stage: str, percent: float | None, status: str, fields: Mapping[str, Any]) -> None:
        """A stage of the work; raises TypeError or ValueError for what cannot be written as JSON."""
        self._voice.progress(stage, percent, status, fields)
        if self._stages < MOST_STAGES:
            self._stages += 1
            self._span.stage(stage, percent)

    def token(self, text: str, node: str) -> None:
        """A piece of the text; raises TypeError or ValueError for what is no text."""
        self._voice.token(text, node)

    async def room(self) -> None:
        """Return when there is room for more."""
        await self._voice.room()
