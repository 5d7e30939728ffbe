"""Stories: jobs go into their lanes in batches, in order, and once."""

import asyncio

import pytest

from goatherd.engine.lane_posting import BATCH, LanePosting
from goatherd.errors import Refused, Unavailable
from tests.unit.engine.hand_lanes import AWAY, HandLanes, item

POST_1, POST_2 = "comments/post_id=1", "comments/post_id=2"


@pytest.fixture
def lanes() -> HandLanes:
    return HandLanes()


@pytest.fixture
def posting(lanes: HandLanes) -> LanePosting:
    return LanePosting(lanes, deadline=5.0)


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goatherd.engine.lane_posting.AGAIN_AFTER", 0.01)


class Slip:
    """Satisfies `Receipt`."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def taken(self) -> None:
        self.told.append("taken")

    def failed(self, error: Unavailable) -> None:
        self.told.append(error)


async def test_jobs_of_one_caller_go_together(lanes: HandLanes, posting: LanePosting) -> None:
    placements = await posting.put([item("a"), item("b")])
    assert [placement.answer for placement in placements] == ["placed", "placed"]
    [(_, number, jobs)] = lanes.enqueued
    assert (number, jobs) == (1, ["a", "b"])


async def test_nothing_is_put_nowhere(lanes: HandLanes, posting: LanePosting) -> None:
    assert await posting.put([]) == []
    assert lanes.enqueued == []


async def test_callers_that_come_while_one_is_served_go_together(lanes: HandLanes, posting: LanePosting) -> None:
    gate = asyncio.Event()
    lanes.plan("enqueue", gate)
    first = asyncio.create_task(posting.put([item("a")]))
    await lanes.notes.saw("enqueued")
    others = [asyncio.create_task(posting.put([item(name)])) for name in "bcd"]
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(first, *others)
    assert [(number, jobs) for _, number, jobs in lanes.enqueued] == [(1, ["a"]), (2, ["b", "c", "d"])]


async def test_many_jobs_go_in_several_steps_in_order(lanes: HandLanes, posting: LanePosting) -> None:
    names = [str(number) for number in range(2 * BATCH + 10)]
    assert len(await posting.put([item(name) for name in names])) == len(names)
    assert [len(jobs) for _, _, jobs in lanes.enqueued] == [BATCH, BATCH, 10]
    assert [job for _, _, jobs in lanes.enqueued for job in jobs] == names


async def test_callers_whose_jobs_are_too_many_for_one_step_keep_their_order(
    lanes: HandLanes, posting: LanePosting
) -> None:
    gate = asyncio.Event()
    lanes.plan("enqueue", gate)
    first = asyncio.create_task(posting.put([item("a")]))
    await lanes.notes.saw("enqueued")
    names = [[f"{caller}{number}" for number in range(BATCH - 100)] for caller in "bc"]
    others = [asyncio.create_task(posting.put([item(name) for name in each])) for each in names]
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(first, *others)
    assert [jobs for _, _, jobs in lanes.enqueued] == [["a"], *names]


async def test_a_step_whose_answer_was_lost_is_repeated_under_its_number(
    lanes: HandLanes, posting: LanePosting
) -> None:
    lanes.plan("enqueue", AWAY, AWAY, None)
    await posting.put([item("a")])
    await posting.put([item("b")])
    assert [(number, jobs) for _, number, jobs in lanes.enqueued] == [(1, ["a"])] * 3 + [(2, ["b"])]
    assert len({sender for sender, _, _ in lanes.enqueued}) == 1


async def test_two_processes_are_two_senders(lanes: HandLanes) -> None:
    for _ in range(2):
        await LanePosting(lanes, deadline=1).put([item("a")])
    assert len({sender for sender, _, _ in lanes.enqueued}) == 2


async def test_a_store_that_stays_away_is_told_with_the_jobs(lanes: HandLanes) -> None:
    posting = LanePosting(lanes, deadline=0.05)
    lanes.planned["enqueue"] = [AWAY] * 100
    with pytest.raises(Unavailable, match="the store is away") as raised:
        await posting.put([item("a"), item("b")])
    assert raised.value.jobs == ("a", "b")
    lanes.planned["enqueue"] = []
    await posting.put([item("c")])
    assert lanes.enqueued[-1][2] == ["c"]


async def test_those_that_were_not_tried_are_told_too(lanes: HandLanes) -> None:
    posting = LanePosting(lanes, deadline=0.05)
    lanes.plan("enqueue", None, *[AWAY] * 100)
    names = [str(number) for number in range(BATCH + 2)]
    with pytest.raises(Unavailable) as raised:
        await posting.put([item(name) for name in names])
    assert raised.value.jobs == tuple(names[BATCH:])


async def test_each_caller_has_an_error_of_its_own(lanes: HandLanes) -> None:
    posting = LanePosting(lanes, deadline=0.05)
    lanes.planned["enqueue"] = [AWAY] * 100
    calls = [asyncio.create_task(posting.put([item(name)])) for name in "ab"]
    errors = await asyncio.gather(*calls, return_exceptions=True)
    assert [error.jobs for error in errors if isinstance(error, Unavailable)] == [("a",), ("b",)]


async def test_who_waited_behind_a_store_that_is_away_is_told_when_its_own_time_is_over(lanes: HandLanes) -> None:
    posting = LanePosting(lanes, deadline=0.05)
    gates = [asyncio.Event() for _ in range(3)]
    lanes.plan("enqueue", *gates)
    many = [[item(f"{caller}{number}") for number in range(BATCH)] for caller in "abc"]
    calls = [asyncio.create_task(posting.put(each)) for each in many]
    await lanes.notes.saw("enqueued")
    # The adapter itself takes long to notice; the others were never tried, and are not kept waiting as long each.
    await asyncio.sleep(0.1)
    gates[0].set()
    async with asyncio.timeout(5):
        first, *others = await asyncio.gather(*calls, return_exceptions=True)
    assert not isinstance(first, BaseException)
    assert [type(error) for error in others] == [Unavailable, Unavailable]
    assert len(lanes.enqueued) == 1


async def test_a_fault_of_ours_is_told_to_the_caller_and_the_next_goes_on(
    lanes: HandLanes, posting: LanePosting
) -> None:
    lanes.plan("enqueue", ZeroDivisionError("ours"))
    with pytest.raises(ZeroDivisionError):
        await posting.put([item("a")])
    await posting.put([item("b")])


async def test_jobs_of_full_lanes_are_refused_and_the_others_are_in(lanes: HandLanes, posting: LanePosting) -> None:
    lanes.full.add(POST_1)
    items = [item("a", POST_1, limit=3), item("b", POST_2), item("c", POST_1, limit=3)]
    with pytest.raises(Refused, match=r"The lane post_id=1 has as many jobs as it may have \(3\)") as raised:
        await posting.put(items)
    assert raised.value.jobs == ("a", "c")
    assert raised.value.limit == "lane_limit"


async def test_what_comes_after_a_full_lane_is_not_tried(lanes: HandLanes, posting: LanePosting) -> None:
    lanes.full.add(POST_1)
    items = [item("a", POST_1, limit=1), *(item(str(number), POST_2) for number in range(BATCH))]
    with pytest.raises(Refused) as raised:
        await posting.put(items)
    assert raised.value.jobs == ("a", str(BATCH - 1))
    assert len(lanes.enqueued) == 1


async def test_a_caller_that_is_cancelled_does_not_stop_its_jobs(lanes: HandLanes, posting: LanePosting) -> None:
    gate = asyncio.Event()
    lanes.plan("enqueue", gate)
    call = asyncio.create_task(posting.put([item("a")]))
    await lanes.notes.saw("enqueued")
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    after = asyncio.create_task(posting.put([item("b")]))
    gate.set()
    await after
    assert [jobs for _, _, jobs in lanes.enqueued] == [["a"], ["b"]]


async def test_closing_waits_for_what_was_handed_in(lanes: HandLanes, posting: LanePosting) -> None:
    gate = asyncio.Event()
    lanes.plan("enqueue", gate)
    call = asyncio.create_task(posting.put([item("a")]))
    await lanes.notes.saw("enqueued")
    closing = asyncio.create_task(posting.close())
    await asyncio.sleep(0)
    assert not closing.done()
    gate.set()
    await closing
    await call


async def test_who_asks_is_told_that_it_was_taken(lanes: HandLanes, posting: LanePosting) -> None:
    slip = Slip()
    posting.ask(item("a"), slip)
    await posting.close()
    await asyncio.sleep(0)
    assert slip.told == ["taken"]


async def test_who_asks_is_told_that_the_store_is_away(lanes: HandLanes) -> None:
    posting, slip = LanePosting(lanes, deadline=0.02), Slip()
    lanes.planned["enqueue"] = [AWAY] * 100
    posting.ask(item("a"), slip)
    await posting.close()
    await asyncio.sleep(0)
    [error] = slip.told
    assert isinstance(error, Unavailable)
    assert error.jobs == ("a",)


async def test_who_asks_is_told_that_the_lane_is_full(lanes: HandLanes, posting: LanePosting) -> None:
    slip = Slip()
    lanes.full.add(POST_1)
    posting.ask(item("a", limit=1), slip)
    await posting.close()
    await asyncio.sleep(0)
    [error] = slip.told
    assert isinstance(error, Refused)


async def test_who_asks_is_told_of_a_fault_of_ours_too(lanes: HandLanes, posting: LanePosting) -> None:
    slip = Slip()
    lanes.plan("enqueue", ZeroDivisionError("ours"))
    posting.ask(item("a"), slip)
    await posting.close()
    await asyncio.sleep(0)
    [error] = slip.told
    assert isinstance(error, Unavailable)
    assert "ours" in str(error)
