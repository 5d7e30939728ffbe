"""Cases: how many parcels of a step are worked on at once, and what shares their places."""

from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.step_people import (
    AGAIN_AFTER,
    RUN,
    TROUBLE,
    Plan,
    Worker,
    again,
    failing,
    given,
    key,
    parcels,
    separate,
    stand_in,
    states,
)
from goatherd.testing.suites.step_store import StepsCases, StepStore

MAP = Plan(each=(), all=["each"])


class AtOnceCases(StepsCases):
    """Part of `StepsSuite`."""

    async def test_no_more_parcels_are_ready_or_running_than_may_be(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(5), at_once=2)
        assert await MAP.taken(steps) == ["each/0", "each/1"]
        for item in range(5):
            exchanged = await worker.exchange(worker.success(await worker.one("each", item), b"1"))
            assert exchanged.ready == (item != 3)
            assert await MAP.taken(steps) == [["each/2"], ["each/3"], ["each/4"], [], ["all"]][item]

    async def test_several_that_end_in_one_exchange_make_room_for_as_many(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(6), at_once=3)
        claims = given(await worker.claim(*(key("each", item) for item in range(3))))
        await worker.exchange(worker.success(claims[2], b"1"), worker.left_out(claims[0]))
        assert await MAP.taken(steps) == ["each/3", "each/4"]
        assert list(await worker.claim(key("each", 5))) == ["early"]

    async def test_one_that_is_tried_again_keeps_its_place(self, steps: StepStore, clock: StandingClock) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP, lease=10.0)
        await worker.spread("each", parcels(2), at_once=1)
        await worker.settle(again(await worker.one("each", 0), delay=100.0))
        assert await MAP.taken(steps) == []
        clock.advance(100.0)
        assert await MAP.taken(steps) == ["each/0"]
        await worker.one("each", 0)
        clock.advance(10.0)
        assert await steps.reap(10) == 1
        assert await MAP.taken(steps) == ["each/0"]
        assert list(await worker.claim(key("each", 1))) == ["early"]

    async def test_one_that_waits_for_a_stand_in_makes_room(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(3), at_once=1)
        await worker.settle(stand_in(await worker.one("each", 0)))
        assert sorted(await MAP.taken(steps)) == ["each/0", "each/1"]
        # The stand-in's own end makes no more room.
        await worker.do("each", 0, b"0")
        assert await MAP.taken(steps) == []
        await worker.do("each", 1, b"1")
        assert await MAP.taken(steps) == ["each/2"]
        await worker.do("each", 2, b"2")
        assert list(await steps.results([(RUN, "each")])) == [b"[0,1,2]"]

    async def test_one_that_is_held_back_is_not_taken_when_its_run_has_failed(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(4), at_once=2)
        one, two = given(await worker.claim(key("each", 0), key("each", 1)))
        await worker.settle(failing(one))
        exchanged = await worker.exchange(worker.success(two, b"1"))
        assert (list(exchanged.settled), exchanged.ready) == ([True], False)
        assert await MAP.taken(steps) == []
        assert await steps.retry(RUN) == 1
        taken = await MAP.taken(steps)
        assert len(taken) == 2
        for _ in range(3):
            item = int(taken.pop(0).removeprefix("each/"))
            await worker.do("each", item, b"%d" % item)
            taken += await MAP.taken(steps)
        assert taken == ["all"]
        assert list(await steps.results([(RUN, "each")])) == [b"[0,1,2,3]"]


class SeparationCases(StepsCases):
    """Part of `StepsSuite`."""

    async def test_items_of_a_parcel_are_tried_one_by_one(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(2, size=3))
        await worker.settle(again(await worker.one("each", 3), failures=2))
        await MAP.taken(steps)
        exchanged = await worker.exchange(separate(await worker.one("each", 3)))
        assert (list(exchanged.settled), exchanged.ready) == ([True], True)
        turns = await steps.take(["film"], 10, AGAIN_AFTER)
        assert [(turn.key.item, turn.size, turn.content) for turn in turns] == [
            (3, 1, b"3"),
            (4, 1, b"4"),
            (5, 1, b"5"),
        ]
        assert {(turn.failures, turn.tellings, turn.phase) for turn in turns} == {(0, 0, "do")}
        assert {turn.trouble for turn in turns} == {TROUBLE}
        for item in (5, 3):
            await worker.do("each", item, b"%d" % item)
        await worker.settle(worker.left_out(await worker.one("each", 4)))
        await worker.do("each", 0, b"0,1,2")
        assert list(await steps.results([(RUN, "each")])) == [b"[0,1,2,3,5]"]
        assert await MAP.taken(steps) == ["all"]

    async def test_one_who_had_the_parcel_has_none_of_its_items(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(1, size=2))
        whole = await worker.one("each", 0)
        await worker.settle(separate(whole))
        claims = given(await worker.claim(key("each", 0), key("each", 1)))
        await worker.exchange(worker.success(whole, b"0,1"))
        assert list(await steps.beat([whole.hold], 10.0)) == [False]
        assert list(await steps.beat([claim.hold for claim in claims], 10.0)) == [True, True]
        assert all(claim.token > whole.token for claim in claims)
        assert (await states(steps))["each"] == "spread"

    async def test_they_share_the_place_of_their_parcel(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(2, size=3), at_once=1)
        await worker.settle(separate(await worker.one("each", 0)))
        done = []
        for _ in range(4):
            [turn] = await steps.take(["film"], 10, AGAIN_AFTER)
            done.append(turn.key.item)
            await worker.do("each", turn.key.item, turn.content)
        assert done == [0, 1, 2, 3]
        assert list(await steps.results([(RUN, "each")])) == [b"[0,1,2,3,4,5]"]

    async def test_as_many_of_them_are_ready_as_there_is_room_for(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(1, size=5), at_once=3)
        await worker.settle(separate(await worker.one("each", 0)))
        assert await MAP.taken(steps) == ["each/0", "each/1", "each/2"]
        assert list(await worker.claim(key("each", 3))) == ["early"]
