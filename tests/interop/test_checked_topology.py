"""`declare=check`: nothing starts on a broker that is not as wanted."""

import pytest

from goatherd.errors import TopologyMismatch
from scripts.servers.management import Management
from tests.interop.declaring import NOWHERE, make_all_of, refusal, shop
from tests.interop.pika_program import PikaProgram

pytestmark = pytest.mark.servers


@pytest.fixture(autouse=True)
def _find_management(broker: Management, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOATHERD_MANAGEMENT_URL", broker.url)


@pytest.mark.parametrize("seen_by", ["management", "AMQP"])
async def test_check_names_everything_that_is_missing(url: str, seen_by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if seen_by == "AMQP":
        monkeypatch.setenv("GOATHERD_MANAGEMENT_URL", NOWHERE)
    told = await refusal(shop(url, "check"))
    for name in ("shop.dead.v1", "shop.hold.v1", "shop.due.v1", "orders", "shop.hold.v1.100", "shop.hold.v1.3276800"):
        assert f"  {name} " in told
    assert "goatherd topology apply" in told


async def test_check_refuses_a_queue_that_differs(url: str) -> None:
    await make_all_of(shop(url, "check"))
    told = await refusal(shop(url, "check", ttl=60))
    assert "replace queue  orders" in told
    assert "arguments.x-message-ttl: wanted 60000, found nothing" in told
    async with shop(url, "never", ttl=60):
        pass


async def test_check_refuses_a_binding_that_is_missing_or_too_many(url: str, pika: PikaProgram) -> None:
    app = shop(url, "check")
    await make_all_of(app)
    pika.channel.queue_unbind("orders", "shop.due.v1", "*.orders")
    pika.channel.queue_bind("orders", "shop.due.v1", "#")
    told = await refusal(app)
    assert "  bind    shop.due.v1 → orders  key: wanted '*.orders', found nothing" in told
    assert "unbind  shop.due.v1 → orders  key: wanted nothing, found '#'" in told


async def test_check_tells_what_is_left_over_and_starts(
    url: str, pika: PikaProgram, caplog: pytest.LogCaptureFixture
) -> None:
    app = shop(url, "check")
    await make_all_of(app)
    pika.channel.queue_declare("orders.delay", durable=True)
    async with app:
        assert "queue 'orders.delay'" in caplog.text


async def test_check_sees_less_without_the_management_api_and_says_so(
    url: str, pika: PikaProgram, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = shop(url, "check")
    await make_all_of(app)
    pika.channel.queue_unbind("orders", "shop.due.v1", "*.orders")
    monkeypatch.setenv("GOATHERD_MANAGEMENT_URL", NOWHERE)
    async with shop(url, "check"):
        assert "bindings" in caplog.text
    assert "x-message-ttl: wanted 60000, found nothing" in await refusal(shop(url, "check", ttl=60))


async def test_check_says_that_a_replacement_is_under_way(url: str, pika: PikaProgram) -> None:
    app = shop(url, "check")
    await make_all_of(app)
    pika.channel.queue_declare("orders.swap.v1", durable=True)
    pika.channel.queue_delete("orders")
    told = await refusal(app)
    assert "A replacement of the queue 'orders' was begun and is not finished" in told
    await make_all_of(app)
    async with app:
        pass


async def test_listeners_are_refused_a_queue_that_differs_and_wait_for_one_that_is_missing(
    url: str, pika: PikaProgram, caplog: pytest.LogCaptureFixture
) -> None:
    async def regions() -> list[str]:
        return ["eu", "us"]

    app = shop(url, "check")

    @app.listeners("match-{}", regions)
    async def match(region: str, player: int) -> None: ...

    await make_all_of(app)
    pika.channel.queue_declare("match-eu", durable=True)
    pika.channel.queue_bind("match-eu", "shop.due.v1", "*.match-eu")
    async with app.serve("worker"):
        assert "The broker has not yet: queue 'match-us'" in caplog.text
    pika.channel.queue_declare("match-us", durable=True, arguments={"x-message-ttl": 1000})
    with pytest.raises(TopologyMismatch, match=r"replace queue +match-us"):
        async with app.serve("worker"):
            pass
