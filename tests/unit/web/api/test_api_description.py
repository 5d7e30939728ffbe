"""The API as it describes itself, and who may use it."""

import json
from collections.abc import Iterator

from goatherd.model.audit import AuditFilter
from goatherd.web.api.registered import routers
from goatherd.web.api.sections import PREFIX
from goatherd.web.control.sessions import cookie_of
from goatherd.web.dashboard.app import Dashboard
from tests.unit.desk.shop import Shop
from tests.unit.web.api.programs import Program
from tests.unit.web.dashboard.callers import Caller


def asked_for() -> list[tuple[str, str]]:
    """Every route, with the names of its parameters for them."""
    return sorted(set(_routes()))


def _routes() -> Iterator[tuple[str, str]]:
    for router in routers():
        for route in router.routes:
            for method in getattr(route, "methods", None) or ():
                path = getattr(route, "path", "")
                yield method, PREFIX + path.replace("{", "").replace("}", "").replace(":path", "")


async def test_nobody_gets_anything_without_a_token(served: Dashboard) -> None:
    stranger = Caller(served, headers={"accept": "application/json"})
    refused: list[dict[str, str]] = [
        {},
        {"authorization": "Bearer wrong"},
        {"cookie": f"{cookie_of('shop')}=operator.9.a.b"},
    ]
    assert len(asked_for()) > 50
    for method, path in asked_for():
        for headers in refused:
            answer = await stranger.http.request(method, path, headers=headers)
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer"), (method, path)
            assert (answer.headers["content-type"], answer.json()["status"]) == ("application/problem+json", 401)


async def test_viewers_look_but_do_not_act(viewer: Program, shop: Shop) -> None:
    bodies = {"/resume": {"step": "x"}, "/send": {}, "/start": {}, "/replay": {"all": True}, "/discard": {"all": True}}
    for method, path in asked_for():
        if method == "POST":
            one = "/id/" in path or path.endswith(("/name/resume", "/name/pause"))
            ending = "/" + path.rpartition("/")[2]
            body = None if (one and ending != "/resume") or "schedules" in path else bodies.get(ending)
            answer = await viewer.http.post(path, json=body if "queues" not in path else None)
            assert (answer.status_code, "may look, but not act" in answer.text) == (403, True), (path, answer.text)
    assert not await (await shop.app.session().control_records.audit()).find(AuditFilter(), 10)


async def test_a_browser_acts_only_from_our_own_pages(browser: Caller, shop: Shop) -> None:
    path, ours = "/api/queues/mail/pause", {"origin": browser.site, "x-csrf-token": browser.csrf}
    for wrong in (
        {},
        {"origin": browser.site},
        {"x-csrf-token": browser.csrf},
        ours | {"origin": "https://evil.example"},
        ours | {"sec-fetch-site": "cross-site"},
        ours | {"x-csrf-token": "guessed"},
    ):
        answer = await browser.http.post(path, headers=wrong)
        assert (answer.status_code, answer.headers["content-type"]) == (403, "application/problem+json"), wrong
    # A form of another site cannot say that it sends JSON, and what it sends instead is none.
    plain = await browser.http.post(
        "/api/tasks/mail/send", content=b'{"arguments": {"to": "x"}}', headers={"content-type": "text/plain"}
    )
    assert plain.status_code == 403
    assert await shop.app.session().ports.controls.paused() == frozenset()
    assert (await browser.http.post(path, headers=ours)).status_code == 200
    assert await shop.app.session().ports.controls.paused() == {"mail"}


async def test_the_description_is_whole(program: Program) -> None:
    told = await program.get("/openapi.json")
    assert told["openapi"].startswith("3.1")
    assert set(told["components"]["securitySchemes"]) == {"token", "cookie"}
    assert told["components"]["securitySchemes"]["cookie"]["name"] == cookie_of("shop")
    operations = [one for methods in told["paths"].values() for one in methods.values()]
    names = [one["operationId"] for one in operations]
    assert len(names) == len(set(names))
    for one in operations:
        assert one["summary"], one
        assert one["description"], one
        assert len(one["tags"]) == 1, one
        assert {"401", "403", "422", "503"} <= set(one["responses"]), one
        for status, answer in one["responses"].items():
            kinds = {"application/problem+json"} if int(status) >= 400 else {"application/json"}
            assert set(answer.get("content", {})) <= kinds | {"text/event-stream"}, (one, status)
    assert {tag["name"] for tag in told["tags"]} == {one["tags"][0] for one in operations}
    schemas = told["components"]["schemas"]
    assert "HTTPValidationError" not in schemas
    assert schemas["QueueFacts"]["properties"]["ready"]["description"] == "Jobs that may start now."
    text = json.dumps(told)
    missing = {part for part in text.split('"#/components/schemas/')[1:] if part.partition('"')[0] not in schemas}
    assert not missing
    examples = told["paths"]["/api/tasks/{task}/send"]["post"]["requestBody"]["content"]["application/json"]["examples"]
    assert examples["refuse"]["value"] == {"arguments": {"customer": 1}}


async def test_addresses_begin_where_it_is_mounted(served: Dashboard) -> None:
    mounted = Caller(served, root="/ops", headers={"authorization": "Bearer the token of operators"})
    told = (await mounted.get("/ops/api/openapi.json")).json()
    assert told["servers"] == [{"url": "/ops"}]
    sent = await mounted.http.post("/ops/api/tasks/tell/start", json={"arguments": {"words": 1}})
    assert sent.headers["location"].startswith("/ops/api/jobs/")


async def test_what_is_not_there_is_a_problem(program: Program) -> None:
    for path in ("/none", "/", "/queues/x/y", "/dead-letters/groups/x"):
        assert (await program.get(path, 404))["status"] == 404
    await program.get("/queues/", 422)
    wrong = await program.http.delete("/api/queues")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "GET")


async def test_people_read_it_as_a_page(served: Dashboard, browser: Caller) -> None:
    page = await browser.get("/api/docs")
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    for _, path in asked_for():
        if not path.endswith(("/docs", "/openapi.json")):
            assert path.split("/")[2] in page.text
    assert page.text.count('<details class="operation"') > 80
    assert "-H &#34;Authorization: Bearer $TOKEN&#34;" in page.text
    for foreign in ("http://", "https://"):
        assert all(part.startswith("dashboard.example/") for part in page.text.split(foreign)[1:])
    for forbidden in ("<style", "style=", "onclick"):
        assert forbidden not in page.text
    stranger = await Caller(served).get("/api/docs")
    assert (stranger.status_code, "<form" in stranger.text) == (401, True)
