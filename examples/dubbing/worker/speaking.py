"""Speak a segment in the other language, in the time that it has."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from examples.dubbing.contract import Dubbing, Segment, Speech, segment_key
from examples.dubbing.herd import database, objects, providers
from examples.dubbing.media.film import probe
from examples.dubbing.media.sound import fit
from examples.dubbing.providers.provider import Voice
from examples.dubbing.troubles import Lasting

#: How much faster one may speak and still be understood.
FASTEST = 1.7
#: Seconds of silence before the next one speaks.
PAUSE = 0.1


async def speak(segment: Segment, task: Dubbing) -> Speech:
    """Store it, unless it is there already. Raises Passing or Lasting."""
    key = segment_key(task.task_id, segment.idx)
    voice = Voice(task.target_language, task.speaker_id)
    wanted = {"text": segment.mt_text, "language": voice.language, "speaker_id": voice.speaker}
    there = await _there(task.task_id, segment.idx, wanted)
    if there is not None and await objects.has(key):
        return Speech(idx=segment.idx, start=segment.start, seconds=there, tts_audio_key=key)
    try:
        seconds, tempo = await _make(segment, voice, key)
    except Lasting as error:
        await _write(task.task_id, segment.idx, None, None, str(error))
        raise
    made = json.dumps({**wanted, "tempo": tempo, "seconds": seconds}, ensure_ascii=False)
    await _write(task.task_id, segment.idx, key, made, "")
    return Speech(idx=segment.idx, start=segment.start, seconds=seconds, tts_audio_key=key)


async def _make(segment: Segment, voice: Voice, key: str) -> tuple[float, float]:
    """Seconds that it takes, and how much faster it had to be."""
    with TemporaryDirectory(prefix="dubbing-") as folder:
        spoken, fitted = Path(folder) / "spoken.wav", Path(folder) / "fitted.wav"
        await providers.speaking.speak(segment.mt_text, voice, spoken)
        seconds = (await probe(spoken)).duration
        tempo = min(FASTEST, max(1.0, seconds / max(0.1, segment.room - PAUSE)))
        if tempo > 1:
            await fit(spoken, tempo, fitted)
        await objects.put(key, fitted if tempo > 1 else spoken)
    return round(seconds / tempo, 3), round(tempo, 4)


async def _there(task_id: str, idx: int, wanted: dict[str, str]) -> float | None:
    """The length of the speech that was made for the same words and voice."""
    rows = await database.read(
        "SELECT tts_params_json FROM segments WHERE task_id = ? AND idx = ? AND tts_audio_key IS NOT NULL", task_id, idx
    )
    made = json.loads(rows[0][0]) if rows and rows[0][0] else {}
    return float(made["seconds"]) if wanted.items() <= made.items() else None


async def _write(task_id: str, idx: int, key: str | None, made: str | None, error: str) -> None:
    async with database.transaction() as desk:
        await desk.do(
            "UPDATE segments SET tts_audio_key = ?, tts_params_json = ?, error = ? WHERE task_id = ? AND idx = ?",
            key, made, error, task_id, idx,
        )  # fmt: skip
