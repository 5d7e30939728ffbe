"""Write down what is said, and when."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from examples.dubbing.contract import Dubbing, Segment
from examples.dubbing.herd import database, objects, providers
from examples.dubbing.media.film import probe
from examples.dubbing.providers.provider import Heard
from examples.running.database.database import Desk


async def hear(audio_key: str, task: Dubbing) -> list[Segment]:
    """Store it as JSON, and as rows. Raises Passing or Lasting."""
    with TemporaryDirectory(prefix="dubbing-") as folder:
        sound = Path(folder) / "sound.wav"
        await objects.get(audio_key, sound)
        heard = await providers.hearing.hear(sound, task.language)
        segments = in_segments(heard, (await probe(sound)).duration)
    await objects.put(task.output_key, msgspec.json.encode(segments))
    async with database.transaction() as desk:
        await write(desk, task.task_id, segments)
    return segments


def in_segments(heard: Sequence[Heard], duration: float) -> list[Segment]:
    """Numbered from 0, each with the time that it may take in the other language."""
    ends = [one.start for one in heard[1:]] + [duration] * bool(heard)
    return [
        Segment(idx=idx, start=one.start, end=one.end, room=max(end, one.end) - one.start, src_text=one.text.strip())
        for idx, (one, end) in enumerate(zip(heard, ends, strict=True))
    ]


async def write(desk: Desk, task_id: str, segments: Sequence[Segment]) -> None:
    """As rows; what was made of them stays, unless they say something else now."""
    for one in segments:
        await desk.do(
            "INSERT INTO segments (task_id, idx, start_seconds, end_seconds, src_text) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (task_id, idx) DO UPDATE SET start_seconds = excluded.start_seconds, "
            "end_seconds = excluded.end_seconds, src_text = excluded.src_text, "
            "mt_text = CASE WHEN segments.src_text = excluded.src_text THEN segments.mt_text END, "
            "tts_audio_key = CASE WHEN segments.src_text = excluded.src_text THEN segments.tts_audio_key END",
            task_id, one.idx, one.start, one.end, one.src_text,
        )  # fmt: skip
    await desk.do("DELETE FROM segments WHERE task_id = ? AND idx >= ?", task_id, len(segments))
