"""The pages of queues, schedules, listeners, workers, streams and topology, with an app that works."""

from collections.abc import AsyncIterator

import pytest

from goatherd import Goatherd
from goatherd.model.audit import AuditFilter
from goatherd.web.dashboard.app import Dashboard
from tests.faults.watching import until
from tests.unit.web.dashboard.callers import Caller


@pytest.fixture
async def at_work(app: Goatherd) -> AsyncIterator[Goatherd]:
    """The app with a schedule, a queue that has something in it, and a worker."""

    @app.every(3600)
    async def sweep() -> None: ...

    async with app.serve("scheduler"):
        await app.tasks["send_mail"].options(delay=3600).send(to="<b>ada</b>")
        yield app


async def actions(app: Goatherd) -> list[str]:
    trail = await app.session().control_records.audit()
    return [f"{entry.action} {entry.target} {entry.outcome}" for entry in await trail.find(AuditFilter(), 10)]


async def test_every_page_tells_what_there_is(at_work: Goatherd, operator: Caller) -> None:
    told = {
        "/queues": "mail",
        "/queues/mail": "send_mail",
        "/schedules": "sweep",
        "/schedules/sweep": "Times to come",
        "/listeners": "listens to no queues of data",
        "/workers": "scheduler",
        "/streams": "No gateway lives",
        "/topology": "Nothing can drift here",
    }
    for path, words in told.items():
        answer = await operator.get(path)
        assert (answer.status_code, words in answer.text) == (200, True), (path, answer.text[-2000:])


async def test_a_queue_is_found_by_its_name_its_task_and_its_state(at_work: Goatherd, operator: Caller) -> None:
    for query in ("text=MAI", "text=send_m", "state=idle"):
        assert 'id="queue-mail"' in (await operator.get(f"/queues?{query}")).text
    for query in ("text=nothing+such", "state=paused"):
        answer = await operator.get(f"/queues?{query}")
        assert "No queue found" in answer.text


async def test_a_queue_is_paused_resumed_and_purged(at_work: Goatherd, browser: Caller) -> None:
    await browser.act("/queues/mail/pause", hx_request="true")
    assert await at_work.session().ports.controls.paused() == {"mail"}
    assert "Resume" in (await browser.get("/queues")).text
    await browser.act("/queues/mail/resume")
    assert not await at_work.session().ports.controls.paused()
    assert "Deleted 1 waiting" in (await browser.act("/queues/mail/purge", hx_request="true")).headers["hx-trigger"]
    assert (await browser.act("/queues/none/pause", hx_request="true")).status_code == 404
    assert await actions(at_work) == [
        "queue.pause none failed: There is no queue 'none'. There are mail, shop.",
        "queue.purge mail done",
        "queue.resume mail done",
        "queue.pause mail done",
    ]


async def test_a_schedule_is_fired_paused_and_resumed(at_work: Goatherd, browser: Caller) -> None:
    assert (await browser.act("/schedules/sweep/trigger")).status_code == 303
    assert "by hand" in (await browser.get("/schedules/sweep")).text
    await browser.act("/schedules/sweep/pause")
    assert "Resume" in (await browser.get("/schedules/sweep")).text
    await browser.act("/schedules/sweep/resume")
    assert (await browser.act("/schedules/none/trigger", hx_request="true")).status_code == 404
    assert [line.partition(" ")[0] for line in await actions(at_work)] == [
        "schedule.trigger", "schedule.resume", "schedule.pause", "schedule.trigger",
    ]  # fmt: skip


async def test_viewers_see_no_buttons(at_work: Goatherd, viewer: Caller) -> None:
    for path in ("/queues", "/queues/mail", "/schedules", "/schedules/sweep"):
        assert 'method="post" action="/queues' not in (await viewer.get(path)).text
        assert 'method="post" action="/schedules' not in (await viewer.get(path)).text


async def test_a_process_is_shown_with_what_it_does(at_work: Goatherd, operator: Caller, served: Dashboard) -> None:
    records = await at_work.session().control_records.processes()

    async def reported() -> bool:
        return bool(await records.find())

    await until(reported, "the process to tell of itself")
    process = (await records.find())[0]
    answer = await operator.get(f"/workers/{process.state.id}")
    assert answer.status_code == 200
    assert process.state.id in answer.text
    assert (await operator.get("/workers/none")).status_code == 404


async def test_a_process_that_ends_while_somebody_looks_is_told(at_work: Goatherd, operator: Caller) -> None:
    answer = await operator.get_part("/workers/gone?part=glance")
    assert (answer.status_code, "It has ended" in answer.text) == (200, True)
