"""What is done about a broker before an app uses it."""

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from goatherd.engine.topology.establish import check_topology, establish
from goatherd.errors import TopologyMismatch, Unavailable
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.definition import Definition
from goatherd.model.difference import Crowd, Scope
from goatherd.model.stand_in import stand_in_of
from goatherd.model.survey import Survey
from tests.plumbing_in_memory import MemoryPlumbing

DAY = PolicySpec(name="day", pattern="^orders$", apply_to="queues", definition={"expires": 86_400_000})
WANTED = Blueprint(
    exchanges=(ExchangeSpec(name="shop", type="direct"),),
    queues=(QueueSpec(name="mail"), QueueSpec(name="orders", arguments={"x-message-ttl": 60_000})),
    bindings=(BindingSpec(source="shop", destination="orders", key="new"),),
    policies=(DAY,),
)


def definition(wanted: Blueprint = WANTED) -> Definition:
    def scope(seen: Survey) -> Scope:
        return Scope(prefixes=("shop.",), crowds=seen.crowds, strangers=seen.strangers)

    return Definition(blueprint=wanted, scope=scope)


class NoPolicies(MemoryPlumbing):
    """A broker that tells only of what is named, as without its management API."""

    async def survey(self, wanted: Blueprint) -> Survey:
        named = {each.name for each in wanted.queues} | {each.name for each in wanted.exchanges}
        own = self.blueprint
        seen = replace(
            own,
            exchanges=tuple(each for each in own.exchanges if each.name in named),
            queues=tuple(each for each in own.queues if each.name in named),
            bindings=wanted.bindings,
            policies=wanted.policies,
        )
        return Survey(blueprint=seen, unseen=("bindings", "policies"))


async def refusal(broker: MemoryPlumbing, wanted: Blueprint = WANTED) -> TopologyMismatch:
    with pytest.raises(TopologyMismatch) as caught:
        await establish(broker, definition(wanted), "check")
    return caught.value


async def test_a_broker_that_is_as_wanted_is_accepted(caplog: pytest.LogCaptureFixture) -> None:
    await establish(MemoryPlumbing(WANTED), definition(), "check")
    assert not caplog.records


async def test_one_look_is_enough() -> None:
    """However many queues there are."""

    class Counting(MemoryPlumbing):
        looks = 0

        async def survey(self, wanted: Blueprint) -> Survey:
            self.looks += 1
            return await super().survey(wanted)

        async def crowd(self, queue: str) -> Crowd | None:
            self.looks += 1
            return await super().crowd(queue)

    for broker in (Counting(WANTED), Counting()):
        try:
            await establish(broker, definition(), "check")
        except TopologyMismatch:
            assert not broker.queues
        assert broker.looks == 1


async def test_all_differences_are_told_as_a_table() -> None:
    live = Blueprint(
        exchanges=(ExchangeSpec(name="shop", type="topic"),),
        queues=(QueueSpec(name="orders", durable=False),),
        bindings=(BindingSpec(source="shop", destination="orders", key="#"),),
    )
    told = await refusal(MemoryPlumbing(live))
    assert (told.kind, told.name, told.argument) == ("policy", "day", "pattern")
    table = [line.split("  ") for line in str(told).splitlines() if line.startswith("  ")]
    rows = [[cell.strip() for cell in line if cell.strip()] for line in table]
    assert rows == [
        ["change", "name", "how it differs"],
        ["policy", "day", "pattern: wanted '^orders$', found nothing"],
        ["apply_to: wanted 'queues', found nothing"],
        ["definition.expires: wanted 86400000, found nothing"],
        ["priority: wanted 0, found nothing"],
        ["replace exchange", "shop", "type: wanted 'direct', found 'topic'"],
        ["replace queue", "orders", "durable: wanted True, found False"],
        ["arguments.x-message-ttl: wanted 60000, found nothing"],
        ["unbind", "shop → orders", "key: wanted nothing, found '#'"],
        ["create queue", "mail", "it is missing"],
        ["bind", "shop → orders", "key: wanted 'new', found nothing"],
    ]
    assert "'/' differs in 6 things" in str(told)
    assert "`goatherd topology apply --declare check` mends it" in str(told)


