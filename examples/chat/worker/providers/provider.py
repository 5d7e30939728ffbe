"""What the worker needs from whoever writes the answers."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from examples.chat.worker.documents import Passage


class ProviderAway(ConnectionError):
    """Whoever writes the answers cannot be reached, or broke off; it may be back at the next attempt."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """All that is known when the answer is written."""

    message: str
    #: What the documents say about it, best first.
    passages: Sequence[Passage] = ()
    #: What is to be seen in the user's picture.
    picture: str | None = None
    location: Mapping[str, float] | None = None
    #: The language model that the user wants.
    model: str | None = None


class Provider(Protocol):
    """Writes answers; many at once on one event loop.

    Both raise ProviderAway for what may pass, and GiveUp for what will not.
    """

    name: str

    async def see(self, image_url: str, model: str | None = None) -> str:
        """Say what is in a picture."""

    def answer(self, question: Question) -> AsyncGenerator[str, None]:
        """The answer, piece by piece."""

    async def close(self) -> None:
        """Let go of connections; once or twice."""
