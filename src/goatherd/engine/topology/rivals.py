"""Somebody else who makes what is being replaced, and makes it otherwise."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from goatherd.errors import TopologyMismatch, Unavailable


@asynccontextmanager
async def nobody_else_makes(kind: str, name: str) -> AsyncIterator[None]:
    """Say clearly what is wrong if somebody does, in the moment in which it was not there."""
    try:
        yield
    except TopologyMismatch as mismatch:
        raise Unavailable(
            f"While the {kind} {name!r} was replaced, another program made it with {mismatch.argument} = "
            f"{mismatch.found!r} instead of {mismatch.wanted!r}. Stop that program or give it the same definition, and "
            f"apply again: what was begun goes on."
        ) from mismatch
