"""The exchanges, queues, bindings and policies of one virtual host, seen and changed one at a time."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from pamqp.base import Frame

from goatherd.adapters.rabbitmq.asking import Asking, Refusal
from goatherd.adapters.rabbitmq.counts import Counts
from goatherd.adapters.rabbitmq.declarations import (
    declare_binding,
    declare_exchange,
    declare_queue,
    delete_exchange,
    delete_queue,
    undo_binding,
)
from goatherd.adapters.rabbitmq.glimpse import glimpse
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.management import Management, NoManagement, NotThere, path_of
from goatherd.adapters.rabbitmq.movers import Movers
from goatherd.adapters.rabbitmq.solitude import Solitude
from goatherd.adapters.rabbitmq.survey import survey
from goatherd.adapters.rabbitmq.topology import Declarer
from goatherd.errors import SettingsError, Unavailable
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.broker_arguments import Arguments
from goatherd.model.difference import Crowd
from goatherd.model.survey import Survey
from goatherd.ports.plumbing import Moved

#: Seconds within which all that is wanted must be found or missed, one by one.
GLIMPSE_DEADLINE = 60.0
#: The one kind of queue that heeds the conditions of a deletion; asked of another, one ends the whole connection.
CONDITIONAL = "classic"

log = logging.getLogger("goatherd.rabbitmq")


class RabbitPlumbing:
    """Satisfies `Plumbing`; without the management API it sees less, and changes no policies."""

    def __init__(self, link: Link, management: Management | None) -> None:
        self._link = link
        self._management = management
        self._virtual_host = link.address.virtual_host
        self._asking = Asking(link)
        self._counts = Counts(self._asking, management, self._virtual_host)
        self._solitude = Solitude(link, self._asking)
        self._movers = Movers(self._asking, self._counts, management, self._virtual_host, self._solitude)

    async def survey(self, wanted: Blueprint) -> Survey:
        """Raises SettingsError or Unavailable."""
        why = "the broker's management API is not used"
        if self._management is not None:
            try:
                return await survey(self._management, self._virtual_host)
            except (NoManagement, SettingsError) as error:
                log.debug("The broker is looked at without its management API: %s", error)
                why = "; ".join(error.problems) if isinstance(error, SettingsError) else str(error)
        try:
            seen = await self._asking.within(self._glimpse(wanted), GLIMPSE_DEADLINE)
        except Refusal as refusal:
            raise refusal.told("tell what is there") from refusal
        return replace(seen, unseen=(*seen.unseen, f"more than this, because {why}"))

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """What somebody left behind who was killed at it is cleared away first."""
        async with self._solitude.held():
            await self._movers.clear()
            yield

    async def make_exchange(self, exchange: ExchangeSpec) -> None:
        await self._do(declare_exchange(exchange), f"make the exchange {exchange.name!r}")

    async def drop_exchange(self, name: str) -> None:
        await self._do(delete_exchange(name), f"delete the exchange {name!r}")

    async def make_queue(self, queue: QueueSpec) -> None:
        await self._do(declare_queue(queue), f"make the queue {queue.name!r}")

    async def drop_queue(self, name: str, *, though_full: bool = False) -> bool:
        doing = f"delete the queue {name!r}"
        if though_full:
            return await self._do(delete_queue(name), doing)
        look = await self._counts.look(name)
        if look is None:
            return True
        crowd, kind = look
        # The broker's own conditions overlook what is in the hands of consumers that have taken their leave.
        if crowd.messages or crowd.consumers or crowd.held:
            return False
        conditional = kind == CONDITIONAL
        question = delete_queue(name, only_if_idle=conditional)
        return await self._do(question, doing, unless=(406,) if conditional else ())

    async def bind(self, binding: BindingSpec) -> None:
        await self._do(declare_binding(binding), f"bind {binding.destination!r} to the exchange {binding.source!r}")

    async def unbind(self, binding: BindingSpec) -> None:
        doing = f"unbind {binding.destination!r} from the exchange {binding.source!r}"
        await self._do(undo_binding(binding), doing, unless=(404,))

    async def set_policy(self, policy: PolicySpec) -> None:
        """Raises SettingsError if this user may not."""
        body = {
            "pattern": policy.pattern,
            "apply-to": policy.apply_to,
            "definition": Arguments(policy.definition).plain(),
            "priority": policy.priority,
        }
        try:
            await self._operate("PUT", policy.name, body)
        except NotThere as error:
            raise Unavailable(f"The broker has no {error}. Try again.") from error

    async def drop_policy(self, name: str) -> None:
        """Raises SettingsError if this user may not."""
        try:
            await self._operate("DELETE", name)
        except NotThere:
            return

    async def crowd(self, queue: str) -> Crowd | None:
        look = await self._counts.look(queue)
        return None if look is None else look[0]

    async def move(self, source: str, to: str, moved: Moved) -> None:
        self._solitude.check()
        await self._movers.move(source, to, moved)

    async def _do(self, question: Frame, doing: str, *, unless: tuple[int, ...] = ()) -> bool:
        self._solitude.check()
        return await self._asking.done(question, doing, unless=unless)

    async def _operate(self, method: str, policy: str, body: object = None) -> None:
        self._solitude.check()
        if self._management is None:
            raise Unavailable(
                f"The policy {policy!r} cannot be changed without the broker's management API. Enable it with "
                f"`rabbitmq-plugins enable rabbitmq_management`."
            )
        await self._management.ask(path_of("policies", self._virtual_host, policy), method, body)

    async def _glimpse(self, wanted: Blueprint) -> Survey:
        return await glimpse(Declarer(await self._link.connection()), wanted)
