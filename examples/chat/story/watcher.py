"""Someone who watches an answer as a browser does: comes back after every loss, with the id of the last event."""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from socket import SHUT_RDWR
from typing import Any
from urllib.parse import urlsplit

from examples.running.checks import Broken, must

#: Seconds that anything may take, and between two connections.
PATIENCE, PAUSE = 60.0, 0.1


@dataclass(frozen=True)
class Frame:
    """One event as it came."""

    id: str | None
    event: str
    data: dict[str, Any]
    at: float


class Watcher:
    """Reads in a thread of its own; `close` it, or use it in a `with`."""

    def __init__(self, url: str, token: str, after: str | None = None) -> None:
        parts = urlsplit(url)
        assert parts.netloc, f"{url} has no host"
        self._host, self._path = parts.netloc, parts.path + (f"?{parts.query}" if parts.query else "")
        self._token = token
        self._changed = threading.Condition()
        self._connection: HTTPConnection | None = None
        self._closed = False
        self.position = after
        self.frames: list[Frame] = []
        #: The text of the newest attempt.
        self.text = ""
        #: Connections so far, and the status that the last one was refused with.
        self.connections, self.refusal = 0, 0
        self.began = time.monotonic()
        self._thread = threading.Thread(target=self._watch, name=f"watcher of {parts.path}", daemon=True)
        self._thread.start()

    def __enter__(self) -> "Watcher":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def last(self) -> Frame | None:
        """The end, if it has come."""
        ends = [frame for frame in self.frames if frame.event in ("done", "error") and frame.id is not None]
        return ends[0] if ends else None

    def names(self) -> list[str]:
        """The events so far, those in a row that are alike as one."""
        names = [frame.event for frame in self.frames if frame.event != "keepalive"]
        return [name for place, name in enumerate(names) if place == 0 or names[place - 1] != name]

    def of(self, event: str) -> list[Frame]:
        """All of one kind."""
        return [frame for frame in self.frames if frame.event == event]

    def wait(self, what: str, condition: Callable[[], bool], seconds: float = PATIENCE) -> None:
        """Wait until something holds; raises Broken."""
        with self._changed:
            held = self._changed.wait_for(lambda: condition() or bool(self.refusal), seconds) and condition()
        told = f"the gateway answered {self.refusal}" if self.refusal else f"saw {self.names()}"
        must(held, f"a watcher waited in vain for {what}: {told}, text {self.text[-200:]!r}")

    def wait_for_words(self, count: int) -> None:
        """Wait until the text has so many words."""
        self.wait(f"{count} words", lambda: len(self.text.split(" ")) >= count)

    def end(self) -> Frame:
        """Wait for `done` or `error`."""
        self.wait("the end", lambda: self.last is not None)
        if self.last is None:
            raise Broken("it has not ended")
        return self.last

    def refused(self) -> int:
        """Wait until it is not let in; the status."""
        self.wait("a refusal", lambda: bool(self.refusal))
        return self.refusal

    def drop(self) -> None:
        """Lose the connection, as in a tunnel."""
        with self._changed:
            before = self.connections
            self._hang_up()
            self._changed.wait_for(lambda: self.connections > before, PATIENCE)

    def close(self) -> None:
        """Watch no more."""
        with self._changed:
            self._closed = True
            self._hang_up()
        self._thread.join(PATIENCE)

    def _hang_up(self) -> None:
        sock = None if self._connection is None else self._connection.sock
        if sock is not None:
            try:
                sock.shutdown(SHUT_RDWR)
            except OSError:
                return  # it was gone already

    def _watch(self) -> None:
        while not self._closed and self.last is None and not self.refusal:
            try:
                self._visit()
            except (OSError, HTTPException):
                time.sleep(PAUSE)  # nobody is there for now

    def _visit(self) -> None:
        connection = HTTPConnection(self._host, timeout=PATIENCE)
        try:
            headers = {"Authorization": f"Bearer {self._token}", "Accept": "text/event-stream"}
            if self.position is not None:
                headers["Last-Event-ID"] = self.position
            connection.request("GET", self._path, headers=headers)
            with self._changed:
                self._connection = connection
            response = connection.getresponse()
            self._note_connection(response)
            if response.status == 200:
                self._read(response)
        finally:
            connection.close()

    def _note_connection(self, response: HTTPResponse) -> None:
        with self._changed:
            self.connections += 1
            if response.status not in (200, 503):
                self.refusal = response.status
            self._changed.notify_all()

    def _read(self, response: HTTPResponse) -> None:
        fields: dict[str, str] = {}
        while line := response.readline():
            written = line.decode().rstrip("\r\n")
            if written:
                name, _, value = written.partition(":")
                fields[name] = value.removeprefix(" ")
            elif "data" in fields:
                self._take(Frame(fields.get("id"), fields["event"], json.loads(fields["data"]), time.monotonic()))
                fields = {}

    def _take(self, frame: Frame) -> None:
        with self._changed:
            self.frames.append(frame)
            match frame.event:
                case "started":
                    self.text = ""
                case "token":
                    self.text += frame.data["content"]
                case "token_recovery":
                    self.text = frame.data["accumulated"]
            self.position = frame.id or self.position
            self._changed.notify_all()
