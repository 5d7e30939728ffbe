"""Jobs and tasks over HTTP: what is sent, found, watched and stopped."""

import msgspec

from goatherd.model.event import Done, Position, Queued
from goatherd.model.job_record import Told, notes_of
from goatherd.testing import Herd
from tests.unit.desk.shop import Shop
from tests.unit.web.api.programs import Program


async def test_tasks_tell_what_they_take(program: Program) -> None:
    every = (await program.get("/tasks"))["items"]
    assert {each["name"]: each["kind"] for each in every} == {
        "mail": "task", "refuse": "task", "comment": "task", "tell": "task", "bake": "pipeline", "archive": "schedule",
        "join": "listener",
    }  # fmt: skip
    mail = await program.get("/tasks/mail")
    assert mail["schema"]["required"] == ["to"]
    assert [(each["name"], each["secret"]) for each in mail["parameters"]] == [("to", False), ("password", True)]
    assert "Did you mean 'mail'?" in (await program.get("/tasks/mails", 404))["detail"]


async def test_a_job_is_started_watched_and_looked_at(program: Program, herd: Herd) -> None:
    answer = await program.http.post("/api/tasks/tell/start", json={"arguments": {"words": 2}, "id": "story/1"})
    assert (answer.status_code, answer.json()["tracked"]) == (202, True)
    assert answer.headers["location"] == "/api/jobs/story%2F1"
    assert (await program.http.get(answer.headers["location"])).json()["status"] == "queued"
    await herd.drain()
    job = await program.get("/jobs/story%2F1")
    assert (job["status"], job["result"], job["arguments"]) == ("done", "told", {"words": 2})
    timeline = await program.get("/jobs/story%2F1/timeline")
    assert timeline["text"] == "word0 word1 "
    stream = await program.http.get("/api/jobs/story%2F1/events?after=earliest")
    assert stream.headers["content-type"].startswith("text/event-stream")
    assert "event: done" in stream.text
    assert (await program.post("/jobs/story%2F1/cancel", status=409))["title"] == "Not now"


async def test_a_job_is_sent_and_nobody_tracks_it(program: Program, herd: Herd) -> None:
    answer = await program.http.post("/api/tasks/mail/send", json={"arguments": {"to": "ada"}, "delay": 60})
    assert (answer.status_code, answer.json()["tracked"], "location" in answer.headers) == (202, False, False)
    assert (await program.get("/queues/mail"))["delayed"] == 1


async def test_a_run_is_started_by_its_input(program: Program, herd: Herd) -> None:
    sent = await program.post("/tasks/bake/start", {"arguments": {"input": "cake"}}, 202)
    await herd.drain()
    run = await program.get(f"/runs/{sent['id']}")
    assert (run["run"]["state"], [step["name"] for step in run["steps"]]) == ("done", ["mix", "ice", "box"])


async def test_mistakes_are_told_by_their_names(program: Program) -> None:
    mistakes: list[tuple[object, str]] = [
        ({"arguments": {"to": 1}}, "to"),
        ({"arguments": {}}, "to"),
        ({"arguments": {"to": "x", "colour": "red"}}, "colour"),
        ({"arguments": {"to": "x"}, "priority": 11}, "options"),
        ({"arguments": {"to": "x"}, "delay": -1}, "delay"),
        ({"arguments": {"to": "x"}, "unknown": 1}, "unknown"),
        ({"arguments": {"to": "x"}, "id": ""}, "id"),
        ({"arguments": []}, "arguments"),
    ]
    for body, named in mistakes:
        told = await program.post("/tasks/mail/send", body, 422)
        assert named in told["problems"]
    assert (await program.get("/queues/mail"))["ready"] == 0


async def test_what_cannot_be_json_is_refused(program: Program) -> None:
    headers = {"content-type": "application/json"}
    for body, status in (
        (b'{"arguments": {"to": "\\ud800"}}', 422),
        (b'{"arguments": {"\\ud800": 1}}', 422),
        (b'{"arguments": {"to": ' + b"[" * 100_000, 400),
        (b'{"arguments": {"to": NaN}}', 422),
        (b'{"arguments": {"to": ' + b"1" * 5000 + b"}}", 400),
        (b'{"id": "\\u0000", "arguments": {"to": "x"}}', 422),
        (b'{"id": "\\ud800", "arguments": {"to": "x"}}', 422),
        (b"\xff", 400),
        (b"[" + b" " * 9_000_000, 413),
    ):
        answer = await program.http.post("/api/tasks/mail/send", content=body, headers=headers)
        told = (answer.status_code, answer.headers["content-type"])
        assert told == (status, "application/problem+json"), body[:100]


async def test_jobs_are_found_a_page_at_a_time(program: Program, shop: Shop) -> None:
    history = await shop.app.session().control_records.history()
    ids = [f"job-{number}" for number in range(3)]
    for at, id in enumerate(ids, 1):
        introduced = Queued(at=at, attempt=0, task="tell", queue="shop")
        ended = Done(at=at + 1, attempt=1, result=msgspec.Raw(b"null"))
        told = [Told(job=id, position=Position("e", seq), event=event) for seq, event in ((1, introduced), (2, ended))]
        await history.note(notes_of(told))
    first = await program.get("/jobs", limit="2", task="tell")
    rest = await program.get("/jobs", limit="2", task="tell", cursor=first["next"])
    assert [each["id"] for each in first["items"] + rest["items"]] == ids[::-1]
    assert rest["next"] is None
    assert (await program.get("/job-counts"))["done"] >= 3
    assert "tell" in await program.get("/job-tasks")
    assert (await program.get("/jobs", 404, cursor="x"))["status"] == 404
    assert "kind" in (await program.get("/jobs", 422, kind="odd"))["problems"]
    assert "NUL" in (await program.get("/jobs", 422, text="a\x00b"))["detail"]


async def test_a_job_that_waits_is_cancelled(program: Program, shop: Shop) -> None:
    run = await shop.tell.options(delay=60).start(1)
    await program.post(f"/jobs/{run.id}/cancel")
    assert (await program.get(f"/jobs/{run.id}"))["status"] == "cancelled"
    for path in ("/jobs/none", "/jobs/none/timeline", "/jobs/none/events"):
        await program.get(path, 404)
    await program.post("/jobs/none/cancel", status=404)
