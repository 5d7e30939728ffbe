"""Where the story plays: the programs, a user who sends videos to them, and an operator."""

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from examples.dubbing.contract import STEPS
from examples.dubbing.studio import APP, Studio
from examples.running.checks import Broken, must
from examples.running.programs import TOP

#: Everything is quick, so that the story is short.
SETTINGS = {
    "DUBBING_PORT": "0",
    "GOATHERD_LEASE": "4",
    "TRANSLATE_BATCH_SIZE": "3",
    "TTS_BATCH_SIZE": "2",
    "TTS_MAX_CONCURRENCY": "2",
    "TTS_RETRY_DELAY_SECONDS": "0.1",
}
#: Seconds that anything may take.
PATIENCE = 60.0
ENDED = ("done", "failed")

Task = dict[str, Any]


@dataclass(frozen=True)
class Stage:
    """Every scene uses the same, with tasks of its own."""

    studio: Studio
    client: httpx2.Client
    #: A video in which somebody speaks.
    film: Path
    #: The file that says what providers do wrong.
    mischief: Path

    # --- what users do ----------------------------------------------------------------------------

    def upload(self, content: bytes | None = None, **options: str) -> str:
        """Send a video; the task's id."""
        body = self.film.read_bytes() if content is None else content
        response = self.client.post("/api/v1/videos", content=body, params=options)
        must(response.status_code == 202, f"the video was answered with {response.status_code}: {response.text[:300]}")
        return str(response.json()["id"])

    def task(self, task_id: str) -> Task:
        """How it stands."""
        response = self.client.get(f"/api/v1/tasks/{task_id}")
        must(response.status_code == 200, f"task {task_id} was answered with {response.status_code}: {response.text}")
        task: Task = response.json()
        return task

    def watch(self, task_id: str) -> list[tuple[str, dict[str, Any]]]:
        """Every event until the end, as (kind, members)."""
        told: list[tuple[str, dict[str, Any]]] = []
        kind = ""
        with self.client.stream("GET", f"/api/v1/tasks/{task_id}/events") as stream:
            for line in stream.iter_lines():
                name, _, value = line.partition(": ")
                kind = value if name == "event" else kind
                if name == "data":
                    told.append((kind, json.loads(value)))
        return told

    def download(self, task_id: str, path: Path) -> None:
        """Have the dubbed video."""
        response = self.client.get(f"/api/v1/tasks/{task_id}/video")
        must(response.status_code == 200, f"the video was answered with {response.status_code}: {response.text[:300]}")
        path.write_bytes(response.content)

    # --- what they wait for -----------------------------------------------------------------------

    def when(self, task_id: str, what: str, condition: Callable[[Task], bool]) -> Task:
        """The task, once something holds of it; raises Broken."""
        until = time.monotonic() + PATIENCE
        while not condition(task := self.task(task_id)):
            if time.monotonic() > until:
                steps = [(one["step"], one["item"], one["state"], one["error"]) for one in task["steps"]]
                raise Broken(f"waited {PATIENCE:g} s for {what} in vain: {task['state']} {task['error']} {steps}")
            time.sleep(0.05)
        return task

    def done(self, task_id: str) -> Task:
        """The task, once it is done; raises Broken, also if it failed."""
        task = self.when(task_id, "the end", lambda now: now["state"] in ENDED)
        must(task["state"] == "done", f"the task failed: {task['error']}")
        return self.when(task_id, "the last note", lambda now: all(one["state"] != "running" for one in now["steps"]))

    # --- what operators do ------------------------------------------------------------------------

    def goatherd(self, *arguments: str) -> str:
        """A command of Goatherd; what it says. Raises Broken."""
        return self.command("-m", "goatherd", *arguments)

    def command(self, *arguments: str) -> str:
        """A command of an operator; what it says. Raises Broken."""
        ended = subprocess.run(
            [sys.executable, *arguments], cwd=TOP, env=self.studio.environment, timeout=PATIENCE, check=False,
            capture_output=True, text=True,
        )  # fmt: skip
        must(ended.returncode == 0, f"{' '.join(arguments)} failed: {ended.stdout} {ended.stderr}")
        return ended.stdout

    def waiting_in(self, queue: str) -> int:
        """How many messages wait in a queue."""
        listed = json.loads(self.goatherd("queues", "list", APP, queue, "--json"))
        return sum(int(one["ready"]) for one in listed if one["name"] == queue)

    def all_are_taken(self) -> bool:
        """Whether no message waits in the queue of a step."""
        listed = json.loads(self.goatherd("queues", "list", APP, "--json"))
        return not any(one["ready"] for one in listed if one["name"] in STEPS.values())

    # --- what providers see -----------------------------------------------------------------------

    def misbehave(self, *lines: str) -> None:
        """From now on providers do this wrong, or nothing."""
        self.mischief.write_text("\n".join(lines))
        self.mischief.with_suffix(".calls").write_text("")

    def behave(self) -> None:
        """From now on they do nothing wrong, also where they are held up."""
        self.mischief.write_text("")

    def asked(self, provider: str) -> Counter[str]:
        """How often a provider was given each text since."""
        lines = map(json.loads, self.mischief.with_suffix(".calls").read_text().splitlines())
        return Counter(text for one in lines if one["provider"] == provider for text in one["texts"])


def attempts(task: Task, step: str) -> list[dict[str, Any]]:
    """Of one step, in the order in which they began."""
    return [one for one in task["steps"] if one["step"] == step]
