"""A process that takes jobs, begins those whose body says so, tells what it got, and holds on to everything."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from goatherd.model.message import Delivery
from tests.unit.adapters.sqlite.clients import QUEUE, client


async def hold(path: Path, lease: float) -> None:
    async with client(path, lease) as ports:

        def deliver(deliveries: Sequence[Delivery]) -> None:
            for delivery in deliveries:
                if delivery.message.body.startswith(b"run"):
                    ports.broker.begin(delivery)
                told = delivery.message.body.decode()
                print(f"{told} {delivery.deaths}", flush=True)  # noqa: T201 - how it speaks to the test

        await ports.broker.consume(QUEUE, 2, deliver)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(hold(Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 30.0))
