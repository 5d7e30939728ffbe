"""The program on RabbitMQ, for one who knows only the contract."""

from collections.abc import Iterator
from typing import Any

import pytest

from examples.kitchen.trap_site import TrapSite
from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host
from tests.examples.kitchen.crawler.program import LIMITS, running
from tests.interop.pika_program import PikaProgram

pytestmark = pytest.mark.servers

REQUESTS, RESPONSES = "crawling_request_queue", "crawling_response_queue"


@pytest.fixture
def url() -> Iterator[str]:
    with management().virtual_host() as name:
        yield with_virtual_host(amqp_url(), name)


@pytest.fixture
def asker(url: str) -> Iterator[PikaProgram]:
    with PikaProgram(url) as program:
        # By contract these succeed, whoever comes first.
        program.channel.queue_declare(REQUESTS, durable=True)
        program.channel.queue_declare(RESPONSES, durable=True)
        yield program


async def answer_to(asker: PikaProgram) -> dict[str, Any]:
    seen = await asker.take_meanwhile(RESPONSES)
    assert (seen.properties.content_type, seen.properties.delivery_mode) == ("application/json", 2)
    answer: dict[str, Any] = seen.json
    assert answer.keys() == {"action", "job_id", "status", "data", "error"}
    return answer


async def test_a_program_of_another_kind_is_served(url: str, asker: PikaProgram) -> None:
    with TrapSite() as site:
        async with running(RABBITMQ_URL=url):
            asker.send(REQUESTS, {"action": "ping", "job_id": "p-1", "timestamp": "2031-05-01T12:00:00Z"})
            pong = await answer_to(asker)
            assert (pong["action"], pong["job_id"], pong["status"]) == ("task_status_update", "p-1", "done")

            asker.send(REQUESTS, {"action": "crawl_url", "url": site.url, "depth": 4, "job_id": "c-1"})
            begun, ended = await answer_to(asker), await answer_to(asker)
            assert (begun["action"], begun["job_id"], begun["status"]) == ("task_status_update", "c-1", "in_progress")
            assert (ended["action"], ended["job_id"], ended["status"]) == ("crawl_result", "c-1", "done")
            assert site.expected(4, LIMITS).differences(ended["data"]) == []

            asker.send(REQUESTS, {"action": "crawl_url", "url": "http://169.254.169.254/", "job_id": "c-2"})
            assert (await answer_to(asker))["status"] == "in_progress"
            assert (await answer_to(asker))["status"] == "failed"


@pytest.mark.parametrize("body", [b"no JSON", b'{"action": "dance"}', b"[]"])
async def test_what_cannot_be_read_stops_nobody(url: str, asker: PikaProgram, body: bytes) -> None:
    async with running(RABBITMQ_URL=url):
        asker.send(REQUESTS, body)
        asker.send(REQUESTS, {"action": "ping", "job_id": "p-2"})
        assert (await answer_to(asker))["job_id"] == "p-2"


async def test_a_request_that_is_no_request_is_answered_if_it_says_whose_it_is(url: str, asker: PikaProgram) -> None:
    async with running(RABBITMQ_URL=url):
        asker.send(REQUESTS, {"action": "dance", "job_id": "d-1"})
        answer = await answer_to(asker)
        assert (answer["job_id"], answer["status"]) == ("d-1", "failed")
        assert "dance" in answer["error"]["message"]
