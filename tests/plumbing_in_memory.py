"""A virtual host in memory that can be surveyed and changed like a real broker's, for tests of what is done to it.

It routes as RabbitMQ does and refuses what RabbitMQ refuses. Programs of others are only counted: a consumer is a
number, and what consumers hold is a list of bodies. Nothing expires.
"""

from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TypeVar

from goatherd.errors import TopologyMismatch, Unavailable
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec, differing
from goatherd.model.difference import Crowd
from goatherd.model.policies import policy_of
from goatherd.model.survey import Survey
from goatherd.ports.plumbing import Moved
from tests.routing_in_memory import Letter, route

#: What every broker has from the start.
BUILT_IN = {
    f"amq.{name}": ExchangeSpec(name=f"amq.{name}", type=kind)
    for name, kind in [(kind, kind) for kind in ("direct", "fanout", "topic", "headers")] + [("match", "headers")]
}
#: The arguments that a broker compares when something of that name is there already; it overlooks all others.
COMPARED = {
    "exchange": {"alternate-exchange"},
    "queue": {
        "x-expires", "x-message-ttl", "x-dead-letter-exchange", "x-dead-letter-routing-key", "x-dead-letter-strategy",
        "x-max-length", "x-max-length-bytes", "x-max-in-memory-length", "x-max-in-memory-bytes", "x-max-priority",
        "x-overflow", "x-queue-mode", "x-queue-version", "x-single-active-consumer", "x-queue-type",
        "x-quorum-initial-group-size", "x-max-age", "x-stream-max-segment-size-bytes", "x-initial-cluster-size",
        "x-queue-master-locator", "x-queue-leader-locator", "x-delivery-limit",
    },
}  # fmt: skip

_Spec = TypeVar("_Spec", ExchangeSpec, QueueSpec)


