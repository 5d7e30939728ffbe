"""What an app wants its virtual host to have, as a blueprint: the same as its Layout makes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from goatherd.adapters.rabbitmq.names import Names
from goatherd.adapters.rabbitmq.topology import DEAD_QUEUE_ARGUMENTS, QueueType, hold_arguments, queue_arguments
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, QueueSpec
from goatherd.model.topology import Queue


def wanted_blueprint(
    app: str, queues: Sequence[Queue], queue_type: QueueType, besides: Blueprint, holds: Iterable[int] = ()
) -> Blueprint:
    """What the queues of an app need, and what it says besides; raises DefinitionError where both contradict.

    `holds` are the waits, in milliseconds, whose hold queues belong to it. A passive queue is somebody else's: only
    the way by which delayed jobs come to it is ours.
    """
    names = Names(app)
    waits = list(holds)
    own = Blueprint(
        vhost=besides.vhost,
        exchanges=(*_surroundings(names), *_exchanges(queues)),
        queues=(
            QueueSpec.from_declared(names.dead_queue, DEAD_QUEUE_ARGUMENTS),
            *_queues(queues, names, queue_type, waits),
        ),
        bindings=(*_ways(queues, names), *_hold_ways(names, waits)),
    )
    whole = own.merged(besides, here=f"the app {app!r}", there="its topology")
    # Where a contract's dead letters go is any exchange that is there; ours to make only if nobody describes it.
    graves = {grave[0] for grave in map(names.grave_of, queues) if grave is not None}
    missing = [ExchangeSpec(name=each, type="direct") for each in graves if whole.exchange(each) is None]
    return whole.merged(Blueprint(vhost=besides.vhost, exchanges=tuple(missing)))


def _surroundings(names: Names) -> Iterator[ExchangeSpec]:
    yield ExchangeSpec(name=names.work_exchange, type="direct")
    yield ExchangeSpec(name=names.dead_exchange, type="fanout")
    yield ExchangeSpec(name=names.hold_exchange, type="topic")
    arguments = {"alternate-exchange": names.dead_exchange}
    yield ExchangeSpec(name=names.due_exchange, type="topic", arguments=arguments)


def _exchanges(queues: Iterable[Queue]) -> Iterator[ExchangeSpec]:
    for each in queues:
        if each.exchange_type is not None and not each.passive:
            yield ExchangeSpec(
                name=each.exchange,
                type=each.exchange_type,
                durable=each.exchange_durable,
                arguments=each.exchange_arguments,
            )


def _queues(queues: Iterable[Queue], names: Names, queue_type: str, holds: Iterable[int]) -> Iterator[QueueSpec]:
    for each in queues:
        if not each.passive:
            described = QueueSpec.from_declared(each.name, queue_arguments(each, names, queue_type))
            # A contract that says `classic` is declared without saying so, as most programs do.
            yield replace(described, type=described.type or each.type)
    for milliseconds in holds:
        arguments = hold_arguments(milliseconds, names, queue_type)
        yield QueueSpec.from_declared(names.hold_queue(milliseconds), arguments)


def _ways(queues: Iterable[Queue], names: Names) -> Iterator[BindingSpec]:
    """Every binding of a queue: for jobs, for what is due, for its dead letters and for word of them."""
    yield BindingSpec(source=names.dead_exchange, destination=names.dead_queue)
    for each in queues:
        exchange, key = names.way_to(each)
        if exchange and not each.passive:
            yield BindingSpec(source=exchange, destination=each.name, key=key)
        yield BindingSpec(source=names.due_exchange, destination=each.name, key=f"*.{each.name}")
        if (grave := names.grave_of(each)) is not None:
            exchange, key = grave
            to = names.dead_exchange
            yield BindingSpec(source=exchange, destination=to, destination_type="exchange", key=key)
        if each.announces_to is not None:
            yield BindingSpec(source=names.dead_exchange, destination=each.announces_to)


def _hold_ways(names: Names, holds: Iterable[int]) -> Iterator[BindingSpec]:
    for wait in holds:
        yield BindingSpec(source=names.hold_exchange, destination=names.hold_queue(wait), key=f"{wait}.#")
