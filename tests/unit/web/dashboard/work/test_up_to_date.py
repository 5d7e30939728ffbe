"""Buttons and their questions tell how things stand now, and what was agreed to is what is done."""

from goatherd.desk import lanes
from tests.faults.watching import until
from tests.unit.desk.shop import Shop
from tests.unit.web.dashboard.callers import Caller
from tests.unit.web.dashboard.work.looks import actions


async def test_buttons_beside_a_heading_are_renewed(shop: Shop, browser: Caller) -> None:
    async with shop.app.serve("scheduler"):
        await shop.mail.send("ada")
        for path in ("/queues/mail", f"/schedules/{next(iter(shop.app.ticks))}"):
            assert f'hx-get="{path}?part=actions"' in (await browser.get(path)).text

            async def is_paused(path: str = path) -> bool:
                # A schedule can be paused once its scheduler has put it on record.
                return (await browser.act(f"{path}/pause", hx_request="true")).status_code == 204

            await until(is_paused, f"{path} to be paused")
            part = (await browser.get_part(f"{path}?part=actions")).text
            assert ("/resume" in part, "/pause" in part, "<h1" in part) == (True, False, False), path
        await shop.mail.send("bob")
        await browser.act("/queues/mail/pause", hx_request="true")
        assert "Delete about 2 waiting jobs" in (await browser.get_part("/queues/mail?part=actions")).text


async def test_a_queue_that_has_grown_since_is_not_purged(shop: Shop, browser: Caller) -> None:
    async with shop.app:
        for number in range(5):
            await shop.mail.send(f"reader-{number}")
        answer = await browser.act("/queues/mail/purge", {"seen": "2"}, hx_request="true")
        assert (answer.status_code, "5 waiting jobs in mail by now, and you saw 2" in answer.text) == (409, True)
        assert (await browser.act("/queues/mail/purge", {"seen": "4"}, hx_request="true")).status_code == 204
        told = await actions(shop.app)
        assert [each.partition(":")[0] for each in told] == ["queue.purge mail done", "queue.purge mail failed"]


async def test_more_held_lanes_than_were_seen_are_left_alone(at_work: Shop, browser: Caller) -> None:
    at_work.broken.add("comment")
    for post in range(4):
        await at_work.comment.send(post)

    async def all_held() -> bool:
        return await lanes.held_count(at_work.app) == 4

    await until(all_held, "four lanes to be held")
    assert (await browser.get("/lanes")).text.count('name="seen" value="4"') == 2
    assert (await browser.act("/held-lanes/skip", {"seen": "2"}, hx_request="true")).status_code == 409
    assert await all_held()
    assert (await browser.act("/held-lanes/skip", {"seen": "4"}, hx_request="true")).status_code == 204
    assert await lanes.held_count(at_work.app) == 0
