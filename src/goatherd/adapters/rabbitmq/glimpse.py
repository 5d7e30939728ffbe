"""See what a live broker has without its management API: only whether what is named is there, and as it is wanted."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pamqp import commands
from pamqp.base import Frame

from goatherd.adapters.rabbitmq.failures import ChannelClosed
from goatherd.adapters.rabbitmq.topology import Declarer
from goatherd.errors import TopologyMismatch
from goatherd.model.blueprint import TYPE_ARGUMENT, Blueprint, ExchangeSpec, QueueSpec
from goatherd.model.broker_arguments import Arguments
from goatherd.model.difference import Crowd
from goatherd.model.orphans import is_built_in
from goatherd.model.survey import Survey

log = logging.getLogger("goatherd.rabbitmq")

_Spec = TypeVar("_Spec", ExchangeSpec, QueueSpec)

#: The broker tells nobody of these over AMQP.
_NEVER_SEEN = ("bindings", "policies", "queues and exchanges that the definition does not name")


async def glimpse(declarer: Declarer, wanted: Blueprint) -> Survey:
    """What is there of the definition, as far as it can be seen; the rest is taken to be as wanted.

    Nothing is made: only what is there is declared, which the broker takes as a question. Raises LinkFailed.
    """
    look = _Look(declarer)
    exchanges = [await look.exchange(each) for each in wanted.exchanges]
    queues = [await look.queue(each) for each in wanted.queues]
    return Survey(
        blueprint=Blueprint(
            vhost=wanted.vhost,
            exchanges=tuple(each for each in exchanges if each is not None),
            queues=tuple(each for each in queues if each is not None),
            bindings=wanted.bindings,
            policies=wanted.policies,
        ),
        crowds=look.crowds,
        unseen=(*_NEVER_SEEN, *look.unseen),
    )


class _Look:
    """Goes from one to the next, and notes what it could not see."""

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
        question = commands.Exchange.Declare(
            0, wanted.name, wanted.type, durable=wanted.durable, auto_delete=wanted.auto_delete,
            internal=wanted.internal, arguments=Arguments(wanted.arguments).plain(),
        )  # fmt: skip
        return await self._compare(wanted, question, f"the exchange {wanted.name!r}")

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
        question = commands.Queue.Declare(
            0, wanted.name, durable=wanted.durable, auto_delete=wanted.auto_delete,
            arguments=wanted.declared_arguments,
        )  # fmt: skip
        return await self._compare(wanted, question, what)

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
