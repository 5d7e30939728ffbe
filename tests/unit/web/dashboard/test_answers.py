"""What every answer has, and what is answered when something goes wrong."""

import json
from collections.abc import Awaitable, Callable

import pytest
from starlette.exceptions import HTTPException

from goatherd.desk.errors import NotNow, NotThere
from goatherd.errors import GoatherdError, InvalidArguments, Unavailable
from goatherd.web.control.headers import POLICY
from goatherd.web.dashboard.app import Dashboard
from tests.unit.web.dashboard.callers import DEED, Caller

FAILURES: list[tuple[Exception, int]] = [
    (NotThere("queue", "<b>x</b>", "There are a, b."), 404),
    (NotNow("It runs <b>now</b>."), 409),
    (InvalidArguments("send_mail", {"to": "is <b>missing</b>"}), 422),
    (Unavailable("The <b>store</b> is away.", retry_after=3), 503),
    (GoatherdError("Something <b>else</b>."), 500),
    (HTTPException(418, "A <b>pot</b>."), 418),
    (ValueError("<b>secret</b>"), 500),
]


def failing(error: Exception) -> Callable[[], Awaitable[None]]:
    async def fail() -> None:
        raise error

    return fail


async def test_errors_are_told_to_people_scripts_and_programs(
    served: Dashboard, operator: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    for number, (error, status) in enumerate(FAILURES):
        served.web.get(f"/fails/{number}")(failing(error))
        await check_words(operator, f"/fails/{number}", status)
    assert "secret" in caplog.text


async def check_words(operator: Caller, path: str, status: int) -> None:
    page = await operator.get(path)
    assert (page.status_code, "<b>" in page.text, "<nav" in page.text) == (status, False, True)
    part = await operator.get_part(path)
    told = json.loads(part.headers["hx-trigger"])["toast"]
    assert (part.status_code, told["kind"], part.headers["content-type"]) == (
        status,
        "bad",
        "text/plain; charset=utf-8",
    )
    problem = await operator.get(path, accept="application/json")
    assert problem.headers["content-type"] == "application/problem+json"
    assert (problem.status_code, problem.json()["status"], problem.json()["detail"]) == (status, status, told["text"])
    for answer in (page, part, problem):
        assert "secret" not in answer.text
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers.get("retry-after") == ("3" if status == 503 else None)


ASKED = [
    ("/", "GET"), ("/", "HEAD"), ("/audit", "GET"), ("/nothing", "GET"), ("/static/dashboard/main.js", "GET"),
    ("/static/nothing", "GET"), ("/", "DELETE"), (DEED, "POST"), ("/sign-in", "GET"), ("/audit?at=x", "GET"),
]  # fmt: skip


async def test_headers_are_on_every_answer(operator: Caller, stranger: Caller) -> None:
    for path, method in ASKED:
        for caller in (operator, stranger):
            answer = await caller.http.request(method, path)
            assert answer.status_code != 500
            assert answer.headers["content-security-policy"] == POLICY
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "no-referrer"
            if not path.startswith("/static/dashboard"):
                assert answer.headers["cache-control"] == "no-store"


async def test_a_wrong_query_is_told(operator: Caller) -> None:
    answer = await operator.get("/audit?at=x")
    assert (answer.status_code, "at: " in answer.text) == (422, True)


async def test_a_part_of_a_page_comes_alone(operator: Caller) -> None:
    part = await operator.get_part("/audit?part=rows")
    assert part.text.strip().startswith('<section id="rows"')
    assert (await operator.get("/audit?part=rows")).text.startswith("<!doctype html>")
    assert (await operator.get_part("/audit?part=nothing")).text.startswith("<!doctype html>")


async def test_pages_are_there_again_when_the_stores_are(served: Dashboard, operator: Caller) -> None:
    opener = served.app.opener

    async def away(*_: object) -> None:
        raise Unavailable("The broker is away.")

    served.app.opener = away  # type: ignore[assignment]
    page = await operator.get("/audit")
    assert (page.status_code, "The broker is away." in page.text) == (503, True)
    served.app.opener = opener
    assert (await operator.get("/audit")).status_code == 200
