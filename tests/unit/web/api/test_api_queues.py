"""Queues, schedules, listeners and what else stands still, over HTTP."""

from goatherd.testing import Herd
from tests.unit.desk.shop import Shop
from tests.unit.web.api.programs import Program


async def test_queues_are_listed_a_page_at_a_time(program: Program) -> None:
    first = await program.get("/queues", limit="2")
    assert len(first["items"]) == 2
    names, cursor = [each["name"] for each in first["items"]], first["next"]
    while cursor is not None:
        page = await program.get("/queues", limit="2", cursor=cursor)
        names, cursor = names + [each["name"] for each in page["items"]], page["next"]
    assert names == sorted(set(names))
    assert {"comments", "mail"} <= set(names)
    assert [each["name"] for each in (await program.get("/queues", text="REFUSE"))["items"]] == ["mail"]
    for wrong in ("x", "-1", "99999", "²"):
        assert (await program.get("/queues", 404, cursor=wrong))["title"] == "Not there"


async def test_a_queue_is_paused_resumed_and_purged(program: Program, shop: Shop) -> None:
    await shop.mail.send("ada")
    assert (await program.get("/queues/mail"))["ready"] == 1
    assert await program.post("/queues/mail/pause") == {"action": "queue.pause", "target": "mail", "count": None}
    assert (await program.get("/queues", condition="paused"))["items"][0]["name"] == "mail"
    await program.post("/queues/mail/resume")
    assert await program.post("/queues/mail/purge") == {"queue": "mail", "dropped": 1}
    assert "There is no queue 'none'" in (await program.post("/queues/none/pause", status=404))["detail"]
    entries = (await program.get("/audit"))["items"]
    assert [entry["action"] for entry in entries] == ["queue.pause", "queue.purge", "queue.resume", "queue.pause"]
    assert entries[0]["outcome"].startswith("failed: There is no queue")


async def test_a_schedule_is_fired_paused_and_resumed(program: Program, herd: Herd) -> None:
    await herd.drain()
    assert [each["name"] for each in (await program.get("/schedules", text="arch"))["items"]] == ["archive"]
    assert (await program.post("/schedules/archive/trigger"))["triggered"] is True
    await herd.drain()
    assert (await program.get("/schedules/archive/history"))["items"][0]["state"] == "done"
    assert len(await program.get("/schedules/archive/coming", count="3")) == 3
    await program.post("/schedules/archive/pause")
    assert (await program.get("/schedules/archive"))["health"] == "paused"
    await program.post("/schedules/archive/resume")
    assert (await program.get("/schedules", health="paused"))["items"] == []
    await program.get("/schedules/none/history", 404)
    await program.post("/schedules/none/trigger", status=404)


async def test_listeners_are_told_and_started_anew(program: Program) -> None:
    assert (await program.get("/listeners"))["items"] == []
    assert (await program.get("/listener-counts"))["unhealthy"] == 0
    assert "nothing was restarted" in (await program.post("/listeners/table-1/restart", status=404))["detail"]


async def test_the_app_at_a_glance(program: Program, viewer: Program) -> None:
    told = await program.get("/overview")
    assert (told["dead_letters"], told["troubles"]) == (0, [])
    assert len((await program.get("/throughput", last="600", step="60"))["items"]) in (10, 11)
    assert "more than 2000 points" in (await program.get("/throughput", 422, last="86400", step="10"))["detail"]
    assert (await program.get("/streams"))["connections"] == 0
    assert (await program.get("/topology/drift", anew="true"))["state"] == "none"
    assert (await viewer.get("/me")) == {"name": "viewer token", "role": "viewer", "by": "token", "app": "shop"}
    processes = (await program.get("/processes"))["items"]
    for each in processes:
        assert (await program.get(f"/processes/{each['id']}"))["id"] == each["id"]
    await program.get("/processes/none", 404)


async def test_the_audit_log_is_read_a_page_at_a_time(program: Program) -> None:
    for verb in ("pause", "resume", "pause"):
        await program.post(f"/queues/mail/{verb}")
    first = await program.get("/audit", limit="2")
    rest = await program.get("/audit", limit="2", cursor=first["next"])
    assert [each["action"] for each in first["items"] + rest["items"]] == ["queue.pause", "queue.resume", "queue.pause"]
    assert rest["next"] is None
    assert len((await program.get("/audit", action="queue.resume", who="operator token"))["items"]) == 1
    assert (await program.get("/audit", since="2999-01-01T00:00:00Z"))["items"] == []
    for wrong in ("x", "nan~x", "inf~x", "1"):
        await program.get("/audit", 404, cursor=wrong)
    assert "since" in (await program.get("/audit", 422, since="2030-01-01T00:00:00"))["problems"]
