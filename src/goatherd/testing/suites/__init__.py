"""One suite for each port: an adapter that passes it can take the place of any other. Needs pytest."""

from goatherd.testing.suites.alert_board import AlertBoardSuite
from goatherd.testing.suites.audit_trail import AuditTrailSuite
from goatherd.testing.suites.broker import BrokerFeatures, BrokerSuite
from goatherd.testing.suites.call_offs import CallOffsSuite
from goatherd.testing.suites.calls import CallsSuite
from goatherd.testing.suites.dead_letters import DeadLettersSuite
from goatherd.testing.suites.events import EventsSuite
from goatherd.testing.suites.feed import FeedSuite
from goatherd.testing.suites.history import HistorySuite
from goatherd.testing.suites.inbox import InboxSuite
from goatherd.testing.suites.job_search import JobSearchSuite
from goatherd.testing.suites.lanes import LanesSuite
from goatherd.testing.suites.listener_records import ListenerRecordsSuite
from goatherd.testing.suites.outbox import OutboxSuite
from goatherd.testing.suites.plumbing import PlumbingSuite
from goatherd.testing.suites.process_records import ProcessRecordsSuite
from goatherd.testing.suites.records import RecordsSuite
from goatherd.testing.suites.schedules import SchedulesSuite
from goatherd.testing.suites.steps import StepsSuite
from goatherd.testing.suites.tallies import TalliesSuite
from goatherd.testing.suites.uniques import UniquesSuite

__all__ = [
    "AlertBoardSuite",
    "AuditTrailSuite",
    "BrokerFeatures",
    "BrokerSuite",
    "CallOffsSuite",
    "CallsSuite",
    "DeadLettersSuite",
    "EventsSuite",
    "FeedSuite",
    "HistorySuite",
    "InboxSuite",
    "JobSearchSuite",
    "LanesSuite",
    "ListenerRecordsSuite",
    "OutboxSuite",
    "PlumbingSuite",
    "ProcessRecordsSuite",
    "RecordsSuite",
    "SchedulesSuite",
    "StepsSuite",
    "TalliesSuite",
    "UniquesSuite",
]
