"""Lanes: who has which, what waits, and how one is helped on."""

import pytest

from goatherd.desk import lanes
from goatherd.model.lane import Exchange
from tests.unit.desk.shop import Shop
from tests.unit.web.dashboard.callers import Caller
from tests.unit.web.dashboard.work.looks import actions, shows

LANE = "/lanes/comments%2Fpost%3D7"


@pytest.fixture
async def held(at_work: Shop, browser: Caller) -> list[str]:
    """Two jobs in lane post=7, the first of which was given up; their ids."""
    at_work.broken.add("comment")
    ids = [await at_work.comment.send(7, text) for text in ("<b>first</b>", "second")]
    await shows(browser, "/lanes?condition=held", 'id="lane-comments/post=7"')
    return ids


async def test_a_held_lane_tells_why_and_what_waits(held: list[str], browser: Caller) -> None:
    page = (await browser.get("/lanes")).text
    for words in ("1 lane waits for somebody", "ValueError: no post 7", held[0], LANE):
        assert words in page, words
    page = (await browser.get(LANE)).text
    assert [job in page for job in held] == [True, True]
    assert "<b>first" not in page
    assert "post=7" in (await browser.get("/lanes/post%3D7")).text
    assert "No lane found" in (await browser.get("/lanes?text=nothing")).text
    assert (await browser.get("/lanes/post%3D8")).status_code == 404


async def test_the_first_job_is_tried_again_if_it_is_the_one_that_was_seen(
    at_work: Shop, held: list[str], browser: Caller
) -> None:
    at_work.broken.clear()
    assert (await browser.act(f"{LANE}/retry", {"head": held[1]}, hx_request="true")).status_code == 409
    assert (await browser.act(f"{LANE}/retry", {"head": held[0]}, hx_request="true")).status_code == 204
    await shows(browser, "/lanes", "All lanes are empty")
    # Whoever looks at the lane meanwhile is told so; there is no page of it any more.
    part = await browser.get(f"{LANE}?part=glance", hx_request="true")
    assert (part.status_code, "This lane is empty now" in part.text) == (200, True)
    assert (await browser.get(LANE)).status_code == 404
    assert (await actions(at_work.app))[0] == "lane.retry comments/post=7 done"


async def test_a_lane_goes_on_without_its_first_job(at_work: Shop, held: list[str], browser: Caller) -> None:
    at_work.broken.clear()
    answer = await browser.act(f"{LANE}/skip", {"head": held[0]}, hx_request="true")
    assert "is a dead letter now; 1 job behind it goes on" in answer.headers["hx-trigger"]
    await shows(browser, "/lanes", "All lanes are empty")
    await shows(browser, "/dead", "no post 7")


async def test_all_held_lanes_are_helped_at_once(at_work: Shop, held: list[str], browser: Caller) -> None:
    await at_work.comment.send(8)
    await shows(browser, "/lanes", "2 lanes wait for somebody")
    assert "2 jobs went" in (await browser.act("/held-lanes/skip", hx_request="true")).headers["hx-trigger"]
    await shows(browser, "/lanes?condition=held", 'id="lane-comments/post=7"')
    at_work.broken.clear()
    await browser.act("/held-lanes/retry", hx_request="true")
    await shows(browser, "/lanes", "All lanes are empty")


async def test_a_lane_is_taken_from_the_worker_that_was_seen(shop: Shop, browser: Caller) -> None:
    async with shop.app:
        await shop.comment.send(7)
        store = (await shop.app.session().lanes()).lanes
        # A worker that has taken it, and hangs.
        await store.exchange(Exchange(worker="w:1:a", number=1, queues=["comments"], wanted=1))
        page = (await browser.get("/lanes")).text
        assert "w:1:a" in page
        assert 'name="worker" value="w:1:a"' in page
        assert (await browser.act(f"{LANE}/unblock", {"worker": "w:2:b"}, hx_request="true")).status_code == 409
        assert (await browser.act(f"{LANE}/unblock", {"worker": "w:1:a"}, hx_request="true")).status_code == 204
        assert (await lanes.lane(shop.app, "post=7")).lane.worker is None


async def test_viewers_see_no_buttons(held: list[str], viewer: Caller) -> None:
    for path in ("/lanes", LANE):
        assert 'method="post" action="/lanes' not in (await viewer.get(path)).text
    assert (await viewer.post(f"{LANE}/skip")).status_code == 403
