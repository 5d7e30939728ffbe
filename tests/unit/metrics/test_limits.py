"""Names that others choose do not become metrics without a limit."""

import time

from goatherd.adapters.prometheus import render
from goatherd.engine.keyed_looks import held_by_queue, waits_by_queue
from goatherd.engine.meter import Meter
from goatherd.engine.queue_looks import together
from goatherd.engine.tick_counts import TickCounts
from goatherd.model.label_limit import MOST_LABELS, OTHER
from goatherd.model.lane import LaneState
from goatherd.model.lane_wait import LaneWait
from goatherd.model.message import Message
from goatherd.model.schedule import Decision, NewFiring
from goatherd.model.topology import QueueState
from tests.unit.model.samples import work

MANY = MOST_LABELS + 100


def test_tasks_of_strangers_are_counted_together_past_the_limit() -> None:
    meter = Meter()
    for number in range(MANY):
        task = f"task {number}"
        meter.sent(Message(id="j", queue="mail", body=b"", task=task))
        meter.started("mail", task, work(), 0.1)
        meter.ended("mail", task, work(), "dead", 0.1)
        meter.buried("mail", task, "j", "unknown_task")
        meter.answered(f"queue {number}", "given")
    read = meter.readings()
    beyond = MANY - MOST_LABELS + 1
    for counts in (read.sent, read.running, read.wait_seconds, read.run_seconds):
        assert len(counts) == MOST_LABELS
    assert read.sent[OTHER, OTHER] == beyond
    assert read.ended[OTHER, OTHER, "dead"] == read.buried[OTHER, OTHER, "unknown_task"] == beyond
    assert sum(read.run_seconds[OTHER, OTHER].classes) == beyond
    assert (len(read.answers), read.answers[OTHER, "given"]) == (MOST_LABELS, beyond)
    assert set(read.running.values()) == {0}
    assert sum(read.sent.values()) == MANY, "nothing is lost"
    assert f'task="task {MANY - 1}"' not in render(read)


def test_queues_are_told_together_past_the_limit() -> None:
    states = [
        QueueState(
            name=f"queue {number:04}", ready=1, delayed=2, running=None, consumers=3, oldest_age=float(number),
            dead=1, paused=False,
        )
        for number in range(MANY)
    ]  # fmt: skip
    told = together(states, str)
    [other] = [state for state in told if state.name == OTHER]
    beyond = MANY - MOST_LABELS + 1
    assert len(told) == MOST_LABELS
    assert (other.ready, other.delayed, other.consumers, other.dead) == (beyond, 2 * beyond, 3 * beyond, beyond)
    assert (other.running, other.oldest_age) == (None, MANY - 1)


def test_held_lanes_are_told_together_past_the_limit() -> None:
    now = time.time()
    states = [
        LaneState(key="k", condition="held", length=2, queue=f"queue {number:04}", head="j", since=now - number)
        for number in range(MANY)
    ]
    told = held_by_queue(states, ["comments"], str, now)
    beyond = MANY + 1 - MOST_LABELS + 1
    assert len(told) == MOST_LABELS
    assert (told["comments"].lanes, told["comments"].jobs) == (0, 0)
    assert (told[OTHER].lanes, told[OTHER].jobs) == (beyond, 2 * beyond)
    assert told[OTHER].oldest == MANY - 1


def test_what_waits_in_lanes_is_told_together_past_the_limit_and_by_the_name_of_a_queue() -> None:
    waits = [LaneWait(queue=f"queue {number:04}", lanes=2, oldest=float(number)) for number in range(MANY)]
    told = waits_by_queue(waits, str)
    beyond = MANY - MOST_LABELS + 1
    assert len(told) == MOST_LABELS
    assert (told[OTHER].lanes, told[OTHER].oldest) == (2 * beyond, MANY - 1)
    [one] = waits_by_queue(waits, lambda _queue: "match-{}").values()
    assert (one.lanes, one.oldest) == (2 * MANY, MANY - 1)


def test_schedules_that_people_set_do_not_take_the_place_of_those_of_the_program() -> None:
    counts = TickCounts(["sweep"])
    fired = (NewFiring(tick=1.0, state="due", missed=2),)
    for number in range(MANY):
        assert counts.note(Decision(name=f"reminder {number}", rev=1, firings=fired, next_at=None)) == 0
    missed = (NewFiring(tick=2.0, state="missed", missed=4), NewFiring(tick=3.0, state="skipped"))
    assert counts.note(Decision(name="sweep", rev=1, firings=missed, next_at=None)) == 5
    read = counts.readings()
    assert len(read) == 4 * MOST_LABELS
    assert (read["sweep", "missed"], read["sweep", "skipped"], read["sweep", "fired"]) == (5, 1, 0)
    beyond = MANY - MOST_LABELS + 2
    assert (read[OTHER, "fired"], read[OTHER, "missed"]) == (beyond, 2 * beyond)
