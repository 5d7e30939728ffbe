"""A process that flushes and does nothing else."""

import asyncio

from goatherd.scheduling import make_flushers
from tests.faults.tallies.coins import app, tell_up


async def main() -> None:
    async with app:
        for flusher in make_flushers(app, app.session()):
            flusher.start()
        tell_up()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
