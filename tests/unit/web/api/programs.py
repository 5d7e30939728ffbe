"""Programs that use the API, without a server between them."""

from typing import Any

import httpx2

from goatherd.web.dashboard.app import Dashboard
from tests.unit.web.dashboard.callers import Caller


class Program:
    """Asks with a token, and wants JSON."""

    def __init__(self, served: Dashboard, token: str) -> None:
        self._caller = Caller(served, headers={"accept": "application/json", "authorization": f"Bearer {token}"})
        self.http = self._caller.http

    async def get(self, path: str, status: int = 200, **query: str) -> Any:
        """What is told, as JSON; the answer has to have that status."""
        return _told(await self.http.get(f"/api{path}", params=query), status)

    async def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        """The same for something that is done."""
        answer = await (self.http.post(f"/api{path}", json=body) if body is not None else self.http.post(f"/api{path}"))
        return _told(answer, status)


def _told(answer: httpx2.Response, status: int) -> Any:
    assert answer.status_code == status, answer.text
    kind = "application/json" if status < 400 else "application/problem+json"
    assert answer.headers["content-type"] == kind
    return answer.json()
