"""Ask a broker about its nodes and its clock, by its management API."""

from collections.abc import Callable
from email.utils import parsedate_to_datetime

import msgspec

from goatherd.adapters.rabbitmq.management import Management, NotThere
from goatherd.errors import Unavailable
from goatherd.model.server_facts import BrokerFacts, BrokerNode, Skew, skew_of

#: The time comes with every answer of the API, in whole seconds.
RESOLUTION = 1.0


class _Node(msgspec.Struct):
    name: str
    running: bool = False
    disk_free_alarm: bool = False
    mem_alarm: bool = False
    #: Words, where it cannot be found out.
    disk_free: int | str | None = None
    disk_free_limit: int | str | None = None
    fd_used: int | str | None = None
    fd_total: int | str | None = None
    partitions: list[str] = []


async def broker_facts(management: Management, now: Callable[[], float]) -> BrokerFacts:
    """Raises Unavailable, or SettingsError if this user may not ask."""
    columns = ",".join(field.encode_name for field in msgspec.structs.fields(_Node))
    before = now()
    try:
        told = msgspec.convert(await management.ask(f"nodes?columns={columns}"), list[_Node])
    except (NotThere, msgspec.ValidationError) as error:
        raise Unavailable(f"What {management.address} tells of its nodes is not understood: {error}.") from error
    return BrokerFacts(
        server=str(management.address),
        nodes=tuple(map(_node, told)),
        skew=_skew(management.date, before, now()),
    )


def _node(told: _Node) -> BrokerNode:
    return BrokerNode(
        name=told.name,
        running=told.running,
        disk_alarm=told.disk_free_alarm,
        memory_alarm=told.mem_alarm,
        disk_free=_number(told.disk_free),
        disk_free_limit=_number(told.disk_free_limit),
        files=_number(told.fd_used),
        most_files=_number(told.fd_total),
        partitions=tuple(told.partitions),
    )


def _number(told: int | str | None) -> int | None:
    return told if isinstance(told, int) else None


def _skew(date: str | None, before: float, after: float) -> Skew | None:
    if date is None:
        return None
    try:
        told = parsedate_to_datetime(date).timestamp()
    except ValueError:
        # A proxy between us may write there what it likes.
        return None
    return skew_of(told, before, after, RESOLUTION)
