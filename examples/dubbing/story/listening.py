"""Whether a video is dubbed as it should be: by listening to it."""

import asyncio
import json
from pathlib import Path

from examples.dubbing.media.film import probe
from examples.dubbing.media.loudness import SILENCE, SPEECH, Loudness, listen
from examples.dubbing.story.stage import Task
from examples.running.checks import must

#: Seconds by which things may be off: frames of sound, and the tail of a word.
SLACK = 0.15


def must_be_dubbed(task: Task, source: Path, dubbed: Path) -> str:
    """Raises Broken; else what was found."""
    return asyncio.run(_check(task, source, dubbed))


async def _check(task: Task, source: Path, dubbed: Path) -> str:
    before, after = await probe(source), await probe(dubbed)
    must(abs(before.duration - after.duration) < 2 * SLACK, f"{before.duration} s became {after.duration} s")
    must((after.picture, after.sound) == (before.picture, "aac"), f"its streams are {after.picture}, {after.sound}")
    heard = await listen(dubbed)
    spoken = [_span(one) for one in task["segments"]]
    for start, end in spoken:
        level = heard.between(start, end)
        must(level > SPEECH, f"nobody speaks from {start:.1f} to {end:.1f} s: {level:.0f} dB")
    quiet = _gaps(spoken, after.duration)
    for start, end in quiet:
        level = heard.between(start, end)
        must(level < SILENCE, f"it is not silent from {start:.1f} to {end:.1f} s: {level:.0f} dB")
    return (
        f"{after.duration:.1f} s, {after.picture} + {after.sound}; speech at the times of {len(spoken)} segments "
        f"({_mean(heard, spoken):.0f} dB), silence in the {len(quiet)} gaps"
    )


def _span(segment: Task) -> tuple[float, float]:
    made = json.loads(segment["tts_params_json"])
    return segment["start_seconds"], segment["start_seconds"] + made["seconds"]


def _gaps(spoken: list[tuple[float, float]], duration: float) -> list[tuple[float, float]]:
    starts = [start for start, _ in spoken] + [duration]
    ends = [0.0] + [end for _, end in spoken]
    return [
        (end + SLACK, start - SLACK)
        for end, start in zip(ends, starts, strict=True)
        if start - end > 3 * SLACK
    ]  # fmt: skip


def _mean(heard: Loudness, spoken: list[tuple[float, float]]) -> float:
    return sum(heard.between(start, end) for start, end in spoken) / max(1, len(spoken))
