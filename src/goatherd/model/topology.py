"""Queues as data: what a program wants the broker to have."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from goatherd.errors import DefinitionError
from goatherd.model.answers import AnswerRule
from goatherd.model.formats import FORMATS, FormatName

ExchangeType: TypeAlias = Literal["direct", "fanout", "headers", "topic"]

#: AMQP allows 255 bytes; what we add to a name (retry, dead letters) must fit in too.
LONGEST_NAME = 200


@dataclass(frozen=True, kw_only=True)
class Queue:
    """A queue by name and contract; pass it as `queue=` to tasks and steps."""

    name: str
    #: Whether other programs rely on it too, so that nothing may be added to what is said here.
    contract: bool = False
    format: FormatName = "native"
    exchange: str = ""
    #: The kind of its exchange, where that may be made; None where it must be there.
    exchange_type: ExchangeType | None = None
    exchange_durable: bool = True
    exchange_arguments: Mapping[str, str | int | bool] = field(default_factory=dict)
    routing_key: str | None = None
    type: Literal["quorum", "classic"] | None = None
    #: Seconds a job may wait before it becomes a dead letter.
    ttl: float | None = None
    max_length: int | None = None
    dead_letter: tuple[str, str] | None = None
    arguments: Mapping[str, str | int | bool] = field(default_factory=dict)
    prefetch: int | None = None
    passive: bool = False
    #: How the service that takes from it answers, where it does so on a queue that it shares.
    answers: AnswerRule | None = None
    #: The queue that is told of every dead letter of this one.
    announces_to: str | None = None
    #: Whether it is one of very many that come and go, so that nobody looks at all of them or makes all of them again.
    one_of_many: bool = False
    #: Whether programs of others put messages into it, although it is ours: they answer there.
    open_to_others: bool = False

    def __post_init__(self) -> None:
        check_queue_name(self.name)
        if self.format not in FORMATS:
            raise DefinitionError(f"The queue {self.name!r} has format={self.format!r}; use {', '.join(FORMATS)}.")
        for name in ("ttl", "max_length", "prefetch"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise DefinitionError(f"The queue {self.name!r} has {name}={value!r}; it must be above 0.")


@dataclass(frozen=True, kw_only=True)
class HoldLimit:
    """How long a worker may hold a job before the broker takes it back and gives it to another."""

    seconds: float
    #: Whether it is known, or only what brokers do unless they are told otherwise.
    known: bool
    #: What says so for this queue, in words; None where it is the same for all of the broker.
    set_by: str | None = None


def check_queue_name(name: str) -> None:
    """Raise DefinitionError for a name that some broker would refuse."""
    fits = name.isprintable() and 0 < len(name.encode()) <= LONGEST_NAME
    if not fits or "*" in name or "#" in name:
        raise DefinitionError(
            f"A queue cannot be named {name!r}: use 1 to {LONGEST_NAME} bytes of printable text without '*' and '#'."
        )


@dataclass(frozen=True, kw_only=True)
class QueueState:
    """How a queue stands right now."""

    name: str
    ready: int
    #: None where the broker does not tell.
    delayed: int | None
    #: None where the broker does not tell.
    running: int | None
    consumers: int
    #: Seconds that the oldest ready job has waited; None when nothing waits.
    oldest_age: float | None
    #: None where the broker does not tell.
    dead: int | None
    paused: bool
    #: Whether it is paused because another one takes its place just now.
    replaced: bool = False
