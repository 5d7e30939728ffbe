"""The pipeline: extract_audio → asr → translate → tts → mux_video.

`goatherd worker examples.dubbing.worker.service:dubbing --queues …` does its steps.
"""

import logging
from collections.abc import AsyncIterator

from examples.dubbing.contract import COMPENSATION, STEPS, Dubbing, Segment, Speech
from examples.dubbing.herd import database, dubbing, settings
from examples.dubbing.media.programs import missing_programs
from examples.dubbing.troubles import Lasting, Passing
from examples.dubbing.worker import extracting, hearing, muxing, speaking, translating
from examples.dubbing.worker.noting import note_failure, noted
from examples.running.database.database import DatabaseAway
from goatherd import Context, DeadLetter, Failure, Retry, RetryLater


def _retry(retries: int = 3) -> Retry:
    """After 1, 2 and 4 s, for what passes by itself."""
    passing = (Passing, ConnectionError, TimeoutError)
    return Retry(retries, base=settings.tts_retry_delay, factor=2, jitter=0, on=passing, give_up_on=Lasting)


log = logging.getLogger("dubbing.worker")

dub = dubbing.pipeline("dub", takes=Dubbing, gives=str)


@dub.step(
    after=dub.input, queue=STEPS["extract_audio"], timeout=settings.timeout_extract_audio, retry=_retry(), concurrency=1
)
async def extract_audio(ctx: Context, task: Dubbing) -> str:
    """The sound of the video; its key."""
    async with noted(ctx, task, "extract_audio", settings.timeout_extract_audio):
        return await extracting.extract(task)


@dub.step(
    after=(extract_audio, dub.input), queue=STEPS["asr"], timeout=settings.timeout_asr, retry=_retry(), concurrency=1
)
async def asr(ctx: Context, audio_key: str, task: Dubbing) -> list[Segment]:
    """What is said, and when."""
    async with noted(ctx, task, "asr", settings.timeout_asr):
        return await hearing.hear(audio_key, task)


@dub.map(
    over=asr, after=dub.input, batch=settings.translate_batch_size, queue=STEPS["translate"],
    timeout=settings.timeout_translate, retry=_retry(settings.translate_item_max_retries),
)  # fmt: skip
async def translate(ctx: Context, segments: list[Segment], task: Dubbing) -> list[Segment]:
    """The same in the other language: a batch at once, or one of them where the batch failed."""
    async with noted(ctx, task, "translate", settings.timeout_translate, segments[0].idx):
        return await translating.translate(segments, task, settings.translate_max_text_length)


@dub.map(
    over=translate, after=dub.input, batch=settings.tts_batch_size, concurrency=settings.tts_max_concurrency,
    queue=STEPS["tts"], timeout=settings.timeout_tts, retry=_retry(settings.tts_max_retries),
)  # fmt: skip
async def tts(ctx: Context, segments: list[Segment], task: Dubbing) -> list[Speech]:
    """Speak them, one after the other; those that are there already are not spoken again."""
    async with noted(ctx, task, "tts", settings.timeout_tts, segments[0].idx):
        return [await speaking.speak(segment, task) for segment in segments]


@tts.compensate(queue=COMPENSATION)
async def silence(failure: Failure, segment: Segment) -> Speech:
    """For a worker that somebody starts on this queue, to go on without what could not be spoken."""
    return Speech(idx=segment.idx, start=segment.start, seconds=0.0)


@dub.step(after=(tts, dub.input), queue=STEPS["mux_video"], timeout=settings.timeout_mux, retry=_retry(), concurrency=1)
async def mux_video(ctx: Context, speech: list[Speech], task: Dubbing) -> str:
    """The picture with the new sound; the key of the video."""
    async with noted(ctx, task, "mux_video", settings.timeout_mux):
        return await muxing.mux(speech, task)


@dubbing.on_dead_letter
async def note_dead_letter(letter: DeadLetter) -> None:
    """A task that failed says why, and somebody is told."""
    await note_failure(letter)


@dubbing.around
async def patient(ctx: Context) -> AsyncIterator[None]:
    """A database that is away is no fault of the task: it is tried again for as long as that takes."""
    try:
        yield
    except DatabaseAway as error:
        ctx.log.warning("%s", error)
        raise RetryLater(after=1, count=False) from error


@dubbing.lifespan
async def working() -> AsyncIterator[None]:
    """Open the database before the first step, and close it after the last."""
    for told in missing_programs():
        log.warning("%s; steps that need it fail until then", told)
    await database.open()
    yield
    await database.close()
