"""The courier's suite on RabbitMQ: with queues of both kinds, and with a callback queue that the broker names."""

import pytest

from goatherd.testing.suites import CallsSuite
from goatherd.wiring import Ports
from scripts.servers.addresses import management
from tests.conformance.rabbitmq_store import RabbitStore


@pytest.mark.servers
class TestRabbitQuorum(RabbitStore, CallsSuite):
    async def test_the_reply_queue_is_kept_for_five_minutes_and_names_the_app(self, client: Ports, store: str) -> None:
        replies, _ = await self.listening(client)
        found = management().ask("GET", f"queues/{store}/{replies.queue}")
        assert replies.queue.startswith("suite.")
        assert (found["type"], found["durable"], found["exclusive"]) == ("classic", True, False)
        assert found["arguments"] == {"x-expires": 300_000}


@pytest.mark.servers
class TestRabbitClassic(RabbitStore, CallsSuite):
    queue_type = "classic"


@pytest.mark.servers
class TestRabbitExclusiveReplies(RabbitStore, CallsSuite):
    exclusive = True
    outlives_its_process = False

    async def test_the_callback_queue_is_the_brokers_own_and_goes_with_us(self, client: Ports, store: str) -> None:
        replies, _ = await self.listening(client)
        found = management().ask("GET", f"queues/{store}/{replies.queue}")
        assert replies.queue.startswith("amq.gen-")
        assert (found["exclusive"], found["auto_delete"], found["durable"]) == (True, True, False)
