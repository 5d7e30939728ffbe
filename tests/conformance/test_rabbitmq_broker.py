"""The broker's suite on RabbitMQ."""

from functools import partial
from typing import Any

import pytest

from goatherd.testing.suites import BrokerFeatures, BrokerSuite
from goatherd.testing.suites.competition import CompetitionCases
from goatherd.testing.suites.delivery import DeliveryCases
from goatherd.wiring import Ports
from tests.conformance.rabbitmq_store import RabbitStore

#: Quorum queues have no priorities before RabbitMQ 4, and the protocol tells neither what runs nor what is delayed.
FEATURES = BrokerFeatures(
    priorities=False,
    length_limit=False,
    counts_running=False,
    counts_delayed=False,
    counts_dead=False,
    purges_delayed=False,
)


@pytest.mark.servers
class TestRabbitQuorum(RabbitStore, BrokerSuite):
    features = FEATURES


@pytest.mark.servers
class TestRabbitClassic(RabbitStore, BrokerSuite):
    queue_type = "classic"
    features = FEATURES


class SharedStore(RabbitStore):
    """Every consumer is one of many that share a channel."""

    queue_type = "classic"

    async def open(self, store: str) -> Ports:
        ports = await super().open(store)
        broker: Any = ports.broker
        broker.consume = partial(broker.consume, shared=True)
        return ports


@pytest.mark.servers
class TestRabbitShared(SharedStore, DeliveryCases, CompetitionCases):
    """What sharing could spoil."""

    features = FEATURES


@pytest.mark.servers
@pytest.mark.chaos
class TestRabbitSharedWhole(SharedStore, BrokerSuite):
    features = FEATURES

    async def test_a_client_goes_on_after_an_unknown_queue(self, client: Ports, queue: str) -> None:
        """One of many does not fail for it, but says how it stands."""
        missing = await client.broker.consume(f"{queue} that is not there", 10, lambda _deliveries: None)
        assert missing.standing.condition == "down"
        assert "has no queue" in missing.standing.why
