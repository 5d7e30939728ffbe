"""Mend one difference, by its class."""

from goatherd.engine.topology.exchange_replacement import ExchangeReplacement
from goatherd.engine.topology.progress import Tell, Voice
from goatherd.engine.topology.queue_replacement import QueueReplacement
from goatherd.model.blueprint import Blueprint
from goatherd.model.difference import Difference
from goatherd.ports.plumbing import Plumbing


class Mending:
    """Knows how to get to what is wanted."""

    def __init__(self, plumbing: Plumbing, tell: Tell, *, allow_loss: bool, patience: float) -> None:
        self._plumbing = plumbing
        self._tell = tell
        self._allow_loss = allow_loss
        self._patience = patience

    async def mend(self, difference: Difference, wanted: Blueprint) -> bool:
        """Whether it is mended; raises Unavailable."""
        voice = Voice(change=difference.change, name=difference.name, tell=self._tell)
        match difference.change:
            case "create" | "policy":
                await self._make(difference, wanted, voice)
            case "bind" | "unbind":
                await self._bind(difference, voice)
            case "replace queue":
                queue = wanted.queue(difference.name)
                assert queue is not None, "only what is wanted is replaced"
                await QueueReplacement(self._plumbing, wanted, queue, voice, self._patience).run()
            case "replace exchange":
                exchange = wanted.exchange(difference.name)
                assert exchange is not None, "only what is wanted is replaced"
                await ExchangeReplacement(self._plumbing, wanted, exchange, voice).run()
            case "orphan":
                return await self._drop(difference, voice)
            case "shadowed":
                raise AssertionError("It goes with what is in front of it, which is a difference of its own.")
        return True

    async def _make(self, difference: Difference, wanted: Blueprint, voice: Voice) -> None:
        voice.say(f"make the {difference.kind}")
        if difference.kind == "exchange" and (exchange := wanted.exchange(difference.name)) is not None:
            await self._plumbing.make_exchange(exchange)
        elif difference.kind == "queue" and (queue := wanted.queue(difference.name)) is not None:
            await self._plumbing.make_queue(queue)
        elif (policy := wanted.policy(difference.name)) is not None:
            await self._plumbing.set_policy(policy)

    async def _bind(self, difference: Difference, voice: Voice) -> None:
        binding = difference.binding
        assert binding is not None, "a way is opened or closed"
        key = f"the key {binding.key!r}"
        if difference.change == "bind":
            voice.say(f"bind {key}")
            await self._plumbing.bind(binding)
        else:
            voice.say(f"unbind {key}")
            await self._plumbing.unbind(binding)

    async def _drop(self, difference: Difference, voice: Voice) -> bool:
        voice.say(f"delete the {difference.kind}")
        if difference.kind == "exchange":
            await self._plumbing.drop_exchange(difference.name)
        elif difference.kind == "policy":
            await self._plumbing.drop_policy(difference.name)
        elif not await self._plumbing.drop_queue(difference.name, though_full=self._allow_loss):
            # A broker may tell of messages and consumers a moment late.
            voice.say("it stays: messages are in it, or somebody consumes from it")
            return False
        return True
