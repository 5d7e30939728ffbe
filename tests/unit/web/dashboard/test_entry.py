"""Who is let in, and as what."""

from collections.abc import Iterator
from typing import Any

import pytest

from goatherd import Goatherd
from goatherd.model.audit import AuditFilter
from goatherd.testing.clock import FakeClock
from goatherd.web.control.sessions import LASTS
from goatherd.web.dashboard.app import Dashboard
from goatherd.web.dashboard.pages.registered import PAGES
from tests.unit.web.dashboard.callers import DEED, OPERATOR, VIEWER, Caller, csrf_in, dashboard_of

CLOSED: dict[str, Any] = {"dashboard_token": None, "dashboard_read_token": None}
BEHIND_PROXY = {**CLOSED, "dashboard_user_header": "X-Forwarded-Email", "dashboard_operators": ["ada@x.example"]}


def asked_for() -> Iterator[tuple[str, str]]:
    """Every page and every button, something of the API, and something that is not there."""
    for page in PAGES:
        for route in page.router.routes:
            for method in getattr(route, "methods", None) or ():
                yield method, getattr(route, "path", "").replace("{", "").replace("}", "").replace(":path", "")
    yield from (("GET", "/nothing"), ("POST", DEED), ("POST", "/sign-out"), ("GET", "/sign-in"), ("GET", "/api/x"))
    yield from (("GET", "/api/openapi.json"), ("GET", "/api/docs"), ("GET", "/api/queues"), ("GET", "/api/jobs"))
    yield from (("POST", "/api/tasks/send_mail/send"), ("POST", "/api/queues/mail/pause"))


async def test_nobody_gets_anything_without_a_token(stranger: Caller, served: Dashboard) -> None:
    cookie = {"cookie": f"{served.doors.sessions.cookie}=x.y"}
    wrong: tuple[dict[str, str], ...] = ({}, {"authorization": "Bearer wrong"}, {"authorization": "Bearer "}, cookie)
    for method, path in sorted(set(asked_for())):
        for headers in wrong:
            for accept in ("text/html", "application/json"):
                answer = await stranger.http.request(method, path, headers={"accept": accept, **headers})
                assert answer.status_code == 401, (method, path, headers)
                assert "send_mail" not in answer.text
                assert "x-frame-options" in answer.headers


async def test_who_has_a_token_sees_every_page(viewer: Caller, operator: Caller) -> None:
    for page in PAGES:
        assert [(await caller.get(page.path)).status_code for caller in (viewer, operator)] == [200, 200], page.title


async def test_viewers_do_not_act(viewer: Caller, served: Dashboard) -> None:
    answer = await viewer.post(DEED)
    assert (answer.status_code, "may look, but not act" in answer.text) == (403, True)
    signed_in = await Caller(served).sign_in(VIEWER)
    assert (await signed_in.act(DEED)).status_code == 403
    assert not await (await served.app.session().control_records.audit()).find(AuditFilter(), 10)


async def test_operators_act_and_it_is_on_record(operator: Caller, browser: Caller, served: Dashboard) -> None:
    assert (await operator.post(DEED)).json() == {"told": "done"}
    assert (await browser.act(DEED)).json() == {"told": "done"}
    entries = await (await served.app.session().control_records.audit()).find(AuditFilter(), 10)
    told = {(entry.who, entry.role, entry.address, entry.action, entry.target, entry.outcome) for entry in entries}
    assert told == {("operator token", "operator", "10.1.2.3", "probe.deed", "x", "done")}
    assert len(entries) == 2


@pytest.mark.parametrize("settings", [CLOSED], indirect=True)
async def test_without_settings_nobody_can_come_in(stranger: Caller, served: Dashboard) -> None:
    page = await stranger.get("/")
    assert (page.status_code, "GOATHERD_DASHBOARD_TOKEN" in page.text, "<form" in page.text) == (401, True, False)
    for empty in (
        {"authorization": "Bearer "},
        {"authorization": "Bearer None"},
        {"cookie": f"{served.doors.sessions.cookie}=."},
    ):
        assert (await stranger.http.get("/", headers=empty)).status_code == 401
    assert (await stranger.act("/sign-in", {"token": ""})).status_code == 401


@pytest.mark.parametrize("settings", [{"dashboard_token": None}], indirect=True)
async def test_an_empty_token_is_not_the_missing_one(stranger: Caller) -> None:
    for token in ("", " ", "None"):
        assert (await stranger.act("/sign-in", {"token": token})).status_code == 401


