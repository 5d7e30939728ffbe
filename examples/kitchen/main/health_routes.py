"""How this process and its queues are, for people and for collectors."""

from typing import Any

from flask import Blueprint, Response

from examples.kitchen.main.answers import Answer, told
from examples.kitchen.main.herd import herd
from examples.kitchen.main.log_lines import ContractLines
from examples.kitchen.main.traffic import Traffic


def health_routes(traffic: Traffic, lines: ContractLines) -> Blueprint:
    """The two endpoints, with the counts of this process."""
    routes = Blueprint("health", __name__)

    @routes.get("/health")
    def health() -> Answer:
        """Queues, I/O thread and time-outs; 503 as long as this process cannot do its work."""
        found = herd.health()
        queues = found.to_dict()["queues"]
        body: dict[str, Any] = {
            "status": "ok" if found.ready else "unready",
            "reasons": list(found.reasons),
            "ports": dict(found.ports),
            "queues": queues,
            "callback_queue": {"name": lines.callback_queue, **queues.get(lines.callback_queue, {})},
            "io_thread": {"alive": found.loop_alive, "last_heartbeat": found.last_heartbeat.isoformat()},
            "endpoints": traffic.ratios(),
        }
        return told(body, 200 if found.ready else 503)

    @routes.get("/metrics")
    def metrics() -> Response:
        """Everything that is counted, in Prometheus text."""
        return Response(herd.metrics() + traffic.text(), content_type="text/plain; version=0.0.4; charset=utf-8")

    return routes
