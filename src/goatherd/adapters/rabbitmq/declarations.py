"""What a blueprint describes, as the frames that make it or use it; for what is there they are mere questions."""

from typing import TypeVar

from pamqp import commands
from pamqp.base import Frame

from goatherd.model.blueprint import BindingSpec, ExchangeSpec, QueueSpec
from goatherd.model.broker_arguments import Arguments

_Frame = TypeVar("_Frame", bound=Frame)


def declare_exchange(exchange: ExchangeSpec) -> Frame:
    """Make an exchange."""
    frame = commands.Exchange.Declare(
        0, "", exchange.type, durable=exchange.durable, auto_delete=exchange.auto_delete,
        internal=exchange.internal, arguments=Arguments(exchange.arguments).plain(),
    )  # fmt: skip
    return _about(frame, exchange=exchange.name)


def declare_queue(queue: QueueSpec) -> Frame:
    """Make a queue."""
    frame = commands.Queue.Declare(
        0, durable=queue.durable, auto_delete=queue.auto_delete, arguments=queue.declared_arguments
    )
    return _about(frame, queue=queue.name)


def declare_binding(binding: BindingSpec) -> Frame:
    """Bind a queue, or an exchange, to an exchange."""
    arguments = Arguments(binding.arguments).plain()
    if binding.destination_type == "queue":
        way = commands.Queue.Bind(0, "", "", binding.key, arguments=arguments)
        return _about(way, queue=binding.destination, exchange=binding.source)
    onwards = commands.Exchange.Bind(0, "", "", binding.key, arguments=arguments)
    return _about(onwards, destination=binding.destination, source=binding.source)


def undo_binding(binding: BindingSpec) -> Frame:
    """Unbind a queue, or an exchange, from an exchange."""
    arguments = Arguments(binding.arguments).plain()
    if binding.destination_type == "queue":
        way = commands.Queue.Unbind(0, "", "", binding.key, arguments=arguments)
        return _about(way, queue=binding.destination, exchange=binding.source)
    onwards = commands.Exchange.Unbind(0, "", "", binding.key, arguments=arguments)
    return _about(onwards, destination=binding.destination, source=binding.source)


def look_for_queue(name: str) -> Frame:
    """Ask for a queue without making it."""
    return _about(commands.Queue.Declare(0, passive=True), queue=name)


def look_for_exchange(name: str) -> Frame:
    """Ask for an exchange without making it."""
    return _about(commands.Exchange.Declare(0, passive=True), exchange=name)


def delete_queue(name: str, *, only_if_idle: bool = False) -> Frame:
    """Delete a queue; if it is to be idle, only while it is empty and nobody consumes."""
    return _about(commands.Queue.Delete(0, if_unused=only_if_idle, if_empty=only_if_idle), queue=name)


def purge_queue(name: str) -> Frame:
    """Drop all that waits in a queue."""
    return _about(commands.Queue.Purge(0), queue=name)


def consume(queue: str, tag: str = "", *, exclusive: bool = False) -> Frame:
    """Take from a queue."""
    return _about(commands.Basic.Consume(0, "", tag, exclusive=exclusive), queue=queue)


def delete_exchange(name: str) -> Frame:
    """Delete an exchange."""
    return _about(commands.Exchange.Delete(0), exchange=name)


def _about(frame: _Frame, **names: str) -> _Frame:
    """With these names: brokers allow any text in them, pamqp only some characters, so it must not look."""
    for attribute, name in names.items():
        setattr(frame, attribute, name)
    frame.validate = _anything  # type: ignore[method-assign]  # it is the frame's own look at itself
    return frame


def _anything() -> None:
    """The broker tells what it does not like."""
