"""A live server that is away is told, and is no reason to take a router for unready."""

from datetime import UTC, datetime
from typing import cast

from goatherd.engine.health import with_routers
from goatherd.engine.router import Router
from goatherd.model.health import Health

WELL = Health(
    ready=True, reasons=[], ports={"broker": "up"}, queues={}, loop_alive=True, last_heartbeat=datetime.now(UTC)
)


class Routing:
    def __init__(self, *, cannot_relay: bool) -> None:
        self.cannot_relay = cannot_relay


def told(*routers: Routing) -> Health:
    return with_routers(WELL, [cast(Router, router) for router in routers])


def test_a_router_that_relays_or_need_not_says_nothing() -> None:
    assert told() == WELL
    assert told(Routing(cannot_relay=False)) == WELL


def test_one_that_cannot_says_so_and_is_ready() -> None:
    health = told(Routing(cannot_relay=True))
    assert (health.ready, health.ports["live"]) == (True, "down")
    assert health.reasons == ["live: the server that calls watchers is away; they look for themselves"]
