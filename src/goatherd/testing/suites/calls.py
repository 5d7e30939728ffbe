"""The suite of the courier port: requests reach a worker, answers reach the process that waits for them."""

import asyncio
import time
from typing import ClassVar

import pytest

from goatherd.errors import Unavailable
from goatherd.ports.calls import Replies
from goatherd.testing.suites.receipts import NOWHERE, Slip, answer_to, post
from goatherd.testing.suites.receiver import Receiver, all_letters, eventually, letters_of, message, receiving
from goatherd.testing.suites.settling import burial
from goatherd.testing.suites.store import OpenBroker, StoreSuite
from goatherd.wiring import Ports


class CallsSuite(StoreSuite):
    """Subclass it as Test…, give it `store` and `open`, and say what is not promised."""

    #: Whether the case's reply queues are such as the broker names and drops with the connection.
    exclusive: ClassVar[bool] = False
    #: Whether an answer is kept for a while for a process that is gone without a word.
    outlives_its_process: ClassVar[bool] = True

    async def listening(self, client: Ports) -> tuple[Replies, Receiver]:
        """The reply queue of a client, and what comes there."""
        received = Receiver()
        return await client.courier.listen_for_replies(received, exclusive=self.exclusive), received

    # --- there and back -------------------------------------------------------------------------

    async def test_a_request_says_where_the_answer_goes(self, client: Ports, other: Ports, queue: str) -> None:
        replies, _ = await self.listening(client)
        received = await receiving(other, queue)
        sent = message(queue, b"?", task="ask", reply_to=replies.queue, expires=time.time() + 60)
        assert await post(client, sent) is None
        came = (await received.next()).message
        assert (came.id, came.queue, came.body, came.task) == (sent.id, queue, b"?", "ask")
        assert came.reply_to == replies.queue
        assert (came.correlation_id or came.id) == sent.id
        assert came.expires == pytest.approx(sent.expires, abs=0.002)

    async def test_a_request_may_be_known_by_another_id_than_its_own(
        self, client: Ports, other: Ports, queue: str
    ) -> None:
        received = await receiving(other, queue)
        assert await post(client, message(queue, reply_to=NOWHERE, correlation_id="of a stranger 🐐")) is None
        came = (await received.next()).message
        assert (came.reply_to, came.correlation_id) == (NOWHERE, "of a stranger 🐐")

    async def test_an_answer_comes_to_the_one_who_waits(self, client: Ports, other: Ports, queue: str) -> None:
        replies, answers = await self.listening(client)
        _, others_answers = await self.listening(other)
        received = await receiving(other, queue)
        sent = message(queue, b"?", reply_to=replies.queue)
        client.courier.post(sent, Slip())
        request = await received.next()
        assert await post(other, answer_to(request, b"!")) is None
        other.broker.ack(request)
        answer = await answers.next()
        assert (answer.message.body, answer.message.correlation_id) == (b"!", sent.id)
        client.broker.ack(answer)
        await others_answers.gets_nothing()

    async def test_a_process_may_ask_itself(self, client: Ports, queue: str) -> None:
        replies, answers = await self.listening(client)
        received = await receiving(client, queue)
        client.courier.post(message(queue, reply_to=replies.queue), Slip())
        client.courier.post(answer_to(await received.next(), b"me"), Slip())
        assert (await answers.next()).message.body == b"me"

    async def test_many_calls_at_once_get_each_their_own_answer(self, client: Ports, other: Ports, queue: str) -> None:
        replies, answers = await self.listening(client)
        requests = await receiving(other, queue, prefetch=1000)
        slips = [Slip() for _ in range(500)]
        for number, slip in enumerate(slips):
            client.courier.post(message(queue, b"%d" % number, id=f"job {number}", reply_to=replies.queue), slip)
        given = [Slip() for _ in slips]
        for slip in given:
            request = await requests.next()
            other.courier.post(answer_to(request, b"answer to " + request.message.body), slip)
            other.broker.ack(request)
        came = {each.message.correlation_id: each.message.body for each in await answers.take(500)}
        assert came == {f"job {number}": b"answer to %d" % number for number in range(500)}
        assert [await slip.outcome() for slip in (*slips, *given)] == [None] * 1000
        assert {slip.times for slip in (*slips, *given)} == {1}, "each is told once"

    async def test_an_answer_that_is_large_or_empty_comes_whole(self, client: Ports, other: Ports) -> None:
        replies, answers = await self.listening(client)
        for body in (b"", b"x" * (1024 * 1024)):
            assert await post(other, message(replies.queue, body, correlation_id="c")) is None
            assert (await answers.next()).message.body == body

    # --- nobody there ---------------------------------------------------------------------------

    async def test_a_request_to_a_queue_that_is_not_there_is_not_taken(self, client: Ports) -> None:
        replies, _ = await self.listening(client)
        slip = Slip()
        client.courier.post(message(NOWHERE, reply_to=replies.queue), slip)
        error = await slip.outcome()
        assert isinstance(error, Unavailable)
        assert NOWHERE in str(error)
        assert slip.times == 1

    async def test_an_answer_to_a_queue_that_never_was_is_not_taken(self, client: Ports) -> None:
        assert isinstance(await post(client, message(NOWHERE, correlation_id="c")), Unavailable)

    async def test_a_queue_without_a_consumer_takes_requests(self, client: Ports, other: Ports, queue: str) -> None:
        assert await post(client, message(queue, b"?", reply_to=NOWHERE)) is None
        assert (await (await receiving(other, queue)).next()).message.body == b"?"

    async def test_a_request_that_nobody_took_is_safe_when_its_sender_dies(
        self, client: Ports, other: Ports, queue: str
    ) -> None:
        assert await post(client, message(queue, b"?", reply_to=NOWHERE)) is None
        await client.vanish()
        assert (await (await receiving(other, queue)).next()).message.reply_to == NOWHERE

    # --- the queue for answers ------------------------------------------------------------------

    async def test_every_process_has_a_queue_of_its_own(self, client: Ports, other: Ports) -> None:
        first, _ = await self.listening(client)
        second, _ = await self.listening(other)
        assert first.queue
        assert first.queue != second.queue

    async def test_a_reply_queue_is_no_work_queue(self, client: Ports, queue: str) -> None:
        replies, _ = await self.listening(client)
        assert replies.queue not in {state.name for state in await client.operations.queues()}

    async def test_nobody_can_answer_one_who_has_stopped_listening(self, client: Ports, other: Ports) -> None:
        replies, answers = await self.listening(client)
        name = replies.queue
        assert await post(other, message(name, b"1", correlation_id="c")) is None
        client.broker.ack(await answers.next())
        await replies.stop()
        await replies.stop()
        assert isinstance(await post(other, message(name, b"2", correlation_id="c")), Unavailable)
        await answers.gets_nothing()

    async def test_a_closed_process_leaves_no_queue_behind(self, client: Ports, other: Ports) -> None:
        replies, _ = await self.listening(client)
        name = replies.queue
        await replies.stop()
        await client.close()
        assert isinstance(await post(other, message(name, correlation_id="c")), Unavailable)

    async def test_an_answer_to_a_process_that_has_just_died_is_kept_or_refused(
        self, client: Ports, other: Ports
    ) -> None:
        replies, _ = await self.listening(client)
        await client.vanish()
        answer = message(replies.queue, correlation_id="c")
        if self.outlives_its_process:
            assert await post(other, answer) is None, "the same process may come back after a lost connection"
            return

        async def refused() -> Unavailable | None:
            return await post(other, answer)

        await eventually(refused, "the broker to notice that the connection is gone, and the queue with it")

    async def test_a_process_that_stops_listening_can_begin_again(self, client: Ports, other: Ports) -> None:
        replies, _ = await self.listening(client)
        await replies.stop()
        again, answers = await self.listening(client)
        assert await post(other, message(again.queue, b"!", correlation_id="c")) is None
        assert (await answers.next()).message.body == b"!"

    # --- time -----------------------------------------------------------------------------------

    async def test_an_expired_request_is_delivered_and_no_dead_letter(
        self, client: Ports, other: Ports, queue: str
    ) -> None:
        assert await post(client, message(queue, b"late", reply_to=NOWHERE, expires=time.time() - 5)) is None
        received = await receiving(other, queue)
        request = await received.next()
        assert (request.message.body, request.message.reply_to) == (b"late", NOWHERE)
        other.broker.ack(request)
        await received.gets_nothing()
        assert await all_letters(client, queue) == []

    async def test_a_request_that_expires_while_it_waits_is_no_dead_letter(
        self, client: Ports, other: Ports, queue: str
    ) -> None:
        received = await receiving(other, queue, prefetch=1)
        await client.broker.publish([message(queue, b"holds the only place")])
        holding = await received.next()
        assert await post(client, message(queue, b"late", reply_to=NOWHERE, expires=time.time() + 0.1)) is None
        assert await post(client, message(queue, b"last", reply_to=NOWHERE, expires=time.time() + 60)) is None
        await received.gets_nothing(0.3)
        other.broker.ack(holding)
        late = await received.next()
        assert late.message.body == b"late"
        other.broker.ack(late)
        assert (await received.next()).message.body == b"last"
        assert await all_letters(client, queue) == []

    async def test_a_request_that_is_offered_again_later_is_still_one(
        self, client: Ports, other: Ports, queue: str
    ) -> None:
        received = await receiving(other, queue)
        asked = message(queue, b"?", reply_to=NOWHERE, correlation_id="c", expires=time.time() + 60)
        assert await post(client, asked) is None
        request = await received.next()
        later = message(
            queue, b"?", id=asked.id, reply_to=NOWHERE, correlation_id="c", due=time.time() + 0.2, expires=asked.expires
        )
        await other.broker.replace(request, later)
        came = (await received.next()).message
        assert (came.id, came.reply_to, came.correlation_id) == (asked.id, NOWHERE, "c")
        assert came.expires == pytest.approx(asked.expires, abs=0.002)

    async def test_a_request_that_expires_while_it_is_held_back_is_delivered(
        self, client: Ports, other: Ports, queue: str
    ) -> None:
        received = await receiving(other, queue)
        asked = message(queue, b"?", reply_to=NOWHERE, expires=time.time() + 0.2)
        assert await post(client, asked) is None
        request = await received.next()
        later = message(queue, b"?", id=asked.id, reply_to=NOWHERE, due=time.time() + 0.4, expires=asked.expires)
        await other.broker.replace(request, later)
        assert (await received.next()).message.id == asked.id
        assert await all_letters(client, queue) == []

    # --- the death of a worker ------------------------------------------------------------------

    async def test_a_request_comes_again_when_its_worker_dies(self, client: Ports, other: Ports, queue: str) -> None:
        asked = message(queue, b"?", reply_to=NOWHERE, correlation_id="c", expires=time.time() + 60)
        assert await post(client, asked) is None
        request = await (await receiving(other, queue)).next()
        other.broker.begin(request)
        await other.vanish()
        again = await (await receiving(client, queue)).next()
        assert (again.message.id, again.message.reply_to, again.message.correlation_id) == (asked.id, NOWHERE, "c")
        assert again.deaths == 1

    async def test_a_request_that_is_handed_back_is_still_one(self, client: Ports, other: Ports, queue: str) -> None:
        assert await post(client, message(queue, b"?", reply_to=NOWHERE, correlation_id="c")) is None
        received = await receiving(other, queue)
        await other.broker.hand_back([await received.next()])
        came = (await received.next()).message
        assert (came.reply_to, came.correlation_id) == (NOWHERE, "c")

    async def test_a_request_that_was_buried_is_replayed_as_a_job_of_its_own(
        self, client: Ports, other: Ports, queue: str
    ) -> None:
        asked = message(queue, b"?", reply_to=NOWHERE, correlation_id="c", expires=time.time() + 60)
        assert await post(client, asked) is None
        received = await receiving(other, queue)
        await other.broker.bury(await received.next(), burial("nobody could read it"))
        [letter] = await letters_of(client, queue)
        assert letter.original.body == b"?"
        await client.dead_letters.replay([(letter, letter.original)])
        came = (await received.next()).message
        assert (came.id, came.reply_to, came.expires) == (asked.id, "", None), "its caller is gone for long"

    # --- closing --------------------------------------------------------------------------------

    async def test_what_is_on_its_way_when_a_client_closes_leaves_nothing_behind(
        self, open_broker: OpenBroker, queue: str
    ) -> None:
        client = await open_broker()
        replies, _ = await self.listening(client)
        slips = [Slip() for _ in range(50)]
        for slip in slips:
            client.courier.post(message(queue, reply_to=replies.queue), slip)
        await client.close()
        await asyncio.sleep(0)
        assert max(slip.times for slip in slips) <= 1

    async def test_a_post_after_the_close_is_not_left_without_an_outcome(
        self, open_broker: OpenBroker, queue: str
    ) -> None:
        client = await open_broker()
        await client.close()
        await post(client, message(queue, reply_to=NOWHERE))
