"""See what a live broker has without its management API: only whether what is named is there, and as it is wanted."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pamqp.base import Frame

from goatherd.adapters.rabbitmq.declarations import declare_exchange, declare_queue
from goatherd.adapters.rabbitmq.failures import ChannelClosed
from goatherd.adapters.rabbitmq.topology import Declarer
from goatherd.errors import TopologyMismatch
from goatherd.model.blueprint import TYPE_ARGUMENT, BindingSpec, Blueprint, ExchangeSpec, QueueSpec
from goatherd.model.difference import Crowd
from goatherd.model.orphans import is_built_in
from goatherd.model.stand_in import stand_in_of, why_not_replaceable
from goatherd.model.standing_in import queue_standing_in
from goatherd.model.survey import Survey

log = logging.getLogger("goatherd.rabbitmq")

_Spec = TypeVar("_Spec", ExchangeSpec, QueueSpec)

#: Questions at once; there may be thousands.
LOOKERS = 8
#: The broker tells nobody of these over AMQP.
_NEVER_SEEN = ("bindings", "policies", "queues and exchanges that the definition does not name")


async def glimpse(declarer: Declarer, wanted: Blueprint) -> Survey:
    """What is there of the definition, as far as it can be seen; the rest is taken to be as wanted.

    Nothing is made: only what is there is declared, which the broker takes as a question. Raises LinkFailed.
    """
    look = _Look(declarer)
    exchanges = await _of_each(wanted.exchanges, look.exchange)
    queues = await _of_each(wanted.queues, look.queue)
    # What is in a stand-in would stay there for ever if nobody saw that a replacement was not finished.
    away = [each for each in wanted.exchanges if wanted.exchange(stand_in_of(each.name)) is None]
    exchanges += await _of_each(away, look.stand_in_of_exchange)
    aside = [each for each in wanted.queues if wanted.queue(stand_in_of(each.name)) is None]
    queues += await _of_each(aside, look.stand_in_of_queue)
    return Survey(
        blueprint=Blueprint(
            vhost=wanted.vhost,
            exchanges=tuple(exchanges),
            queues=tuple(queues),
            bindings=tuple(_between(wanted.bindings, exchanges, queues)),
            policies=wanted.policies,
        ),
        crowds=look.crowds,
        unseen=(*_NEVER_SEEN, *sorted(look.unseen)),
    )


def _between(
    ways: Iterable[BindingSpec], exchanges: Iterable[ExchangeSpec], queues: Iterable[QueueSpec]
) -> Iterator[BindingSpec]:
    """Without one of its ends there is no way; whether there is one between two that are there stays unknown."""
    sources = {each.name for each in exchanges}
    ends = {("exchange", name) for name in sources} | {("queue", each.name) for each in queues}
    for way in ways:
        has_source = way.source in sources or is_built_in(way.source)
        if has_source and (way.destination_type, way.destination) in ends:
            yield way


async def _of_each(wanted: Sequence[_Spec], look: Callable[[_Spec], Awaitable[_Spec | None]]) -> list[_Spec]:
    """Those that are there, seen a few at once."""
    found: list[_Spec] = []

    async def look_at_some(left: Iterator[_Spec]) -> None:
        for each in left:
            there = await look(each)
            if there is not None:
                found.append(there)

    left = iter(wanted)
    lookers = [look_at_some(left) for _ in range(min(LOOKERS, len(wanted)))]
    for outcome in await asyncio.gather(*lookers, return_exceptions=True):
        if outcome is not None:
            raise outcome
    return found


class _Look:
    """Looks at one after the other, and notes what it could not see."""

    def __init__(self, declarer: Declarer) -> None:
        self._declarer = declarer
        self.crowds: dict[str, Crowd] = {}
        self.unseen: list[str] = []

    async def exchange(self, wanted: ExchangeSpec) -> ExchangeSpec | None:
        """As it is; None if there is none."""
        if is_built_in(wanted.name):
            return wanted
        if not await self._declarer.has_exchange(wanted.name):
            return None
        return await self._compare(wanted, declare_exchange(wanted), f"the exchange {wanted.name!r}")

    async def queue(self, wanted: QueueSpec) -> QueueSpec | None:
        """As it is; None if there is none."""
        what = f"the queue {wanted.name!r}"
        try:
            counts = await self._declarer.exists(wanted.name)
        except ChannelClosed as error:
            # 405: another connection has it for itself; 403: this user may not look.
            if error.code not in (403, 405):
                raise
            self._pass_over(what, error)
            return wanted
        if counts is None:
            return None
        self.crowds[wanted.name] = Crowd(messages=counts[0], consumers=counts[1])
        return await self._compare(wanted, declare_queue(wanted), what)

    async def stand_in_of_exchange(self, wanted: ExchangeSpec) -> ExchangeSpec | None:
        """As it was made, if there is one."""
        if is_built_in(wanted.name) or why_not_replaceable("exchange", wanted.name):
            return None
        stand_in = replace(wanted, name=stand_in_of(wanted.name), durable=True, auto_delete=False, internal=False)
        return stand_in if await self._declarer.has_exchange(stand_in.name) else None

    async def stand_in_of_queue(self, wanted: QueueSpec) -> QueueSpec | None:
        """As it was made, if there is one."""
        if why_not_replaceable("queue", wanted.name):
            return None
        stand_in = queue_standing_in(wanted, (), "classic")
        try:
            counts = await self._declarer.exists(stand_in.name)
        except ChannelClosed as error:
            if error.code not in (403, 405):
                raise
            self._pass_over(f"whether the queue {wanted.name!r} is being replaced", error)
            return None
        if counts is None:
            return None
        self.crowds[stand_in.name] = Crowd(messages=counts[0], consumers=counts[1])
        return stand_in

    async def _compare(self, wanted: _Spec, question: Frame, what: str) -> _Spec:
        try:
            await self._declarer.ask(question)
        except TopologyMismatch as mismatch:
            # The broker tells of the first difference only.
            self.unseen.append(f"whether more than {mismatch.argument} differs in {what}")
            return _with(wanted, mismatch)
        except ChannelClosed as error:
            if error.code != 403:
                raise
            self._pass_over(f"the arguments of {what}", error)
        return wanted

    def _pass_over(self, what: str, error: ChannelClosed) -> None:
        log.debug("%s cannot be seen: %s", what, error)
        self.unseen.append(what)


def _with(wanted: _Spec, mismatch: TopologyMismatch) -> _Spec:
    """What is there, as far as the broker told."""
    changed: dict[str, Any] = _changed(wanted.arguments, mismatch.argument, mismatch.found)
    return replace(wanted, **changed)


def _changed(arguments: Mapping[str, Any], name: str, found: Any) -> dict[str, Any]:
    if name in ("durable", "auto_delete", "internal"):
        return {name: found in (True, "true")}
    if name in ("type", TYPE_ARGUMENT):
        return {"type": found}
    if name.startswith("ttl"):
        # It was told in seconds.
        name, found = "x-message-ttl", round(found * 1000) if isinstance(found, int | float) else found
    rest = {each: value for each, value in arguments.items() if each != name}
    return {"arguments": rest if found is None else {**rest, name: found}}
