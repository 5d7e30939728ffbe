"""Somebody who has the page open: sees every change as it comes."""

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from socket import SHUT_RDWR
from typing import Any, Self
from urllib.parse import urlsplit

from examples.comments.story.stage import PATIENCE
from examples.running.checks import must


class Reader:
    """Reads the stream in a thread of its own; used in a `with`."""

    def __init__(self, url: str, post_id: int) -> None:
        self._host = urlsplit(url).netloc
        self._post_id = post_id
        self._changed = threading.Condition()
        #: The numbers of the post's comments, in the order in which one saw them written.
        self.seen: list[int] = []
        #: The states of comments as one saw them, with their numbers.
        self.states: list[tuple[int, str]] = []
        #: Whether the post is there at all.
        self.began = False

    def __enter__(self) -> Self:
        self._connection = HTTPConnection(self._host, timeout=PATIENCE)
        self._connection.request("GET", "/api/v1/live")
        response = self._connection.getresponse()
        must(response.status == 200, f"the stream was answered with {response.status}")
        self._thread = threading.Thread(target=self._read, args=[response], name="reader", daemon=True)
        self._thread.start()
        self.wait("the post", lambda: self.began)
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            if self._connection.sock is not None:
                self._connection.sock.shutdown(SHUT_RDWR)
        self._thread.join(PATIENCE)
        self._connection.close()

    def wait(self, what: str, condition: Callable[[], bool]) -> None:
        """Wait until something holds; raises Broken."""
        with self._changed:
            held = self._changed.wait_for(condition, PATIENCE)
        must(held, f"a reader waited in vain for {what}: saw {self.seen}")

    def _read(self, response: HTTPResponse) -> None:
        with suppress(OSError, HTTPException, ValueError):
            for line in response:
                if line.startswith(b"data: "):
                    self._take(json.loads(line[6:]))

    def _take(self, post: dict[str, Any]) -> None:
        if post["id"] != self._post_id:
            return
        with self._changed:
            self.began = True
            for one in post["entries"]:
                self.states.append((one["number"], one["state"]))
                if one["state"] == "done" and one["number"] not in self.seen:
                    self.seen.append(one["number"])
            self._changed.notify_all()
