"""The small server of health pages does what probes need, and no visitor can harm it."""

import asyncio
import socket
import threading

import pytest

from goatherd.web import health_server
from goatherd.web.health_server import listen
from goatherd.web.listening import CannotListen
from goatherd.web.responses import Response
from tests.unit.web.asked import get, said, served


async def echo(path: str) -> Response:
    return Response(status=200, body=f"you asked for {path}\n".encode())


def test_a_page_is_served_and_the_connection_ends() -> None:
    with served(echo) as port:
        answer = said(port, b"GET /livez?verbose HTTP/1.1\r\nHost: here\r\n\r\n")
    head, _, body = answer.partition("\r\n\r\n")
    assert head.split("\r\n") == [
        "HTTP/1.1 200 OK", "content-type: text/plain; charset=utf-8", "content-length: 21", "connection: close",
    ]  # fmt: skip
    assert body == "you asked for /livez\n"


def test_head_is_get_without_the_body() -> None:
    with served(echo) as port:
        answer = said(port, b"HEAD /livez HTTP/1.0\r\n\r\n")
    assert "content-length: 21" in answer
    assert answer.endswith("\r\n\r\n")


def test_nothing_can_be_written() -> None:
    with served(echo) as port:
        answer = said(port, b"POST /livez HTTP/1.1\r\ncontent-length: 0\r\n\r\n")
    assert answer.startswith("HTTP/1.1 405 ")
    assert "allow: GET, HEAD" in answer


@pytest.mark.parametrize("request_", [b"\r\n\r\n", b"\xff\xfe\r\n\r\n", b"GET\r\n\r\n", b"x" * 10 + b"\r\n\r\n"])
def test_nonsense_is_answered_and_harms_nobody(request_: bytes) -> None:
    with served(echo) as port:
        assert said(port, request_).startswith("HTTP/1.1 ")
        assert get(port, "/livez")[0] == 200


def test_a_request_that_is_too_long_is_not_read() -> None:
    with served(echo) as port:
        try:
            assert said(port, b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\n\r\n") == ""
        except (BrokenPipeError, ConnectionResetError):
            assert port, "it was hung up on while it still spoke"
        assert get(port, "/livez")[0] == 200


def test_who_says_nothing_is_not_listened_to_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health_server, "DEADLINE", 0.1)
    with served(echo) as port:
        assert said(port, b"GET /live") == ""


def test_those_who_say_nothing_do_not_keep_others_out_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health_server, "MOST", 2)
    with served(echo) as port:
        silent = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(2)]
        # Those came first, so they are the two.
        with socket.create_connection(("127.0.0.1", port), timeout=20) as third:
            assert third.recv(1) == b""
        for each in silent:
            each.close()
        while not said(port, b"GET /livez HTTP/1.1\r\n\r\n"):
            pass


def test_what_could_not_be_found_out_is_told_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def faulty(path: str) -> Response:
        raise ZeroDivisionError

    with served(faulty) as port:
        assert get(port, "/readyz")[0] == 500
    assert "/readyz could not be answered" in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_it_ends_at_once_also_while_somebody_waits() -> None:
    asked, over = threading.Event(), threading.Event()

    async def never(path: str) -> Response:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            over.set()
        raise AssertionError

    with served(never) as port, socket.create_connection(("127.0.0.1", port), timeout=20) as visitor:
        visitor.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert asked.wait(20)
    assert over.wait(20)
    assert "goatherd-health" not in [thread.name for thread in threading.enumerate()]


def test_a_port_that_is_taken_is_told_with_the_option_that_helps() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotListen, match=rf"The health page cannot listen .* port {port} .* --health-port\."):
            listen("127.0.0.1", port)
