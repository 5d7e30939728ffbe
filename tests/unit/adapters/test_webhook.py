"""Tell a webhook: what it gets, and what is said when it cannot be told."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from goatherd import Alert, Unavailable
from goatherd.adapters.webhook import Webhook, knock, public_address
from tests.acceptance.alerts.pager import Pager

ALERT = Alert(kind="lag", subject="mail", message="3 jobs wait", since=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))


@pytest.fixture
async def pager() -> AsyncIterator[Pager]:
    pager = Pager()
    async with await asyncio.start_server(pager.take, "127.0.0.1", 0) as server:
        pager.url = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield pager


async def test_it_gets_json(pager: Pager) -> None:
    await Webhook(f"http://{pager.url}", "shop").tell(ALERT)
    assert pager.alerts == [
        {
            "app": "shop",
            "state": "firing",
            "kind": "lag",
            "subject": "mail",
            "message": "3 jobs wait",
            "since": "2026-01-02T03:04:05+00:00",
            "resolved_at": None,
            "text": "[shop] lag mail: 3 jobs wait",
        }
    ]
    assert pager.requests[0].startswith("POST / HTTP/1.1\r\n")
    assert "Content-Type: application/json" in pager.requests[0]


async def test_a_name_and_a_password_go_where_they_belong(pager: Pager) -> None:
    await Webhook(f"http://ada:l%40ce@{pager.url}/a/b?c=d#e", "shop").tell(ALERT)
    assert pager.requests[0].startswith("POST /a/b?c=d HTTP/1.1\r\n")
    assert "Authorization: Basic YWRhOmxAY2U=" in pager.requests[0]


@pytest.mark.parametrize("status", [301, 404, 500])
async def test_anything_but_success_is_not_told(pager: Pager, status: int) -> None:
    pager.status = status
    with pytest.raises(Unavailable, match=f"refused an alert with status {status}") as caught:
        await Webhook(f"http://ada:lace@{pager.url}/hook/s3cret", "shop").tell(ALERT)
    assert not {"s3cret", "lace"} & set(str(caught.value).replace("/", " ").split())


@pytest.mark.parametrize(
    ("url", "answer"),
    [
        ("http://{}/hooks/T0/s3cret-t0ken", "Cannot POST /hooks/T0/s3cret-t0ken"),
        ("http://{}/hooks?key=s3cret-t0ken", '{"path": "/hooks", "query": "key=s3cret-t0ken"}'),
        ("http://{}/hooks/s3cret%2Dt0ken", "no such hook: s3cret-t0ken"),
        ("http://ada:s3cret-t0ken@{}/hooks", "ada:s3cret-t0ken may not do that"),
        # What is shown of an answer must not end in the midst of a secret, either.
        ("http://{}/hooks/s3cret-t0ken", 188 * "." + "/hooks/s3cret-t0ken"),
    ],
)
async def test_an_answer_that_repeats_the_address_is_not_shown(pager: Pager, url: str, answer: str) -> None:
    pager.status, pager.answer = 404, answer
    with pytest.raises(Unavailable, match="status 404") as caught:
        await Webhook(url.format(pager.url), "shop").tell(ALERT)
    assert "s3cre" not in str(caught.value)


async def test_what_a_webhook_did_not_like_is_shown(pager: Pager) -> None:
    pager.status, pager.answer = 400, "invalid_payload" + 300 * "!"
    with pytest.raises(Unavailable, match="invalid_payload!") as caught:
        await Webhook(f"http://{pager.url}/hook/s3cret", "shop").tell(ALERT)
    assert len(str(caught.value)) < 400


async def test_an_address_may_have_any_letters(pager: Pager) -> None:
    await Webhook(f"http://{pager.url}/a b/ü%20c?d=e f&g=%2F", "shop").tell(ALERT)
    assert pager.requests[0].startswith("POST /a%20b/%C3%BC%20c?d=e%20f&g=%2F HTTP/1.1\r\n")


async def test_an_address_of_numbers_without_a_port(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int]] = []

    def connect(address: tuple[str, int], *_more: object, **_named: object) -> None:
        asked.append(address)
        raise OSError("nobody is there")

    monkeypatch.setattr("socket.create_connection", connect)
    for scheme in ("http", "https"):
        with pytest.raises(Unavailable, match=r"at https?://\[::1\] cannot be reached"):
            await Webhook(f"{scheme}://[::1]/hook", "shop").tell(ALERT)
    assert asked == [("::1", 80), ("::1", 443)]


async def test_nobody_there(unused_tcp_port: int) -> None:
    url = f"http://127.0.0.1:{unused_tcp_port}/hook"
    with pytest.raises(Unavailable, match="cannot be reached"):
        await Webhook(url, "shop").tell(ALERT)
    with pytest.raises(Unavailable, match="cannot be reached"):
        await knock(url)


async def test_one_that_says_nothing_is_not_waited_for_for_ever() -> None:
    closed = asyncio.Event()

    async def silence(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()
        closed.set()

    async with await asyncio.start_server(silence, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
        with pytest.raises(Unavailable, match=r"no answer within 0\.3 s"):
            await Webhook(url, "shop", deadline=0.3).tell(ALERT)
        # The thread that waits is not left behind.
        async with asyncio.timeout(20):
            await closed.wait()


async def test_one_without_tls_is_not_spoken_to_as_if_it_had(pager: Pager) -> None:
    with pytest.raises(Unavailable, match="cannot be reached"):
        await Webhook(f"https://{pager.url}/hook", "shop", deadline=0.5).tell(ALERT)
    await pager.knocked()
    assert pager.alerts == []


async def test_a_knock_tells_nothing(pager: Pager) -> None:
    await knock(f"http://{pager.url}/hook")
    await pager.knocked()
    assert pager.alerts == []


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://hooks.example/services/T0/B0/xyz", "https://hooks.example"),
        ("http://ada:lace@[::1]:8080/a", "http://[::1]:8080"),
    ],
)
def test_only_the_host_is_shown(url: str, shown: str) -> None:
    assert public_address(url) == shown
