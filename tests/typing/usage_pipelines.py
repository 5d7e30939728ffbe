"""Pipelines, as users write them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from goatherd import Context, Failure, GiveUp, Goatherd, Pipeline, Retry, Run, Step, events, sync
from goatherd.errors import UnknownStep
from goatherd.sync import blocking
from goatherd.testing import testing


class Dubbing(msgspec.Struct):
    source_video_key: str
    source_language: str
    target_language: str


class Segment(msgspec.Struct):
    idx: int
    text: str


class Speech(msgspec.Struct):
    idx: int
    audio_key: str


media = Goatherd("dubbing", prefetch=1)
media.topology.exchange("task_exchange", "topic")
SPEECH = Retry(3, base=1, factor=2, jitter=0, on=(ConnectionError, TimeoutError))

for step in ("extract_audio", "asr", "translate", "tts", "mux_video"):
    media.queue(f"task.{step}", exchange="task_exchange", dead_letter=("", "task.dlq"))
stand_ins = media.queue("task.tts_compensation")

dub = media.pipeline("dub", takes=Dubbing, gives=str)


@dub.step(after=dub.input, queue="task.extract_audio", timeout=600, retry=SPEECH)
async def extract_audio(video: Dubbing) -> str:
    return video.source_video_key.replace(".mp4", ".wav")


@dub.step(after=(extract_audio, dub.input), queue="task.asr", timeout=1800, concurrency=1)
def asr(ctx: sync.Context, audio_key: str, video: Dubbing) -> list[Segment]:
    ctx.progress("asr", 50, language=video.source_language)
    if not audio_key:
        raise GiveUp("no sound in this video")
    return [Segment(0, "hello"), Segment(1, "world")]


@dub.map(over=asr, after=dub.input, batch=20, queue="task.translate", retry=SPEECH)
async def translate(segments: list[Segment], video: Dubbing) -> list[Segment]:
    return [Segment(s.idx, f"{s.text} ({video.target_language})") for s in segments]


@dub.map(over=translate, queue="task.tts", concurrency=4, retry=SPEECH)
async def tts(segment: Segment) -> Speech:
    return Speech(segment.idx, f"tts/{segment.idx}.wav")


@tts.compensate(queue=stand_ins)
async def silence(failure: Failure, segment: Segment) -> Speech:
    return Speech(segment.idx, f"silence ({failure.message})")


@dub.step(after=(dub.input, asr)).when(lambda video, segments: len(segments) > 1 and video.target_language != "")
async def subtitles(video: Dubbing, segments: list[Segment]) -> str:
    return f"{video.source_video_key}.{len(segments)}.srt"


@subtitles.compensate
async def no_subtitles(failure: Failure, video: Dubbing, segments: list[Segment]) -> str | None:
    print(failure.step, failure.item, failure.error_type, failure.attempts, video, segments)
    return None


@dub.step(after=(dub.input, tts, subtitles), queue="task.mux_video", timeout=1800, executor="process")
def mux_video(video: Dubbing, speech: Sequence[Speech], subtitle_key: str | None) -> str:
    return f"{video.source_video_key}.{len(speech)}.{subtitle_key}"


async def dub_one() -> str:
    run = await dub.options(id="video-7").start(Dubbing("a.mp4", "en", "es"))
    async for event in run.events():
        if isinstance(event, events.Progress):
            print(event.stage, event.status, event.percent)
    if await run.status() == "failed":
        await run.retry_step(tts)
        await run.resume_from("mux_video")
    return await media.run("video-7", of=dub).result(timeout=3600)


def connect() -> Any: ...


async def options() -> Run[str]:
    await dub.options(within=connect()).start(Dubbing("a.mp4", "en", "es"))
    later = dub.options(delay=60, priority=3)
    same: Pipeline[Dubbing, str] = later.options(at=datetime(2030, 1, 1, tzinfo=UTC))
    return await same.start(Dubbing("a.mp4", "en", "es"))


async def called_here(video: Dubbing) -> None:
    audio_key: str = await extract_audio(video)
    segments: list[Segment] = await asr(audio_key, video)
    translated: list[Segment] = await translate(segments, video)
    speech: list[Speech] = [await tts(segment) for segment in translated]
    key: str = await mux_video(video, speech, await subtitles(video, segments))
    print(key)


def a_step_can_be_handed_on() -> tuple[Step[list[Speech]], Step[str | None], Step[Dubbing], str]:
    return tts, subtitles, dub.input, tts.name


# --- all kinds of steps -------------------------------------------------------------------------------------------

counting = Goatherd("counting").pipeline("count", takes=list[int])


@counting.map(over=counting.input, on_failure="skip")
def double(number: int) -> int:
    return 2 * number


@counting.map(over=double, after=(counting.input, double), batch=2)
async def shares(ctx: Context, numbers: list[int], all_numbers: list[int], doubled: Sequence[int]) -> list[float]:
    return [number / (sum(all_numbers) + sum(doubled) + ctx.attempt) for number in numbers]


@counting.step(after=(counting.input, double, shares), remote=True, name="count.all")
async def elsewhere(numbers: list[int], doubled: list[int], shared: list[float]) -> bool:
    raise NotImplementedError("another program does this")


@counting.step(after=(counting.input, double, shares, elsewhere))
async def tell(ctx: Context, numbers: Sequence[float], doubled: list[int], shared: list[float], ok: bool) -> None:
    ctx.log.info("run %s: %s %s %s %s", ctx.run_id, numbers, doubled, shared, ok)


# --- threaded programs --------------------------------------------------------------------------------------------


def in_a_thread() -> str:
    run = blocking(dub).options(id="video-8", delay=5).start(Dubbing("a.mp4", "en", "es"))
    try:
        run.retry_step(tts)
        run.resume_from("mux_video")
    except UnknownStep as error:
        print(error)
    text: str = blocking(media).run("video-8", of=dub).result()
    nothing: None = blocking(counting).start([1, 2]).result()
    print(nothing)
    return text


# --- tests --------------------------------------------------------------------------------------------------------


async def elsewhere_in_a_test(numbers: list[int], doubled: list[int], shared: list[float]) -> bool:
    return len(numbers) == len(doubled) == len(shared)


async def test_a_run_comes_to_its_end() -> None:
    async with testing(media) as t:
        t.fake(elsewhere, elsewhere_in_a_test)
        t.crash(double, at="start", times=2)
        t.duplicate(tell)
        t.lose_lease(shares)
        run = await counting.start([1, 2])
        await t.drain()
        await t.advance(60)
        assert await run.status() == "done"
        assert not t.dead
