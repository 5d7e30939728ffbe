"""Drivers and files, taken when they are needed."""

import asyncio
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import TYPE_CHECKING

from goatherd.errors import MissingExtra

if TYPE_CHECKING:
    from goatherd.adapters.sqlite.database import Database


async def take_file(url: str) -> tuple["Database", Callable[[], Awaitable[None]]]:
    """A file, which is shared with all who have it open in this process, and how it is given back."""
    from goatherd.adapters.sqlite.opening import FILES, path_of

    files = FILES
    database = await asyncio.to_thread(files.take, path_of(url))

    async def give_back() -> None:
        await asyncio.to_thread(files.give_back, database)

    return database, give_back


async def load(extra: str, what: str) -> None:
    """Import an adapter; raises MissingExtra."""
    try:
        # Drivers are large, and a loop that already serves must not stand still while one is loaded.
        await asyncio.to_thread(import_module, f"goatherd.adapters.{extra}.opening")
    except ImportError as error:
        raise MissingExtra(what, extra) from error
