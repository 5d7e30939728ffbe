"""A queue and an exchange are replaced under traffic, whatever step it dies at, and nothing is lost."""

from dataclasses import replace

import pytest

from goatherd.engine.topology import emptying, quiet
from goatherd.engine.topology.applying import Applying
from goatherd.engine.topology.progress import Applied, Progress
from goatherd.errors import Unavailable
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.definition import Definition
from goatherd.model.difference import Scope
from goatherd.model.survey import Survey
from goatherd.ports.plumbing import Plumbing
from tests.plumbing_in_memory import MemoryPlumbing
from tests.unit.engine.topology.hard_life import HardLife, Killed, Publisher, lost

QUEUE = QueueSpec(name="process", type="quorum", arguments={"x-dead-letter-exchange": "dlx"})
WANTED = Blueprint(
    exchanges=(ExchangeSpec(name="chat", type="direct"), ExchangeSpec(name="dlx", type="direct")),
    queues=(
        QUEUE,
        QueueSpec(name="dlq", type="classic"),
    ),
    bindings=(
        BindingSpec(source="chat", destination="process", key="process"),
        BindingSpec(source="dlx", destination="dlq", key="process"),
    ),
)
#: As a library left it, and with a binding of somebody else.
LIVE = Blueprint(
    exchanges=(
        ExchangeSpec(name="chat", type="topic", durable=False),
        ExchangeSpec(name="theirs", type="fanout"),
    ),
    queues=(
        QueueSpec(name="process", type="classic", durable=False, arguments={"x-dead-letter-exchange": ""}),
        QueueSpec(name="process.delay", type="classic"),
        QueueSpec(name="watchers", type="classic"),
    ),
    bindings=(
        BindingSpec(source="chat", destination="process", key="#"),
        BindingSpec(source="chat", destination="watchers", key="process"),
        BindingSpec(source="theirs", destination="process"),
        BindingSpec(source="theirs", destination="chat", destination_type="exchange", key="process"),
    ),
)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emptying, "SETTLING", 0.0)
    monkeypatch.setattr(emptying, "PAUSE", 0.0)
    monkeypatch.setattr(quiet, "LOOK_EVERY", 0.01)
    monkeypatch.setattr(quiet, "KNOWN_TO_SENDERS", 0.0)


@pytest.fixture
def broker() -> MemoryPlumbing:
    return MemoryPlumbing(LIVE)


def definition(wanted: Blueprint = WANTED) -> Definition:
    def scope(seen: Survey) -> Scope:
        return Scope(default_type=seen.default_type, crowds=seen.crowds, strangers=seen.strangers)

    return Definition(blueprint=wanted, scope=scope)


async def apply(plumbing: Plumbing, wanted: Blueprint = WANTED, *, patience: float = 1.0, **options: bool) -> Applied:
    steps: list[Progress] = []
    return await Applying(plumbing, definition(wanted), steps.append, patience=patience, **options).run()


def is_as_wanted(broker: MemoryPlumbing) -> None:
    live = broker.blueprint
    assert [live.exchange(each.name) for each in WANTED.exchanges] == list(WANTED.exchanges)
    assert [live.queue(each.name) for each in WANTED.queues] == list(WANTED.queues)
    assert set(WANTED.bindings) < set(live.bindings)
    assert {each.name for each in live.queues} == {"process", "dlq", "watchers"}
    theirs = {each for each in LIVE.bindings if "theirs" in each.source or "watchers" in each.destination}
    assert theirs < set(live.bindings), "bindings of others stay"
    assert set(live.bindings) == theirs | set(WANTED.bindings)


async def test_all_is_repaired_under_traffic(broker: MemoryPlumbing) -> None:
    publishers = [Publisher(broker, "chat", "process"), Publisher(broker, "theirs", "")]
    for each in publishers:
        each.publish(100)
    applied = await apply(HardLife(broker, publishers))
    assert (applied.left, applied.refused) == ([], [])
    is_as_wanted(broker)
    assert not lost(broker, publishers)
    assert all(each.is_done for each in publishers)


async def steps_of_a_life() -> int:
    life = HardLife(MemoryPlumbing(LIVE), [])
    await apply(life)
    return life.steps


