"""Jobs whose events are gone: the history knows how they ended."""

import json

import pytest

from goatherd import Goatherd
from goatherd.model.job_record import JobRecord
from goatherd.model.job_state import JobState
from goatherd.ports.events import Events
from goatherd.testing.suites.event_store import Author, done
from tests.unit.web.conftest import Visit

ENDED = JobState(epoch="abc", seq=9, status="done", attempt=1, result=b"42", closed=True)


@pytest.fixture
def remembered(job: str, monkeypatch: pytest.MonkeyPatch) -> list[JobRecord]:
    """What the history has; a test may change it."""
    records = [JobRecord(job=job, state=ENDED, at=5.0, created=5.0)]

    async def record(_app: Goatherd, job_id: str) -> JobRecord | None:
        return next((record for record in records if record.job == job_id), None)

    monkeypatch.setattr("goatherd.web.sources.Sources.record", lambda _self, app, job_id: record(app, job_id))
    return records


async def test_the_end_is_told_though_the_events_are_gone(visit: Visit, remembered: list[JobRecord]) -> None:
    visitor = await visit().over()
    [end] = visitor.reader.frames
    assert (end.event, end.content["result"], end.id) == ("done", 42, "abc-9")
    assert (end.content["ts"], visitor.headers["cache-control"]) == (5.0, "no-store, no-transform")


async def test_who_has_seen_it_is_told_to_stay_away(visit: Visit, remembered: list[JobRecord]) -> None:
    assert (await visit({}, {"last-event-id": "abc-9"}).over()).status == 204
    assert (await visit({}, {"last-event-id": "abc-8"}).over()).status == 200


async def test_a_poll_is_told_too(visit: Visit, remembered: list[JobRecord]) -> None:
    told = json.loads((await visit({"wait": 25}).over()).body)
    assert ([event["event"] for event in told["events"]], told["id"], told["closed"]) == (["done"], "abc-9", True)


async def test_a_job_that_never_ended_is_not_found(visit: Visit, remembered: list[JobRecord], job: str) -> None:
    remembered[0] = JobRecord(job=job, state=JobState(epoch="abc", seq=9, status="running"), at=5.0, created=5.0)
    assert (await visit().over()).status == 404
    remembered.clear()
    assert (await visit().over()).status == 404


async def test_a_log_that_comes_back_while_the_history_is_asked_is_told_with_its_text(
    visit: Visit, events: Events, job: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def record(_app: Goatherd, _job: str) -> JobRecord:
        author = Author(events, job)
        await author.start()
        await author.say("all of it")
        await author.write(done())
        return JobRecord(job=job, state=ENDED, at=5.0, created=5.0)

    monkeypatch.setattr("goatherd.web.sources.Sources.record", lambda _self, app, job_id: record(app, job_id))
    visitor = await visit().over()
    assert (visitor.reader.events, visitor.reader.text) == (["token_recovery", "done"], "all of it")
