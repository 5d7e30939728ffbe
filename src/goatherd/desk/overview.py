"""The overview: all that matters of an app at a glance; what cannot be told now does not hide the rest."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from goatherd.desk import lanes, letters, listeners, queues, schedules
from goatherd.desk.glance import Glance
from goatherd.desk.processes import ProcessFacts, look_at_processes
from goatherd.desk.throughput import Rates, ThroughputPoint, rates, throughput
from goatherd.engine.probes import Question
from goatherd.model.envelope import moment
from goatherd.model.health import Health, LinkState

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: Seconds that each part may take, and for which what was seen is good enough for the next who looks.
DEADLINE, FRESH_FOR = 2.0, 1.0

log = logging.getLogger("goatherd.desk")

#: Looks at one part, and gives the fields of `OverviewFacts` that it is about.
Look: TypeAlias = "Callable[[Goatherd], Awaitable[Mapping[str, Any]]]"


@dataclass(frozen=True, kw_only=True)
class StoreFacts:
    """A store that the app uses, as this process sees it."""

    #: Broker, lanes, events, records or live.
    port: str
    state: LinkState
    #: What is wrong with it, in words.
    reasons: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Untold:
    """A part of the overview that is not known now."""

    part: str
    why: str


@dataclass(frozen=True, kw_only=True)
class OverviewFacts:
    """An app at a glance. What is None is not known; then it is among the `troubles`."""

    at: datetime
    #: How fast all processes are now, and what they did in the last hour.
    rates: Rates | None = None
    throughput: tuple[ThroughputPoint, ...] = ()
    #: How many queues there are; jobs that may start now, wait for their time, and are in workers' hands.
    queues: int | None = None
    waiting: int | None = None
    delayed: int | None = None
    running: int | None = None
    #: Seconds that the oldest job has waited that may start; None if nothing waits.
    oldest_age: float | None = None
    paused_queues: tuple[str, ...] = ()
    #: Queues where jobs wait and nobody takes them.
    abandoned_queues: tuple[str, ...] = ()
    dead_letters: int | None = None
    #: Lanes that wait for an operator; of very many, not all are counted.
    held_lanes: int | None = None
    schedules: int | None = None
    #: Schedules whose last run failed, or that no scheduler fired in time.
    failed_schedules: tuple[str, ...] = ()
    late_schedules: tuple[str, ...] = ()
    listeners: int | None = None
    unhealthy_listeners: int | None = None
    #: Processes that live, by role, and those that cannot do their work.
    processes: int | None = None
    roles: Mapping[str, int] | None = None
    unready: tuple[ProcessFacts, ...] = ()
    #: Browsers that are connected.
    streams: int | None = None
    stores: tuple[StoreFacts, ...] = ()
    #: What else is wrong in this process, in words.
    reasons: tuple[str, ...] = ()
    troubles: tuple[Untold, ...] = ()


async def overview(app: Goatherd) -> OverviewFacts:
    """All of it; those who ask within a second see the same."""
    return await app.session().companions.get(Overview, lambda: Overview(app)).glance.get()


class Overview:
    """Of one open app; kept beside its session."""

    def __init__(self, app: Goatherd) -> None:
        self._app = app
        self._unseen: set[str] = set()
        self.glance = Glance(self._look, FRESH_FOR)

    async def close(self) -> None:
        """Nothing is held."""

    async def _look(self) -> OverviewFacts:
        found = await asyncio.gather(*(self._look_at(part) for part in LOOKS))
        told: dict[str, Any] = {}
        for each in found:
            told |= each if isinstance(each, Mapping) else {}
        if told.get("running") is None:
            # Not every broker tells what is in workers' hands, but the workers do.
            told["running"] = told.get("busy")
        told.pop("busy", None)
        troubles = tuple(each for each in found if isinstance(each, Untold))
        return OverviewFacts(at=moment(self._app.session().clock.now()), **told, troubles=troubles)

    async def _look_at(self, part: str) -> Mapping[str, Any] | Untold:
        # To break a question off would break the connection for others: one that takes too long is left to end by the
        # deadline of its store, and is not asked again before.
        question = Question(port="overview", about=part, ask=lambda: LOOKS[part](self._app))
        try:
            [answer] = await self._app.session().probes.ask([question], DEADLINE)
        except Exception:
            log.exception("The overview does not tell of the %s; this is a fault of Goatherd", part)
            return Untold(part=part, why="Goatherd failed at this; its log says how")
        if answer.trouble is not None:
            return Untold(part=part, why=answer.trouble)
        assert isinstance(answer.told, Mapping), "what each look gives"
        return answer.told


async def _rates(app: Goatherd) -> Mapping[str, Any]:
    return {"rates": await rates(app), "throughput": tuple(await throughput(app))}


async def _queues(app: Goatherd) -> Mapping[str, Any]:
    found = await queues.queues(app)
    delayed = [each.delayed for each in found if each.delayed is not None]
    running = [each.running for each in found if each.running is not None]
    return {
        "queues": len(found),
        "waiting": sum(each.ready for each in found),
        "delayed": sum(delayed) if delayed or not found else None,
        "running": sum(running) if running or not found else None,
        "oldest_age": max((each.oldest_age for each in found if each.oldest_age is not None), default=None),
        "paused_queues": tuple(each.name for each in found if each.paused),
        "abandoned_queues": tuple(each.name for each in found if each.condition == "no worker"),
    }


async def _letters(app: Goatherd) -> Mapping[str, Any]:
    return {"dead_letters": await letters.count(app)}


async def _lanes(app: Goatherd) -> Mapping[str, Any]:
    return {"held_lanes": await lanes.held_count(app) if lanes.has_lanes(app) else 0}


async def _schedules(app: Goatherd) -> Mapping[str, Any]:
    found = await schedules.schedules(app)
    return {
        "schedules": len(found),
        "failed_schedules": tuple(each.name for each in found if each.health == "failing"),
        "late_schedules": tuple(each.name for each in found if each.health == "late"),
    }


async def _listeners(app: Goatherd) -> Mapping[str, Any]:
    counts = await listeners.counts(app)
    return {"listeners": counts.total, "unhealthy_listeners": counts.unhealthy}


async def _processes(app: Goatherd) -> Mapping[str, Any]:
    found = await look_at_processes(app)
    roles: dict[str, int] = {}
    for role in (role for each in found for role in each.roles):
        roles[role] = roles.get(role, 0) + 1
    return {
        "processes": len(found),
        "roles": roles,
        "unready": tuple(each for each in found if not each.ready),
        "streams": sum(each.streams for each in found),
        "busy": sum(each.running_count for each in found),
    }


async def _stores(app: Goatherd) -> Mapping[str, Any]:
    health = await app.health()
    stores = tuple(_store(port, state, health) for port, state in health.ports.items())
    told = {reason for store in stores for reason in store.reasons}
    others = [reason for reason in health.reasons if _without_port(reason) not in told]
    return {"stores": stores, "reasons": tuple(others)}


def _store(port: str, state: LinkState, health: Health) -> StoreFacts:
    reasons = [reason.removeprefix(f"{port}: ") for reason in health.reasons if reason.startswith(f"{port}: ")]
    return StoreFacts(port=port, state=state, reasons=tuple(reasons))


def _without_port(reason: str) -> str:
    return reason.partition(": ")[2]


LOOKS: Mapping[str, Look] = {
    "throughput": _rates,
    "queues": _queues,
    "dead letters": _letters,
    "lanes": _lanes,
    "schedules": _schedules,
    "listeners": _listeners,
    "processes": _processes,
    "stores": _stores,
}
