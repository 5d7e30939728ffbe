"""Play the whole story."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial

import httpx2

from examples.dubbing.media.speaking_video import make_speaking_video
from examples.dubbing.story import scenes, trouble
from examples.dubbing.story.stage import PATIENCE, Stage
from examples.dubbing.studio import Studio
from examples.running.checks import Checklist

#: The file in the studio's folder that says what providers do wrong.
MISCHIEF = "mischief"

#: Some time passes before workers are told again of what was wiped; meanwhile other scenes are played.
SCENES: Mapping[str, Callable[[Stage], str]] = {
    "sends a video, and a queue is wiped": trouble.wiped,
    "sends a video, and has it dubbed": scenes.dub_a_video,
    "sends something that is no video": trouble.no_video,
    "finds what was in the wiped queue": trouble.told_again,
    "has messages that come several times": trouble.duplicates,
    "has a worker that is killed in the middle": trouble.worker_killed,
    "has a segment that cannot be spoken": trouble.poison,
}


def play(studio: Studio) -> Checklist:
    """Every scene, one after the other."""
    checklist = Checklist()
    film = studio.folder / "farm.mp4"
    asyncio.run(make_speaking_video(film))
    with httpx2.Client(base_url=studio.url, timeout=PATIENCE) as client:
        stage = Stage(studio, client, film, studio.folder / MISCHIEF)
        for name, scene in SCENES.items():
            checklist.play(name, partial(scene, stage))
    return checklist
