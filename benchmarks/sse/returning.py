"""Clients that were away and come back."""

import asyncio
import time

from benchmarks.pipes import say, told
from benchmarks.sse.clients import OPENED, Client, Company, Crowd
from benchmarks.sse.steps import Place, job_named

#: Stands at the end of what is missed, so that it is known when all of it has come.
LAST_WORD = "<the end of what was missed>"
#: Tokens that are made in one step.
PORTION = 250


class Returning(Client):
    """Has come back when it has the last word of what it missed."""

    __slots__ = ("_text", "back", "began", "frames")

    def __init__(self, crowd: Company, request: bytes) -> None:
        super().__init__(crowd, request)
        self.began = time.monotonic_ns()
        self.back = 0
        self.frames = 0
        self._text = b""

    def heard(self, data: bytes) -> None:
        self._text += data
        if not self.back and LAST_WORD.encode() in self._text and self._text.endswith(b"\n\n\r\n"):
            self.back = time.monotonic_ns() - self.began
            self.frames = self._text.count(b"event: token")
            self._text = b""
            self._crowd.arrived(1)


async def resume(place: Place, times: int, behind: int) -> None:
    """One client comes back again and again, always as far behind; a word that is said then reaches all of them."""
    job = job_named(0)
    async with place.feeding() as feed:
        await feed.begin(job)
        position = await _position(place, job)
        for _ in range(behind // PORTION):
            await feed.say(job, "token ", PORTION)
        await feed.say(job, LAST_WORD)
        crowd: Crowd[Returning] = Crowd(place.port, Returning)
        for _ in range(times):
            crowd.expect(1)
            await crowd.join([place.request(job, position)])
            await crowd.complete()
        say({"took": [client.back for client in crowd.clients], "frames": [c.frames for c in crowd.clients]})
        crowd.leave()


async def storm(place: Place, clients: int, jobs: int) -> None:
    """Many clients come back at once, each a little behind; then something happens to every job."""
    async with place.feeding() as feed:
        names = [job_named(number) for number in range(jobs)]
        for name in names:
            await feed.begin(name)
        positions = dict(zip(names, await asyncio.gather(*(_position(place, name) for name in names)), strict=True))
        for name in names:
            await feed.say(name, "missed ")
            await feed.say(name, LAST_WORD)
        say({})
        await told()
        crowd: Crowd[Returning] = Crowd(place.port, Returning)
        began = time.monotonic()
        crowd.expect(2 * clients)
        requests = [place.request(name, positions[name]) for name in names]
        await crowd.rush(requests[number % jobs] for number in range(clients))
        await crowd.complete()
        seconds = time.monotonic() - began
        say({"seconds": seconds, "took": [client.back for client in crowd.clients]})
        crowd.leave()


async def _position(place: Place, job: str) -> str:
    """Where a client of a job stands now."""
    reader, writer = await asyncio.open_connection("127.0.0.1", place.port)
    writer.write(place.request(job))
    try:
        async with asyncio.timeout(30):
            opening = b""
            while OPENED not in opening or b"pos=" not in opening or not opening.endswith(b"\n"):
                piece = await reader.read(65536)
                if not piece:
                    raise RuntimeError(f"the server closed: {opening!r}")
                opening += piece
        return opening.partition(b"pos=")[2].split()[0].decode()
    finally:
        writer.close()