class MemoryPlumbing:
    """Satisfies Plumbing; its attributes are the whole state."""

    def __init__(self, blueprint: Blueprint | None = None, *, default_type: str = "classic") -> None:
        blueprint = blueprint or Blueprint()
        self.vhost = blueprint.vhost
        self.default_type = default_type
        self.exchanges: dict[str, ExchangeSpec] = {each.name: each for each in blueprint.exchanges}
        self.queues: dict[str, QueueSpec] = {each.name: self._typed(each) for each in blueprint.queues}
        self.bindings: set[BindingSpec] = {each for each in blueprint.bindings if each.source}
        self.policies: dict[str, PolicySpec] = {each.name: each for each in blueprint.policies}
        self.letters: dict[str, deque[Letter]] = {name: deque() for name in self.queues}
        #: What consumers have in their hands, by queue.
        self.held: dict[str, list[Letter]] = {name: [] for name in self.queues}
        #: How many consume from a queue.
        self.consumers: Counter[str] = Counter()
        #: Programs of others, as a survey tells them.
        self.strangers: tuple[str, ...] | None = ()
        self.taken = False

    # What programs do.

    def publish(
        self,
        exchange: str,
        key: str,
        body: bytes,
        *,
        mandatory: bool = True,
        headers: Mapping[str, object] | None = None,
    ) -> bool:
        """Whether it was accepted: with `mandatory` not if it leads nowhere. KeyError if there is no such exchange."""
        found = self.find_exchange(exchange)
        if found is None:
            raise KeyError(exchange)
        if found.internal:
            raise PermissionError(f"The exchange {exchange!r} is internal.")
        goals = route(self, exchange, key, headers or {})
        taken = [self._put(goal, Letter(body, key, dict(headers or {}))) for goal in sorted(goals)]
        return all(taken) and (bool(taken) or not mandatory)

    def waiting(self, queue: str) -> list[bytes]:
        """What is in a queue and in nobody's hands, oldest first."""
        return [letter.body for letter in self.letters[queue]]

    def consume(self, queue: str) -> None:
        """One more consumer, that holds nothing yet."""
        self.consumers[self.queues[queue].name] += 1

    def hold(self, queue: str, count: int = 1) -> None:
        """Let consumers take so many of those that wait."""
        for _ in range(count):
            self.held[queue].append(self.letters[queue].popleft())

    def settle(self, queue: str) -> None:
        """Let consumers be done with all that they hold."""
        self.held[queue].clear()

    def leave(self, queue: str) -> None:
        """One consumer less; with the last one all that they hold goes back, and a queue that lives by them goes."""
        self.consumers[queue] -= 1
        if self.consumers[queue] > 0:
            return
        self.letters[queue].extendleft(reversed(self.held[queue]))
        self.held[queue].clear()
        if self.queues[queue].auto_delete:
            self._forget_queue(queue)

    # What Plumbing asks for.

    async def survey(self, wanted: Blueprint) -> Survey:
        """All that is there."""
        return Survey(
            blueprint=self.blueprint,
            crowds={name: self._crowd(name) for name in self.queues},
            default_type=self.default_type,
            strangers=self.strangers,
        )

    @property
    def blueprint(self) -> Blueprint:
        """All that is there."""
        return Blueprint(
            vhost=self.vhost,
            exchanges=tuple(self.exchanges.values()),
            queues=tuple(self.queues.values()),
            bindings=tuple(self.bindings),
            policies=tuple(self.policies.values()),
        )

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Nobody else may come in meanwhile."""
        if self.taken:
            raise Unavailable(f"Somebody else changes the virtual host {self.vhost!r} now. Try again later.")
        self.taken = True
        try:
            yield
        finally:
            self.taken = False

    async def make_exchange(self, exchange: ExchangeSpec) -> None:
        """Nothing happens if it is there."""
        if exchange.type not in {each.type for each in BUILT_IN.values()}:
            raise Unavailable(f"The broker knows no type of exchange {exchange.type!r}.")
        _compare("exchange", exchange, self.find_exchange(exchange.name))
        if exchange.name not in BUILT_IN:
            self.exchanges.setdefault(exchange.name, exchange)

    async def drop_exchange(self, name: str) -> None:
        """With its bindings on both sides."""
        if self.exchanges.pop(name, None) is not None:
            self._unbind(each for each in self.bindings if each.source == name or _leads_to(each, "exchange", name))

    async def make_queue(self, queue: QueueSpec) -> None:
        """Nothing happens if it is there."""
        typed = self._typed(queue)
        if typed.type == "quorum" and (typed.auto_delete or not typed.durable):
            raise Unavailable(f"The broker refuses the quorum queue {queue.name!r}: it must last.")
        _compare("queue", typed, self.queues.get(queue.name))
        if queue.name not in self.queues:
            self.queues[queue.name], self.letters[queue.name], self.held[queue.name] = typed, deque(), []

    async def drop_queue(self, name: str, *, though_full: bool = False) -> bool:
        """Whether it is gone."""
        if name not in self.queues:
            return True
        if not though_full and (self.letters[name] or self.held[name] or self.consumers[name]):
            return False
        self._forget_queue(name)
        return True

    async def bind(self, binding: BindingSpec) -> None:
        """Nothing happens if it is there."""
        ends = self.queues if binding.destination_type == "queue" else {**self.exchanges, **BUILT_IN}
        if binding.source not in {**self.exchanges, **BUILT_IN} or binding.destination not in ends:
            raise Unavailable(f"No binding {binding.source!r} → {binding.destination!r}: one of them is not there.")
        self.bindings.add(binding)

    async def unbind(self, binding: BindingSpec) -> None:
        """Nothing happens if it is not there."""
        self._unbind([binding] if binding in self.bindings else [])

    async def set_policy(self, policy: PolicySpec) -> None:
        """It counts at once, also for what is there."""
        self.policies[policy.name] = policy
        for name in list(self.queues):
            self._shorten(name)

    async def drop_policy(self, name: str) -> None:
        """Nothing happens if it is not there."""
        self.policies.pop(name, None)

    async def crowd(self, queue: str) -> Crowd | None:
        """What is in it."""
        return self._crowd(queue) if queue in self.queues else None

    async def move(self, source: str, to: str, moved: Moved) -> None:
        """One after the other; raises Unavailable where the other queue takes no more."""
        if source not in self.queues or to not in self.queues:
            raise Unavailable(f"Nothing can be moved from {source!r} to {to!r}: one of them is not there.")
        count = 0
        while self.letters[source]:
            if not self._put(to, self.letters[source][0]):
                raise Unavailable(f"The queue {to!r} takes no more messages.")
            self.letters[source].popleft()
            count += 1
            moved(count)

    # How it works.

    def find_exchange(self, name: str) -> ExchangeSpec | None:
        """The built-in ones too; the default exchange is a direct one with a binding for each queue."""
        return ExchangeSpec(name="", type="direct") if not name else self.exchanges.get(name, BUILT_IN.get(name))

    def _typed(self, queue: QueueSpec) -> QueueSpec:
        return replace(queue, type=queue.type or self.default_type)

    def _crowd(self, queue: str) -> Crowd:
        held = len(self.held[queue])
        return Crowd(messages=len(self.letters[queue]) + held, consumers=self.consumers[queue], held=held)

    def _forget_queue(self, name: str) -> None:
        del self.queues[name], self.letters[name], self.held[name], self.consumers[name]
        self._unbind(each for each in self.bindings if _leads_to(each, "queue", name))

    def _unbind(self, gone: Iterator[BindingSpec] | list[BindingSpec]) -> None:
        """An exchange that lives by its bindings goes with the last one."""
        for binding in list(gone):
            self.bindings.discard(binding)
            source = self.exchanges.get(binding.source)
            if (
                source is not None
                and source.auto_delete
                and not any(each.source == source.name for each in self.bindings)
            ):
                del self.exchanges[source.name]
                self._unbind(each for each in self.bindings if _leads_to(each, "exchange", source.name))

    def _put(self, queue: str, letter: Letter) -> bool:
        limit = self._setting(queue, "max-length")
        full = isinstance(limit, int) and len(self.letters[queue]) >= limit
        if full and self._setting(queue, "overflow") in ("reject-publish", "reject-publish-dlx"):
            return False
        self.letters[queue].append(letter)
        self._shorten(queue)
        return True

    def _shorten(self, queue: str) -> None:
        limit = self._setting(queue, "max-length")
        while isinstance(limit, int) and len(self.letters[queue]) > limit:
            self._bury(queue, self.letters[queue].popleft())

    def _bury(self, queue: str, letter: Letter) -> None:
        grave = self._setting(queue, "dead-letter-exchange")
        key = self._setting(queue, "dead-letter-routing-key")
        key = key if isinstance(key, str) else letter.key
        if isinstance(grave, str) and self.find_exchange(grave) is not None and queue not in letter.buried:
            for goal in sorted(route(self, grave, key, letter.headers)):
                self._put(goal, replace(letter, key=key, buried=letter.buried | {queue}))

    def _setting(self, queue: str, name: str) -> object:
        policy = policy_of(self.queues[queue], tuple(self.policies.values()), self.default_type)
        ruled = policy.definition.get(name) if policy is not None else None
        said = self.queues[queue].arguments.get(f"x-{name}")
        if name == "max-length" and isinstance(said, int) and isinstance(ruled, int):
            return min(said, ruled)
        return ruled if said is None else said


def _compare(kind: str, wanted: _Spec, found: _Spec | None) -> None:
    if found is None:
        return
    for name, mine, there in differing(wanted, found):
        argument = name.removeprefix("arguments.")
        if argument == name or argument in COMPARED[kind]:
            raise TopologyMismatch(kind, wanted.name, argument, mine, there)


def _leads_to(binding: BindingSpec, kind: str, name: str) -> bool:
    return (binding.destination_type, binding.destination) == (kind, name)
