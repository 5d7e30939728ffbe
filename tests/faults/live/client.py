"""A client as a browser is: reads a stream, breaks off, comes back with the last id, and checks all that it sees."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tests.faults.live.http import NoStream, Response, get
from tests.faults.live.view import Frame, View

#: How a client comes back: with the last id in a header or in the query, with the number of the last token, or as a
#: page that was loaded anew and knows nothing.
Cursor: TypeAlias = Literal["header", "query", "token", "reload"]

#: Seconds between two tries of one who was sent away.
PAUSE = 0.05


@dataclass(frozen=True)
class Habit:
    """What one client does."""

    #: Where it begins: as things stand, or with the first event.
    start: Literal["now", "earliest"] = "now"
    cursor: Cursor = "header"
    #: Frames after which it breaks off, on average; 0 for never.
    breaks_off: int = 0
    #: Seconds that it rests after a frame, now and then.
    rests: float = 0.0
    #: Ask again and again instead of listening.
    polls: bool = False


class Client:
    """One session: from the first connection to the end of the job."""

    def __init__(self, view: View, habit: Habit, urls: Callable[[], tuple[int, str]], chance: random.Random) -> None:
        self.view = view
        self._habit = habit
        self._urls = urls
        self._chance = chance
        self.connections = 0
        self.refusals: dict[int, int] = {}
        #: Set when it has got its first frame, or its first answer.
        self.let_in = asyncio.Event()

    async def follow(self) -> View:
        """Return when the end of the job has been seen."""
        if self._habit.start == "earliest":
            self.view.from_the_start = True
        while not self.view.done:
            self.connections += 1
            try:
                await (self._poll() if self._habit.polls else self._listen())
            except NoStream as refusal:
                self.refusals[refusal.status] = self.refusals.get(refusal.status, 0) + 1
                await asyncio.sleep(PAUSE)
            except (OSError, EOFError):
                await asyncio.sleep(self._chance.random() * PAUSE)
            if not self.view.done:
                self._come_back()
        return self.view

    def _come_back(self) -> None:
        if self._habit.cursor == "reload":
            self.view = self.view.reload()
        else:
            self.view.come_back(text_only=self._habit.cursor == "token")

    async def _listen(self) -> None:
        patience = self._chance.randrange(1, 2 * self._habit.breaks_off) if self._habit.breaks_off else 0
        async with await self._open() as response:
            async for frame in frames(response):
                self.view.take(frame)
                self.let_in.set()
                patience -= 1
                if self.view.done or patience == 0:
                    return
                if self._habit.rests and self._chance.random() < 0.2:
                    await asyncio.sleep(self._chance.random() * self._habit.rests)

    async def _poll(self) -> None:
        async with await self._open("wait=2&after=" + (self.view.id or "earliest")) as response:
            told = json.loads(await response.whole())
        self.let_in.set()
        for event in told["events"]:
            self.view.take(Frame(event.get("id") or "", event["event"], event["data"]))

    async def _open(self, query: str = "") -> Response:
        port, path = self._urls()
        headers = ""
        wanted = [query] if query else []
        if not query:
            known = self.view.id or (self._habit.start if self._habit.start == "earliest" else "")
            match self._habit.cursor:
                case "header" if known:
                    headers = f"Last-Event-ID: {known}\r\n"
                case "query" | "reload" if known:
                    wanted.append(f"last_event_id={known}")
                case "token" if self.view.token_seq:
                    wanted.append(f"last_token_seq={self.view.token_seq}")
        return await get(port, "&".join([path, *wanted]), headers, small=bool(self._habit.rests))


async def frames(response: Response) -> AsyncIterator[Frame]:
    """The events of a stream, by the rules of HTML: lines end in CR, LF or both, and a comment is nothing."""
    fields: dict[str, str] = {}
    async for line in response.lines():
        if line:
            name, _, value = line.partition(":")
            if name:
                fields[name] = value.removeprefix(" ")
        elif fields:
            if "data" in fields:
                yield Frame(fields.get("id", ""), fields.get("event", "message"), json.loads(fields["data"]))
            fields = {}
