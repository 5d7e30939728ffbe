"""Dead letters, lanes and runs over HTTP: what needs help, and helping it."""

import pytest

from goatherd.testing import Herd
from tests.unit.desk.shop import Shop
from tests.unit.web.api.programs import Program


@pytest.fixture
async def buried(shop: Shop, herd: Herd) -> None:
    """Ten letters of one kind."""
    for customer in range(10):
        await shop.refuse.send(customer, password="hush")
    await herd.drain()


@pytest.mark.usefixtures("buried")
async def test_dead_letters_are_grouped_listed_and_told(program: Program) -> None:
    [group] = (await program.get("/dead-letters/groups"))["groups"]
    assert (group["task"], group["count"]) == ("refuse", 10)
    first = await program.get("/dead-letters", limit="6", group=group["id"])
    rest = await program.get("/dead-letters", limit="6", cursor=first["next"])
    assert len({each["id"] for each in first["items"] + rest["items"]}) == 10
    assert (first["count"], rest["next"]) == (10, None)
    one = await program.get(f"/dead-letters/{first['items'][0]['id']}")
    assert one["arguments"]["password"] == "***"
    assert (await program.get("/dead-letters", queue="other"))["items"] == []
    assert (await program.get("/dead-letters/impact", percent="20"))["chosen"] == 2
    await program.get("/dead-letters/impact", 422, percent="20", count="2")
    await program.get("/dead-letters/none", 404)


@pytest.mark.usefixtures("buried")
async def test_some_are_put_back_and_the_rest_deleted(program: Program, shop: Shop, herd: Herd) -> None:
    seen = await program.get("/dead-letters")
    for wrong in ({}, {"count": 1, "all": True}, {"count": 1, "percent": 5}, {"count": 0}, {"all": True, "odd": 1}):
        await program.post("/dead-letters/replay", wrong, 422)
    shop.broken.add("refuse")
    acted = await program.post("/dead-letters/replay", {"count": 2, "task": "refuse", "failed_before": seen["at"]})
    assert (acted["matched"], acted["done"], acted["left"]) == (10, 2, 0)
    await herd.drain()
    assert shop.served == [(0, "hush"), (1, "hush")]
    assert (await program.post("/dead-letters/discard", {"all": True}))["done"] == 8
    assert [each["details"] for each in (await program.get("/audit", action="letter.replay"))["items"]] == [
        {"task": "refuse", "failed_before": seen["at"], "count": 2, "done": 2, "left": 0}
    ]


@pytest.mark.usefixtures("buried")
async def test_one_is_edited_and_put_back(program: Program, shop: Shop, herd: Herd) -> None:
    [line, other, *_] = (await program.get("/dead-letters"))["items"]
    shop.broken.add("refuse")
    path = f"/dead-letters/{line['id']}"
    wrong = await program.post(f"{path}/replay", {"arguments": {"customer": "x"}}, 422)
    assert "customer" in wrong["problems"]
    edited = {"arguments": {"customer": 77, "password": "***"}}
    assert (await program.post(f"{path}/replay", edited))["job_id"] == line["job_id"]
    await herd.drain()
    assert shop.served == [(77, "hush")]
    assert (await program.post(f"/dead-letters/{other['id']}/discard"))["count"] == 1
    await program.post(f"/dead-letters/{other['id']}/replay", status=404)


async def test_a_lane_is_helped_on(program: Program, shop: Shop, herd: Herd) -> None:
    shop.broken.add("comment")
    for post in (7, 7, 8):
        await shop.comment.send(post)
    await herd.drain()
    assert [each["shown"] for each in (await program.get("/lanes", condition="held"))["items"]] == ["post=7", "post=8"]
    lane = await program.get("/lanes/comments%2Fpost%3D7")
    assert (lane["lane"]["length"], len(lane["jobs"])) == (2, 2)
    assert (await program.post("/lanes/post=7/retry", {"head": "another"}, 409))["title"] == "Not now"
    assert (await program.post("/lanes/post=7/retry", {"head": lane["jobs"][0]["job_id"]}))["behind"] == 1
    await herd.drain()
    assert (await program.post("/lanes/post=7/skip"))["key"] == "comments/post=7"
    await herd.drain()
    assert (await program.post("/held-lanes/retry"))["count"] == 2
    await herd.drain()
    assert (await program.post("/held-lanes/skip"))["count"] == 2
    await program.post("/lanes/post=7/unblock", {"worker": "nobody"}, 404)
    await program.get("/lanes/post=9", 404)


async def test_a_run_is_helped_on(program: Program, shop: Shop, herd: Herd) -> None:
    shop.broken.add("ice")
    run = await shop.bake.start("cake")
    await herd.drain()
    [line] = (await program.get("/runs", state="failed", pipeline="bake", troubled_step="ice"))["items"]
    assert line["run"] == run.id
    await program.get("/runs", 404, pipeline="none")
    await program.post(f"/runs/{run.id}/retry", {"steps": ["none"]}, 404)
    assert (await program.post(f"/runs/{run.id}/retry", {"steps": ["ice"]}))["count"] == 2
    await herd.drain()
    shop.broken.clear()
    assert (await program.post("/pipelines/requeue", {"pipeline": "bake"}))["count"] == 2
    await herd.drain()
    assert (await program.get(f"/runs/{run.id}"))["run"]["state"] == "done"
    assert (await program.post(f"/runs/{run.id}/resume", {"step": "ice"}))["steps"] == ["ice", "box"]
    await program.post(f"/runs/{run.id}/cancel")
    await program.post(f"/runs/{run.id}/cancel", status=409)
    await program.post(f"/runs/{run.id}/resume", {}, 422)
