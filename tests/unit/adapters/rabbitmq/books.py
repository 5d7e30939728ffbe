"""A scripted broker that keeps books of what it has and of what it was asked for."""

import asyncio
from collections import Counter
from typing import Any

from pamqp import commands
from pamqp.base import Frame

from goatherd.adapters.rabbitmq.link import Link
from tests.unit.adapters.rabbitmq.scripted_server import Conversation, ScriptedServer


class Books:
    """What a scripted broker has, and what it was asked for."""

    def __init__(self) -> None:
        self.queues: set[str] = set()
        self.refused: set[str] = set()
        self.exchanges: Counter[str] = Counter()
        self.bindings: Counter[str] = Counter()
        #: Everything in the order in which it was made, such as `exchange sales` and `sales -north-> orders`.
        self.made: list[str] = []

    def keep(self, talk: Conversation) -> None:
        talk.answers |= {
            commands.Queue.Declare: self._queue,
            commands.Exchange.Declare: self._exchange,
            commands.Queue.Bind: self._bind,
            commands.Exchange.Bind: self._lead,
        }

    def _queue(self, asked: Any) -> Frame:
        name = str(asked.queue)
        if name in self.refused:
            text = (
                f"PRECONDITION_FAILED - inequivalent arg 'x-max-length' for queue '{name}' in vhost '/': "
                f"received none but current is the value '5' of type 'long'"
            )
            return commands.Channel.Close(406, text, 50, 10)
        if asked.passive and name not in self.queues:
            return commands.Channel.Close(404, f"NOT_FOUND - no queue '{name}'", 50, 10)
        self.queues.add(name)
        if not asked.passive:
            self.made.append(f"queue {name}")
        return commands.Queue.DeclareOk(name, 0, 0)

    def _exchange(self, asked: Any) -> Frame:
        name = str(asked.exchange)
        if name in self.refused:
            text = (
                f"PRECONDITION_FAILED - inequivalent arg 'type' for exchange '{name}' in vhost '/': "
                f"received '{asked.exchange_type}' but current is 'headers'"
            )
            return commands.Channel.Close(406, text, 40, 10)
        self.exchanges[name] += 1
        self.made.append(f"exchange {name}")
        return commands.Exchange.DeclareOk()

    def _bind(self, asked: Any) -> Frame:
        name = str(asked.queue)
        if name not in self.queues:
            return commands.Channel.Close(404, f"NOT_FOUND - no queue '{name}' in vhost '/'", 50, 20)
        self.bindings[name] += 1
        self.made.append(f"{asked.exchange} -{asked.routing_key}-> {name}")
        return commands.Queue.BindOk()

    def _lead(self, asked: Any) -> Frame:
        self.made.append(f"{asked.source} -{asked.routing_key}-> exchange {asked.destination}")
        return commands.Exchange.BindOk()


async def connected(link: Link, server: ScriptedServer, books: Books) -> Conversation:
    opening = asyncio.create_task(link.open())
    talk = await server.next()
    books.keep(talk)
    await talk.shake_hands()
    await opening
    return talk


async def again(link: Link, server: ScriptedServer, books: Books) -> None:
    talk = await server.next()
    books.keep(talk)
    await talk.shake_hands()
    async with asyncio.timeout(5):
        await link.connection()
