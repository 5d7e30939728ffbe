"""What a scheduler sees that needs a person, and of what it can say that it is over."""

from collections.abc import Mapping

import msgspec

from goatherd.engine.alerts.outlook import Lookout, Views
from goatherd.model.alert import AlertKind
from goatherd.model.alert_sightings import LATE, Thresholds
from goatherd.model.lane_wait import LaneWait
from goatherd.model.shared_readings import ScheduleReading, SharedReadings
from goatherd.model.topology import QueueState

LIMITS = Thresholds(lag=300.0, backlog=1000, dead=1, after=60.0)
MAIL = QueueState(
    name="mail", ready=3, delayed=0, running=0, consumers=1, oldest_age=400.0, dead=0, paused=False
)  # fmt: skip
LATE_ONE = ScheduleReading(
    name="nightly", paused=False, gone=False, next_at=1_000.0, late=LATE, missed=0, open=0, waiting=0,
    last_fired=None, last_success=None, failed=False, took=None,
)  # fmt: skip


class Sky:
    """What there is to see."""

    def __init__(self, shared: SharedReadings) -> None:
        self.shared = shared
        self.missed: Mapping[str, int] = {}
        self.troubles: Mapping[AlertKind, Mapping[str, str]] = {}
        views = Views(
            shared=lambda: self.shared, missed=lambda: self.missed, troubles=lambda: self.troubles, drift=lambda: None
        )
        self.lookout = Lookout("shop", views, LIMITS)

    async def seen(self) -> tuple[set[tuple[str, str]], set[str]]:
        """What is seen, and of which kinds all is."""
        outlook = await self.lookout.look()
        return {(each.kind, each.subject) for each in outlook.sightings}, set(outlook.kinds)


async def test_a_store_that_is_away_does_not_make_it_look_as_if_ticks_had_been_fired() -> None:
    sky = Sky(SharedReadings(seen={"schedules": 1}, schedules=[LATE_ONE]))
    assert await sky.seen() == ({("missed_tick", "nightly")}, {"missed_tick"})
    sky.shared = SharedReadings(seen={"schedules": 0})
    sky.troubles = {"missed_tick": {"shop": "nothing is fired now: the database is away"}}
    assert await sky.seen() == ({("missed_tick", "shop")}, set())


async def test_what_was_sampled_once_is_seen_once() -> None:
    sky = Sky(SharedReadings(seen={"queues": 1, "schedules": 1}, queues=[MAIL], schedules=[LATE_ONE]))
    lag, late = ("lag", "mail"), ("missed_tick", "nightly")
    assert await sky.seen() == ({lag, late}, {"lag", "missed_tick"})
    # Nobody has looked since, so it is not known whether it lasts, nor whether it is over.
    assert await sky.seen() == (set(), set())
    sky.shared = msgspec.structs.replace(sky.shared)
    assert await sky.seen() == ({lag, late}, {"lag", "missed_tick"})


async def test_lag_is_not_over_while_the_lanes_are_not_seen() -> None:
    waits = {"posts": LaneWait(queue="posts", lanes=1, oldest=400.0)}
    sky = Sky(SharedReadings(seen={"queues": 1, "lanes": 1}, lane_waits=waits))
    assert await sky.seen() == ({("lag", "posts")}, {"lag", "held_lane"})
    sky.shared = SharedReadings(seen={"queues": 1, "lanes": 0}, queues=[MAIL])
    assert await sky.seen() == ({("lag", "mail")}, set())
    sky.shared = SharedReadings(seen={"queues": 0, "lanes": 1}, lane_waits=waits)
    assert await sky.seen() == ({("lag", "posts")}, {"held_lane"})


async def test_a_tick_is_missed_once() -> None:
    sky = Sky(SharedReadings())
    sky.missed = {"nightly": 2, "hourly": 0}
    assert await sky.seen() == ({("missed_tick", "nightly")}, set())
    assert await sky.seen() == (set(), set())
    sky.missed = {"nightly": 3, "hourly": 0}
    assert await sky.seen() == ({("missed_tick", "nightly")}, set())
