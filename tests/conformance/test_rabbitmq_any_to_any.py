"""From any state of a real broker to any definition: the plan is empty afterwards, and what was there still is."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from goatherd.adapters.rabbitmq.address import read_address
from goatherd.engine.topology import emptying
from goatherd.engine.topology.applying import Applying
from goatherd.model.blueprint import Blueprint
from goatherd.model.settings import Settings
from goatherd.ports.plumbing import Plumbing
from goatherd.wiring import open_plumbing
from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host
from tests.conformance.rabbitmq_traffic import RabbitTraffic, traffic_at
from tests.unit.engine.topology.draws import blueprints, definition

#: Messages that wait in each queue.
WAITING = [b"one", b"two", b"three"]


@pytest.fixture(autouse=True)
def no_settling(monkeypatch: pytest.MonkeyPatch) -> None:
    # Nobody publishes meanwhile.
    monkeypatch.setattr(emptying, "SETTLING", 0.0)


async def _make(plumbing: Plumbing, live: Blueprint, traffic: RabbitTraffic) -> None:
    for exchange in live.exchanges:
        await plumbing.make_exchange(exchange)
    for queue in live.queues:
        await plumbing.make_queue(queue)
        await traffic.publish("", queue.name, *WAITING)
    for way in live.bindings:
        await plumbing.bind(way)
    for policy in live.policies:
        await plumbing.set_policy(policy)


async def _from_one_to_the_other(live: Blueprint, wanted: Blueprint) -> None:
    with management().virtual_host() as name:
        url = with_virtual_host(amqp_url(), name)
        asked = Settings(broker_url=url, management_url=management().url, default_queue="any")
        async with open_plumbing(asked) as plumbing, traffic_at(read_address(url)) as traffic:
            await _make(plumbing, live, traffic)
            meant = definition(wanted)
            safe = await Applying(plumbing, meant, lambda _: None).run()
            for queue in live.queues:
                assert {body for _, body in await traffic.drain(queue.name)} >= set(WAITING), queue.name
            applied = await Applying(plumbing, meant, lambda _: None, allow_loss=True).run()
            assert [each for each in applied.left if each.mendable] == [], safe.left


@pytest.mark.servers("rabbitmq")
@settings(
    max_examples=8,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(blueprints(), blueprints())
async def test_some_of_them(live: Blueprint, wanted: Blueprint) -> None:
    await _from_one_to_the_other(live, wanted)


@pytest.mark.chaos
@pytest.mark.servers("rabbitmq")
@pytest.mark.timeout(1800)
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(blueprints(), blueprints())
async def test_many_of_them(live: Blueprint, wanted: Blueprint) -> None:
    await _from_one_to_the_other(live, wanted)
