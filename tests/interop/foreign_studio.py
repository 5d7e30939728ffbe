"""A pipeline whose middle is done by a program that knows nothing of Goatherd, and that program.

The module has an app of its own, for the command line.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from goatherd import Failure, Goatherd, Pipeline, Retry
from tests.interop.pika_program import PikaProgram, Seen

EXCHANGE, DEAD, COMPENSATION = "task_exchange", "task.dlq", "task.tts_compensation"
STEPS = ("extract_audio", "asr", "translate", "tts", "mux_video")
#: Seconds that a foreign worker has where a test lets them pass.
SOON = 1.0
#: Seconds for a run to end.
PATIENCE = 30.0
NOTHING: Mapping[str, object] = {}


class Video(msgspec.Struct):
    """What a run begins with."""

    source_video_key: str
    language: str = "en"


class Studio(NamedTuple):
    """The app and its pipeline."""

    app: Goatherd
    dub: Pipeline[Video, str]


def make_studio(app: Goatherd, tell: Callable[[object], None], *, timeout: float = 60.0) -> Studio:
    """Extract, recognise (abroad), translate in one go, speak item by item, join."""
    app.topology.exchange(EXCHANGE, "topic")
    app.queue(DEAD, exchange=EXCHANGE)
    app.queue(COMPENSATION, exchange=EXCHANGE)
    queues = {
        name: app.queue(f"task.{name}", exchange=EXCHANGE, dead_letter=(EXCHANGE, DEAD), prefetch=1) for name in STEPS
    }
    dub = app.pipeline("dub", takes=Video, gives=str)

    @dub.step(after=dub.input, queue=queues["extract_audio"])
    async def extract_audio(video: Video) -> str:
        tell(("extract_audio", video.source_video_key))
        return f"{video.source_video_key}.wav"

    @dub.step(after=(extract_audio, dub.input), queue=queues["asr"], remote=True, timeout=timeout, retry=Retry(1))
    async def asr(audio_key: str, video: Video) -> list[str]:
        raise NotImplementedError

    @dub.step(after=(asr, dub.input), queue=queues["translate"])
    async def translate(segments: list[str], video: Video) -> list[str]:
        tell(("translate", segments))
        return [segment.upper() for segment in segments]

    @dub.map(over=translate, after=dub.input, queue=queues["tts"], retry=Retry(0))
    async def tts(segment: str, video: Video) -> str:
        if segment == "MUTE":
            raise ValueError("nothing to say")
        tell(("tts", segment))
        return f"{segment}!"

    @tts.compensate(queue=COMPENSATION)
    async def silence(failure: Failure, segment: str) -> str:
        tell(("silence", failure.item))
        return "..."

    @dub.step(after=(dub.input, tts), queue=queues["mux_video"])
    async def mux_video(video: Video, speech: list[str]) -> str:
        tell(("mux_video", speech))
        return " ".join(speech)

    return Studio(app, dub)


class ForeignWorker:
    """Does `asr` with plain pika."""

    def __init__(self, pika: PikaProgram) -> None:
        self._pika = pika

    async def take(self) -> Seen:
        """The next message for it."""
        return await self._pika.take_meanwhile("task.asr")

    def answer(self, seen: Seen, result: Any, times: int = 1, changes: Mapping[str, object] = NOTHING) -> None:
        """To the queue that the message names."""
        answer = {**seen.json, "payload": result, **changes}
        for _ in range(times):
            self._pika.send(seen.properties.reply_to, answer)

    def publish(self, step: str, message: dict[str, Any], times: int = 1) -> None:
        """A step's message, as it is agreed upon."""
        for _ in range(times):
            self._pika.channel.basic_publish(EXCHANGE, f"task.{step}", json.dumps(message).encode(), mandatory=True)

    def wait_until_taken(self, *steps: str) -> None:
        """Wait until messages of these steps are with those who do them."""
        for step in steps:
            self._pika.wait_until_empty(f"task.{step}")


class Heard:
    """What the steps told, in order."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Any]] = []
        self._news = asyncio.Event()

    def __call__(self, what: Any) -> None:
        self.told.append(what)
        self._news.set()

    def count(self, step: str) -> int:
        """How often a step was done."""
        return sum(name == step for name, _ in self.told)

    async def until(self, step: str) -> None:
        """Wait until a step was done."""
        async with asyncio.timeout(PATIENCE):
            while not self.count(step):
                self._news.clear()
                await self._news.wait()


app = make_studio(Goatherd("studio"), lambda _: None, timeout=SOON).app
