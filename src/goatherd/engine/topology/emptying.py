"""Empty a queue into another one, and let it go."""

import asyncio

from goatherd.errors import Unavailable
from goatherd.model.blueprint import QueueSpec
from goatherd.ports.plumbing import Moved, Plumbing

#: Seconds after which what was on its way to a queue when it was unbound has arrived there.
SETTLING = 1.0
#: Seconds between two tries.
PAUSE = 0.1


async def empty_and_drop(
    plumbing: Plumbing, source: QueueSpec, to: str, moved: Moved, patience: float, default_type: str
) -> None:
    """Returns when it is gone and all that was in it is in the other; raises Unavailable if messages keep coming in."""
    # Other kinds are dropped by the broker only if nothing is in them; such a one is counted before.
    is_counted = (source.type or default_type) == "quorum"
    loop = asyncio.get_running_loop()
    until: float | None = None
    while True:
        await plumbing.move(source.name, to, moved)
        if is_counted:
            await asyncio.sleep(SETTLING)
        if await plumbing.drop_queue(source.name):
            return
        until = until or loop.time() + patience
        if loop.time() > until:
            raise Unavailable(
                f"The queue {source.name!r} does not become empty within {patience:g} s: programs publish straight to "
                f"it, or somebody consumes from it. Stop those programs, and apply again: what was begun goes on."
            )
        await asyncio.sleep(PAUSE)
