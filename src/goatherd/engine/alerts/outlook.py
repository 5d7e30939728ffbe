"""Gather what one process sees that needs a person."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from goatherd.errors import GoatherdError
from goatherd.model.alert import AlertKind
from goatherd.model.alert_board import Outlook, Sighting
from goatherd.model.alert_sightings import (
    Thresholds,
    bounded,
    of_dead_letters,
    of_drift,
    of_lanes,
    of_listeners,
    of_missed,
    of_queues,
    of_schedules,
    of_troubles,
    of_waiting_lanes,
)
from goatherd.model.difference import Difference
from goatherd.model.listener import ListenerRow
from goatherd.model.shared_readings import SharedReadings

log = logging.getLogger("goatherd.alerts")


@dataclass(frozen=True, kw_only=True)
class Views:
    """Where a scheduler sees how things stand."""

    #: What all processes share, as it was last sampled.
    shared: Callable[[], SharedReadings]
    #: Ticks that this process has put on record as missed so far, by schedule.
    missed: Callable[[], Mapping[str, int]]
    #: What this process cannot do now, by kind and what it is about; without kinds that it has nothing to do with.
    troubles: Callable[[], Mapping[AlertKind, Mapping[str, str]]]
    #: What the broker has otherwise; None while that is not known.
    drift: Callable[[], Sequence[Difference] | None]
    #: Listeners that do not run; None where there are no listeners.
    listeners: Callable[[], Awaitable[Sequence[ListenerRow]]] | None = None


@dataclass
class Lookout:
    """Looks for one app; remembers what it has told of things that happen once."""

    app: str
    views: Views
    limits: Thresholds
    _sampled: SharedReadings | None = None
    _missed: Mapping[str, int] = field(default_factory=dict)
    _deaf: bool = False

    async def look(self) -> Outlook:
        """All that is seen now, and what could be looked at."""
        sightings: list[Sighting] = []
        kinds: set[AlertKind] = set()
        # Of two about the same the first is heard, and this one knows more.
        self._look_at_missed(sightings)
        self._look_at_shared(self.views.shared(), sightings, kinds)
        for kind, troubles in self.views.troubles().items():
            # Who cannot fire anything does not see which schedules are late, either.
            if kind != "missed_tick":
                kinds.add(kind)
            sightings += of_troubles(kind, troubles, self.limits)
        if (drift := self.views.drift()) is not None:
            kinds.add("drift")
            sightings += of_drift(drift, self.app)
        if (rows := await self._listeners()) is not None:
            kinds.add("listener")
            sightings += of_listeners(rows, self.limits)
        else:
            # What others have noted must not look as if it were over.
            kinds.discard("listener")
        return Outlook(sightings=bounded(sightings), kinds=frozenset(kinds))

    def _look_at_shared(self, shared: SharedReadings, sightings: list[Sighting], kinds: set[AlertKind]) -> None:
        """Only what is new: what was sampled once must not look as if it lasted."""
        if shared is self._sampled:
            return
        self._sampled = shared
        # Where no task has a key, nobody looks at lanes.
        if shared.seen.get("queues") and shared.seen.get("lanes", True):
            kinds.add("lag")
        sightings += of_queues(shared, self.limits)
        sightings += of_waiting_lanes(shared, self.limits)
        if shared.seen.get("queues") and shared.seen.get("dead letters"):
            kinds.add("dead_letters")
            sightings += of_dead_letters(shared, self.app, self.limits)
        if shared.seen.get("lanes"):
            kinds.add("held_lane")
            sightings += of_lanes(shared.held, self.limits)
        if shared.seen.get("schedules"):
            kinds.add("missed_tick")
            sightings += of_schedules(shared.schedules, self.limits)

    def _look_at_missed(self, sightings: list[Sighting]) -> None:
        """Only what is new: a tick is missed once."""
        before, self._missed = self._missed, self.views.missed()
        news = {name: count - before.get(name, 0) for name, count in self._missed.items()}
        sightings += of_missed({name: count for name, count in news.items() if count > 0})

    async def _listeners(self) -> Sequence[ListenerRow] | None:
        if self.views.listeners is None:
            return None
        try:
            rows = await self.views.listeners()
        except GoatherdError as error:
            if not self._deaf:
                log.warning("How listeners stand is not known now: %s", error)
            self._deaf = True
            return None
        self._deaf = False
        return rows