async def test_what_is_left_over_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    live = replace(WANTED, queues=(*WANTED.queues, QueueSpec(name="shop.old")))
    await establish(MemoryPlumbing(live), definition(), "check")
    assert ["'shop.old'" in record.message for record in caplog.records] == [True]


async def test_of_very_many_differences_the_first_are_told() -> None:
    queues = tuple(QueueSpec(name=f"queue-{number:04}") for number in range(3000))
    told = str(await refusal(MemoryPlumbing(), Blueprint(queues=queues)))
    assert "differs in 3000 things" in told
    assert len(told.splitlines()) < 80
    assert "2940 lines more" in told


@pytest.mark.parametrize("broker", [MemoryPlumbing, NoPolicies])
async def test_a_replacement_that_is_under_way_is_told(broker: Callable[[Blueprint], MemoryPlumbing]) -> None:
    """In the middle of it the queue is not there at all."""
    live = replace(WANTED, queues=(QueueSpec(name="mail"), QueueSpec(name=stand_in_of("orders"))), bindings=())
    told = str(await refusal(broker(live)))
    assert "A replacement of the queue 'orders' was begun and is not finished" in told
    assert "goatherd topology apply" in told


async def test_a_replacement_is_told_to_its_last_step() -> None:
    live = replace(WANTED, queues=(*WANTED.queues, QueueSpec(name=stand_in_of("orders"))))
    assert "A replacement of the queue 'orders' was begun" in str(await refusal(MemoryPlumbing(live)))
    live = replace(WANTED, exchanges=(*WANTED.exchanges, ExchangeSpec(name=stand_in_of("shop"), type="direct")))
    assert "A replacement of the exchange 'shop' was begun" in str(await refusal(MemoryPlumbing(live)))


async def test_what_cannot_be_seen_is_said(caplog: pytest.LogCaptureFixture) -> None:
    await establish(NoPolicies(WANTED), definition(), "check")
    assert [record.message for record in caplog.records] == [
        "Not all of the broker could be looked at; not checked: bindings, policies"
    ]


async def test_queues_that_may_be_missing_are_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    live = replace(WANTED, queues=(QueueSpec(name="mail"),), bindings=())
    await check_topology(MemoryPlumbing(live), definition(), {"orders"})
    assert "queue 'orders'" in caplog.text
    wrong = replace(live, queues=(QueueSpec(name="mail"), QueueSpec(name="orders")))
    with pytest.raises(TopologyMismatch):
        await check_topology(MemoryPlumbing(wrong), definition(), {"orders"})


@pytest.mark.parametrize("declare", ["create", "never"])
async def test_otherwise_nothing_is_refused(declare: Any) -> None:
    await establish(MemoryPlumbing(), definition(), declare)


@pytest.mark.parametrize("declare", ["check", "never"])
async def test_only_create_makes_policies(declare: Any) -> None:
    broker = MemoryPlumbing(replace(WANTED, policies=()))
    await check_nothing_raised_but_mismatch(broker, declare)
    assert not broker.policies


async def check_nothing_raised_but_mismatch(broker: MemoryPlumbing, declare: Any) -> None:
    if declare == "check":
        await refusal(broker)
    else:
        await establish(broker, definition(), declare)


async def test_create_makes_missing_policies_and_alters_none(caplog: pytest.LogCaptureFixture) -> None:
    broker = MemoryPlumbing()
    await establish(broker, definition(), "create")
    assert broker.policies == {"day": DAY}
    assert not caplog.records
    other = replace(DAY, priority=7)
    broker.policies["day"] = other
    await establish(broker, definition(), "create")
    assert broker.policies == {"day": other}
    assert "The policy 'day' differs" in caplog.text


async def test_create_goes_on_without_policies(caplog: pytest.LogCaptureFixture) -> None:
    await establish(NoPolicies(), definition(), "create")
    assert "'day'" in caplog.text

    class Refusing(MemoryPlumbing):
        async def set_policy(self, policy: PolicySpec) -> None:
            raise Unavailable("You may not.")

    caplog.clear()
    await establish(Refusing(), definition(), "create")
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "You may not." in caplog.text


async def test_without_a_topology_there_is_nothing_to_do() -> None:
    await establish(None, None, "check")
