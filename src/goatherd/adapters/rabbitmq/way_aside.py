"""The exchange by which messages are moved to a queue.

It leads to one queue, whatever the key of a message: so each keeps its own key, which its consumers may read and by
which its dead letters find their way, and none is led to other queues once more by a list of them in its headers.
Each queue has an exchange of its own: whoever still moves for one who was killed can never fill another queue.
"""

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlencode

import msgspec

from goatherd.adapters.rabbitmq.asking import Asking
from goatherd.adapters.rabbitmq.declarations import declare_binding, declare_exchange, delete_exchange
from goatherd.adapters.rabbitmq.management import Management, NotThere, path_of
from goatherd.adapters.rabbitmq.solitude import Solitude
from goatherd.errors import Unavailable
from goatherd.model.blueprint import BindingSpec, ExchangeSpec

#: What all their names begin with.
PREFIX = "goatherd.move.v1."


class _Exchange(msgspec.Struct):
    name: str


class _Page(msgspec.Struct):
    items: list[_Exchange]


@asynccontextmanager
async def way_to(asking: Asking, queue: str, solitude: Solitude) -> AsyncIterator[str]:
    """The name of the exchange, which is gone afterwards; raises Unavailable.

    Not if we are not alone any more: whoever has taken over uses the same one.
    """
    name = PREFIX + hashlib.blake2b(queue.encode(), digest_size=12).hexdigest()
    # It goes with the queue, should nobody be left to delete it.
    exchange = ExchangeSpec(name=name, type="fanout", auto_delete=True)
    doing = f"make a way to the queue {queue!r}"
    await asking.done(declare_exchange(exchange), doing)
    await asking.done(declare_binding(BindingSpec(source=name, destination=queue)), doing)
    try:
        yield name
    finally:
        if not solitude.is_lost:
            await _close(asking, name)


async def close_ways(asking: Asking, management: Management, virtual_host: str) -> None:
    """Let those go that somebody left behind who was killed; raises SettingsError and Unavailable."""
    only = {"page": "1", "page_size": "500", "use_regex": "true", "name": f"^{PREFIX}", "columns": "name"}
    try:
        told = await management.ask(f"{path_of('exchanges', virtual_host)}?{urlencode(only)}")
        page = msgspec.convert(told, _Page)
    except (NotThere, msgspec.ValidationError) as error:
        raise Unavailable(f"The exchanges of {virtual_host!r} cannot be listed: {error}. Try again.") from error
    for each in page.items:
        if each.name.startswith(PREFIX):
            await _close(asking, each.name)


async def _close(asking: Asking, name: str) -> None:
    await asking.done(delete_exchange(name), f"delete the exchange {name!r}")
