"""Requests that no page of ours makes: each is answered with words, and none is a fault."""

import pytest

from goatherd import Goatherd
from goatherd.model.audit import AuditFilter
from goatherd.web.dashboard.pages.registered import PAGES
from tests.unit.web.dashboard.callers import HOST, OPERATOR, Caller

FORM = {"content-type": "application/x-www-form-urlencoded", "origin": f"http://{HOST}"}


async def test_names_in_the_query_that_our_own_functions_have(operator: Caller) -> None:
    for page in PAGES:
        for name in ("path", "request", "self", "query", "changes", "ui"):
            assert (await operator.get(f"{page.path}?{name}=x")).status_code == 200, (page.path, name)


async def test_a_way_back_that_is_no_address(stranger: Caller) -> None:
    for wanted in ("//[", "/\\[", "//[::1", "/\\]"):
        assert (await stranger.act("/sign-in", {"token": "wrong", "next": wanted})).status_code == 401, wanted
    answer = await stranger.act("/sign-in", {"token": OPERATOR, "next": "//["})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


async def test_a_form_with_very_many_fields(stranger: Caller, operator: Caller) -> None:
    many = "&".join(["a=b"] * 10_002)
    assert (await stranger.http.post("/sign-in", content=many, headers=FORM)).status_code == 413
    assert (await operator.http.post("/queues/mail/purge", content=many, headers=FORM)).status_code == 413


async def test_nul_is_in_no_name_and_no_store_is_asked_for_one(operator: Caller, app: Goatherd) -> None:
    for path in ("/queues/a%00b", "/jobs?text=%00", "/jobs?te%00xt=a", "/audit?who=a%00"):
        assert (await operator.get(path)).status_code == 422, path
    assert (await operator.post("/queues/a%00b/pause")).status_code == 422
    assert (await operator.post("/listeners/restart", {"queue": "a\0b"})).status_code == 422
    assert not await (await app.session().control_records.audit()).find(AuditFilter(), 10)


@pytest.mark.parametrize("depth", [100, 600, 2000, 20_000])
async def test_json_that_is_very_deep(operator: Caller, app: Goatherd, depth: int) -> None:
    @app.task(queue="deep")
    async def dig(into: list[object]) -> None: ...

    answer = await operator.post("/tasks/dig", {"argument.into": "[" * depth + "]" * depth, "verb": "start"})
    assert answer.status_code in (303, 422), answer.text[:300]
