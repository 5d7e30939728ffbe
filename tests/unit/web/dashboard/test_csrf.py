"""Pages of others cannot act in the name of somebody who has signed in here."""

from goatherd import Goatherd
from goatherd.model.audit import AuditFilter
from goatherd.web.dashboard.app import Dashboard
from tests.unit.web.dashboard.callers import DEED, HOST, OPERATOR, Caller, csrf_in, dashboard_of

FOREIGN = [
    {},
    {"sec_fetch_site": "cross-site"},
    {"sec_fetch_site": "same-site", "origin": "http://other.example"},
    {"sec_fetch_site": "none"},
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"origin": f"http://{HOST}.evil.example"},
    {"origin": f"http://{HOST}:81"},
    {"origin": "http://[", "sec_fetch_site": ""},
    {"sec_fetch_site": "cross-site", "origin": f"http://{HOST}"},
]


async def deeds(served: Dashboard) -> int:
    return len(await (await served.app.session().control_records.audit()).find(AuditFilter(), 10))


async def test_a_page_of_another_site_cannot_act(browser: Caller, served: Dashboard) -> None:
    """Not even if it knew what only our pages know."""
    for headers in FOREIGN:
        answer = await browser.post(DEED, {"csrf": browser.csrf}, **headers)
        assert (answer.status_code, await deeds(served)) == (403, 0), headers
        answer = await browser.post("/sign-out", {"csrf": browser.csrf}, **headers)
        assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)
        answer = await Caller(served).post("/sign-in", {"token": OPERATOR}, **headers)
        assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)


async def test_a_page_that_does_not_know_what_ours_know_cannot_act(browser: Caller, served: Dashboard) -> None:
    anothers = (await Caller(served).sign_in(OPERATOR)).csrf
    assert anothers != browser.csrf
    for fields in ({}, {"csrf": ""}, {"csrf": "x"}, {"csrf": anothers}):
        answer = await browser.post(DEED, fields, origin=browser.site)
        assert (answer.status_code, "too old" in answer.text, await deeds(served)) == (403, True, 0)
        answer = await browser.post(DEED, origin=browser.site, x_csrf_token=fields.get("csrf", ""))
        assert (answer.status_code, await deeds(served)) == (403, 0)


async def test_our_own_pages_act(browser: Caller, served: Dashboard) -> None:
    with_field = await browser.post(DEED, {"csrf": browser.csrf}, sec_fetch_site="same-origin")
    with_header = await browser.post(DEED, x_csrf_token=browser.csrf, origin=browser.site)
    assert (with_field.status_code, with_header.status_code, await deeds(served)) == (200, 200, 2)


async def test_a_field_counts_in_forms_only(browser: Caller) -> None:
    """What a page of others may send without asking first is a form, or plain text."""
    body = f"csrf={browser.csrf}"
    for kind in ("text/plain", "multipart/form-data", ""):
        headers = {"content-type": kind, "sec-fetch-site": "same-origin"}
        assert (await browser.http.post(DEED, content=body, headers=headers)).status_code == 403


async def test_a_bearer_token_is_no_cookie(operator: Caller) -> None:
    assert (await operator.post(DEED, sec_fetch_site="cross-site", origin="http://evil.example")).status_code == 200


async def test_a_cookie_does_not_help_a_wrong_bearer_token(browser: Caller) -> None:
    assert (await browser.act(DEED, authorization="Bearer wrong")).status_code == 401


async def test_in_dev_pages_of_others_cannot_act_either(app: Goatherd) -> None:
    served = dashboard_of(app, open_to_all=True)
    try:
        here = Caller(served, address="127.0.0.1", site="http://localhost:8000")
        here.csrf = csrf_in((await here.get("/")).text)
        for headers in FOREIGN:
            assert (await here.post(DEED, {"csrf": here.csrf}, **headers)).status_code == 403
        assert (await here.post(DEED, sec_fetch_site="same-origin")).status_code == 403
        assert (await here.act(DEED)).status_code == 200
    finally:
        await served.close()


async def test_behind_a_proxy_the_site_is_the_proxys(app: Goatherd) -> None:
    served = dashboard_of(app)
    try:
        outside = {"x-forwarded-host": "ops.example", "x-forwarded-proto": "https"}
        person = Caller(served, address="127.0.0.1", site="http://internal:8080", headers=outside)
        answer = await person.post("/sign-in", {"token": OPERATOR}, origin="https://ops.example")
        assert (answer.status_code, "; Secure" in answer.headers["set-cookie"]) == (303, True)
        # Whoever is no proxy may say so, too, and is not believed.
        liar = Caller(served, site="http://internal:8080", headers=outside)
        assert (await liar.post("/sign-in", {"token": OPERATOR}, origin="https://ops.example")).status_code == 403
    finally:
        await served.close()


async def test_a_body_without_end_is_refused(operator: Caller, served: Dashboard) -> None:
    most = served.app.settings.payload_limit + 64 * 1024
    answer = await operator.http.post(DEED, content=b"x" * (most + 1))
    assert (answer.status_code, await deeds(served) if served.opened._holders else 0) == (413, 0)
