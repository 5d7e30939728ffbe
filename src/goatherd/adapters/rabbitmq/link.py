"""A connection that is kept up: made anew after every loss, with everything on it rebuilt from what is wanted."""

import asyncio
import logging
import random
import ssl
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from goatherd.adapters.rabbitmq.address import Address
from goatherd.adapters.rabbitmq.capabilities import Capabilities, capabilities
from goatherd.adapters.rabbitmq.connection import MOST_CHANNELS, Connection
from goatherd.adapters.rabbitmq.failures import LinkFailed, LinkLost, TlsFailed, in_our_words
from goatherd.ports.broker import LinkState

#: Seconds to wait before connecting again: at most this after the first failure, doubled up to the longest.
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 15.0
#: Seconds between two probes, and within which each must be answered: a frozen broker is found in under 20 s.
PROBE_EVERY, PROBE_DEADLINE = 10.0, 5.0

#: Called with each new connection before the link counts as up.
Rebuild: TypeAlias = Callable[[Connection], Awaitable[None]]

log = logging.getLogger("goatherd.rabbitmq")


class Link:
    """One connection at a time; `generation` counts them."""

    def __init__(self, address: Address, name: str) -> None:
        self._address = address
        self._name = name
        self._rebuilds: list[Rebuild] = []
        self._connection: Connection | None = None
        self._up = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.generation = 0
        self.state: LinkState = "down"
        self.last_failure: Exception | None = None

    async def open(self) -> None:
        """Connect for the first time; raises our own error when the broker is away or does not let us in."""
        self.state = "connecting"
        try:
            connection = await self._connect()
        except LinkFailed as error:
            self.state = "down"
            raise in_our_words(error, self._address) from error
        if not capabilities(connection.server).supported:
            version = connection.server.get("version")
            log.warning("The broker %s is RabbitMQ %s; nothing older than 3.10 is tested", self._address, version)
        await self._adopt(connection)
        self._task = asyncio.create_task(self._keep_up(connection), name=f"goatherd link {self._name}")

    @property
    def address(self) -> Address:
        """Where it leads."""
        return self._address

    @property
    def offers(self) -> Capabilities:
        """What the broker can do, as it said when it was last connected to."""
        return capabilities({} if self._connection is None else self._connection.server)

    @property
    def blocked(self) -> str | None:
        """Why the broker takes no messages on this connection; None if it does."""
        return self._connection.blocked if self._connection is not None else None

    def is_on(self, connection: Connection) -> bool:
        """Whether this is its connection now."""
        return self._connection is connection

    @property
    def most_channels(self) -> int:
        """How many channels there may be at once."""
        return self._connection.most_channels if self._connection is not None else MOST_CHANNELS

    async def on_up(self, rebuild: Rebuild) -> None:
        """Run it on the connection of now and on every later one; raises LinkFailed if it fails now."""
        self.on_next_up(rebuild)
        if self._connection is not None and self._up.is_set():
            await rebuild(self._connection)

    def on_next_up(self, rebuild: Rebuild) -> None:
        """Run it on every later connection; what is known already is not run twice."""
        if rebuild not in self._rebuilds:
            self._rebuilds.append(rebuild)

    def forget(self, rebuild: Rebuild) -> None:
        """Do not run it on later connections."""
        if rebuild in self._rebuilds:
            self._rebuilds.remove(rebuild)

    async def connection(self) -> Connection:
        """The connection that is up, waiting for it as long as the caller does."""
        while True:
            await self._up.wait()
            connection = self._connection
            if connection is not None and not connection.lost.done():
                return connection
            await asyncio.sleep(0)

    async def close(self) -> None:
        """Hang up for good. Idempotent."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
        self._up.clear()
        if self._connection is not None:
            await self._connection.close()
            self._connection = None
        self.state = "down"

    async def abort(self) -> None:
        """Hang up without a word, as a process that dies."""
        if self._connection is not None:
            self._connection.fail(LinkLost("gone without a word"))
        await self.close()

    async def _keep_up(self, connection: Connection) -> None:
        while True:
            prober = asyncio.create_task(self._probe(connection), name=f"goatherd probe {self._name}")
            try:
                failure = await asyncio.shield(connection.lost)
            finally:
                prober.cancel()
            self._lost(failure)
            connection = await self._reconnect()

    def _lost(self, failure: LinkFailed) -> None:
        self._up.clear()
        self.last_failure = failure
        self.state = "down"
        log.warning("The connection %r to %s was lost (%s); connecting again", self._name, self._address, failure)

    async def _reconnect(self) -> Connection:
        tries, told = 0, (self._name, self._address)
        while True:
            # Full jitter: the workers of a whole fleet must not come back in the same moment.
            await asyncio.sleep(random.uniform(0, min(LONGEST_PAUSE, FIRST_PAUSE * 2**tries)))
            tries += 1
            self.state = "connecting"
            try:
                connection = await self._connect()
                await self._adopt(connection)
            except Exception as error:  # noqa: BLE001 - whatever one try meets, the next must be made
                # Also when the broker came back without a queue that must be there, or with another one: it may be
                # mended while we wait, and a worker must not be deaf for ever because of it.
                self.state = "down"
                self.last_failure = error
                if tries in (3, 10) or tries % 30 == 0:
                    log.warning("Still no connection %r to %s after %d tries: %s", *told, tries, error)
                continue
            log.warning("The connection %r to %s is back", self._name, self._address)
            return connection

    async def _connect(self) -> Connection:
        failure: LinkFailed = LinkLost("no node is named")
        for host, port in random.sample(self._address.nodes, len(self._address.nodes)):
            try:
                async with asyncio.timeout(self._address.connection_timeout):
                    return await self._shake_hands(host, port)
            except ssl.SSLError as error:
                failure = TlsFailed(f"{host}:{port}: {error}")
                failure.__cause__ = error
            except (OSError, TimeoutError) as error:
                failure = LinkLost(f"{host}:{port}: {str(error) or self._silence()}")
                failure.__cause__ = error
            except LinkFailed as error:
                failure = error
        raise failure

    def _silence(self) -> str:
        return f"nothing spoke AMQP there within {self._address.connection_timeout:g} s; is it a broker, and well?"

    async def _shake_hands(self, host: str, port: int) -> Connection:
        _, connection = await asyncio.get_running_loop().create_connection(
            lambda: Connection(self._address, self._name), host, port, ssl=self._address.tls
        )
        try:
            await connection.ready()
        except BaseException as error:
            # Given up in the middle; a broker that wakes up later must not take it for a living client.
            connection.fail(LinkLost(f"given up during the handshake: {error!r}"))
            raise
        return connection

    async def _adopt(self, connection: Connection) -> None:
        """Make it the connection in use, with everything rebuilt on it."""
        self.generation += 1
        self._connection = connection
        try:
            for rebuild in list(self._rebuilds):
                await rebuild(connection)
        except BaseException as error:
            connection.fail(error if isinstance(error, LinkFailed) else LinkLost(f"given up: {error!r}"))
            raise
        self._up.set()
        self.state = "up"
        connection.on_blocked = self._blocked
        if connection.blocked is not None:
            self._blocked(connection.blocked)

    def _blocked(self, reason: str | None) -> None:
        if reason is None:
            self.state = "up"
            log.warning("The broker %s takes messages again", self._address)
        else:
            self.state = "blocked"
            log.warning("The broker %s takes no more messages for now: %s", self._address, reason)

    async def _probe(self, connection: Connection) -> None:
        """Ask something now and then: a frozen broker keeps its socket open and may be silent for long.

        An unanswered question fails the connection, which is what whoever keeps it up waits for. A broker whose memory
        is short reads nothing of those who publish and cannot answer; its heartbeats are all that can be asked of it.
        """
        while not connection.lost.done():
            if connection.blocked is None:
                try:
                    await (await connection.open_channel(PROBE_DEADLINE)).close(PROBE_DEADLINE)
                except LinkFailed as error:
                    log.debug("A probe of %s was not answered: %s", self._address, error)
            await asyncio.sleep(PROBE_EVERY)
