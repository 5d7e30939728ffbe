"""Cases: whoever waits for lanes of some queues is called when one becomes ready, wherever that happens."""

from goatherd.model.lane import Release, TryAgain
from goatherd.testing.suites.lane_people import LANE, Sender, Worker, give_up, item
from goatherd.testing.suites.lane_store import LanesCases, LaneStore, OpenLanes, StandingClock, Woken


class WakeCases(LanesCases):
    """Part of `LanesSuite`."""

    async def test_a_lane_that_becomes_ready_wakes_workers_of_its_queue(
        self, lanes: LaneStore, other: LaneStore
    ) -> None:
        near, far, elsewhere = Woken(), Woken(), Woken()
        await lanes.watch(["mail", "sms"], near)
        await other.watch(["mail"], far)
        await other.watch(["fax"], elsewhere)
        await Sender(lanes).put("a")
        await near.next()
        await far.next()
        await Sender(other).put("b", lane="sms/to=1", queue="sms")
        await near.next()
        await elsewhere.is_left_alone()

    async def test_a_watch_is_on_when_it_returns(self, lanes: LaneStore, other: LaneStore) -> None:
        sender = Sender(lanes)
        for number in range(10):
            woken = Woken()
            watch = await other.watch(["mail"], woken)
            await sender.put("a", lane=f"mail/to={number}")
            await woken.next()
            await watch.stop()

    async def test_a_job_behind_others_wakes_nobody(self, lanes: LaneStore, other: LaneStore) -> None:
        sender, woken = Sender(lanes), Woken()
        await other.watch(["mail"], woken)
        await sender.put("a")
        await woken.next()
        await Worker(lanes).one()
        await sender.put("b", "c")
        await sender.put("slow", lane="mail/to=8", delay=5.0, keep_place=True)
        await sender.put("later", lane="mail/to=9", delay=5.0)
        await woken.is_left_alone()

    async def test_a_lane_that_is_released_wakes_others(self, lanes: LaneStore, other: LaneStore) -> None:
        await Sender(lanes).put("a")
        worker, woken = Worker(lanes), Woken()
        claim = await worker.one()
        await other.watch(["mail"], woken)
        await worker.exchange(Release(hold=claim.hold))
        await woken.next()

    async def test_the_next_job_of_a_lane_wakes_workers_of_its_own_queue(
        self, lanes: LaneStore, other: LaneStore
    ) -> None:
        await Sender(lanes).send(item("p", "post=7", queue="posts"), item("l", "post=7", queue="likes"))
        worker, woken = Worker(lanes, "posts"), Woken()
        claim = await worker.one()
        await other.watch(["likes"], woken)
        await worker.commit(claim, wanted=5)
        await woken.next()

    async def test_a_lane_that_is_skipped_wakes_others(self, lanes: LaneStore, other: LaneStore) -> None:
        await Sender(lanes).put("a", "b", on_exhausted="skip")
        worker, woken = Worker(lanes), Woken()
        claim = await worker.one()
        await other.watch(["mail"], woken)
        await worker.exchange(give_up(claim))
        await woken.next()

    async def test_what_became_ready_and_was_taken_at_once_wakes_nobody(
        self, lanes: LaneStore, other: LaneStore
    ) -> None:
        worker, woken = Worker(lanes), Woken()
        await other.watch(["mail"], woken)
        await Sender(lanes).put("a", "b")
        await woken.next()
        exchanged = await worker.commit(await worker.one(), wanted=1)
        assert len(exchanged.claims) == 1
        await woken.is_left_alone()

    async def test_lanes_whose_time_has_come_and_that_are_left_wake_others(
        self, lanes: LaneStore, other: LaneStore, clock: StandingClock
    ) -> None:
        sender, worker, woken = Sender(lanes), Worker(lanes, lease=10.0), Woken()
        await sender.put_each(["mail/to=1", "mail/to=2"])
        await sender.put("later", lane="mail/to=3", delay=10.0)
        first, _ = await worker.claim(2)
        await worker.exchange(TryAgain(hold=first.hold, content=b"again", delay=10.0))
        await other.watch(["mail"], woken)
        clock.advance(11.0)
        assert len(await worker.claim(1)) == 1
        await woken.next()

    async def test_operators_wake_workers_too(self, lanes: LaneStore, other: LaneStore) -> None:
        await Sender(lanes).put("a")
        worker, woken = Worker(lanes), Woken()
        await worker.exchange(give_up(await worker.one()))
        await other.watch(["mail"], woken)
        assert await lanes.retry(LANE)
        await woken.next()
        await worker.one()
        assert await lanes.unblock(LANE)
        await woken.next()

    async def test_a_watch_that_was_stopped_is_not_called_and_others_are(
        self, lanes: LaneStore, other: LaneStore
    ) -> None:
        stopped, on = Woken(), Woken()
        watch = await other.watch(["mail"], stopped)
        await other.watch(["mail"], on)
        await watch.stop()
        await watch.stop()
        await Sender(lanes).put("a")
        await on.next()
        await stopped.is_left_alone()

    async def test_closing_stops_every_watch(self, open_lanes: OpenLanes, lanes: LaneStore) -> None:
        watching, woken = await open_lanes(), Woken()
        watch = await watching.watch(["mail"], woken)
        await watching.close()
        await watching.close()
        await Sender(lanes).put("a")
        await woken.is_left_alone()
        await watch.stop()
