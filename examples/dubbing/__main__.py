"""Start all of Dubbing with one command: python -m examples.dubbing [--once] [--servers] [--folder PATH]

A speaking video is made and dubbed; then all programs run until Ctrl-C, for yours. They run on SQLite files; with
--servers on a RabbitMQ, a Redis and a PostgreSQL that are started for them, and with the variables of these on yours.
With --once a user's story is played and checked instead. What is missing on this machine (ffmpeg, Apertium, eSpeak NG,
Flite) is installed, where that may be.
"""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

import httpx2
from rich.console import Console

from examples.dubbing.media.speaking_video import make_speaking_video
from examples.dubbing.story.play import MISCHIEF, play
from examples.dubbing.story.stage import PATIENCE, SETTINGS, Stage
from examples.dubbing.studio import Studio
from examples.running.command import last_words, run, teller, until_ctrl_c
from scripts.servers.media import ensure_media

COLOURS: Mapping[str, str] = {"api": "cyan", "worker 1": "green", "worker 2": "blue"}
SERVERS: Mapping[str, str] = {
    "rabbitmq": "DUBBING_RABBITMQ_URL",
    "redis": "DUBBING_REDIS_URL",
    "postgres": "DUBBING_DATABASE_URL",
}


def open_studio(console: Console, folder: Path, servers: Mapping[str, str]) -> int:
    """Dub a video, then run all programs until Ctrl-C."""
    ensure_media()
    with Studio(folder, servers, teller(console, COLOURS)) as studio:
        source, dubbed = folder / "farm.mp4", folder / "farm.es.mp4"
        asyncio.run(make_speaking_video(source))
        with httpx2.Client(base_url=studio.url, timeout=PATIENCE) as client:
            stage = Stage(studio, client, source, folder / MISCHIEF)
            task = stage.done(stage.upload())
            stage.download(task["id"], dubbed)
        for one in task["segments"]:
            console.print(f"{one['start_seconds']:6.1f} s  {one['src_text']}  →  {one['mt_text']}", markup=False)
        console.print(f"\n[bold]{source}[/] was dubbed into [bold]{dubbed}[/].", soft_wrap=True)
        console.print(f"The studio is open at [bold]{studio.url}[/]; dub a video of yours with\n", soft_wrap=True)
        command = f"  curl --data-binary @video.mp4 '{studio.url}/api/v1/videos?target_language=es'"
        console.print(command, markup=False, soft_wrap=True)
        console.print(f"\nFiles are in {folder}. Ctrl-C ends everything.\n", soft_wrap=True)
        until_ctrl_c(console)
    return 0


def play_once(console: Console, folder: Path, servers: Mapping[str, str]) -> int:
    """Play the story; 0 only if all held."""
    ensure_media()
    own = {"DUBBING_MISCHIEF": str(folder / MISCHIEF), "DUBBING_OBJECTS": str(folder / "objects")}
    settings = {**SETTINGS, **own, **servers}
    with Studio(folder, settings, lambda _name, _line: None) as studio:
        checklist = play(studio)
    console.print(checklist.table())
    if checklist.all_held:
        return 0
    last_words(console, studio.programs)
    return 1


if __name__ == "__main__":
    sys.exit(run("dubbing", servers=SERVERS, opened=open_studio, once=play_once))
