"""A shop whose broker is made by it, or by an operator before it."""

from typing import Any, Literal, TypeAlias

import pytest

from goatherd import Goatherd
from goatherd.definition import definition_of
from goatherd.engine.topology.applying import Applying
from goatherd.errors import TopologyMismatch
from goatherd.wiring import open_plumbing
from scripts.servers.management import Management
from tests.interop.stage import Told

Mode: TypeAlias = Literal["create", "check", "never"]
#: Where nobody answers.
NOWHERE = "http://127.0.0.1:9"


def shop(url: str, declare: Mode, told: Told | None = None, **queue: Any) -> Goatherd:
    app = Goatherd("shop", broker_url=url, declare=declare)

    @app.task(queue=app.queue("orders", format="plain", **queue))
    async def cook(dish: str) -> None:
        if told is not None:
            told(dish)

    return app


async def make_all_of(app: Goatherd) -> None:
    """What an operator does."""
    async with open_plumbing(app.settings) as plumbing:
        applied = await Applying(plumbing, definition_of(app), lambda progress: None).run()
    assert not applied.left


def everything_on(broker: Management, virtual_host: str) -> set[str]:
    """The names of all queues, exchanges and bindings that did not come with the broker."""
    found = {f"queue {queue['name']}" for queue in broker.ask("GET", f"queues/{virtual_host}?disable_stats=true")}
    for exchange in broker.ask("GET", f"exchanges/{virtual_host}"):
        if exchange["name"] and not exchange["name"].startswith("amq."):
            found.add(f"exchange {exchange['name']}")
    for binding in broker.ask("GET", f"bindings/{virtual_host}"):
        if binding["source"]:
            found.add(f"{binding['source']} -> {binding['destination']} {binding['routing_key']}")
    return found


async def refusal(app: Goatherd) -> str:
    with pytest.raises(TopologyMismatch) as caught:
        async with app:
            pass
    return str(caught.value)
