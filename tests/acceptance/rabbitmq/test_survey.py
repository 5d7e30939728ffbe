"""What a real broker has, seen by its management API, and without it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from urllib.parse import quote, urlsplit

import pytest
from pamqp import commands

from goatherd.adapters.rabbitmq.address import Address, read_address
from goatherd.adapters.rabbitmq.glimpse import glimpse
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.management import Management
from goatherd.adapters.rabbitmq.management_address import read_management_url
from goatherd.adapters.rabbitmq.survey import survey
from goatherd.adapters.rabbitmq.topology import Declarer
from goatherd.errors import SettingsError
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.difference import Crowd, Detail, Scope
from goatherd.model.drift import plan
from goatherd.model.policies import policy_of
from scripts.servers.addresses import management as operator

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("rabbitmq")]


def blueprint(virtual_host: str) -> Blueprint:
    return Blueprint(
        vhost=virtual_host,
        exchanges=(
            ExchangeSpec(name="chat", type="direct", arguments={"alternate-exchange": "lost"}),
            ExchangeSpec(name="lost", type="fanout", durable=False, auto_delete=True),
            ExchangeSpec(name="within", type="headers", internal=True),
        ),
        queues=(
            QueueSpec(name="chat/process #1", arguments={"x-message-ttl": 5000, "x-single-active-consumer": True}),
            QueueSpec(name="notes", type="quorum", arguments={"x-delivery-limit": 3}),
            QueueSpec(name="passing", type="classic", durable=False),
        ),
        bindings=(
            BindingSpec(source="chat", destination="chat/process #1", key="chat.process"),
            BindingSpec(source="chat", destination="notes", key=""),
            BindingSpec(source="chat", destination="within", destination_type="exchange", key="k"),
            BindingSpec(source="lost", destination="notes"),
            BindingSpec(source="within", destination="notes", arguments={"x-match": "all", "n": 1}),
            BindingSpec(source="amq.topic", destination="notes", key="#"),
        ),
        policies=(
            PolicySpec(name="p", pattern="^notes$", apply_to="queues", definition={"max-length": 9}, priority=2),
        ),
    )


@pytest.fixture
def address(broker_url: str) -> Address:
    return read_address(broker_url)


@pytest.fixture
async def declarer(address: Address) -> AsyncIterator[Declarer]:
    link = Link(address, "survey")
    await link.open()
    yield Declarer(await link.connection())
    await link.close()


@pytest.fixture
def management(address: Address) -> Management:
    return Management(read_management_url(operator().url, address))


@pytest.fixture
async def made(declarer: Declarer, virtual_host: str) -> Blueprint:
    """All of it, declared as another program would."""
    wanted = blueprint(virtual_host)
    for exchange in wanted.exchanges:
        await declarer.ask(
            commands.Exchange.Declare(
                0, exchange.name, exchange.type, durable=exchange.durable, auto_delete=exchange.auto_delete,
                internal=exchange.internal, arguments=dict(exchange.arguments),
            )
        )  # fmt: skip
    for queue in wanted.queues:
        await declarer.ask(
            commands.Queue.Declare(0, queue.name, durable=queue.durable, arguments=queue.declared_arguments)
        )
    for each in wanted.bindings:
        kind = commands.Queue.Bind if each.destination_type == "queue" else commands.Exchange.Bind
        await declarer.ask(kind(0, each.destination, each.source, each.key, arguments=dict(each.arguments)))
    for policy in wanted.policies:
        told = {"pattern": policy.pattern, "apply-to": policy.apply_to, "definition": dict(policy.definition)}
        operator().ask("PUT", f"policies/{virtual_host}/{policy.name}", {**told, "priority": policy.priority})
    return wanted


async def test_all_that_was_made_is_seen_and_there_is_no_difference(made: Blueprint, management: Management) -> None:
    seen = await survey(management, made.vhost)
    typed = tuple(replace(each, type=each.type or "classic") for each in made.queues)
    assert seen.blueprint == replace(made, queues=typed)
    assert seen.crowds.keys() == {each.name for each in made.queues}
    assert plan(made, seen.blueprint, Scope(default_type=seen.default_type)) == []


async def test_a_difference_is_seen_where_it_is(made: Blueprint, management: Management) -> None:
    operator().ask("DELETE", f"policies/{made.vhost}/p")
    operator().ask("DELETE", f"queues/{made.vhost}/passing")
    seen = await survey(management, made.vhost)
    assert [(each.change, each.name) for each in plan(made, seen.blueprint)] == [("policy", "p"), ("create", "passing")]


async def test_what_a_connection_has_for_itself_is_not_seen(
    declarer: Declarer, management: Management, virtual_host: str
) -> None:
    await declarer.ask(commands.Queue.Declare(0, "own", exclusive=True))
    assert (await survey(management, virtual_host)).blueprint == Blueprint(vhost=virtual_host)


async def test_a_virtual_host_that_is_not_there_is_named(management: Management) -> None:
    with pytest.raises(SettingsError, match="no virtual host 'no/where'"):
        await survey(management, "no/where")


async def test_a_user_who_may_not_look_is_told_what_is_missing(address: Address, virtual_host: str) -> None:
    operator().ask("PUT", f"users/{virtual_host}", {"password": "p", "tags": ""})
    try:
        operator().allow(virtual_host, virtual_host)
        parts = urlsplit(operator().url)
        url = f"http://{quote(virtual_host)}:p@{parts.hostname}:{parts.port}"
        with pytest.raises(SettingsError, match="set_user_tags"):
            await survey(Management(read_management_url(url, address)), virtual_host)
        operator().ask("PUT", f"users/{virtual_host}", {"password": "p", "tags": "policymaker"})
        seen = await survey(Management(read_management_url(url, address)), virtual_host)
        assert seen.blueprint == Blueprint(vhost=virtual_host)
    finally:
        operator().ask("DELETE", f"users/{virtual_host}")


async def test_without_the_api_what_is_named_is_compared_and_nothing_is_made(
    made: Blueprint, declarer: Declarer, management: Management
) -> None:
    assert plan(made, (await glimpse(declarer, made)).blueprint) == []
    wanted = replace(
        made,
        exchanges=(
            *made.exchanges[1:],
            ExchangeSpec(name="chat", type="topic"),
            ExchangeSpec(name="new", type="direct"),
        ),
        queues=(
            QueueSpec(name="chat/process #1", arguments={"x-message-ttl": 7500, "x-single-active-consumer": True}),
            QueueSpec(name="new"),
            QueueSpec(name="notes", type="classic", arguments={"x-delivery-limit": 3}),
            QueueSpec(name="passing"),
        ),
    )
    before = (await survey(management, made.vhost)).blueprint
    seen = await glimpse(declarer, wanted)
    found = {each.name: (each.change, each.details) for each in plan(wanted, seen.blueprint)}
    assert found["new"][0] == "create"
    assert {name: details for name, (change, details) in found.items() if change.startswith("replace")} == {
        "chat": (Detail(field="type", wanted="topic", found="direct"),),
        "chat/process #1": (Detail(field="arguments.x-message-ttl", wanted=7500, found=5000),),
        "notes": (Detail(field="type", wanted="classic", found="quorum"),),
        "passing": (Detail(field="durable", wanted=True, found=False),),
    }
    assert "bindings" in seen.unseen
    assert seen.crowds["notes"] == Crowd(messages=0, consumers=0)
    assert (await survey(management, made.vhost)).blueprint == before


async def test_what_this_user_may_not_compare_is_told(made: Blueprint, broker_url: str, virtual_host: str) -> None:
    operator().ask("PUT", f"users/{virtual_host}", {"password": "p", "tags": ""})
    link = Link(read_address(broker_url.replace("guest:guest@", f"{virtual_host}:p@")), "glimpse")
    try:
        operator().allow(virtual_host, virtual_host, configure="^notes$")
        await link.open()
        seen = await glimpse(Declarer(await link.connection()), replace(made, exchanges=(), queues=made.queues[:2]))
    finally:
        await link.close()
        operator().ask("DELETE", f"users/{virtual_host}")
    assert seen.unseen[3:] == ("the arguments of the queue 'chat/process #1'",)


async def test_the_broker_chooses_the_same_policy(
    declarer: Declarer, management: Management, virtual_host: str
) -> None:
    names = ["a", "ab", "abc", "b.c"]
    told = [
        ("p", "^a", "all", 1, {"max-length": 9}),
        ("q", "b$", "queues", 5, {"max-length": 9}),
        ("r", "c", "exchanges", 9, {"alternate-exchange": "a"}),
        ("s", "a.c|b", "queues", 3, {"max-length": 9}),
        # Keys that quorum queues and classic ones do not know.
        ("t", "^ab$", "queues", 8, {"queue-mode": "lazy"}),
        ("u", "^a$", "queues", 8, {"delivery-limit": 5}),
    ]
    for policy, pattern, target, priority, definition in told:
        rule = {"pattern": pattern, "apply-to": target, "definition": definition, "priority": priority}
        operator().ask("PUT", f"policies/{virtual_host}/{policy}", rule)
    for name in names:
        await declarer.exchange(name, "topic")
        await declarer.queue(name, {"x-queue-type": "quorum"} if name == "ab" else {})
    seen = (await survey(management, virtual_host)).blueprint
    chosen = {"queues": {"a": "p", "ab": "q", "abc": "s", "b.c": "s"}, "exchanges": {"a": "p", "ab": "p", "abc": "r"}}
    for kind, things in (("queues", seen.queues), ("exchanges", seen.exchanges)):
        ours = {each.name: found.name for each in things if (found := policy_of(each, seen.policies)) is not None}
        assert ours == {**chosen[kind], "b.c": "s" if kind == "queues" else "r"}
        assert await told_by_broker(kind, virtual_host, names) == ours


async def told_by_broker(kind: str, virtual_host: str, names: Sequence[str]) -> dict[str, str]:
    """The policies in force, as soon as the broker tells them, which it does when it counts next."""
    async with asyncio.timeout(40):
        while True:
            found = operator().ask("GET", f"{kind}/{virtual_host}")
            told = {each["name"]: each["policy"] for each in found if each["name"] in names and each.get("policy")}
            if len(told) == len(names):
                return told
            await asyncio.sleep(0.1)
