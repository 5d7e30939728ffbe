"""The health page of the how-to really answers."""

import asyncio
import importlib.util
import json
import socket
from pathlib import Path
from types import ModuleType

import pytest

from tests.docs.markdown import DOCS, blocks


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
    monkeypatch.setenv("HEALTH_PORT", str(number))
    return number


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.chdir(tmp_path)
    [block] = [block for block in blocks(DOCS / "howto" / "monitor.md") if block.file == "served.py"]
    path = tmp_path / "served.py"
    path.write_text(block.text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("served", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def fetch(port: int, path: str) -> str:
    async with asyncio.timeout(10):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET {path} HTTP/1.1\r\n\r\n".encode())
        answer = (await reader.read()).decode()
        writer.close()
        await writer.wait_closed()
        return answer


async def test_the_health_page_answers(served: ModuleType, port: int) -> None:
    async with served.app.serve("worker"):
        await served.greet.send("Ada")
        head, _, body = (await fetch(port, "/readyz")).partition("\r\n\r\n")
        assert head.startswith("HTTP/1.1 200 OK")
        assert json.loads(body)["queues"]["shop"]["consumers"] == 1
        assert 'goatherd_jobs_sent_total{queue="shop",task="greet"} 1.0' in await fetch(port, "/metrics")