async def test_whatever_step_it_dies_at_the_next_one_goes_on() -> None:
    for step in range(await steps_of_a_life() + 4):
        broker = MemoryPlumbing(LIVE)
        publishers = [Publisher(broker, "chat", "process"), Publisher(broker, "theirs", "")]
        for each in publishers:
            each.publish(3)
        for deadly in (step, step // 2, step // 3):
            try:
                await apply(HardLife(broker, publishers, dies_after=deadly))
            except Killed:
                continue
        assert (await apply(HardLife(broker, publishers))).left == []
        is_as_wanted(broker)
        assert not lost(broker, publishers), f"killed after step {step}"
        assert all(each.is_done for each in publishers)


async def test_one_that_was_begun_is_seen_in_the_plan(broker: MemoryPlumbing) -> None:
    total = await steps_of_a_life()
    told = set()
    for step in range(total):
        broker = MemoryPlumbing(LIVE)
        with pytest.raises(Killed):
            await apply(HardLife(broker, [], dies_after=step))
        differences = definition().differences(await broker.survey(WANTED))
        stand_ins = {each for each in (*broker.queues, *broker.exchanges) if each.endswith(".swap.v1")}
        unfinished = {f"{each.name}.swap.v1" for each in differences if "begun and not finished" in each.why}
        assert stand_ins == unfinished
        told |= unfinished
    assert told == {"chat.swap.v1", "process.swap.v1"}


async def test_a_consumer_that_does_not_leave_is_named_and_nothing_has_changed(broker: MemoryPlumbing) -> None:
    only = Blueprint(queues=(QUEUE,))
    before = broker.blueprint
    broker.consume(QUEUE.name)
    with pytest.raises(Unavailable, match="1 consumer takes from it"):
        await apply(broker, only, patience=0.05)
    assert broker.blueprint == before
    broker.leave(QUEUE.name)
    assert (await apply(broker, only)).left == []


async def test_what_a_worker_holds_is_waited_for(broker: MemoryPlumbing) -> None:
    broker.publish("chat", "process", b"one")
    broker.consume("process")
    broker.hold("process")
    broker.consumers["process"] = 0
    with pytest.raises(Unavailable, match="in the hands of consumers"):
        await apply(broker, Blueprint(queues=(QUEUE,)), patience=0.05)
    broker.settle("process")
    assert not [each for each in (await apply(broker)).left if each.change != "orphan"]


async def test_a_pause_of_an_operator_stays(broker: MemoryPlumbing) -> None:
    mark = QueueSpec(name="process.paused.v1", type="classic", arguments={"x-max-length": 0})
    await broker.make_queue(mark)
    await apply(broker)
    assert broker.queues[mark.name] == mark


async def test_what_could_lose_messages_is_refused_and_what_needs_it_waits(broker: MemoryPlumbing) -> None:
    broker.strangers = ("pika at 10.0.0.7",)
    applied = await apply(broker)
    [refused] = applied.refused
    assert (refused.change, refused.name) == ("replace exchange", "chat")
    assert "pika at 10.0.0.7" in str(refused.risks[0])
    assert {each.change for each in applied.left} == {"replace exchange", "orphan"}
    assert "process.delay" in broker.queues
    assert (await apply(broker, allow_loss=True)).left == []
    is_as_wanted(broker)


async def test_a_full_queue_that_nobody_wants_stays_until_somebody_allows_it(broker: MemoryPlumbing) -> None:
    broker.publish("", "process.delay", b"old")
    applied = await apply(broker)
    assert [each.name for each in applied.refused] == ["process.delay"]
    assert broker.waiting("process.delay") == [b"old"]
    assert (await apply(broker, allow_loss=True)).left == []
    assert "process.delay" not in broker.queues


async def test_only_what_is_named_is_mended(broker: MemoryPlumbing) -> None:
    applying = Applying(broker, definition(), lambda _: None, only={"dlx", "dlq"})
    applied = await applying.run()
    assert {each.name for each in applied.done} == {"dlx", "dlq", "dlx → dlq"}
    assert broker.exchanges["chat"].type == "topic"


async def test_two_do_not_do_it_at_once(broker: MemoryPlumbing) -> None:
    async with broker.alone():
        with pytest.raises(Unavailable, match="Somebody else"):
            await apply(broker)


async def test_a_stand_in_has_the_dead_letter_exchange_of_a_policy_that_does_not_fit_its_name() -> None:
    policy = PolicySpec(name="p", pattern="^q$", apply_to="queues", definition={"dead-letter-exchange": "dlx"})
    queue = QueueSpec(name="q", type="classic")
    made: list[QueueSpec] = []

    class Watched(MemoryPlumbing):
        async def make_queue(self, queue: QueueSpec) -> None:
            made.append(queue)
            await super().make_queue(queue)

    broker = Watched(Blueprint(queues=(replace(queue, durable=False),), policies=(policy,)))
    await apply(broker, Blueprint(queues=(queue,), policies=(policy,)), allow_loss=True)
    stand_in = next(each for each in made if each.name == "q.swap.v1")
    assert stand_in.arguments == {"x-dead-letter-exchange": "dlx"}
