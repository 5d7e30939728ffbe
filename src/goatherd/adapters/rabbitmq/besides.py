"""Make what an app's topology describes besides the queues of its tasks: exchanges, queues and bindings."""

import logging
from collections.abc import Collection, Iterable, Sequence

from pamqp.base import Frame

from goatherd.adapters.rabbitmq.declarations import declare_binding, declare_exchange, declare_queue
from goatherd.adapters.rabbitmq.failures import ChannelClosed
from goatherd.adapters.rabbitmq.topology import Declarer
from goatherd.errors import GoatherdError
from goatherd.model.blueprint import BindingSpec, Blueprint
from goatherd.model.orphans import is_built_in

log = logging.getLogger("goatherd.rabbitmq")


class Besides:
    """What is there stays as it is; where it differs, that is told, and keeps nothing else waiting.

    Policies are not among it: over AMQP nobody can set one.
    """

    def __init__(self, wanted: Blueprint) -> None:
        exchanges = [declare_exchange(each) for each in wanted.exchanges if not is_built_in(each.name)]
        self._things: list[Frame] = [*exchanges, *(declare_queue(each) for each in wanted.queues)]
        # The broker itself binds every queue to the exchange without a name.
        self._bindings = [each for each in wanted.bindings if each.source]
        self._told: set[BindingSpec] = set()

    async def make_things(self, declarer: Declarer) -> Sequence[Exception]:
        """Exchanges and queues; gives the refusals. Raises LinkFailed."""
        refusals: list[Exception] = []
        for each in self._things:
            try:
                await declarer.ask(each)
            except (ChannelClosed, GoatherdError) as error:
                refusals.append(error)
        return refusals

    @property
    def queues(self) -> set[str]:
        """Those that are to be bound."""
        return {each.destination for each in self._bindings if each.destination_type == "queue"}

    async def bind(self, declarer: Declarer, aside: Collection[str] = ()) -> Sequence[Exception]:
        """Everything that is to be bound, after all queues are made; gives the refusals. Raises LinkFailed.

        But for queues that are led aside.
        """
        return await self._bind(declarer, [each for each in self._bindings if not _leads_to(each, aside)])

    async def bind_queues(self, declarer: Declarer, queues: Collection[str]) -> Sequence[Exception]:
        """Only queues that were made a moment ago."""
        return await self._bind(declarer, [each for each in self._bindings if _leads_to(each, queues)])

    async def _bind(self, declarer: Declarer, bindings: Iterable[BindingSpec]) -> Sequence[Exception]:
        refusals: list[Exception] = []
        for each in bindings:
            try:
                await declarer.ask(declare_binding(each))
            except ChannelClosed as error:
                if error.code == 404:
                    self._tell(each, error)
                else:
                    refusals.append(error)
            else:
                self._told.discard(each)
        return refusals

    def _tell(self, binding: BindingSpec, error: ChannelClosed) -> None:
        """An end that is missing may be a listener's queue, which comes later, or somebody else's to make."""
        if binding not in self._told:
            self._told.add(binding)
            log.warning(
                "The %s %r cannot be bound to the exchange %r yet, because one of them is not there (%s). It is tried "
                "again when this program makes such a queue or connects anew; describe both ends in app.topology",
                binding.destination_type, binding.destination, binding.source, error,
            )  # fmt: skip


def _leads_to(binding: BindingSpec, queues: Collection[str]) -> bool:
    return binding.destination_type == "queue" and binding.destination in queues
