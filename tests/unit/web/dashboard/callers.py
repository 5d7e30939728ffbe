"""Those who ask the dashboard for something, without a server between them."""

import re
from collections.abc import Mapping
from typing import Any, Self

import httpx2

from goatherd import Goatherd
from goatherd.web.control.acting import act
from goatherd.web.dashboard import dashboard
from goatherd.web.dashboard.app import Dashboard
from goatherd.web.dashboard.asking import App, Who

OPERATOR, VIEWER = "the token of operators", "the token of viewers"
HOST = "dashboard.example"
#: Where a deed may be done that is of no consequence.
DEED = "/probe/deed"


def dashboard_of(app: Goatherd, *, open_to_all: bool = False) -> Dashboard:
    """With a deed that operators may do."""
    served = dashboard(app, open_to_all=open_to_all)

    async def deed(app: App, who: Who) -> dict[str, str]:
        async def doing() -> str:
            return "done"

        return {"told": await act(who, app, "probe.deed", "x", doing)}

    served.web.post(DEED)(deed)
    return served


class Caller:
    """Asks as a browser does, from an address, and keeps its cookies."""

    def __init__(
        self,
        served: Any,
        *,
        address: str = "10.1.2.3",
        headers: Mapping[str, str] | None = None,
        site: str = f"http://{HOST}",
        root: str = "",
    ) -> None:
        transport = httpx2.ASGITransport(app=served, client=(address, 4711), root_path=root)
        usual = {"accept": "text/html", **(headers or {})}
        self.http = httpx2.AsyncClient(transport=transport, base_url=site, headers=usual)
        self.site, self.root = site, root
        self.csrf = ""

    async def get(self, path: str, **headers: str) -> httpx2.Response:
        return await self.http.get(path, headers=_named(headers))

    async def get_part(self, path: str) -> httpx2.Response:
        """As our scripts ask."""
        return await self.get(path, hx_request="true")

    async def post(self, path: str, fields: Mapping[str, str] | None = None, **headers: str) -> httpx2.Response:
        return await self.http.post(path, data=dict(fields or {}), headers=_named(headers))

    async def act(self, path: str, fields: Mapping[str, str] | None = None, **headers: str) -> httpx2.Response:
        """As a form of our own pages does."""
        ours = {"sec_fetch_site": "same-origin", "origin": self.site} | headers
        return await self.post(path, {"csrf": self.csrf, **(fields or {})}, **ours)

    async def sign_in(self, token: str) -> Self:
        answer = await self.act(f"{self.root}/sign-in", {"token": token})
        assert answer.status_code == 303, answer.text
        self.csrf = csrf_in((await self.get(answer.headers["location"])).text)
        return self


def csrf_in(page: str) -> str:
    """What a page would send along."""
    found = re.search(r'X-CSRF-Token": "([^"]+)"', page)
    assert found is not None
    return found[1]


def _named(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}
