"""See what a live broker has, by its management API."""

import logging
from typing import Any, TypeVar

import msgspec

from goatherd.adapters.rabbitmq.counts import Totals, all_totals
from goatherd.adapters.rabbitmq.management import Management, NotThere, path_of
from goatherd.adapters.rabbitmq.solitude import QUEUE as ALONE
from goatherd.adapters.rabbitmq.strangers import strangers
from goatherd.adapters.rabbitmq.way_aside import PREFIX as WAYS_ASIDE
from goatherd.errors import SettingsError, Unavailable
from goatherd.model.blueprint import TYPE_ARGUMENT, BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.difference import Crowd
from goatherd.model.survey import Survey

log = logging.getLogger("goatherd.rabbitmq")

_Row = TypeVar("_Row", bound=msgspec.Struct)
_Table = dict[str, Any]


class _Queue(msgspec.Struct):
    name: str
    durable: bool
    auto_delete: bool
    arguments: _Table
    #: What is told of a queue that a connection has for itself is told a moment late.
    exclusive: bool = False
    type: str = "classic"
    #: Missing until the broker has counted for the first time, and while the queue's node is away.
    messages: int | None = None
    consumers: int | None = None


class _Exchange(msgspec.Struct):
    name: str
    type: str
    durable: bool
    auto_delete: bool
    internal: bool
    arguments: _Table


class _Binding(msgspec.Struct):
    source: str
    destination: str
    destination_type: str
    routing_key: str
    arguments: _Table


class _Policy(msgspec.Struct, rename={"apply_to": "apply-to"}):
    name: str
    pattern: str
    apply_to: str
    definition: _Table
    priority: int = 0


class _VirtualHost(msgspec.Struct):
    name: str
    #: Old brokers have none.
    default_queue_type: str | None = None


async def survey(management: Management, virtual_host: str) -> Survey:
    """All of a virtual host but for what one connection has for itself, and what every broker has from the start.

    Raises SettingsError, NoManagement or Unavailable.
    """
    default_type = await _default_type(management, virtual_host)
    queues = await _list(management, path_of("queues", virtual_host), _Queue)
    exchanges = await _list(management, path_of("exchanges", virtual_host), _Exchange)
    bindings = await _list(management, path_of("bindings", virtual_host), _Binding)
    policies = await _list(management, path_of("policies", virtual_host), _Policy)
    totals = await all_totals(management, virtual_host)
    lasting = [each for each in queues if not each.exclusive and each.name != ALONE]
    return Survey(
        blueprint=Blueprint(
            vhost=virtual_host,
            exchanges=tuple(_exchange(each) for each in exchanges if not _is_passed_over(each.name, "amq.")),
            queues=tuple(map(_queue, lasting)),
            bindings=tuple(_binding(each) for each in bindings if not _is_passed_over(each.source)),
            policies=tuple(map(_policy, policies)),
        ),
        crowds={each.name: _crowd(each, totals.get(each.name)) for each in lasting},
        default_type=default_type,
        operator_policies=await _operator_policies(management, virtual_host),
        strangers=await strangers(management, virtual_host),
    )


def _is_passed_over(exchange: str, *prefixes: str) -> bool:
    """The broker makes `amq.` and the default exchange by itself, and with the latter a binding for each queue."""
    return not exchange or exchange.startswith((WAYS_ASIDE, *prefixes))


async def _default_type(management: Management, virtual_host: str) -> str:
    # Only administrators may ask for one of them, but everybody sees those that are open to him.
    hosts = {each.name: each for each in await _list(management, "vhosts", _VirtualHost)}
    if virtual_host not in hosts:
        raise SettingsError([_no_such(management, virtual_host)])
    told = hosts[virtual_host].default_queue_type
    # Where nobody has chosen, the broker says `undefined`, and makes classic queues.
    return "classic" if told in (None, "", "undefined") else str(told)


async def _operator_policies(management: Management, virtual_host: str) -> tuple[PolicySpec, ...]:
    try:
        told = await management.ask(path_of("operator-policies", virtual_host))
        return tuple(_policy(each) for each in msgspec.convert(told, list[_Policy]))
    except (NotThere, SettingsError, msgspec.ValidationError) as error:
        # Old brokers have none, and not every user is told of them.
        log.debug("The policies of the operators of %r are not seen: %s", virtual_host, error)
        return ()


async def _list(management: Management, path: str, kind: type[_Row]) -> list[_Row]:
    """Raises SettingsError, NoManagement or Unavailable."""
    columns = [each.encode_name for each in msgspec.structs.fields(kind)]
    try:
        told = await management.ask(f"{path}?columns={','.join(columns)}")
        return [msgspec.convert(each, kind) for each in told]
    except NotThere as error:
        raise Unavailable(f"The broker has no {error} any more. Try again.") from error
    except (msgspec.ValidationError, TypeError) as error:
        raise Unavailable(
            f"What the management API at {management.address} tells at {path!r} is not understood: {error}. It may be "
            f"of a version that this program does not know."
        ) from error


def _no_such(management: Management, virtual_host: str) -> str:
    user = management.address.user
    return (
        f"The broker at {management.address} has no virtual host {virtual_host!r}, or {user!r} may not use it. Make it "
        f"with `rabbitmqctl add_vhost`, or write another one at the end of GOATHERD_BROKER_URL"
    )


def _queue(told: _Queue) -> QueueSpec:
    rest = {name: value for name, value in told.arguments.items() if name != TYPE_ARGUMENT}
    return QueueSpec(name=told.name, type=told.type, durable=told.durable, auto_delete=told.auto_delete, arguments=rest)


def _crowd(told: _Queue, counted: Totals | None) -> Crowd:
    """The counts are of this moment where there are any; who consumes is in the statistics alone."""
    if counted is None or counted.messages is None:
        return Crowd(messages=told.messages, consumers=told.consumers)
    return Crowd(messages=counted.messages, consumers=told.consumers, held=counted.messages_unacknowledged)


def _exchange(told: _Exchange) -> ExchangeSpec:
    return ExchangeSpec(**msgspec.structs.asdict(told))


def _binding(told: _Binding) -> BindingSpec:
    return BindingSpec(
        source=told.source,
        destination=told.destination,
        destination_type="queue" if told.destination_type == "queue" else "exchange",
        key=told.routing_key,
        arguments=told.arguments,
    )


def _policy(told: _Policy) -> PolicySpec:
    return PolicySpec(**msgspec.structs.asdict(told))
