"""The page is served, and where it is missing that is said."""

from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI

from examples.chat.api import page
from examples.chat.api.errors import tell_errors


async def answer_to(path: str) -> httpx2.Response:
    web = FastAPI()
    tell_errors(web)
    web.mount("/", page.Page())
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(web), base_url="http://chat") as client:
        return await client.get(path)


async def test_the_page_is_at_the_top() -> None:
    answer = await answer_to("/")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8")


async def test_a_missing_page_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "PAGE", tmp_path)
    answer = await answer_to("/")
    assert answer.status_code == 404
    assert "examples/chat/page/index.html is missing" in answer.json()["error"]
