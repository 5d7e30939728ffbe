"""What the service needs from whoever understands recipes."""

from dataclasses import dataclass
from typing import Literal, Protocol

from examples.kitchen.ai.pictures import Picture
from examples.kitchen.ai.recipe import Recipe


@dataclass(frozen=True, kw_only=True)
class Findings:
    """What a provider found, and how far it is to be believed."""

    recipe: Recipe
    #: How it was found.
    method: Literal["rules", "language model"]
    #: For people: what this way of finding can and cannot do.
    note: str
    #: The language model, where there is one.
    model: str | None = None


class Provider(Protocol):
    """Finds the recipe in a text, or in a picture with a few words about it.

    Many calls may run at once on one event loop. A call ends by the provider's own deadline.
    """

    name: str

    async def read(self, text: str, picture: Picture | None = None) -> Findings:
        """What the text and the picture say; raises CannotAnalyse."""

    async def close(self) -> None:
        """Let go of connections; once or twice."""
