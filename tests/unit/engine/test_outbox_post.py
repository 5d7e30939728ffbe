"""What is sent of the outbox, and what is left in it."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from goatherd.engine.listener_doors import ListenerDoors
from goatherd.engine.means import Means
from goatherd.engine.outbox_post import OutboxPost
from goatherd.errors import TopologyMismatch, Unavailable
from goatherd.model.lane import LaneItem
from goatherd.model.message import LANE, Message
from goatherd.model.outbox import OutboxJob, OutboxRow
from goatherd.model.topology import Queue
from goatherd.ports.clock import SystemClock


class HandBroker:
    """Takes messages, but not those of some queues."""

    def __init__(self) -> None:
        self.state = "up"
        self.taken: list[str] = []
        self.refused: set[str] = set()
        #: Whether all are refused with one that is.
        self.all_or_none = False
        self.declared: list[str] = []
        #: Queues that are there with another shape.
        self.other: set[str] = set()

    async def declare(self, queues: Sequence[Queue]) -> None:
        for queue in queues:
            if queue.name in self.other:
                raise TopologyMismatch("queue", queue.name, "max_length", None, 5)
            self.declared.append(queue.name)

    async def publish(self, messages: Sequence[Message]) -> None:
        if self.state != "up":
            raise Unavailable("away", jobs=[message.id for message in messages])
        bad = [message.id for message in messages if message.queue in self.refused]
        if bad and self.all_or_none:
            raise Unavailable("no such queue", jobs=[message.id for message in messages])
        self.taken += [message.id for message in messages if message.id not in bad]
        if bad:
            raise Unavailable("no such queue", jobs=bad)


class Counting:
    def __init__(self) -> None:
        self.counted: list[str] = []

    def sent(self, message: Message) -> None:
        self.counted.append(message.id)


class HandTracked:
    """Some have ended."""

    def __init__(self, *ended: str) -> None:
        self.noted: list[str] = []
        self._ended = ended

    async def note_waiting(self, message: Message) -> bool:
        self.noted.append(message.id)
        return message.id not in self._ended


class HandPosting:
    def __init__(self) -> None:
        self.items: list[LaneItem] = []

    async def put(self, items: Sequence[LaneItem]) -> None:
        self.items += items


class Stage:
    def __init__(self, *ended: str) -> None:
        self.broker, self.tracked, self.posting, self.meter = (
            HandBroker(),
            HandTracked(*ended),
            HandPosting(),
            Counting(),
        )
        means: Any = Means(broker=self.broker, courier=None, clock=SystemClock(), telemetry=self.meter)  # type: ignore[arg-type]
        self.doors = ListenerDoors(means.broker)
        self.post = OutboxPost(means, self._open, self.tracked, self.doors)  # type: ignore[arg-type]

    async def _open(self) -> Any:
        return self.posting


def row(place: int, queue: str = "mail", lane: str | None = None, **more: Any) -> OutboxRow:
    headers = {LANE: lane} if lane else {}
    return OutboxRow(
        place=place, job=OutboxJob(message=Message(id=f"{place}", queue=queue, body=b"", headers=headers), **more)
    )


async def test_all_that_is_taken_is_counted() -> None:
    stage = Stage()
    assert await stage.post.send_loose([row(1), row(2)]) == {1, 2}
    assert stage.broker.taken == stage.meter.counted == ["1", "2"]


@pytest.mark.parametrize("all_or_none", [False, True])
async def test_one_queue_that_is_refused_does_not_stop_the_others(all_or_none: bool) -> None:
    stage = Stage()
    stage.broker.refused, stage.broker.all_or_none = {"gone"}, all_or_none
    assert await stage.post.send_loose([row(1, "gone"), row(2), row(3, "gone"), row(4, "sms")]) == {2, 4}
    assert sorted(stage.broker.taken) == sorted(stage.meter.counted) == ["2", "4"]


async def test_a_queue_that_is_gone_is_told_of(caplog: pytest.LogCaptureFixture) -> None:
    stage = Stage()
    stage.broker.refused = {"gone"}
    assert await stage.post.send_loose([row(1, "gone")]) == set()
    assert "no such queue" in caplog.text


async def test_a_broker_that_is_away_leaves_everything_as_it_is() -> None:
    stage = Stage()
    stage.broker.state = "connecting"
    with pytest.raises(Unavailable, match="away"):
        await stage.post.send_loose([row(1), row(2)])


async def test_watched_ones_are_noted_first_and_those_that_have_ended_are_not_sent() -> None:
    stage = Stage("2")
    rows = [row(1, tracked=True), row(2, tracked=True), row(3), row(4, lane="mail/to=1", tracked=True, placed=True)]
    assert await stage.post.send_loose(rows) == {1, 2, 3, 4}
    assert (stage.tracked.noted, stage.broker.taken) == (["1", "2", "4"], ["1", "3"])


async def test_lanes_get_theirs_in_order_and_know_them_by_name() -> None:
    stage = Stage("3")
    rows = [row(n, lane="mail/to=1", tracked=n == 3, keep_place=n == 2) for n in range(1, 5)]
    assert await stage.post.send_laned(rows) == {1, 2, 3, 4}
    assert [item.id for item in stage.posting.items] == ["1", "2", "4"]
    assert all(item.named and item.limit is None for item in stage.posting.items)
    assert [item.keep_place for item in stage.posting.items] == [False, True, False]


async def test_queues_of_a_task_with_many_are_made_and_one_of_another_shape_stops_no_other() -> None:
    stage = Stage()
    stage.doors.know({"join"}, lambda task, queue: Queue(name=queue, contract=True))
    stage.broker.other = {"match-2"}
    rows = [row(1, "mail"), row(2, "match-1"), row(3, "match-2"), row(4, "match-3")]
    rows = [each if each.place == 1 else replaced(each, task="join") for each in rows]
    assert await stage.post.send_loose(rows) == {1, 2, 4}
    assert sorted(set(stage.broker.declared)) == ["match-1", "match-3"]
    stage.broker.other = set()
    assert await stage.post.send_loose([rows[2]]) == {3}


def replaced(each: OutboxRow, **changes: Any) -> OutboxRow:
    message = msgspec.structs.replace(each.job.message, **changes)
    return msgspec.structs.replace(each, job=msgspec.structs.replace(each.job, message=message))
