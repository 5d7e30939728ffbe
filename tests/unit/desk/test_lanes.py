import pytest

from goatherd.desk import lanes, letters
from goatherd.desk.errors import Ambiguous, NotNow, NotThere, for_shell
from goatherd.desk.lane_finding import LaneChoice
from goatherd.model.lane import Exchange
from goatherd.testing import Herd
from tests.unit.desk.shop import Shop


@pytest.fixture
async def held(shop: Shop, herd: Herd) -> list[str]:
    """Two jobs in lane post=7, the first of which was given up; their ids."""
    shop.broken.add("comment")
    ids = [await shop.comment.send(7, text) for text in ("first", "second")]
    await herd.drain()
    return ids


async def test_a_held_lane_says_why_and_what_waits(shop: Shop, held: list[str]) -> None:
    [lane] = await lanes.lanes(shop.app, LaneChoice(condition="held"))
    assert (lane.key, lane.shown, lane.condition, lane.length) == ("comments/post=7", "post=7", "held", 2)
    assert lane.head is not None
    assert (lane.head.job_id, lane.head.arguments) == (held[0], {"post": 7, "text": "first"})
    assert lane.burial is not None
    assert lane.burial.message == "no post 7"
    detail = await lanes.lane(shop.app, "post=7")
    assert [job.job_id for job in detail.jobs] == held
    assert await lanes.held_count(shop.app) == 1


async def test_retry_tries_the_head_again_if_it_is_the_one_that_was_seen(
    shop: Shop, herd: Herd, held: list[str]
) -> None:
    with pytest.raises(NotNow, match="gone on meanwhile"):
        await lanes.retry(shop.app, "post=7", head=held[1])
    shop.broken.clear()
    moved = await lanes.retry(shop.app, "post=7", head=held[0])
    assert (moved.job_id, moved.behind) == (held[0], 1)
    await herd.drain()
    assert await lanes.lanes(shop.app) == []


async def test_skip_makes_a_dead_letter_and_the_lane_goes_on(shop: Shop, herd: Herd, held: list[str]) -> None:
    shop.broken.clear()
    assert (await lanes.skip(shop.app, "post=7")).job_id == held[0]
    assert (await letters.letters(shop.app)).letters[0].job_id == held[0]
    await herd.drain()
    assert await lanes.lanes(shop.app) == []


async def test_all_held_lanes_at_once(shop: Shop, herd: Herd, held: list[str]) -> None:
    await shop.comment.send(8)
    await herd.drain()
    assert {each.key for each in await lanes.retry_held(shop.app)} == {"comments/post=7", "comments/post=8"}
    await herd.drain()
    assert len(await lanes.skip_held(shop.app)) == 2


async def test_unblock_takes_a_lane_from_the_worker_that_was_seen(shop: Shop, herd: Herd) -> None:
    await shop.comment.send(9)
    store = (await shop.app.session().lanes()).lanes
    await store.exchange(Exchange(worker="w1", number=1, queues=["comments"], wanted=1))
    with pytest.raises(NotNow, match="worker w1 has it now"):
        await lanes.unblock(shop.app, "post=9", worker="w0")
    with pytest.raises(NotNow) as refused:
        await lanes.retry(shop.app, "post=9")
    assert "goatherd" not in str(refused.value)
    assert for_shell(refused.value).endswith("its first job; `goatherd lanes unblock` takes the lane from it.")
    assert (await lanes.unblock(shop.app, "post=9", worker="w1")).worker == "w1"
    with pytest.raises(NotNow, match="nobody to take it from"):
        await lanes.unblock(shop.app, "post=9")


async def test_a_lane_that_is_not_there(shop: Shop, held: list[str]) -> None:
    with pytest.raises(NotThere, match=r"Nothing waits in a lane 'post=77'") as unknown:
        await lanes.lane(shop.app, "post=77")
    assert not isinstance(unknown.value, Ambiguous)
