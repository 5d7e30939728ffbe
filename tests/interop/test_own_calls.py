"""Calls between our own programs, in every layout and with both kinds of queues for answers."""

from typing import Literal

import pytest

from goatherd import Goatherd, Unavailable
from scripts.servers.management import Management
from tests.interop.stage import Told

pytestmark = pytest.mark.servers

Kind = Literal["durable", "exclusive"]
KINDS: tuple[Kind, ...] = ("durable", "exclusive")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("format", ["native", "plain", "taskiq"])
async def test_our_own_programs_call_each_other(
    url: str, kind: Kind, format: Literal["native", "plain", "taskiq"]
) -> None:
    caller, worker = (Goatherd("shop", broker_url=url, reply_queue=kind) for _ in range(2))
    told = Told()

    @caller.task(queue=caller.queue("greetings", format=format), remote=True)
    async def greet(name: str) -> str:
        raise NotImplementedError

    @worker.task(queue=worker.queue("greetings", format=format), name="greet")
    async def greets(name: str) -> str:
        told(name)
        return f"Hello, {name}!"

    async with caller, worker.serve("worker"):
        assert await greet.call("Ada") == "Hello, Ada!"
        assert await told.next() == "Ada"


def shop(url: str) -> Goatherd:
    app = Goatherd("shop", broker_url=url)

    @app.task(remote=True)
    async def greet(name: str) -> str:
        raise NotImplementedError

    return app


async def test_a_user_who_may_not_make_queues_is_told_so(url: str, broker: Management, virtual_host: str) -> None:
    async with shop(url):
        pass
    broker.ask("PUT", "users/poor", {"password": "poor", "tags": ""})
    try:
        broker.allow(virtual_host, "poor", configure="^$")
        app = shop(url.replace("guest:guest", "poor:poor"))
        app.keywords["declare"] = "never"  # type: ignore[index]  # as the operator of such a user sets it
        async with app:
            with pytest.raises(Unavailable, match="did not make a queue for answers"):
                await app.tasks["greet"].options(deadline=5).call("Ada")
    finally:
        broker.ask("DELETE", "users/poor")
