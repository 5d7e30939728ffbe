"""Reads a stream as a page does: frames, and the text that they amount to."""

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Told:
    """One frame."""

    event: str
    content: dict[str, Any]
    id: str | None


@dataclass
class Reader:
    """What a client has been told."""

    frames: list[Told] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    retries: list[int] = field(default_factory=list)
    text: str = ""
    last_id: str | None = None
    _rest: bytes = b""

    @property
    def events(self) -> list[str]:
        return [frame.event for frame in self.frames]

    @property
    def ids(self) -> list[str]:
        return [frame.id for frame in self.frames if frame.id is not None]

    @property
    def ended(self) -> bool:
        return bool(self.frames) and self.frames[-1].event in ("done", "error") and self.frames[-1].id is not None

    def feed(self, body: bytes) -> None:
        *blocks, self._rest = (self._rest + body).split(b"\n\n")
        for block in blocks:
            self._take(block.decode())

    def _take(self, block: str) -> None:
        told: dict[str, str] = {}
        for line in block.split("\n"):
            name, _, value = line.partition(": ")
            if line.startswith(":"):
                self.comments.append(line[1:].strip())
            elif name == "retry":
                self.retries.append(int(value))
            else:
                assert name not in told, f"a frame has two lines of {name}"
                told[name] = value
        # What has no name is of another format than ours, and not for this reader.
        if "data" in told and "event" in told:
            self._add(Told(told["event"], json.loads(told["data"]), told.get("id")))

    def _add(self, frame: Told) -> None:
        self.frames.append(frame)
        self.last_id = frame.id or self.last_id
        if frame.event == "token":
            self.text += frame.content["content"]
        elif frame.event == "token_recovery":
            self.text = frame.content["accumulated"]
        elif frame.event == "started":
            self.text = ""
