"""What `/livez` and `/readyz` answer, whoever serves them."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from goatherd.model.health import Health, LinkState
from goatherd.web.responses import PRIVATE, Response

JSON = b"application/json"


def liveness(trouble: str | None, silence: float = 0.0) -> Response:
    """Whether the event loop turns; `silence` is for how many seconds it has not been heard."""
    reasons = [] if trouble is None else [trouble]
    told = {"alive": not reasons, "reasons": reasons, "last_heartbeat": _ago(silence).isoformat()}
    return told_as_json(200 if not reasons else 503, told)


def readiness(health: Health, roles: Sequence[str]) -> Response:
    """Whether the roles of a process can do their work now, and if not, why."""
    return told_as_json(200 if health.ready else 503, {"roles": list(roles), **health.to_dict()})


def unready(
    reason: str, ports: Mapping[str, LinkState] | None = None, *, silence: float = 0.0, alive: bool = True
) -> Health:
    """A process that is not ready for one reason."""
    return Health(
        ready=False,
        reasons=[reason],
        ports=ports or {},
        queues={},
        loop_alive=alive,
        last_heartbeat=_ago(silence),
    )


def told_as_json(status: int, told: Mapping[str, Any]) -> Response:
    """For programs, and for people who look at it."""
    body = json.dumps(told, ensure_ascii=False, indent=2).encode() + b"\n"
    return Response(status=status, body=body, type=JSON, headers=PRIVATE[:1])


def _ago(seconds: float) -> datetime:
    return datetime.now(UTC) - timedelta(seconds=seconds)
