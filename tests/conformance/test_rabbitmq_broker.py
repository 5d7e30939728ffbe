"""The broker's suite on RabbitMQ."""

import pytest

from goatherd.testing.suites import BrokerFeatures, BrokerSuite
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
