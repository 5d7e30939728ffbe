"""The events of jobs for the dashboard's own pages, as the gateway streams them, but behind the dashboard's doors.

Results and the fields of progress are left out: they may have secrets in them, and pages show them without these.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

import msgspec
from fastapi import Request
from fastapi.responses import Response

from goatherd.app import Goatherd
from goatherd.model.event import Entry
from goatherd.model.reading import Reading
from goatherd.web import asgi
from goatherd.web.asgi import Receive, Scope, Send
from goatherd.web.frame import Format, Frame, frame
from goatherd.web.metrics import GatewayMetrics
from goatherd.web.native import Native
from goatherd.web.place import Answer, Place, Visit
from goatherd.web.responses import Refusal

#: Members of events that are not for this stream.
LEFT_OUT = ("result", "fields")
#: Names under which a query says from where to go on.
PLACES = ("last_event_id", "after")
#: Seconds that those who watch get to leave when the dashboard stops.
FAREWELL = 1.5


class Watched(Native):
    """The native format without what may have secrets in it."""

    def entries(self, entries: Sequence[Entry]) -> list[Frame]:
        """Frames for events that follow on each other."""
        return [_open_part(each) for each in super().entries(entries)]

    def snapshot(self, reading: Reading, now: float) -> list[Frame]:
        """Frames that stand for all events so far."""
        return [_open_part(each) for each in super().snapshot(reading, now)]


FORMATS: Mapping[str, type[Format]] = {"native": Watched}


class JobStreams:
    """Everybody who watches a job on a page of one dashboard."""

    def __init__(self, app: Goatherd) -> None:
        self._app = app
        self._metrics = GatewayMetrics()
        #: One on each loop that serves: what is open belongs to the loop on which it was opened.
        self._places: WeakKeyDictionary[asyncio.AbstractEventLoop, Place] = WeakKeyDictionary()

    @property
    def watching(self) -> int:
        """How many do now."""
        return self._metrics.connections

    async def answer(self, request: Request, app: Goatherd, job_id: str) -> Response:
        """A stream of a job's events, from where the browser says that it has come to; raises Unavailable."""
        try:
            return await self.watch(request, app, job_id)
        except Refusal as refusal:
            return Streamed(refusal.response)

    async def watch(self, request: Request, app: Goatherd, job_id: str) -> Response:
        """The same; raises Refusal as well."""
        # Only from where to go on; the rest of a query could wish for another format.
        place = {name: request.query_params[name] for name in PLACES if request.query_params.get(name)}
        asked = asgi.Request({**request.scope, "query_string": urlencode(place).encode()})
        return Streamed(await self._place.answer(Visit(app=app, job_id=job_id, token=None, request=asked)))

    @property
    def _place(self) -> Place:
        loop = asyncio.get_running_loop()
        if loop not in self._places:
            self._places[loop] = Place(self._app.settings, self._metrics, role="dashboard", formats=FORMATS)
        return self._places[loop]

    async def drain(self) -> None:
        """Send all of them away, to come back to whoever serves then; returns when they have left, or soon."""
        place = self._places.get(asyncio.get_running_loop())
        if place is not None:
            try:
                async with asyncio.timeout(FAREWELL):
                    await place.crowd.drain(0)
            except TimeoutError:
                return

    async def close(self) -> None:
        """Let go of what was opened on this loop."""
        place = self._places.pop(asyncio.get_running_loop(), None)
        if place is not None:
            await place.close()


class Streamed(Response):
    """An answer of the gateway's kind, which writes itself."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Write it until the job has ended, or the browser has left."""
        await self._answer.send([], receive, send)


def _open_part(told: Frame) -> Frame:
    if told.event in ("token", "token_recovery"):
        return told
    members: dict[str, Any] = msgspec.json.decode(told.content)
    kept = {name: value for name, value in members.items() if name not in LEFT_OUT}
    return told if len(kept) == len(members) else frame(told.event, told.position, **kept)
