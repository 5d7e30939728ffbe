"""The list of jobs, and the page of one."""

import asyncio
import json

import pytest

from goatherd.web.dashboard.app import Dashboard
from goatherd.web.dashboard.pages import jobs as jobs_page
from tests.faults.watching import until
from tests.unit.desk.shop import Shop
from tests.unit.web.dashboard.callers import Caller
from tests.unit.web.dashboard.work.looks import actions, shows

PATIENCE = 30.0


async def test_jobs_are_found_by_all_that_is_known_of_them(at_work: Shop, operator: Caller) -> None:
    told = await at_work.tell.start(2)
    failed = await at_work.refuse.start(41, password="hush")
    await told.result(timeout=PATIENCE)
    await shows(operator, "/jobs?state=failed", f'id="job-{failed.id}"')
    await shows(operator, "/jobs?state=done", f'id="job-{told.id}"')
    by = ("task=tell", "queue=shop", "state=done", "kind=job&task=tell", "text=tell", f"text={told.id}", "hours=1")
    for query in by:
        assert f'id="job-{told.id}"' in (await operator.get(f"/jobs?{query}")).text, query
    for query in ("text=customer+41", f"text={failed.id[-6:]}", "state=failed", "queue=mail", "text=refuse"):
        page = (await operator.get(f"/jobs?{query}")).text
        assert (f'id="job-{failed.id}"' in page, f'id="job-{told.id}"' in page) == (True, False), query
    page = (await operator.get("/jobs")).text
    assert "hush" not in page
    assert '"customer":41' in page.replace("&#34;", '"')
    assert "No job found" in (await operator.get("/jobs?text=nothing+such")).text
    assert (await operator.get("/jobs?state=strange")).status_code == 422


async def test_pages_of_jobs_go_on_where_the_last_one_ended(
    at_work: Shop, operator: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_page, "MOST", 2)
    jobs = [await at_work.mail.start("ada") for _ in range(5)]
    for job in jobs:
        await shows(operator, f"/jobs?text={job.id}", f'id="job-{job.id}"')
    seen, path = [], "/jobs"
    while path:
        page = (await operator.get(path)).text
        seen += [job.id for job in reversed(jobs) if f'id="job-{job.id}"' in page]
        older = page.partition('rel="next" href="')[2].partition('"')[0]
        path = older.replace("&amp;", "&")
    assert seen == [job.id for job in reversed(jobs)]
    assert (await operator.get("/jobs?before=nonsense")).status_code == 404


async def test_one_job_tells_what_it_is_what_happened_and_where_it_led(at_work: Shop, operator: Caller) -> None:
    job = await at_work.tell.start(3)
    await job.result(timeout=PATIENCE)
    page = await shows(operator, f"/jobs/{job.id}", "told")
    for words in (
        "word0 word1 word2",
        "accepted",
        "attempt 1 began in",
        "/queues/shop",
        "/jobs?task=tell",
        "/workers/",
    ):
        assert words in page, words
    assert "job.js" not in page, "nothing more comes of it"
    for part, id in (("glance", "glance"), ("timeline", "timeline"), ("about", "about-it")):
        answer = await operator.get_part(f"/jobs/{job.id}?part={part}")
        assert answer.status_code == 200
        assert f'id="{id}"' in answer.text
    assert (await operator.get("/jobs/none")).status_code == 404


async def test_a_failed_job_leads_to_its_dead_letter_and_hides_its_secrets(at_work: Shop, operator: Caller) -> None:
    job = await at_work.refuse.start(7, password="hush")
    page = await shows(operator, f"/jobs/{job.id}", "/dead/")
    assert "no customer 7" in page
    assert "raise LookupError" in page
    assert "hush" not in page


async def test_a_job_that_nobody_tracked_is_known_by_its_dead_letter(at_work: Shop, operator: Caller) -> None:
    id = await at_work.refuse.send(41, password="hush")
    page = await shows(operator, "/jobs?text=customer+41", "Dead letters that fit")
    assert id in page
    page = (await operator.get(f"/jobs/{id}")).text
    assert "dead letter, never tracked" in page
    assert "hush" not in page


async def test_what_jobs_say_is_never_markup(at_work: Shop, operator: Caller) -> None:
    job = await at_work.mail.start("<script>alert(1)</script>")
    page = await shows(operator, f"/jobs?text={job.id}", f'id="job-{job.id}"')
    assert "<script>alert" not in page + (await operator.get(f"/jobs/{job.id}")).text
    assert "<script>alert" not in (await operator.get("/jobs?text=<script>alert(1)</script>")).text


