"""What a replacement depends on that a broker may not tell, or not allow."""

import asyncio
from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest

from goatherd.adapters.rabbitmq.address import Address, read_address
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.management import Management
from goatherd.adapters.rabbitmq.management_address import read_management_url
from goatherd.adapters.rabbitmq.plumbing import RabbitPlumbing
from goatherd.adapters.rabbitmq.solitude import QUEUE
from goatherd.adapters.rabbitmq.topology import Declarer
from goatherd.engine.topology.applying import Applying
from goatherd.errors import Unavailable
from goatherd.model.blueprint import Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.definition import Definition
from goatherd.model.difference import Crowd, Scope
from scripts.servers.addresses import management as operator
from tests.conformance.rabbitmq_traffic import traffic_at

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("rabbitmq")]

MAIL, SWAP = QueueSpec(name="mail", type="classic"), QueueSpec(name="mail.swap.v1", type="quorum")


@pytest.fixture
def address(broker_url: str) -> Address:
    return read_address(broker_url)


@pytest.fixture
async def link(address: Address) -> AsyncIterator[Link]:
    link = Link(address, "topology")
    await link.open()
    yield link
    await link.close()


@pytest.fixture
def plumbing(link: Link, address: Address) -> RabbitPlumbing:
    return RabbitPlumbing(link, Management(read_management_url(operator().url, address)))


async def test_without_the_api_a_replacement_that_was_not_finished_is_gone_on_with(
    link: Link, address: Address
) -> None:
    plumbing = RabbitPlumbing(link, None)
    wanted = Blueprint(exchanges=(ExchangeSpec(name="post", type="direct"),), queues=(MAIL,))
    for queue in (MAIL, SWAP):
        await plumbing.make_queue(queue)
    await plumbing.make_exchange(ExchangeSpec(name="post", type="direct"))
    await plumbing.make_exchange(ExchangeSpec(name="post.swap.v1", type="direct"))
    async with traffic_at(address) as traffic:
        await traffic.publish("", SWAP.name, b"left behind")
    definition = Definition(
        blueprint=wanted, scope=lambda seen: Scope(crowds=seen.crowds, unseen=seen.unseen, strangers=())
    )
    applied = await Applying(plumbing, definition, lambda _progress: None, allow_loss=True).run()
    assert [each.change for each in applied.done] == ["replace exchange", "replace queue"]
    assert applied.left == []
    assert await plumbing.crowd("mail") == Crowd(messages=1, consumers=0)
    assert await plumbing.crowd(SWAP.name) is None


async def test_a_name_that_no_broker_knows_is_told_in_words(plumbing: RabbitPlumbing) -> None:
    with pytest.raises(Unavailable, match="255 bytes"):
        await plumbing.make_queue(QueueSpec(name="q" * 256))


async def test_policies_of_operators_are_seen(plumbing: RabbitPlumbing, address: Address) -> None:
    path = f"operator-policies/{quote(address.virtual_host, safe='')}/short"
    told = {"pattern": "^mail", "apply-to": "queues", "definition": {"expires": 60_000}, "priority": 3}
    operator().ask("PUT", path, told)
    [policy] = (await plumbing.survey(Blueprint())).operator_policies
    assert policy == PolicySpec(
        name="short", pattern="^mail", apply_to="queues", definition={"expires": 60_000}, priority=3
    )


async def test_the_right_to_change_things_does_not_expire_by_a_policy(
    plumbing: RabbitPlumbing, address: Address
) -> None:
    """Policies often let all queues go that nobody uses."""
    policy = PolicySpec(name="tidy", pattern="", apply_to="queues", definition={"expires": 100})
    await plumbing.set_policy(policy)
    other = Link(address, "another topology")
    await other.open()
    async with plumbing.alone():
        await asyncio.sleep(1)
        with pytest.raises(Unavailable, match="Somebody else changes"):
            async with RabbitPlumbing(other, None).alone():
                pass
    async with RabbitPlumbing(other, None).alone():
        pass
    await other.close()


async def test_whoever_is_deprived_of_the_right_changes_nothing_more(plumbing: RabbitPlumbing, link: Link) -> None:
    async with plumbing.alone():
        await plumbing.make_queue(MAIL)
        await Declarer(await link.connection()).delete(QUEUE)
        with pytest.raises(Unavailable, match="the right to change"):
            await plumbing.drop_queue(MAIL.name)
