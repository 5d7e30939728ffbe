"""How many connections a process has, as the broker sees it."""

import asyncio
from typing import Any, Literal

import pytest

from goatherd import Goatherd
from scripts.servers.management import Management
from tests.interop.stage import Told

pytestmark = pytest.mark.servers

#: Seconds after which the management plugin must have seen every connection; it gathers them a moment late.
SEEN_WITHIN = 30.0


async def connections(broker: Management, virtual_host: str, wanted: int) -> list[str]:
    """The names that clients gave their connections, once there are enough."""
    found: list[Any] = []
    async with asyncio.timeout(SEEN_WITHIN):
        while len(found) < wanted:
            found = await asyncio.to_thread(broker.ask, "GET", f"vhosts/{virtual_host}/connections")
    return sorted(connection["client_properties"]["connection_name"] for connection in found)


@pytest.mark.parametrize(("setting", "names"), [("split", ["shop consume", "shop publish"]), ("shared", ["shop"])])
async def test_a_process_has_as_many_connections_as_it_is_told(
    url: str, broker: Management, virtual_host: str, setting: Literal["split", "shared"], names: list[str]
) -> None:
    app = Goatherd("shop", broker_url=url, connections=setting)
    told = Told()

    @app.task
    async def greet(name: str) -> None:
        told(name)

    async with app.serve("worker"):
        await greet.options(delay=0.1).send("Ada")
        assert await told.next() == "Ada"
        assert await connections(broker, virtual_host, len(names)) == names
