"""Give the video its new sound."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from examples.dubbing.contract import Dubbing, Speech
from examples.dubbing.herd import database, objects
from examples.dubbing.media import sound
from examples.dubbing.media.film import probe
from examples.dubbing.media.sound import Piece
from examples.dubbing.worker.noting import finish


async def mux(speech: Sequence[Speech], task: Dubbing) -> str:
    """Join the speech, replace the sound, store the video; its key. Raises Passing or Lasting."""
    with TemporaryDirectory(prefix="dubbing-") as name:
        folder = Path(name)
        video, mixed, dubbed = folder / "video", folder / "mixed.wav", folder / "dubbed.mp4"
        await objects.get(task.source_video_key, video)
        pieces = [await _piece(one, folder) for one in speech if one.tts_audio_key]
        await sound.mix(pieces, (await probe(video)).duration, mixed)
        await sound.mux(video, mixed, dubbed)
        await objects.put(task.tts_audio_key, mixed)
        await objects.put(task.output_video_key, dubbed)
    async with database.transaction() as desk:
        await finish(desk, task)
    return task.output_video_key


async def _piece(one: Speech, folder: Path) -> Piece:
    path = folder / f"{one.idx}.wav"
    await objects.get(one.tts_audio_key, path)
    return Piece(path, one.start)
