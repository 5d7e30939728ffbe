"""Where each message of an app goes on the broker, and what its queues do with it there."""

from collections.abc import Iterable, Sequence

from goatherd.adapters.rabbitmq.capabilities import Capabilities
from goatherd.adapters.rabbitmq.known import KnownQueues
from goatherd.adapters.rabbitmq.names import Names
from goatherd.model.topology import HoldLimit, Queue

#: Seconds for which RabbitMQ lets a delivery stay without an ack, unless its operator said otherwise.
CONSUMER_TIMEOUT = 1800.0


class Ways:
    """To the queues that a process knows; one that it does not know is reached by its name."""

    def __init__(self, names: Names, known: KnownQueues) -> None:
        self._names = names
        self._known = known
        #: Looked up for every message, so they are made up only once.
        self._ways: dict[str, tuple[str, str]] = {}

    def learn(self, queues: Sequence[Queue]) -> None:
        """These queues are wanted so."""
        self._ways |= {queue.name: self._names.way_to(queue) for queue in queues if not queue.one_of_many}

    def by_name_alone(self, queues: Iterable[Queue]) -> list[str]:
        """Those to which no exchange but the default one leads, without those that come and go by the thousand."""
        return [each.name for each in queues if not each.one_of_many and not self._names.way_to(each)[0]]

    def way_to(self, queue: str) -> tuple[str, str]:
        """Exchange and routing key for a queue."""
        return self._ways.get(queue) or ("", queue)

    def buries(self, queue: str) -> bool:
        """Whether the broker keeps what expires in a queue: a contract without dead letters would just lose it."""
        described = self._known.lasting.get(queue)
        return described is not None and (not described.contract or described.dead_letter is not None)

    def hold_limit(self, queue: str, told: float | None, offers: Capabilities) -> HoldLimit:
        """How long a delivery of a queue may stay without an ack; the queue's own argument wins."""
        described = self._known.lasting.get(queue)
        own = described.arguments.get("x-consumer-timeout") if described is not None else None
        # An older broker takes the argument and does not mind it.
        if isinstance(own, int) and offers.consumer_timeout_by_queue:
            return HoldLimit(seconds=own / 1000, known=True, set_by=f"x-consumer-timeout of the queue {queue}")
        return HoldLimit(seconds=CONSUMER_TIMEOUT if told is None else told, known=told is not None)

    def takes_turns(self, queue: str) -> bool:
        """Whether only one consumer of a queue gets messages at a time, so that the others hear nothing."""
        described = self._known.lasting.get(queue)
        return described is not None and bool(described.arguments.get("x-single-active-consumer"))

    def grave_of(self, queue: str) -> tuple[str, str]:
        """Exchange and routing key for a queue's dead letters; those about announcements are not announced."""
        if queue in self._known.announcements:
            return "", self._names.dead_queue
        return self._names.grave_of(self._known.lasting.get(queue)) or (self._names.dead_exchange, queue)

    def is_told(self, queue: str) -> bool:
        """Whether it is a queue that is told of dead letters."""
        return queue in self._known.announcements

    def announcing_exchanges(self, queue: str) -> frozenset[str]:
        """Where dead letters pass: what a queue gets from there is an announcement."""
        if queue not in self._known.announcements:
            return frozenset((self._names.dead_exchange,))
        graves = [self._names.grave_of(described) for described in self._known.lasting.values()]
        return frozenset((self._names.dead_exchange, *(grave[0] for grave in graves if grave is not None)))
