"""The only part that knows adapters: from URLs to opened ports."""

from goatherd.wiring.alerts import alert_webhook, knock_at_webhook, open_alert_board
from goatherd.wiring.blueprints import app_blueprint, app_definition, has_topology
from goatherd.wiring.control import ControlRecords
from goatherd.wiring.events import open_events, open_feed, open_history, open_job_search, open_relay, open_router
from goatherd.wiring.execution import Ports, open_ports
from goatherd.wiring.metrics import (
    metrics_text,
    observe_gateway_metrics,
    observe_metrics,
    wants_opentelemetry_metrics,
)
from goatherd.wiring.ordering import OpenLanes, open_lanes
from goatherd.wiring.plumbing import open_plumbing
from goatherd.wiring.records import OpenSteps, find_migrations, open_steps
from goatherd.wiring.recurring import OpenSchedules, RecurringRecords
from goatherd.wiring.sources import open_command_source
from goatherd.wiring.tracing import open_tracer
from goatherd.wiring.user_records import UserRecords, open_outbox, open_uniques

__all__ = [
    "ControlRecords",
    "OpenLanes",
    "OpenSchedules",
    "OpenSteps",
    "Ports",
    "RecurringRecords",
    "UserRecords",
    "alert_webhook",
    "app_blueprint",
    "app_definition",
    "find_migrations",
    "has_topology",
    "knock_at_webhook",
    "metrics_text",
    "observe_gateway_metrics",
    "observe_metrics",
    "open_alert_board",
    "open_command_source",
    "open_events",
    "open_feed",
    "open_history",
    "open_job_search",
    "open_lanes",
    "open_outbox",
    "open_plumbing",
    "open_ports",
    "open_relay",
    "open_router",
    "open_steps",
    "open_tracer",
    "open_uniques",
    "wants_opentelemetry_metrics",
]
