"""The broker loses its queues while nobody is restarted: runs go on all the same."""

import asyncio
from pathlib import Path
from urllib.parse import quote

import pytest

from goatherd import Goatherd
from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host

#: Seconds until consumers are back.
PATIENCE = 60.0


@pytest.mark.servers
@pytest.mark.timeout(120)
async def test_a_deleted_queue_is_made_again_by_whoever_has_something_to_tell(
    shared_virtual_host: str, tmp_path: Path
) -> None:
    url, file = with_virtual_host(amqp_url(), shared_virtual_host), f"sqlite:///{tmp_path}/x.db"
    app = Goatherd("shop", broker_url=url, events_url=file, records_url=file)
    shop = app.pipeline("shop", takes=int, gives=int)
    begun, deleted = asyncio.Event(), asyncio.Event()

    @shop.step(after=shop.input)
    async def pay(amount: int) -> int:
        begun.set()
        await asyncio.wait_for(deleted.wait(), PATIENCE)
        return amount

    @shop.step(after=pay, queue="parcels")
    async def pack(amount: int) -> int:
        return amount + 1

    async with app.serve("worker"):
        run = await shop.start(1)
        await asyncio.wait_for(begun.wait(), PATIENCE)
        for queue in ("shop", "parcels"):
            await asyncio.to_thread(management().ask, "DELETE", f"queues/{shared_virtual_host}/{quote(queue)}")
        deleted.set()
        assert await run.result(timeout=PATIENCE) == 2
