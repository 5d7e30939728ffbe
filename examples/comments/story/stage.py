"""Where the story plays: the programs, and users who write to them."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx2

from examples.comments.board import Board
from examples.running.checks import Broken, must
from examples.running.programs import TOP

#: Everything is quick, so that the story is short; a lane takes few, so that one can be full.
SETTINGS = {
    "COMMENTS_PORT": "0",
    "COMMENTS_PAUSE": "0.02",
    "COMMENTS_RETRY_BASE": "0.2",
    "COMMENTS_LANE_LIMIT": "60",
    "GOATHERD_LEASE": "2",
}
LANE_LIMIT = int(SETTINGS["COMMENTS_LANE_LIMIT"])
#: Seconds that anything may take.
PATIENCE = 20.0
#: How a comment stands that nothing more will become of.
ENDED = ("done", "skipped", "refused")

APP = "examples.comments.worker.service:comments"


@dataclass(frozen=True)
class Stage:
    """Every scene uses the same, with posts of its own."""

    board: Board
    client: httpx2.Client

    # --- what users do ----------------------------------------------------------------------------

    def publish(self, title: str) -> int:
        """A new post; its number."""
        return int(self.ask("POST", "/api/v1/posts", {"title": title}, 201)["id"])

    def comment(self, post_id: int, text: str, author: str = "Ada") -> dict[str, Any]:
        """Submit a comment."""
        return self.ask("POST", f"/api/v1/posts/{post_id}/comments", {"author": author, "text": text}, 202)

    def comment_many(self, drafts: Sequence[tuple[int, str]], expected: int = 202) -> dict[str, Any]:
        """Submit several at once, each (post, text)."""
        comments = [{"post_id": post_id, "author": "Ada", "text": text} for post_id, text in drafts]
        return self.ask("POST", "/api/v1/comments", {"comments": comments}, expected)

    def ask(self, method: str, path: str, body: object, expected: int) -> dict[str, Any]:
        """Anything; raises Broken if the status is another."""
        response = self.client.request(method, path, json=body)
        told = f"{method} {path} was answered with {response.status_code}: {response.text[:300]}"
        must(response.status_code == expected, told)
        answer: dict[str, Any] = response.json()
        return answer

    def post(self, post_id: int) -> dict[str, Any]:
        """A post with its comments."""
        return self.ask("GET", f"/api/v1/posts/{post_id}", None, 200)

    # --- what they wait for -----------------------------------------------------------------------

    def settled(self, *post_ids: int) -> list[dict[str, Any]]:
        """The posts, once nothing more will become of any of their comments; raises Broken."""
        return [
            self.when(post_id, "all comments", lambda post: all(one["state"] in ENDED for one in post["entries"]))
            for post_id in post_ids
        ]

    def when(self, post_id: int, what: str, condition: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The post, once something holds of it; raises Broken."""
        until = time.monotonic() + PATIENCE
        while not condition(post := self.post(post_id)):
            if time.monotonic() > until:
                states = [(one["number"], one["state"], one["told"]) for one in post["entries"]]
                raise Broken(f"waited {PATIENCE:g} s for {what} of post {post_id} in vain: {states[-12:]}")
            time.sleep(0.05)
        return post

    def when_entry(self, post_id: int, number: int, *states: str) -> dict[str, Any]:
        """One comment, once it stands so; raises Broken."""

        def entry(post: dict[str, Any]) -> dict[str, Any]:
            return next((one for one in post["entries"] if one["number"] == number), {"state": ""})

        return entry(
            self.when(post_id, f"comment {number} to be {states}", lambda post: entry(post)["state"] in states)
        )

    # --- what operators do ------------------------------------------------------------------------

    def goatherd(self, *arguments: str) -> str:
        """A command of an operator; what it says. Raises Broken."""
        ended = subprocess.run(
            [sys.executable, "-m", "goatherd", *arguments], cwd=TOP, env=self.board.environment, timeout=PATIENCE,
            check=False, capture_output=True, text=True,
        )  # fmt: skip
        must(ended.returncode == 0, f"goatherd {' '.join(arguments)} failed: {ended.stdout} {ended.stderr}")
        return ended.stdout

    def dead_letters(self) -> list[dict[str, Any]]:
        """All of them."""
        letters: list[dict[str, Any]] = json.loads(self.goatherd("dead", "list", APP, "--each", "--json"))
        return letters


def at_once(works: Sequence[Callable[[], object]]) -> list[Any]:
    """Do all of it at the same time; what each gives."""
    with ThreadPoolExecutor(len(works)) as threads:
        return [future.result(PATIENCE) for future in [threads.submit(work) for work in works]]
