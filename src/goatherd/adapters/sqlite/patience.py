"""A deadline for whatever is asked of the file."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from goatherd.adapters.sqlite.database import Database
from goatherd.errors import Unavailable

Result = TypeVar("Result")


async def in_time(database: Database, seconds: float, asked: Awaitable[Result], comfort: str) -> Result:
    """The answer; raises Unavailable, whose text ends with what becomes of what was asked."""
    try:
        async with asyncio.timeout(seconds):
            return await asked
    except TimeoutError as error:
        raise Unavailable(
            f"The file {database.path} did not answer within {seconds:g} s; is its disk overloaded? {comfort}"
        ) from error
