"""Where all processes of an app note which alerts there are, and how somebody outside is told of them."""

from typing import Protocol

import msgspec

from goatherd.model.alert import Alert


class BoardLook(msgspec.Struct, frozen=True, kw_only=True):
    """The board as it is now."""

    #: The store's own time.
    now: float
    #: Grows with every write; 0 if nobody has written yet.
    rev: int
    text: bytes


class AlertBoard(Protocol):
    """Keeps one text for an app; every adapter passes `goatherd.testing.suites.AlertBoardSuite`.

    Used from one event loop. Every method has a deadline and raises `Unavailable`; all may be repeated. There is no
    leader: everybody reads, decides, and writes with the `rev` that the decision is about, so that of all who decide by
    the same look one is heard.
    """

    async def look(self) -> BoardLook:
        """What is on it."""

    async def write(self, rev: int, text: bytes) -> bool:
        """Put another text on it; false if somebody has written since that `rev`: nothing was changed then."""

    async def close(self) -> None:
        """Let go of the store. Idempotent."""


class AlertPost(Protocol):
    """Tells somebody outside of alerts."""

    async def tell(self, alert: Alert) -> None:
        """Tell of one; raises Unavailable if it is not known to have arrived. Has a deadline, and may be repeated."""
