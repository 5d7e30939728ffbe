"""Who is let in, how many, and how a gateway starts and stops."""

import asyncio
import signal
import socket
import time

import pytest

from goatherd.model.stream_token import sign
from tests.acceptance.cli.stage import Stage
from tests.acceptance.gateway.desk import SECRET, Desk


async def test_a_stranger_learns_nothing(desk: Desk) -> None:
    desk.start()
    job = (await desk.job()).job
    tokens = [
        None,
        "guess",
        sign("another secret, long enough", "shop", job, "eve", time.time() + 900),
        sign(SECRET, "shop", job, "eve", time.time() - 1),
        sign(SECRET, "shop", "another", "eve", time.time() + 900),
    ]
    for token, status in zip(tokens, [401, 401, 401, 401, 403], strict=True):
        headers = {"authorization": f"Bearer {token}"} if token else {}
        known, unknown = [await desk.client.get(desk.url(name), headers=headers) for name in (job, "nobody")]
        assert (known.status_code, unknown.status_code) == (status, status)
        assert known.content == unknown.content
        assert dict(known.headers) | {"date": ""} == dict(unknown.headers) | {"date": ""}
    assert (await desk.get("nobody")).status_code == 404


async def test_places_are_limited_for_all_and_for_each(desk: Desk) -> None:
    desk.start(GOATHERD_GATEWAY_CONNECTIONS="3", GOATHERD_GATEWAY_CONNECTIONS_EACH="2")
    job = (await desk.job()).job
    async with desk.watching(job) as first, desk.watching(job) as second:
        await first.told("token_recovery")
        await second.told("token_recovery")
        refused = await desk.get(job)
        assert (refused.status_code, int(refused.headers["retry-after"]) > 0) == (429, True)
        bob, eve = [{"token": sign(SECRET, "shop", job, name, time.time() + 900)} for name in ("bob", "eve")]
        async with desk.client.stream("GET", desk.url(job), params=bob) as third:
            assert third.status_code == 200
            full = await desk.client.get(desk.url(job), params=eve)
            assert (full.status_code, int(full.headers["retry-after"]) > 0) == (503, True)
    # Whoever hung up is noticed at the next sign of life, or when his place is wanted.
    async with asyncio.timeout(20):
        while (await desk.get(job, wait=0)).status_code != 200:
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_gateway_that_is_told_to_stop_sends_its_clients_away(desk: Desk, number: signal.Signals) -> None:
    gateway = desk.start()
    job = (await desk.job()).job
    async with desk.watching(job) as first, desk.watching(job) as second:
        await first.told("token_recovery")
        await second.told("token_recovery")
        gateway.tell(number)
        for page in (first, second):
            reader = await page.over()
            assert (reader.frames[-1].event, reader.frames[-1].content) == ("reconnect", {"reason": "drain"})
    assert gateway.end() == 0
    assert "2 clients" in gateway.heard


async def test_a_second_signal_sends_them_away_at_once(desk: Desk) -> None:
    gateway = desk.start(GOATHERD_GATEWAY_DRAIN="600")
    job = (await desk.job()).job
    async with desk.watching(job) as page:
        await page.told("token_recovery")
        gateway.tell(signal.SIGTERM)
        gateway.hear("Stopping")
        gateway.tell(signal.SIGTERM)
        assert (await page.over()).frames[-1].event == "reconnect"
    assert gateway.end() == 0


async def test_operators_are_told_how_it_is(desk: Desk) -> None:
    desk.start("--cors", "https://shop.example")
    author = await desk.job()
    address = f"http://127.0.0.1:{desk.port}"
    async with desk.watching(author.job) as page:
        await page.told("token_recovery")
        await author.say("a")
        await page.told("token")
        metrics = (await desk.client.get(f"{address}/metrics")).text
    assert "sse_gateway_connections_active 1\n" in metrics
    assert "sse_gateway_events_distributed_total 1\n" in metrics
    assert [(await desk.client.get(address + path)).status_code for path in ("/livez", "/readyz", "/x")] == [
        200,
        200,
        404,
    ]
    headers = {"origin": "https://shop.example"}
    asked = await desk.client.options(desk.url(author.job), headers=headers)
    assert asked.headers["access-control-allow-origin"] == "https://shop.example"
    script = await desk.client.get(f"{address}/api/v1/goatherd.js")
    assert script.headers["content-type"].startswith("text/javascript")


def test_without_a_secret_it_does_not_start(stage: Stage) -> None:
    told = stage.run("gateway", "shop:app", "--port", "0", code=1)
    assert "GOATHERD_SECRET" in told.stderr
    assert "Traceback" not in told.stderr


def test_a_port_that_is_in_use_is_told(stage: Stage) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        told = stage.run("gateway", "shop:app", "--port", port, code=1, GOATHERD_SECRET=SECRET)
    assert f"port {port} is in use" in told.stderr
    assert "--port" in told.stderr


def test_an_address_that_is_none_is_told(stage: Stage) -> None:
    told = stage.run("gateway", "shop:app", "--host", "no.such.host.invalid", code=1, GOATHERD_SECRET=SECRET)
    assert "--host" in told.stderr


def test_an_origin_that_is_none_is_told(stage: Stage) -> None:
    told = stage.run("gateway", "shop:app", "--cors", "*", code=1, GOATHERD_SECRET=SECRET)
    assert "exact origins" in told.stderr


def test_what_is_missing_is_named(stage: Stage) -> None:
    (stage.folder / "uvicorn.py").write_text("raise ImportError('no uvicorn')\n", encoding="utf-8")
    told = stage.run("gateway", "shop:app", code=1, GOATHERD_SECRET=SECRET)
    assert "pip install 'goatherd[web]'" in told.stderr


async def test_two_apps_in_one_gateway(desk: Desk) -> None:
    (desk.stage.folder / "chat.py").write_text(
        "from goatherd import Goatherd\napp = Goatherd('chat', secret='the secret of the chat')\n", encoding="utf-8"
    )
    desk.start("chat:app")
    job = (await desk.job()).job
    async with desk.watching(job) as page:
        await page.told("token_recovery")
    token = sign("the secret of the chat", "chat", job, "ada", time.time() + 900)
    address = f"http://127.0.0.1:{desk.port}/api/v1"
    for path in (f"{address}/chat/{job}/events", f"{address}/stream?job_id={job}"):
        async with desk.client.stream("GET", path, headers={"authorization": f"Bearer {token}"}) as response:
            assert response.status_code == 200
