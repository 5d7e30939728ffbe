"""What only a RabbitMQ shows when its queues are changed: headers, lost connections, rights, what the dead leave."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from urllib.parse import quote, urlsplit

import aio_pika
import pytest
from pamqp import commands

from goatherd.adapters.rabbitmq.address import Address, read_address
from goatherd.adapters.rabbitmq.asking import Asking
from goatherd.adapters.rabbitmq.counts import Counts
from goatherd.adapters.rabbitmq.failures import LinkLost
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.management import Management
from goatherd.adapters.rabbitmq.management_address import read_management_url
from goatherd.adapters.rabbitmq.mover import Mover
from goatherd.adapters.rabbitmq.pace import Pace
from goatherd.adapters.rabbitmq.plumbing import RabbitPlumbing
from goatherd.adapters.rabbitmq.properties import read
from goatherd.adapters.rabbitmq.shovel import Shovel
from goatherd.adapters.rabbitmq.solitude import Solitude
from goatherd.errors import SettingsError, Unavailable
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.difference import Crowd
from goatherd.testing.suites.receiver import eventually
from scripts.servers.addresses import management as operator
from tests.conformance.rabbitmq_traffic import RabbitTraffic, traffic_at

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("rabbitmq")]

MAIL, SWAP = QueueSpec(name="mail", type="classic"), QueueSpec(name="mail.swap.v1", type="quorum")


@pytest.fixture
def address(broker_url: str) -> Address:
    return read_address(broker_url)


@pytest.fixture
def management(address: Address) -> Management:
    return Management(read_management_url(operator().url, address))


@pytest.fixture
async def link(address: Address) -> AsyncIterator[Link]:
    link = Link(address, "topology")
    await link.open()
    yield link
    await link.close()


@pytest.fixture
def plumbing(link: Link, management: Management) -> RabbitPlumbing:
    return RabbitPlumbing(link, management)


@pytest.fixture
async def traffic(address: Address) -> AsyncIterator[RabbitTraffic]:
    async with traffic_at(address) as traffic:
        yield traffic


async def make(plumbing: RabbitPlumbing, *queues: QueueSpec) -> None:
    for queue in queues:
        await plumbing.make_queue(queue)


async def test_a_message_is_moved_as_it_is_and_to_no_other_queue(
    plumbing: RabbitPlumbing, traffic: RabbitTraffic
) -> None:
    await make(plumbing, MAIL, SWAP, QueueSpec(name="copy", type="classic"))
    headers: dict[str, Any] = {"CC": ["copy"], "tries": 3, "x-death": [{"queue": "older"}]}
    properties = commands.Basic.Properties(
        content_type="text/plain", headers=headers, delivery_mode=2, priority=4, correlation_id="c", reply_to="r",
        expiration="600000", message_id="m", message_type="t", app_id="a",
    ).marshal()  # fmt: skip
    await traffic.publish("", "mail", b"x" * 300_000, properties=properties)
    assert await traffic.drain("copy") == [("mail", b"x" * 300_000)]
    await plumbing.move("mail", "mail.swap.v1", print)
    await plumbing.move("mail.swap.v1", "mail", print)
    (moved,) = await traffic.take_all("mail")
    told = read(moved.properties)
    assert moved.body == b"x" * 300_000
    assert {name: told.headers[name] for name in headers} == headers
    assert (told.message_id, told.expiration, told.priority, told.type) == ("m", "600000", 4, "t")
    assert (told.correlation_id, told.reply_to, told.content_type) == ("c", "r", "text/plain")
    assert await traffic.drain("copy") == []


async def test_what_one_left_behind_who_was_killed_is_not_seen_and_goes(
    plumbing: RabbitPlumbing, virtual_host: str
) -> None:
    await make(plumbing, MAIL)
    await plumbing.make_exchange(ExchangeSpec(name="goatherd.move.v1.0a", type="fanout"))
    await plumbing.bind(BindingSpec(source="goatherd.move.v1.0a", destination="mail"))
    seen = (await plumbing.survey(Blueprint())).blueprint
    assert seen == Blueprint(vhost=virtual_host, queues=(MAIL,))
    async with plumbing.alone():
        names = {each["name"] for each in operator().ask("GET", f"exchanges/{virtual_host}")}
        assert "goatherd.move.v1.0a" not in names


async def test_with_the_connection_goes_the_right_to_change_things(
    plumbing: RabbitPlumbing, link: Link, address: Address, management: Management
) -> None:
    other = Link(address, "other topology")
    await other.open()
    async with plumbing.alone():
        (await link.connection()).fail(LinkLost("cut"))
        with pytest.raises(Unavailable, match="Apply again"):
            await plumbing.make_queue(MAIL)
        with pytest.raises(Unavailable, match="Apply again"):
            await plumbing.move("mail", "mail.swap.v1", print)

        async def takes_over() -> bool:
            async with RabbitPlumbing(other, management).alone():
                return True

        async def once_free() -> bool | None:
            try:
                return await takes_over()
            except Unavailable:
                # The broker has not noticed yet that the first one is gone.
                return None

        assert await eventually(once_free, "the end of the first one")
    assert await plumbing.crowd("mail") is None
    await other.close()


async def test_nothing_is_let_go_of_that_the_other_queue_cannot_take(
    plumbing: RabbitPlumbing, link: Link, traffic: RabbitTraffic
) -> None:
    await make(plumbing, MAIL)
    await plumbing.make_exchange(ExchangeSpec(name="nowhere", type="fanout"))
    await traffic.publish("", "mail", *(b"%d" % number for number in range(50)))
    asking = Asking(link)
    mover = Mover(asking, Counts(asking, None, ""), "mail", "mail.swap.v1", "nowhere")
    with pytest.raises(Unavailable, match=r"mail\.swap\.v1"):
        await mover.run(Pace("mail", print))
    assert len(await traffic.drain("mail")) == 50


async def test_messages_that_another_consumer_has_for_itself_cannot_be_moved(
    plumbing: RabbitPlumbing, traffic: RabbitTraffic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("goatherd.adapters.rabbitmq.mover.STANDSTILL", 0.5)
    await make(plumbing, QueueSpec(name="mail", type="classic", arguments={"x-single-active-consumer": True}), SWAP)
    await traffic.publish("", "mail", b"1", b"2")
    await traffic.hold_on("mail")
    with pytest.raises(Unavailable, match="another consumer"):
        await plumbing.move("mail", "mail.swap.v1", print)


async def test_messages_survive_a_lost_connection_while_they_are_moved(
    plumbing: RabbitPlumbing, link: Link, traffic: RabbitTraffic
) -> None:
    await make(plumbing, MAIL, SWAP)
    bodies = [b"%d" % number for number in range(2000)]
    await traffic.publish("", "mail", *bodies)
    asking = Asking(link)
    await plumbing.make_exchange(ExchangeSpec(name="over", type="fanout"))
    await plumbing.bind(BindingSpec(source="over", destination="mail.swap.v1"))
    connection = await link.connection()
    pace = Pace("mail", print)
    moving = asyncio.create_task(Mover(asking, Counts(asking, None, ""), "mail", "mail.swap.v1", "over").run(pace))
    while not await traffic.count("mail.swap.v1"):
        assert not moving.done()
    connection.fail(LinkLost("cut"))
    with pytest.raises(Unavailable, match="cut"):
        await moving
    await plumbing.move("mail", "mail.swap.v1", print)
    # What was on its way then may be there twice.
    assert {body for _, body in await traffic.drain("mail.swap.v1")} == set(bodies)


async def test_a_message_of_another_user_is_said_to_be_one(
    plumbing: RabbitPlumbing, link: Link, address: Address, traffic: RabbitTraffic, virtual_host: str
) -> None:
    operator().ask("PUT", f"users/{virtual_host}", {"password": "p", "tags": ""})
    try:
        operator().allow(virtual_host, virtual_host)
        await make(plumbing, MAIL, SWAP)
        properties = commands.Basic.Properties(user_id=virtual_host).marshal()
        async with traffic_at(replace(address, user=virtual_host, password="p")) as others:
            await others.publish("", "mail", b"theirs", properties=properties)
        asking = Asking(link)
        await plumbing.make_exchange(ExchangeSpec(name="over", type="fanout"))
        with pytest.raises(Unavailable, match="impersonator"):
            await Mover(asking, Counts(asking, None, ""), "mail", "mail.swap.v1", "over").run(Pace("mail", print))
        assert await traffic.drain("mail") == [("mail", b"theirs")]
    finally:
        operator().ask("DELETE", f"users/{virtual_host}")


async def test_a_stream_cannot_be_emptied(plumbing: RabbitPlumbing) -> None:
    await make(plumbing, QueueSpec(name="mail", type="stream"), SWAP)
    with pytest.raises(Unavailable, match="stream"):
        await plumbing.move("mail", "mail.swap.v1", print)


async def test_without_the_plugin_there_is_no_shovel(
    plumbing: RabbitPlumbing, link: Link, management: Management, traffic: RabbitTraffic, virtual_host: str
) -> None:
    await make(plumbing, MAIL)
    await traffic.publish("", "mail", b"1")
    asking = Asking(link)
    shovel = Shovel(management, Counts(asking, management, virtual_host), virtual_host, Solitude(link, asking))
    # A broker that was given to the tests may have it.
    enabled = any(each.get("javascript") == "shovel.js" for each in operator().ask("GET", "extensions"))
    assert await shovel.move("mail", "amq.fanout", Pace("mail", print)) is enabled
    await shovel.clear()


@pytest.mark.parametrize(("url", "why"), [(None, "not used"), ("http://127.0.0.1:9", "cannot be reached")])
async def test_without_the_api_little_is_seen_and_that_is_said(
    address: Address, link: Link, traffic: RabbitTraffic, virtual_host: str, url: str | None, why: str
) -> None:
    plumbing = RabbitPlumbing(link, None if url is None else Management(read_management_url(url, address)))
    wanted = Blueprint(vhost=virtual_host, queues=(MAIL, SWAP))
    assert (await plumbing.survey(wanted)).blueprint.queues == ()
    async with plumbing.alone():
        await make(plumbing, MAIL, SWAP)
        seen = await plumbing.survey(wanted)
        assert seen.blueprint == wanted
        assert "bindings" in seen.unseen
        assert why in seen.unseen[-1]
        assert seen.strangers is None
        with pytest.raises(Unavailable, match="management API"):
            await plumbing.set_policy(PolicySpec(name="p", pattern=".*"))
        await traffic.publish("", "mail", b"1")
        await plumbing.move("mail", "mail.swap.v1", print)
        assert await plumbing.crowd("mail.swap.v1") == Crowd(messages=1, consumers=0)
        assert [await plumbing.drop_queue(each.name) for each in (MAIL, SWAP)] == [True, False]


async def test_a_user_without_rights_sees_what_amqp_shows_and_moves_by_itself(
    address: Address, link: Link, plumbing: RabbitPlumbing, traffic: RabbitTraffic, virtual_host: str
) -> None:
    parts = urlsplit(operator().url)
    url = f"http://{quote(virtual_host)}:p@{parts.hostname}:{parts.port}"
    operator().ask("PUT", f"users/{virtual_host}", {"password": "p", "tags": ""})
    try:
        operator().allow(virtual_host, virtual_host)
        poor = RabbitPlumbing(link, Management(read_management_url(url, address)))
        assert "set_user_tags" in (await poor.survey(Blueprint(vhost=virtual_host))).unseen[-1]
        await make(plumbing, MAIL, SWAP)
        await traffic.publish("", "mail", b"1")
        async with poor.alone():
            await poor.move("mail", "mail.swap.v1", print)
        assert await traffic.drain("mail.swap.v1") == [("mail", b"1")]
        with pytest.raises(SettingsError, match="policymaker"):
            await poor.set_policy(PolicySpec(name="p", pattern=".*"))
        operator().ask("PUT", f"users/{virtual_host}", {"password": "p", "tags": "policymaker"})
        # Such a user is told of its own connections only.
        assert (await poor.survey(Blueprint(vhost=virtual_host))).strangers is None
    finally:
        operator().ask("DELETE", f"users/{virtual_host}")


async def test_programs_of_others_are_named(plumbing: RabbitPlumbing, broker_url: str) -> None:
    assert (await plumbing.survey(Blueprint())).strangers == ()
    stranger = await aio_pika.connect(f"{broker_url}?name=orders")

    async def named() -> tuple[str, ...] | None:
        return (await plumbing.survey(Blueprint())).strangers or None

    try:
        # The broker tells of a connection a few seconds late.
        assert await eventually(named, "the stranger") == ("aiormq 'orders' as guest from 127.0.0.1",)
    finally:
        await stranger.close()
