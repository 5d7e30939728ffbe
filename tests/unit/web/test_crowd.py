"""How many may watch, and how they are sent away."""

import asyncio
import time

import pytest

from goatherd.model.stream_token import sign
from goatherd.testing.suites.event_store import Author
from goatherd.web.gateway import Gateway
from tests.unit.web.conftest import SECRET, Visit
from tests.unit.web.visitor import Visitor


def visit_by(gateway: Gateway, job: str, subject: str) -> Visitor:
    token = sign(SECRET, "shop", job, subject, time.time() + 900)
    return Visitor(gateway, f"/shop/{job}/events", query={"token": token})


@pytest.mark.parametrize("settings", [{"gateway_connections": 3}], indirect=True)
async def test_a_full_gateway_says_so(gateway: Gateway, author: Author) -> None:
    visitors = [visit_by(gateway, author.job, f"user {number}") for number in range(3)]
    for visitor in visitors:
        await visitor.told("token_recovery")
    refused = await visit_by(gateway, author.job, "one more").over()
    assert (refused.status, int(refused.headers["retry-after"]) > 0) == (503, True)
    visitors[0].task.cancel()
    await asyncio.wait([visitors[0].task])
    await visit_by(gateway, author.job, "one more").told("token_recovery")
    for visitor in visitors:
        visitor.task.cancel()


@pytest.mark.parametrize("settings", [{"gateway_connections_each": 2}], indirect=True)
async def test_nobody_takes_all_the_places(gateway: Gateway, author: Author) -> None:
    visitors = [await visit_by(gateway, author.job, "ada").told("token_recovery") for _ in range(2)]
    refused = await visit_by(gateway, author.job, "ada").over()
    assert (refused.status, int(refused.headers["retry-after"]) > 0) == (429, True)
    visitors.append(await visit_by(gateway, author.job, "bob").told("token_recovery"))
    for visitor in visitors:
        visitor.task.cancel()


@pytest.mark.parametrize("settings", [{"gateway_connections_each": 1}], indirect=True)
async def test_one_who_left_unseen_does_not_keep_his_place(gateway: Gateway, author: Author) -> None:
    left = await visit_by(gateway, author.job, "ada").told("token_recovery")
    leaving = asyncio.create_task(left.leave())
    await asyncio.sleep(0)
    refused = await visit_by(gateway, author.job, "ada").over()
    assert refused.status == 429
    await leaving
    again = await visit_by(gateway, author.job, "ada").told("token_recovery")
    again.task.cancel()


async def test_refused_and_unknown_ones_take_no_place(gateway: Gateway, visit: Visit) -> None:
    for _ in range(3):
        assert (await visit().over()).status == 404
        assert (await visit({"last_event_id": "?"}).over()).status == 400
    assert gateway.metrics.connections == 0


@pytest.mark.parametrize("settings", [{"gateway_drain": 0.4, "gateway_keepalive": 0.2}], indirect=True)
async def test_a_gateway_that_stops_sends_its_clients_away_bit_by_bit(
    gateway: Gateway, author: Author, visit: Visit
) -> None:
    visitors = [await visit().told("token_recovery") for _ in range(10)]
    await author.say("a")
    for visitor in visitors:
        await visitor.told("token")
    polling = visit({"wait": 25, "after": visitors[0].reader.last_id})
    await asyncio.sleep(0.1)
    draining = asyncio.create_task(gateway.drain())
    await asyncio.sleep(0)
    refused = await visit().over()
    assert (refused.status, refused.headers["retry-after"]) == (503, "1")
    await asyncio.wait_for(draining, 10)
    for visitor in visitors:
        await visitor.over()
        last = visitor.reader.frames[-1]
        assert (last.event, last.content, last.id) == ("reconnect", {"reason": "drain"}, None)
        assert visitor.complete
    assert (await polling.over()).status == 200
    assert len({visitor.reader.retries[-1] for visitor in visitors}) > 1
    assert gateway.metrics.connections == 0


async def test_a_gateway_without_clients_stops_at_once(gateway: Gateway) -> None:
    await asyncio.wait_for(gateway.drain(), 1)
