"""The dashboard beside the stage: opened before the first scene, and looked at in the last."""

import asyncio
import socket
import time
from importlib.util import find_spec
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from goatherd.cli.demo.stage import PATIENCE, SceneFailed, Stage

#: What the dashboard is made of.
NEEDED = ("uvicorn", "fastapi", "jinja2")
#: A proxy that the environment names does not lead to this machine, or is refused by the dashboard.
DIRECT = build_opener(ProxyHandler({}))
#: What each page must tell after the other scenes.
TOLD = {
    "/": "Jobs per second",
    "/queues": "table-window",
    "/jobs": "tell_story",
    "/runs": "wedding-cake",
    "/schedules": "Schedules",
    "/listeners": "table-{}",
    "/workers": 'data-label="Roles">worker<',
}


async def open_dashboard(stage: Stage) -> None:
    """Start it, with a scheduler and a router, in a process of its own; without what it needs, only these two."""
    roles = "scheduler,router"
    if any(find_spec(name) is None for name in NEEDED):
        await stage.start("run", "--roles", roles)
        await stage.say("To see the dashboard beside this: pip install 'goatherd\\[web]'")
        return
    port = _free_port()
    stage.dashboard = f"http://127.0.0.1:{port}"
    await stage.start("run", "--roles", f"{roles},gateway,dashboard", "--port", str(port), "--open-to-all")
    deadline = time.monotonic() + PATIENCE
    while await _get(f"{stage.dashboard}/livez") in ("", "503 Service Unavailable"):
        if time.monotonic() > deadline:
            raise SceneFailed(f"the dashboard did not start. {stage.last_words()}")
        await asyncio.sleep(0.1)
    await stage.say(f"The dashboard is at [bold]{stage.dashboard}[/]: open it beside this terminal.")


async def dashboard(stage: Stage) -> None:
    """What happened can be seen, by everybody who may."""
    if stage.dashboard is None:
        return
    stage.open_scene("Dashboard", "goatherd dashboard shop:app")
    for path, words in TOLD.items():
        deadline = time.monotonic() + PATIENCE
        while words not in (page := await _get(stage.dashboard + path)):
            if time.monotonic() > deadline:
                raise SceneFailed(f"the page {path} does not tell of {words!r}: {page[:300]} {stage.last_words()}")
            await asyncio.sleep(0.2)
    await stage.check("all of it is on the dashboard", True, f"{len(TOLD)} pages at {stage.dashboard}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _get(url: str) -> str:
    """A page; empty if it cannot be had now."""

    def ask() -> str:
        try:
            with DIRECT.open(Request(url, headers={"accept": "text/html"}), timeout=5) as answer:
                return str(answer.read().decode())
        except HTTPError as error:
            return f"{error.code} {error.reason}"
        except OSError:
            return ""

    return await asyncio.to_thread(ask)
