"""One suite for each port: an adapter that passes it can take the place of any other. Needs pytest."""

from goatherd.testing.suites.broker import BrokerFeatures, BrokerSuite
from goatherd.testing.suites.dead_letters import DeadLettersSuite
from goatherd.testing.suites.records import RecordsSuite

__all__ = ["BrokerFeatures", "BrokerSuite", "DeadLettersSuite", "RecordsSuite"]
