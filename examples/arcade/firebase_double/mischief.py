"""What a database on loopback does wrong when it is told to."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from examples.arcade.firebase_double.wire import Request, answer


@dataclass
class Mischief:
    """All is well until something is set."""

    #: How many of the next changes no stream is told of.
    forget: int = 0
    #: How many of the next requests are answered with `status` instead.
    refuse: int = 0
    status: int = 503
    #: Which requests that concerns.
    concerns: Callable[[Request], bool] = field(default=lambda _: True)
    #: Another server to which all are sent.
    elsewhere: str | None = None
    #: Set while requests are answered.
    hearing: asyncio.Event = field(default_factory=asyncio.Event)
    #: Whether nothing is said or answered, while connections stay open.
    deaf: bool = False

    def stall(self) -> None:
        """Say nothing any more."""
        self.deaf = True
        self.hearing.clear()

    def go_on(self) -> None:
        """Answer again, also what was asked meanwhile."""
        self.deaf = False
        self.hearing.set()

    def forgets(self) -> bool:
        """Whether a change is kept from all streams."""
        self.forget, forgotten = max(0, self.forget - 1), self.forget > 0
        return forgotten or self.deaf

    def said_instead(self, request: Request) -> bytes | None:
        """What is answered instead of the truth; None for the truth."""
        if self.elsewhere is not None:
            return answer(307, headers={"Location": f"{self.elsewhere}{request.target}"})
        if self.refuse > 0 and self.concerns(request):
            self.refuse -= 1
            return answer(self.status, b'{"error": "refused on purpose"}', {"Retry-After": "1"})
        return None
