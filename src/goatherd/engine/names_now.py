"""Ask a source once which names it wants now."""

import asyncio
import logging
from collections.abc import Collection, Mapping
from typing import Any

from goatherd.engine.name_source import Listened, NameSource, Tell
from goatherd.engine.wanted_names import PATIENCE
from goatherd.errors import Unavailable
from goatherd.model.task import TaskDefinition

log = logging.getLogger("goatherd.listeners")


async def tasks_now(listened: Listened) -> list[TaskDefinition]:
    """A task as it is done on each queue that its source wants now; raises Unavailable if the source does not tell.

    Names that cannot be listened to are told in the log, and left out.
    """
    try:
        async with asyncio.timeout(PATIENCE):
            names = await _names(listened.source)
    except Exception as error:
        told = f"it did not answer within {PATIENCE:g} s" if isinstance(error, TimeoutError) else repr(error)
        raise Unavailable(
            f"The source of {listened.pattern!r} does not tell which queues are wanted: {told}. See to it that it "
            f"answers, and try again."
        ) from error
    tasks: dict[str, TaskDefinition] = {}
    for name in names:
        try:
            task = listened.task.for_name(name)
        except ValueError as error:
            log.error("There is no queue for the name %r: %s", name, error)  # noqa: TRY400 - it says all
        else:
            tasks[task.queue] = task
    return list(tasks.values())


async def _names(source: NameSource) -> Collection[Any]:
    if source.fixed is not None:
        return source.fixed
    told: Collection[Any] = ()
    if source.ask is not None:
        told = await source.ask()
    elif source.tell is not None:
        told = await _first_of(source.tell)
    if isinstance(told, str | bytes | Mapping) or not isinstance(told, Collection):
        raise TypeError(f"it gave {told!r}, which is no collection of names")
    return told


async def _first_of(tell: Tell) -> Collection[Any]:
    telling = tell()
    try:
        async for names in telling:
            return names
        return ()
    finally:
        if (close := getattr(telling, "aclose", None)) is not None:
            await close()
