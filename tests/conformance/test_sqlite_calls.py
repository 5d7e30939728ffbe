"""The courier's suite on SQLite, and what only a file must do about queues that nobody listens to any more."""

import time
from pathlib import Path

import apsw

from goatherd.adapters.sqlite.abandoned import drop_abandoned
from goatherd.adapters.sqlite.reply_queues import KEPT_FOR
from goatherd.errors import Unavailable
from goatherd.testing.suites import CallsSuite
from goatherd.testing.suites.receipts import post
from goatherd.testing.suites.receiver import eventually, letters_of, message, receiving
from goatherd.testing.suites.store import declared
from goatherd.wiring import Ports
from tests.conformance.sqlite_store import SqliteStore, SqliteStoreOfSeveralProcesses


class TestSqliteInOneProcess(SqliteStore, CallsSuite):
    pass


class TestSqliteAsInSeveralProcesses(SqliteStoreOfSeveralProcesses, CallsSuite):
    async def test_the_queue_of_a_process_that_stopped_is_gone_from_the_file(self, client: Ports, store: Path) -> None:
        replies, _ = await self.listening(client)
        assert reply_queues(store) == [replies.queue]
        await replies.stop()
        assert reply_queues(store) == []

    async def test_a_request_outlives_its_queues_limit_on_waiting_and_is_no_dead_letter(
        self, client: Ports, other: Ports
    ) -> None:
        queue = await declared(client, ttl=0.05)
        assert await post(client, message(queue, b"?", reply_to="reply.x", expires=time.time() + 60)) is None
        await client.broker.publish([message(queue, b"a job")])
        # Whoever consumes anything looks for what has waited for too long.
        await receiving(other, await declared(client))
        [letter] = await letters_of(other, queue)
        assert letter.original.body == b"a job"
        assert (await (await receiving(other, queue)).next()).message.body == b"?"

    async def test_the_queue_of_a_dead_process_is_dropped_after_a_while_with_what_is_in_it(
        self, client: Ports, other: Ports, store: Path, queue: str
    ) -> None:
        replies, _ = await self.listening(client)
        alive, _ = await self.listening(other)
        await client.vanish()

        async def unsubscribed() -> bool | None:
            return True if subscriptions(store, replies.queue) == 0 else None

        await eventually(unsubscribed, "the dead process to be struck off")
        assert await post(other, message(replies.queue, correlation_id="c")) is None
        clear_away(store, time.time())
        clear_away(store, time.time() + KEPT_FOR - 1)
        assert set(reply_queues(store)) == {replies.queue, alive.queue}, "it may come back for so long"
        clear_away(store, time.time() + KEPT_FOR + 1)
        assert reply_queues(store) == [alive.queue], "one that is listened to stays, however old"
        assert isinstance(await post(other, message(replies.queue, correlation_id="c")), Unavailable)
        assert jobs(store) == 0
        assert await post(other, message(queue, reply_to=alive.queue)) is None


def clear_away(store: Path, now: float) -> None:
    """What every process does with each beat of its heart."""
    with connected(store) as connection:
        drop_abandoned(connection, now)


def reply_queues(store: Path) -> list[str]:
    return [name for (name,) in connected(store).execute("SELECT name FROM queue WHERE keep IS NOT NULL ORDER BY id")]


def subscriptions(store: Path, queue: str) -> int:
    counting = "SELECT count(*) FROM subscription JOIN queue ON queue.id = subscription.queue WHERE queue.name = ?"
    return int(connected(store).execute(counting, (queue,)).get)


def jobs(store: Path) -> int:
    return int(connected(store).execute("SELECT count(*) FROM job").get)


def connected(store: Path) -> apsw.Connection:
    connection = apsw.Connection(str(store))
    connection.set_busy_timeout(5000)
    return connection
