"""The pages from which tasks are sent."""

from goatherd.model.audit import AuditFilter
from goatherd.web.dashboard.app import Dashboard
from tests.unit.web.dashboard.callers import Caller


async def test_a_task_is_started_from_its_form_and_then_watched(browser: Caller, served: Dashboard) -> None:
    assert 'href="/tasks/send_mail"' in (await browser.get("/tasks")).text
    assert "No task found" in (await browser.get("/tasks?text=other")).text
    page = await browser.get("/tasks/send_mail")
    assert 'name="argument.to"' in page.text
    fields = {"argument.to": "<b>ada</b>", "argument.subject": "", "verb": "start", "id": "letter/1"}
    answer = await browser.act("/tasks/send_mail", fields)
    assert (answer.status_code, answer.headers["location"]) == (303, "/jobs/letter%2F1")
    [entry] = await (await served.app.session().control_records.audit()).find(AuditFilter(), 10)
    assert (entry.action, entry.target, entry.details) == (
        "task.start",
        "send_mail",
        b'{"arguments":["to"],"id":"letter/1"}',
    )


async def test_a_task_is_sent_and_the_page_says_so(browser: Caller) -> None:
    answer = await browser.act("/tasks/send_mail", {"argument.to": "ada", "verb": "send", "delay": "60"})
    assert answer.headers["location"].startswith("/tasks/send_mail?sent=")
    assert "It is not tracked" in (await browser.get(answer.headers["location"])).text


async def test_mistakes_are_told_at_the_fields(browser: Caller, served: Dashboard) -> None:
    wrong = await browser.act("/tasks/send_mail", {"argument.to": "<i>", "delay": "soon"})
    assert (wrong.status_code, 'id="error-delay"' in wrong.text, "&lt;i&gt;" in wrong.text) == (422, True, True)
    for delay in ("-1", "nan", "inf", "1e300"):
        late = await browser.act("/tasks/send_mail", {"argument.to": "ada", "delay": delay})
        assert (late.status_code, "0 or more" in late.text) == (422, True)
    unknown = await browser.act("/tasks/send_mail", {"argument.to": "ada", "id": "x" * 300})
    assert (unknown.status_code, "printable text" in unknown.text) == (422, True)
    state = await served.app.session().ports.operations.queues()
    assert [each.ready for each in state if each.name == "mail"] == [0]
    assert (await browser.get("/tasks/none")).status_code == 404


async def test_viewers_have_no_form(viewer: Caller) -> None:
    page = await viewer.get("/tasks/send_mail")
    assert (page.status_code, 'action="/tasks/send_mail"' in page.text) == (200, False)
    assert (await viewer.post("/tasks/send_mail", {"argument.to": "ada"})).status_code == 403
