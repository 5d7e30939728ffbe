"""`/livez` and `/readyz` of a process that looks after others: how all of them are.

Each of them has a page of its own, on one of the ports that follow; this one asks them.
"""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from goatherd.engine.pulse import Pulse
from goatherd.web.health_answers import liveness, told_as_json
from goatherd.web.responses import Response

#: Seconds that a process may take to tell how it is; a little more than it takes itself at most.
PATIENCE = 3.8

_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


@dataclass(frozen=True, kw_only=True)
class Family:
    """Where the parent and its children tell how they are: children count from 1."""

    host: str
    port: int
    children: int

    def port_of(self, child: int) -> int:
        """The port of one of them."""
        return self.port + child

    def as_arguments(self, child: int) -> list[str]:
        """The same for the command line of that child."""
        return ["--health-host", self.host, "--health-port", str(self.port_of(child))]


class _Told(NamedTuple):
    """What a child says, or why it says nothing."""

    child: int
    said: dict[str, Any]
    #: Whether nobody is there.
    gone: bool = False


class FamilyPage:
    """Answers for the parent."""

    def __init__(self, family: Family, pulse: Pulse) -> None:
        self._family = family
        self._pulse = pulse

    async def answer(self, path: str) -> Response:
        """What to say to who asks for a path."""
        match path:
            case "/livez":
                return await self._liveness()
            case "/readyz":
                return await self._readiness()
            case "/metrics":
                first, last = self._family.port_of(1), self._family.port_of(self._family.children)
                told = f"Each process counts for itself: ask the ports {first} to {last}.\n"
                return Response(status=404, body=told.encode())
        return Response(status=404, body=b"There is nothing here but /livez and /readyz.\n")

    async def _liveness(self) -> Response:
        """A child that is not there is being replaced, which is no reason to end the others; one that hangs is."""
        reasons = [
            f"process {each.child}: {reason}"
            for each in await self._ask_all("/livez")
            if not (each.gone or each.said.get("alive"))
            for reason in each.said["reasons"]
        ]
        return liveness("; ".join(reasons) or self._pulse.trouble, self._pulse.silence)

    async def _readiness(self) -> Response:
        told = await self._ask_all("/readyz")
        ready = all(each.said["ready"] for each in told)
        reasons = [f"process {each.child}: {reason}" for each in told for reason in each.said["reasons"]]
        processes = [each.said for each in told]
        return told_as_json(200 if ready else 503, {"ready": ready, "reasons": reasons, "processes": processes})

    async def _ask_all(self, path: str) -> Sequence[_Told]:
        return await asyncio.gather(*(self._ask(child, path) for child in range(1, self._family.children + 1)))

    async def _ask(self, child: int, path: str) -> _Told:
        host = _EVERYWHERE.get(self._family.host, self._family.host)
        try:
            async with asyncio.timeout(PATIENCE):
                return _Told(child, json.loads(await _asked(host, self._family.port_of(child), path)))
        except TimeoutError:
            return _Told(child, {"ready": False, "reasons": [f"no answer within {PATIENCE:g} s"]})
        except (OSError, EOFError, ValueError):
            reasons = ["it is starting, or has ended and will be replaced"]
            return _Told(child, {"ready": False, "reasons": reasons}, gone=True)


async def _asked(host: str, port: int, path: str) -> bytes:
    """The body of an answer."""
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n".encode())
        await reader.readuntil(b"\r\n\r\n")
        return await reader.read()  # to the end of the connection
    finally:
        writer.close()
