"""The dashboard inside other web services, below a path."""

import re
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.routing import Mount

from goatherd import Goatherd
from goatherd.web import dashboard
from goatherd.web.dashboard.pages.registered import PAGES
from tests.unit.web.dashboard.callers import OPERATOR, csrf_in


def in_starlette(app: Goatherd) -> Any:
    return Starlette(routes=[Mount("/ops/shop", dashboard(app))])


def in_fastapi(app: Goatherd) -> Any:
    web = FastAPI()
    web.mount("/ops/shop", dashboard(app))
    return web


def below_two_mounts(app: Goatherd) -> Any:
    web = FastAPI()
    web.mount("/ops", Starlette(routes=[Mount("/shop", dashboard(app))]))
    return web


@pytest.mark.parametrize(
    ("mount", "root"),
    [(in_starlette, "/ops/shop"), (in_fastapi, "/ops/shop"), (below_two_mounts, "/ops/shop")],
)
async def test_all_addresses_begin_where_it_is_mounted(
    mount: Callable[[Goatherd], Any], root: str, app: Goatherd
) -> None:
    site = "http://web.example"
    # The app is open already, as it is in most services that send jobs.
    async with app, httpx2.AsyncClient(transport=httpx2.ASGITransport(mount(app)), base_url=site) as client:
        client.headers = {"accept": "text/html", "origin": site}
        assert (await client.get(f"{root}/audit")).status_code == 401
        answer = await client.post(f"{root}/sign-in", data={"token": OPERATOR, "next": "/audit"})
        assert (answer.status_code, answer.headers["location"]) == (303, f"{root}/audit")
        for page in PAGES:
            text = (await client.get(root + page.path)).text
            local = re.findall(r'(?:href|src|action|hx-get|hx-post)="(/[^"]*)"', text)
            assert len(local) > 10
            assert [link for link in local if not link.startswith(f"{root}/")] == []
            styles = [link for link in local if "/static/" in link]
            assert {(await client.get(link.replace("&amp;", "&"))).status_code for link in styles} == {200}
        part = await client.get(f"{root}/audit?part=rows", headers={"hx-request": "true"})
        assert f'hx-get="{root}/audit?part=rows"' in part.text
        answer = await client.post(f"{root}/sign-out", data={"csrf": csrf_in(text)})
        assert (answer.status_code, answer.headers["location"]) == (303, f"{root}/")
        assert (await client.get(f"{root}/audit")).status_code == 401


async def test_the_function_stays_the_function(app: Goatherd) -> None:
    """`goatherd.web.dashboard` is also where the pages live; they must not hide it."""
    made = dashboard(app)
    from goatherd.web import dashboard as again

    assert again is dashboard
    assert type(again(app)) is type(made)
