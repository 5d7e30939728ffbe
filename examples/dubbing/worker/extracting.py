"""Take the sound out of the video."""

from pathlib import Path
from tempfile import TemporaryDirectory

from examples.dubbing.contract import Dubbing
from examples.dubbing.herd import objects
from examples.dubbing.media.sound import extract_sound


async def extract(task: Dubbing) -> str:
    """Store it; its key. Raises Passing or Lasting."""
    with TemporaryDirectory(prefix="dubbing-") as folder:
        video, sound = Path(folder) / "video", Path(folder) / "sound.wav"
        await objects.get(task.source_video_key, video)
        await extract_sound(video, sound)
        await objects.put(task.output_audio_key, sound)
    return task.output_audio_key
