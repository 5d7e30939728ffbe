"""What needs a person, and in which words that is told."""

from typing import Any

import pytest

from goatherd.model.alert_board import Sighting
from goatherd.model.alert_sightings import (
    LATE,
    MOST,
    OTHERS,
    Thresholds,
    bounded,
    of_dead_letters,
    of_lanes,
    of_listeners,
    of_queues,
    of_schedules,
    of_waiting_lanes,
)
from goatherd.model.lane_wait import LaneWait
from goatherd.model.listener import Condition, ListenerRow, Standing
from goatherd.model.shared_readings import HeldLanes, ScheduleReading, SharedReadings
from goatherd.model.topology import QueueState

LIMITS = Thresholds(lag=300.0, backlog=1000, dead=1, after=60.0)
NEVER = Thresholds(lag=0.0, backlog=0, dead=0, after=60.0)


def queue(**more: Any) -> QueueState:
    """A queue of a broker that tells little."""
    told = {"name": "mail", "ready": 0, "consumers": 1, "paused": False}
    unknown = dict.fromkeys(("delayed", "running", "oldest_age", "dead"))
    return QueueState(**{**unknown, **told, **more})


@pytest.mark.parametrize(
    ("state", "backlog", "message"),
    [
        (queue(ready=3, oldest_age=300.0), 0.0, "3 jobs wait, the oldest for 300 s"),
        (queue(ready=1, oldest_age=400, consumers=0), 0, "1 job waits, the oldest for 400 s; no worker takes from it"),
        (queue(ready=2, oldest_age=301.0, paused=True), 0.0, "2 jobs wait, the oldest for 301 s; it is paused"),
        (queue(ready=2), 300.0, "2 jobs wait, and it has not been empty for 300 s"),
        (queue(ready=1000, oldest_age=1.0), 0.0, "1,000 jobs wait"),
    ],
)  # fmt: skip
def test_a_queue_that_lags(state: QueueState, backlog: float, message: str) -> None:
    shared = SharedReadings(queues=[state], backlog={"mail": backlog})
    [sighting] = of_queues(shared, LIMITS)
    assert (sighting.kind, sighting.subject, sighting.message) == ("lag", "mail", message)
    assert not list(of_queues(shared, NEVER))


@pytest.mark.parametrize(
    ("state", "backlog"),
    [
        (queue(ready=999, oldest_age=299.0), 10_000.0),
        (queue(ready=0, oldest_age=None), 0.0),
        (queue(ready=999), 299.0),
    ],
)
def test_a_queue_that_does_not(state: QueueState, backlog: float) -> None:
    assert not list(of_queues(SharedReadings(queues=[state], backlog={"mail": backlog}), LIMITS))


def test_dead_letters_are_told_by_queue_where_the_broker_knows() -> None:
    shared = SharedReadings(queues=[queue(dead=2), queue(name="films", dead=0)], dead_letters=2)
    [sighting] = of_dead_letters(shared, "shop", LIMITS)
    assert sighting.subject == "mail"
    assert sighting.message.startswith("2 dead letters; see `goatherd dead list`")
    assert not list(of_dead_letters(shared, "shop", NEVER))


def test_dead_letters_are_told_together_where_it_does_not() -> None:
    [sighting] = of_dead_letters(SharedReadings(queues=[queue()], dead_letters=1), "shop", LIMITS)
    assert (sighting.subject, sighting.message[:13]) == ("shop", "1 dead letter")
    assert not list(of_dead_letters(SharedReadings(queues=[queue()], dead_letters=0), "shop", LIMITS))


def test_held_lanes() -> None:
    held = {"films": HeldLanes(lanes=2, jobs=7, oldest=30.0), "mail": HeldLanes(lanes=0, jobs=0, oldest=0.0)}
    [sighting] = of_lanes(held, LIMITS)
    assert (sighting.subject, sighting.lasted) == ("films", 30.0)
    assert sighting.message.startswith("2 lanes are held, with 7 jobs")


def test_lanes_that_wait_for_long_or_very_many_of_them() -> None:
    waits = {
        "mail": LaneWait(queue="mail", lanes=1, oldest=400.0),
        "films": LaneWait(queue="films", lanes=1000, oldest=3.0),
        "calls": LaneWait(queue="calls", lanes=7, oldest=299.0),
        "posts": LaneWait(queue="posts", lanes=0, oldest=0.0),
    }
    shared = SharedReadings(queues=[queue(consumers=0)], lane_waits=waits)
    long, many = of_waiting_lanes(shared, LIMITS)
    assert (long.kind, long.subject, long.lasted, long.after) == ("lag", "mail", 400.0, 0.0)
    assert long.message == "1 lane waits, the oldest for 400 s; no worker takes from it"
    assert (many.kind, many.subject, many.lasted, many.after) == ("lag", "films", 0.0, 60.0)
    assert many.message == "1,000 lanes wait"
    assert not list(of_waiting_lanes(shared, NEVER))


def schedule(**more: Any) -> ScheduleReading:
    nothing = dict.fromkeys(("last_fired", "last_success", "took"))
    told = {"name": "nightly", "paused": False, "gone": False, "next_at": 0.0, "open": 0, "waiting": 0, "failed": False}
    return ScheduleReading(**{**nothing, **told, "late": LATE, "missed": 0, **more})


def test_a_schedule_that_nobody_fires() -> None:
    [sighting] = of_schedules([schedule()], LIMITS)
    assert (sighting.kind, sighting.subject, sighting.after) == ("missed_tick", "nightly", 60.0)


def test_a_schedule_of_which_ticks_were_missed() -> None:
    [sighting] = of_schedules([schedule(late=0.0, missed=3, gone=True)], LIMITS)
    assert (sighting.kind, sighting.subject, sighting.after) == ("missed_tick", "nightly", 0.0)
    assert sighting.message.startswith("3 ticks were not fired in time")


@pytest.mark.parametrize("more", [{"paused": True}, {"gone": True}, {"late": 0.0}, {"late": LATE - 0.5}])
def test_a_schedule_that_need_not_fire(more: dict[str, Any]) -> None:
    assert not list(of_schedules([schedule(**more)], LIMITS))


def test_listeners_are_told_by_pattern_and_not_one_by_one() -> None:
    def row(queue: str, condition: Condition) -> ListenerRow:
        standing = Standing(condition=condition, since=0.0, why="it is gone")
        return ListenerRow(process="a", pattern="q-{}", queue=queue, standing=standing)

    rows = [row(f"q-{number}", "down") for number in range(7)] + [row("q-9", "running"), row("q-10", "paused")]
    [sighting] = of_listeners(rows, LIMITS)
    assert (sighting.subject, sighting.after) == ("q-{}", 60.0)
    assert sighting.message.startswith("q-0 is down: it is gone; q-1")
    assert "; and 2 more; see" in sighting.message


def test_very_many_of_a_kind_become_one() -> None:
    lagging = [Sighting(kind="lag", subject=f"q{number:03}", message="", lasted=number) for number in range(100)]
    drift = Sighting(kind="drift", subject="shop", message="")
    kept = bounded([*reversed(lagging), drift])
    assert kept[-1] == drift
    assert [each.subject for each in kept[:-1]] == [f"q{number:03}" for number in range(MOST - 1)] + [OTHERS]
    assert kept[MOST - 1].message == "the same holds for 81 more: q019, q020, q021, q022, q023, …"
    assert kept[MOST - 1].lasted == 99
