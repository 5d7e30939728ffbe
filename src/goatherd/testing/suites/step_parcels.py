"""Cases: steps that are done item by item."""

import asyncio

from goatherd.model.run_record import Advance, Onward, Parcel, Spread
from goatherd.testing.suites.step_people import (
    AGAIN_AFTER,
    RUN,
    Plan,
    Worker,
    given,
    key,
    parcels,
    stand_in,
    state_of,
    states,
)
from goatherd.testing.suites.step_store import StepsCases, StepStore

MAP = Plan(each=(), all=["each"])


class ParcelCases(StepsCases):
    """Part of `StepsSuite`."""

    async def test_a_head_is_done_when_all_of_its_items_are(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        assert await MAP.taken(steps) == ["each"]
        exchanged = await worker.exchange(decided=[worker.spreading("each", parcels(3, size=2))])
        assert (list(exchanged.decided), exchanged.ready) == ([True], True)
        assert list(exchanged.advances) == [Advance(run=RUN, step="each", state="spread", done=0, total=6)]
        assert await MAP.taken(steps) == ["each/0", "each/2", "each/4"]
        for item, result, done in ((4, b"4,5", 2), (0, b"0,1", 4), (2, b"2,3", 6)):
            assert list(await steps.results([(RUN, "each")])) == [None]
            assert await MAP.taken(steps) == []
            exchanged = await worker.exchange(worker.success(await worker.one("each", item), result))
            [advance] = exchanged.advances
            state = "done" if done == 6 else "spread"
            assert (advance.step, advance.state, advance.done, advance.total) == ("each", state, done, 6)
        assert list(await steps.results([(RUN, "each")])) == [b"[0,1,2,3,4,5]"]
        assert await MAP.taken(steps) == ["all"]

    async def test_a_head_without_items_is_done_at_once(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        exchanged = await worker.exchange(decided=[worker.spreading("each", [])])
        assert list(exchanged.advances) == [Advance(run=RUN, step="each", state="done", done=0, total=0)]
        assert list(await steps.results([(RUN, "each")])) == [b"[]"]
        assert await MAP.taken(steps) == ["all"]
        exchanged = await worker.exchange(
            decided=[Spread(key=key("all"), parcels=[], at_once=1, onward=Onward(last=True))]
        )
        assert (exchanged.ended, await state_of(steps)) == (True, "done")

    async def test_a_head_is_spread_once(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        again = [worker.spreading("each", parcels(count)) for count in (2, 5, 0)]
        assert list((await worker.exchange(decided=again)).decided) == [True, False, False]
        assert await MAP.taken(steps) == ["each/0", "each/1"]
        assert list(await worker.claim(key("each"))) == ["over"]

    async def test_a_step_that_waits_or_that_somebody_has_is_not_spread(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        assert not await worker.decide(worker.spreading("all", parcels(2)))
        await worker.one("each")
        assert not await worker.decide(worker.spreading("each", parcels(2)))
        assert not await worker.decide(worker.spreading("none", parcels(2)))
        assert not await worker.decide(worker.spreading("each", parcels(2), run="nobody"))
        assert await states(steps) == {"each": "running", "all": "waiting"}

    async def test_a_turn_of_a_parcel_tells_its_items(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        await Worker(steps, MAP).spread("each", [Parcel(item=0, size=2, content='{"ü":1},[2]'.encode())])
        [turn] = await steps.take(["film"], 10, AGAIN_AFTER)
        assert (turn.key, turn.size, turn.content) == (key("each", 0), 2, '{"ü":1},[2]'.encode())

    async def test_items_that_were_left_out_are_not_in_the_list(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(3))
        for item in (0, 2):
            await worker.do("each", item, b"%d" % item)
        exchanged = await worker.exchange(worker.left_out(await worker.one("each", 1)))
        assert list(exchanged.advances) == [Advance(run=RUN, step="each", state="done", done=3, total=3)]
        assert list(await steps.results([(RUN, "each")])) == [b"[0,2]"]
        assert await MAP.taken(steps) == ["all"]

    async def test_what_stands_in_for_an_item_is_in_its_place(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(3))
        await worker.settle(stand_in(await worker.one("each", 1)))
        for item in (0, 2):
            await worker.do("each", item, b"%d" % item)
        assert (await states(steps))["each"] == "spread"
        claim = await worker.one("each", 1)
        assert (claim.phase, claim.content) == ("compensate", b"1")
        await worker.settle(worker.success(claim, b"null"))
        assert list(await steps.results([(RUN, "each")])) == [b"[0,null,2]"]

    async def test_a_step_that_is_moved_by_several_is_told_once(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(5))
        claims = given(await worker.claim(*(key("each", item) for item in range(4))))
        exchanged = await worker.exchange(*(worker.success(claim, b"1") for claim in claims))
        assert list(exchanged.advances) == [Advance(run=RUN, step="each", state="spread", done=4, total=5)]

    async def test_the_last_items_that_end_at_once_end_the_head_once(self, steps: StepStore, other: StepStore) -> None:
        await MAP.begin(steps)
        first = Worker(steps, MAP)
        await first.spread("each", parcels(24))
        workers = [Worker(client, MAP) for client in (steps, other) * 4]

        async def work(worker: Worker, items: range) -> None:
            for claim in given(await worker.claim(*(key("each", item) for item in items))):
                assert await worker.settle(worker.success(claim, b"%d" % claim.key.item))

        await asyncio.gather(*(work(worker, range(place, 24, 8)) for place, worker in enumerate(workers)))
        assert list(await steps.results([(RUN, "each")])) == [b"[" + b",".join(b"%d" % n for n in range(24)) + b"]"]
        assert (await MAP.taken(steps))[-1:] == ["all"]
        await first.do("all")
        assert await state_of(steps) == "done"
