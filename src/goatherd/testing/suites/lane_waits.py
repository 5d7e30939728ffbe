"""Cases: operators see what waits for workers, also where there are none."""

from collections.abc import Sequence

from goatherd.model.lane import Release, TryAgain
from goatherd.model.lane_wait import LaneWait
from goatherd.testing.suites.lane_people import QUEUE, Sender, Worker, give_up
from goatherd.testing.suites.lane_store import LanesCases, LaneStore, StandingClock


def wait(lanes: int, oldest: float = 0.0, queue: str = QUEUE) -> LaneWait:
    """What a case expects."""
    return LaneWait(queue=queue, lanes=lanes, oldest=oldest)


async def waiting(lanes: LaneStore, *queues: str) -> Sequence[LaneWait]:
    """What is told, with times as exact as clocks are."""
    told = await lanes.waiting(queues or (QUEUE,))
    return [LaneWait(queue=each.queue, lanes=each.lanes, oldest=round(each.oldest, 3)) for each in told]


class WaitCases(LanesCases):
    """Part of `LanesSuite`."""

    async def test_lanes_that_are_ready_are_counted_by_queue(
        self, lanes: LaneStore, other: LaneStore, clock: StandingClock
    ) -> None:
        sender = Sender(lanes)
        assert await waiting(other, "mail", "sms") == [wait(0), wait(0, queue="sms")]
        assert list(await other.waiting([])) == []
        await sender.put("a", "b", lane="mail/to=1")
        clock.advance(5.0)
        await sender.put("c", lane="mail/to=2")
        await sender.put("d", lane="sms/to=1", queue="sms")
        clock.advance(2.0)
        assert await waiting(other, "sms", "mail", "ma") == [wait(1, 2.0, "sms"), wait(2, 7.0), wait(0, queue="ma")]

    async def test_a_lane_waits_anew_for_each_of_its_jobs(self, lanes: LaneStore, clock: StandingClock) -> None:
        worker = Worker(lanes)
        await Sender(lanes).put("a", "b")
        clock.advance(5.0)
        claim = await worker.one()
        assert await waiting(lanes) == [wait(0)]
        clock.advance(5.0)
        await worker.commit(claim)
        clock.advance(2.0)
        assert await waiting(lanes) == [wait(1, 2.0)]
        await worker.exchange(Release(hold=(await worker.one()).hold))
        assert await waiting(lanes) == [wait(1)]

    async def test_what_no_worker_could_do_now_does_not_wait_for_one(
        self, lanes: LaneStore, clock: StandingClock
    ) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        await sender.put_each([f"mail/to={number}" for number in range(3)])
        held, again, _running = await worker.claim(3)
        await worker.exchange(give_up(held, "hold"), TryAgain(hold=again.hold, content=b"x", delay=20.0))
        await sender.put("later", lane="mail/to=3", delay=20.0)
        await sender.put("in place", lane="mail/to=4", delay=20.0, keep_place=True)
        clock.advance(10.0)
        assert await waiting(lanes) == [wait(0)]

    async def test_what_is_due_waits_also_while_nobody_comes_to_see_to_it(
        self, lanes: LaneStore, clock: StandingClock
    ) -> None:
        sender, worker = Sender(lanes), Worker(lanes, lease=10.0)
        await sender.put("a")
        await worker.one()
        await sender.put("later", "too", lane="sms/to=1", queue="sms", delay=15.0)
        await sender.put("in place", lane="fax/to=1", queue="fax", delay=20.0, keep_place=True)
        clock.advance(10.0)
        queues = "mail", "sms", "fax"
        assert await waiting(lanes, *queues) == [wait(1), wait(0, queue="sms"), wait(0, queue="fax")]
        clock.advance(15.0)
        told = [wait(1, 15.0), wait(1, 10.0, "sms"), wait(1, 5.0, "fax")]
        assert await waiting(lanes, *queues) == told
        # Whoever comes sees to it for all queues.
        await Worker(lanes, "other").exchange()
        assert await waiting(lanes, *queues) == [wait(1), wait(1, 0.0, "sms"), wait(1, 0.0, "fax")]

    async def test_no_more_lanes_are_counted_than_are_asked_for(self, lanes: LaneStore, clock: StandingClock) -> None:
        sender, worker = Sender(lanes), Worker(lanes, lease=10.0)
        await sender.put_each([f"mail/to={number}" for number in range(6)])
        await worker.claim(2)
        clock.advance(30.0)
        for most, told in ((3, 3), (5, 5), (7, 6)):
            assert list(await lanes.waiting([QUEUE], most)) == [wait(told, 30.0)]
