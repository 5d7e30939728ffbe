"""What Dubbing agrees upon with other programs: the exchange, the queues, and what travels on them."""

from collections.abc import Mapping
from uuid import uuid4

import msgspec

from goatherd import Goatherd

EXCHANGE = "task_exchange"
#: The queue of each step, which is its routing key, too.
STEPS: Mapping[str, str] = {name: f"task.{name}" for name in ("extract_audio", "asr", "translate", "tts", "mux_video")}
#: What no step could do, and segments that could not be spoken; nobody consumes the latter, until somebody does.
DEAD, COMPENSATION = "task.dlq", "task.tts_compensation"


class Dubbing(msgspec.Struct, frozen=True, kw_only=True):
    """A task. Its members stand in the payload of every message, so that a foreign worker finds what it needs."""

    task_id: str
    #: The video, which must be there.
    source_video_key: str
    #: Where its sound is put, 16 kHz mono.
    output_audio_key: str
    #: What is spoken in it, as in `en`; `language` is what speech recognition calls the same.
    source_language: str
    language: str
    target_language: str
    #: Where the transcript is put, as JSON.
    output_key: str
    #: A voice that the speech provider knows; empty is its usual one.
    speaker_id: str = ""
    #: Where all speech together is put, and the dubbed video.
    tts_audio_key: str
    output_video_key: str


class Segment(msgspec.Struct, frozen=True, kw_only=True):
    """What is said between two seconds of the video."""

    idx: int
    start: float
    end: float
    #: Seconds until somebody says something else.
    room: float
    src_text: str
    mt_text: str = ""


class Speech(msgspec.Struct, frozen=True, kw_only=True):
    """A segment as it is spoken in the other language; without a key it is silent."""

    idx: int
    start: float
    seconds: float
    tts_audio_key: str = ""


def describe_queues(app: Goatherd) -> None:
    """The broker as the contract wants it."""
    app.topology.exchange(EXCHANGE, "topic")
    for queue in STEPS.values():
        app.queue(queue, exchange=EXCHANGE, dead_letter=(EXCHANGE, DEAD), prefetch=1)
    for queue in (COMPENSATION, DEAD):
        app.queue(queue, exchange=EXCHANGE)


def new_task(
    source_video_key: str, source_language: str, target_language: str, speaker_id: str = "", task_id: str = ""
) -> Dubbing:
    """A task, with a place for all that it makes."""
    task_id = task_id or str(uuid4())
    folder = folder_of(task_id)
    return Dubbing(
        task_id=task_id,
        source_video_key=source_video_key or f"{folder}/source.mp4",
        output_audio_key=f"{folder}/audio.wav",
        source_language=source_language,
        language=source_language,
        target_language=target_language,
        output_key=f"{folder}/transcript.json",
        speaker_id=speaker_id,
        tts_audio_key=f"{folder}/speech.wav",
        output_video_key=f"{folder}/dubbed.mp4",
    )


def segment_key(task_id: str, idx: int) -> str:
    """Where the speech of a segment is put."""
    return f"{folder_of(task_id)}/segments/{idx:05}.wav"


def folder_of(task_id: str) -> str:
    """Where all objects of a task are."""
    return f"tasks/{task_id}"
