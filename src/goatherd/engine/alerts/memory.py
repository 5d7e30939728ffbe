"""A board of one process alone, for the time in which the one that all share is away."""

from goatherd.ports.alerts import BoardLook
from goatherd.ports.clock import Clock


class MemoryBoard:
    """Satisfies `AlertBoard`, as long as the process lives."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._rev = 0
        self._text = b""

    async def look(self) -> BoardLook:
        return BoardLook(now=self._clock.now(), rev=self._rev, text=self._text)

    async def write(self, rev: int, text: bytes) -> bool:
        if rev != self._rev:
            return False
        self._rev, self._text = rev + 1, text
        return True

    async def close(self) -> None:
        self._text = b""
