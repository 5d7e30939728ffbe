"""The demo looks at its dashboard on this machine, wherever a proxy of the environment leads."""

import asyncio

import pytest

from goatherd.cli.demo.dashboard import _get


async def test_no_proxy_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\nwell")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            # Nobody listens there.
            monkeypatch.setenv(name, "http://127.0.0.1:9")
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        port = server.sockets[0].getsockname()[1]
        assert await _get(f"http://127.0.0.1:{port}/livez") == "well"