@pytest.mark.parametrize("settings", [BEHIND_PROXY], indirect=True)
async def test_a_proxy_says_who_it_is(served: Dashboard) -> None:
    for name, status in (("ada@x.example", 200), ("bob@x.example", 403)):
        person = Caller(served, address="127.0.0.1", headers={"x-forwarded-email": name, "x-forwarded-for": "9.8.7.6"})
        page = await person.get("/")
        assert (page.status_code, name in page.text) == (200, True)
        person.csrf = csrf_in(page.text)
        assert (await person.act(DEED)).status_code == status
    [entry] = await (await served.app.session().control_records.audit()).find(AuditFilter(), 10)
    assert (entry.who, entry.address) == ("ada@x.example", "9.8.7.6")


@pytest.mark.parametrize("settings", [BEHIND_PROXY], indirect=True)
async def test_a_proxy_may_pass_on_a_token_of_its_own(served: Dashboard) -> None:
    headers = {"x-forwarded-email": "ada@x.example", "authorization": "Bearer of-the-proxy"}
    person = Caller(served, address="127.0.0.1", headers=headers)
    page = await person.get("/")
    assert (page.status_code, "ada@x.example" in page.text) == (200, True)
    # Nobody chose to send it, so that it does not make up for a form of ours.
    assert (await person.post(DEED)).status_code == 403
    person.csrf = csrf_in(page.text)
    assert (await person.act(DEED)).status_code == 200
    assert (await Caller(served, address="10.1.2.3", headers=headers).get("/")).status_code == 401


@pytest.mark.parametrize("settings", [BEHIND_PROXY], indirect=True)
async def test_others_are_not_believed_who_they_are(served: Dashboard) -> None:
    ada = ("x-forwarded-email", "ada@x.example")
    elsewhere = Caller(served, address="10.1.2.3")
    assert (await elsewhere.http.get("/", headers=[ada])).status_code == 401
    proxy = Caller(served, address="::ffff:127.0.0.1")
    assert (await proxy.http.get("/", headers=[ada])).status_code == 200
    # One is the proxy's, the other a stranger's, and nobody knows which.
    assert (await proxy.http.get("/", headers=[ada, ("x-forwarded-email", "eve@x.example")])).status_code == 401
    assert (await proxy.http.get("/", headers=[("x-forwarded-email", "")])).status_code == 401


async def test_a_header_is_nothing_unless_it_is_named(served: Dashboard) -> None:
    proxy = Caller(served, address="127.0.0.1", headers={"x-forwarded-email": "ada@x.example", "x-forwarded-user": "x"})
    assert (await proxy.get("/")).status_code == 401


@pytest.mark.parametrize("settings", [CLOSED], indirect=True)
async def test_in_dev_this_machine_may_do_everything_and_nobody_else(app: Goatherd) -> None:
    served = dashboard_of(app, open_to_all=True)
    try:
        for site in ("http://localhost:8000", "http://127.0.0.1:8000", "http://[::1]:8000"):
            assert (await Caller(served, address="127.0.0.1", site=site).get("/")).status_code == 200
        for site in ("http://evil.example:8000", "http://localhost.evil.example", "http://127.0.0.1.nip.example"):
            rebound = Caller(served, address="127.0.0.1", site=site)
            assert (await rebound.get("/")).status_code == 403, site
            assert (await rebound.act(DEED)).status_code == 403
        assert (await Caller(served, address="10.1.2.3", site="http://localhost").get("/")).status_code == 403
        for sign in ("x-forwarded-for", "via", "forwarded", "x-real-ip", "x-forwarded-host"):
            tunnel = Caller(served, address="127.0.0.1", site="http://localhost", headers={sign: "127.0.0.1"})
            assert (await tunnel.get("/")).status_code == 403
    finally:
        await served.close()


async def test_a_session_ends_by_itself_and_cannot_be_forged(app: Goatherd) -> None:
    clock = FakeClock(1_800_000_000)
    app.clock = clock
    served = dashboard_of(app)
    try:
        person = await Caller(served).sign_in(VIEWER)
        name = served.doors.sessions.cookie
        worth = person.http.cookies[name]
        for forged in (worth.replace("viewer", "operator"), worth[:-2], worth + "x", "viewer.9999999999.a.", "..."):
            assert (await Caller(served).get("/", cookie=f"{name}={forged}")).status_code == 401, forged
        clock.move_to(clock.now() + LASTS + 1)
        assert (await person.get("/")).status_code == 401
    finally:
        await served.close()


async def test_another_token_ends_all_sessions(app: Goatherd, settings: dict[str, Any]) -> None:
    served = dashboard_of(app)
    person = await Caller(served).sign_in(OPERATOR)
    await served.close()
    changed = dashboard_of(Goatherd("shop", **(settings | {"dashboard_token": "another token of them"})))
    person.http._transport.app = changed  # type: ignore[attr-defined]
    assert (await person.get("/")).status_code == 401