async def test_a_run_leads_to_its_steps(at_work: Shop, operator: Caller) -> None:
    run = await at_work.bake.options(id="cake/1").start("cake")
    await run.result(timeout=PATIENCE)
    assert '/runs/cake%2F1"' in (await operator.get("/jobs/cake%2F1")).text


async def test_a_job_is_cancelled_once(shop: Shop, browser: Caller) -> None:
    async with shop.app:
        job = await shop.mail.options(delay=3600).start("ada")
        assert "Cancel" in (await browser.get(f"/jobs/{job.id}")).text
        assert (await browser.act(f"/jobs/{job.id}/cancel", hx_request="true")).status_code == 204
        page = (await browser.get(f"/jobs/{job.id}")).text
        assert "cancelled" in page
        assert f'action="/jobs/{job.id}/cancel"' not in page
        assert (await browser.act(f"/jobs/{job.id}/cancel", hx_request="true")).status_code == 409
        assert (await browser.act("/jobs/none/cancel", hx_request="true")).status_code == 404
        done = f"job.cancel {job.id} done"
        assert [line.startswith("job.cancel") for line in await actions(shop.app)] == [True] * 3
        assert done in await actions(shop.app)


async def test_viewers_may_not_cancel(shop: Shop, viewer: Caller) -> None:
    async with shop.app:
        job = await shop.mail.options(delay=3600).start("ada")
        assert "/cancel" not in (await viewer.get(f"/jobs/{job.id}")).text
        assert (await viewer.post(f"/jobs/{job.id}/cancel")).status_code == 403


def events(stream: str) -> list[tuple[str, str, dict[str, object]]]:
    """Id, name and members of each event of a stream."""
    found = []
    for block in stream.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith((":", "retry")))
        if "data" in fields:
            found.append((fields.get("id", ""), fields["event"], json.loads(fields["data"])))
    return found


async def test_its_events_are_streamed_from_here_without_results_and_fields(at_work: Shop, viewer: Caller) -> None:
    job = await at_work.tell.start(3)
    await job.result(timeout=PATIENCE)
    answer = await viewer.get(f"/jobs/{job.id}/events?after=earliest&format=openai&wait=1", accept="text/event-stream")
    assert answer.headers["content-type"].startswith("text/event-stream")
    told = events(answer.text)
    assert [name for _, name, _ in told] == ["queued", "started", "writing", "token", "done"]
    assert [members["content"] for _, name, members in told if name == "token"] == ["word0 word1 word2 "]
    for _, name, members in told:
        assert not {"result", "fields", "arguments"} & set(members), name
    # One who comes back with what he has seen last is told only what is new.
    last = told[-2][0]
    again = await viewer.get(f"/jobs/{job.id}/events", last_event_id=last)
    assert [name for _, name, _ in events(again.text)] == ["done"]
    again = await viewer.get(f"/jobs/{job.id}/events?last_event_id={last}")
    assert [name for _, name, _ in events(again.text)] == ["done"], "as our script says it"
    assert (await viewer.get(f"/jobs/{job.id}/events", last_event_id=told[-1][0])).status_code == 204
    assert (await viewer.get("/jobs/none/events", accept="text/event-stream")).status_code == 404


async def test_strangers_are_told_nothing_of_a_job(at_work: Shop, stranger: Caller) -> None:
    job = await at_work.mail.start("ada")
    assert (await stranger.get(f"/jobs/{job.id}/events", accept="text/event-stream")).status_code == 401


async def test_a_stream_goes_on_until_the_job_ends_or_the_dashboard_stops(
    shop: Shop, viewer: Caller, served: Dashboard
) -> None:
    async with shop.app:
        job = await shop.mail.options(delay=3600).start("ada")
        ended = asyncio.create_task(viewer.get(f"/jobs/{job.id}/events"))
        other = await shop.mail.options(delay=3600).start("bob")
        drained = asyncio.create_task(viewer.get(f"/jobs/{other.id}/events"))
        await until(lambda: served.streams.watching == 2, "both to watch")
        await job.cancel()
        async with asyncio.timeout(PATIENCE):
            assert events((await ended).text)[-1][1] == "error"
            await served.drain()
            assert events((await drained).text)[-1][1] == "reconnect"
