"""What is wrong with the broker is one clear paragraph with what to do, whichever command meets it."""

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import StreamRequestHandler, TCPServer
from urllib.parse import quote

import pytest

from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host
from tests.acceptance.cli.stage import Stage

pytestmark = pytest.mark.servers

#: Every command that needs the broker tells it in its own way.
COMMANDS = {"worker": (), "send": ("greet", "name=Ada"), "doctor": ()}


@pytest.fixture(params=COMMANDS)
def command(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def told(stage: Stage, command: str, url: str, **settings: str) -> str:
    """What a command says when it fails; never a traceback, and nothing secret."""
    done = stage.run(command, "shop:app", *COMMANDS[command], code=1, GOATHERD_BROKER_URL=url, **settings)
    everything = done.stdout + done.stderr
    assert "Traceback" not in everything
    assert "hush-hush" not in everything
    if command == "doctor":
        [problem] = [line for line in done.stdout.splitlines() if line.startswith("✗")]
        return problem
    paragraph = done.stderr[done.stderr.index("Error: ") :]
    assert len(paragraph.splitlines()) <= 2
    return " ".join(paragraph.split())


@pytest.fixture
def nobody() -> int:
    """A port on which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture
def web_server() -> Iterator[int]:
    """The port of a server that speaks HTTP."""
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        serving = threading.Thread(target=server.serve_forever, daemon=True)
        serving.start()
        yield int(server.server_address[1])
        server.shutdown()
        serving.join(10)


@pytest.fixture
def quick_web_server() -> Iterator[int]:
    """The port of one that answers anything at once."""

    class Quick(StreamRequestHandler):
        def handle(self) -> None:
            self.request.recv(8)
            self.wfile.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    with TCPServer(("127.0.0.1", 0), Quick) as server:
        serving = threading.Thread(target=server.serve_forever, daemon=True)
        serving.start()
        yield int(server.server_address[1])
        server.shutdown()
        serving.join(10)


def test_nobody_listens(stage: Stage, command: str, nobody: int) -> None:
    error = told(stage, command, f"amqp://guest:hush-hush@127.0.0.1:{nobody}/")
    assert f"The broker at amqp://127.0.0.1:{nobody}/ cannot be reached" in error
    assert "Check that it runs and that host and port in GOATHERD_BROKER_URL are right" in error


def test_the_password_is_wrong(stage: Stage, command: str) -> None:
    error = told(stage, command, amqp_url().replace(":guest@", ":hush-hush@"))
    assert "refused the user 'guest': the password is wrong" in error
    assert "Check user and password in GOATHERD_BROKER_URL" in error


def test_there_is_no_such_virtual_host(stage: Stage, command: str) -> None:
    error = told(stage, command, with_virtual_host(amqp_url(), "nowhere"))
    assert "has no virtual host 'nowhere'" in error
    assert "Make it with `rabbitmqctl add_vhost`" in error


def test_a_queue_is_another_than_the_program_wants(
    stage: Stage, command: str, virtual_host: str, broker_url: str
) -> None:
    arguments = {"x-queue-type": "quorum", "x-dead-letter-exchange": "elsewhere"}
    management().ask("PUT", f"queues/{quote(virtual_host)}/mail", {"durable": True, "arguments": arguments})
    error = told(stage, command, broker_url)
    assert "'mail' exists with x-dead-letter-exchange = 'elsewhere', but this program wants 'shop.dead.v1'" in error
    assert "Make the two agree" in error
    assert "`goatherd topology plan` shows all that differs" in error


def test_it_is_a_web_server_that_waits_for_a_whole_request(stage: Stage, command: str, web_server: int) -> None:
    error = told(stage, command, f"amqp://127.0.0.1:{web_server}/?connection_timeout=1")
    assert f"127.0.0.1:{web_server}: nothing spoke AMQP there within 1 s" in error
    assert "Check that it runs and that host and port in GOATHERD_BROKER_URL are right" in error


def test_it_is_a_web_server_that_answers_at_once(stage: Stage, command: str, quick_web_server: int) -> None:
    error = told(stage, command, f"amqp://127.0.0.1:{quick_web_server}/")
    assert f"127.0.0.1:{quick_web_server}" in error
    assert "HTTP" in error
    assert "GOATHERD_BROKER_URL" in error or "Check host and port" in error


def test_the_user_may_not_write(stage: Stage, virtual_host: str, broker_url: str) -> None:
    """The queues are there, but nothing may be put into them."""
    stage.run("queues", "list", "shop:app", GOATHERD_BROKER_URL=broker_url)
    management().ask("PUT", "users/reader", {"password": "reader", "tags": ""})
    try:
        management().allow(virtual_host, "reader", configure="^$", write="^$")
        url = broker_url.replace("guest:guest@", "reader:reader@")
        error = told(stage, "send", url, GOATHERD_DECLARE="never")
    finally:
        management().ask("DELETE", "users/reader")
    assert "did not take 1 job(s) for 'shop'" in error
    assert "ACCESS_REFUSED" in error
    assert "Check what the user of GOATHERD_BROKER_URL may write to" in error
