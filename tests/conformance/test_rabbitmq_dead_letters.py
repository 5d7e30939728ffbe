"""The dead letters' suite on RabbitMQ."""

import pytest

from goatherd.testing.suites import DeadLettersSuite
from tests.conformance.rabbitmq_store import RabbitStore


@pytest.mark.servers
class TestRabbitDeadLetters(RabbitStore, DeadLettersSuite):
    pass
