"""Sign in with a token, and out again."""

import pytest

from goatherd.web.control.asked import Asked
from goatherd.web.dashboard.app import Dashboard
from tests.unit.web.dashboard.callers import OPERATOR, VIEWER, Caller


async def test_the_cookie_is_for_this_site_and_not_for_scripts(stranger: Caller, served: Dashboard) -> None:
    answer = await stranger.act("/sign-in", {"token": OPERATOR, "next": "/audit?text=a%20b"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/audit?text=a%20b")
    value, *attributes = answer.headers["set-cookie"].split("; ")
    assert value.startswith(f"{served.doors.sessions.cookie}=operator.")
    assert attributes == ["Path=/", "Max-Age=43200", "HttpOnly", "SameSite=Strict"]
    assert OPERATOR not in answer.headers["set-cookie"]


async def test_over_https_it_is_for_https_only(served: Dashboard) -> None:
    safe = Caller(served, site="https://dashboard.example")
    answer = await safe.act("/sign-in", {"token": OPERATOR})
    assert answer.headers["set-cookie"].endswith("; SameSite=Strict; Secure")


async def test_below_a_path_it_is_for_that_path_only(served: Dashboard) -> None:
    below = await Caller(served, root="/ops").sign_in(VIEWER)
    [cookie] = below.http.cookies.jar
    assert cookie.path == "/ops"


ELSEWHERE = (
    "//evil.example", "https://evil.example", "/\\evil.example", "\\\\evil.example", "javascript:alert(1)", "", "evil",
    "/sign-out", "/a\r\nset-cookie: x=y", "http:/evil.example",
)  # fmt: skip


async def test_nobody_is_led_elsewhere(stranger: Caller) -> None:
    for wanted in ELSEWHERE:
        answer = await stranger.act("/sign-in", {"token": OPERATOR, "next": wanted})
        assert (answer.status_code, answer.headers["location"]) == (303, "/"), wanted


async def test_the_form_leads_back_to_where_one_wanted_to_go(stranger: Caller) -> None:
    page = await stranger.get("/audit?text=%22%3E%3Cb%3E&who=x")
    assert page.status_code == 401
    assert 'name="next" value="/audit?text=%22%3E%3Cb%3E&amp;who=x"' in page.text
    again = await stranger.act("/sign-in", {"token": "wrong", "next": "/audit"})
    assert (again.status_code, 'name="next" value="/audit"' in again.text) == (401, True)
    assert "not one of this dashboard" in again.text
    assert "set-cookie" not in again.headers


async def test_sign_out(browser: Caller) -> None:
    assert (await browser.get("/")).status_code == 200
    assert (await browser.get("/sign-in")).headers["location"] == "/"
    answer = await browser.act("/sign-out")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert (await browser.get("/")).status_code == 401


async def test_tokens_are_not_in_the_log(stranger: Caller, caplog: pytest.LogCaptureFixture) -> None:
    await stranger.act("/sign-in", {"token": "almost " + OPERATOR})
    await stranger.get("/", authorization="Bearer almost")
    assert "tried to sign in" in caplog.text
    assert "almost" not in caplog.text


async def test_a_script_is_told_that_the_session_is_over(stranger: Caller) -> None:
    answer = await stranger.get_part("/audit?part=rows")
    assert (answer.status_code, "<" in answer.text) == (401, False)
    assert "signed-out" in answer.headers["hx-trigger"]


@pytest.mark.parametrize("settings", [{"dashboard_token": None}], indirect=True)
async def test_viewers_cannot_make_themselves_operators(served: Dashboard) -> None:
    # All that cookies are signed with is a token that viewers know.
    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    forged = served.doors.sessions.begin("operator", Asked(scope)).partition(";")[0]
    forger = Caller(served, headers={"cookie": forged})
    assert (await forger.get("/")).status_code == 401
    assert (await (await Caller(served).sign_in(VIEWER)).get("/")).status_code == 200
