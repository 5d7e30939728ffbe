"""Differences by their classes, and what is none of our business."""

import json
from dataclasses import replace

import pytest

from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.difference import Crowd, Detail, Difference, Scope
from goatherd.model.drift import plan

CHAT = ExchangeSpec(name="chat", type="direct")
GRAVE = ExchangeSpec(name="dlx", type="direct")
PROCESS = QueueSpec(
    name="chat.process",
    arguments={"x-message-ttl": 300_000, "x-dead-letter-exchange": "dlx", "x-dead-letter-routing-key": "dlq"},
)
WANTED = Blueprint(
    exchanges=(CHAT, GRAVE),
    queues=(PROCESS, QueueSpec(name="dlq")),
    bindings=(
        BindingSpec(source="chat", destination="chat.process", key="chat.process"),
        BindingSpec(source="dlx", destination="dlq", key="dlq"),
    ),
)


def told(differences: list[Difference]) -> list[tuple[str, str]]:
    return [(each.change, each.name) for each in differences]


def test_the_usual_accident_is_named_in_full_and_in_order() -> None:
    live = Blueprint(
        exchanges=(ExchangeSpec(name="chat", type="topic", durable=False),),
        queues=(
            QueueSpec(name="chat.process", type="classic", durable=False, arguments={"x-dead-letter-exchange": ""}),
            QueueSpec(name="chat.process.delay", type="classic"),
            QueueSpec(name="chat.process.dead_letter", type="classic"),
            QueueSpec(name="somebody.else", type="quorum"),
        ),
        bindings=(BindingSpec(source="chat", destination="chat.process", key="#"),),
    )
    found = plan(WANTED, live)
    assert told(found) == [
        ("create", "dlx"),
        ("create", "dlq"),
        ("replace exchange", "chat"),
        ("bind", "chat → chat.process"),
        ("bind", "dlx → dlq"),
        ("replace queue", "chat.process"),
        ("unbind", "chat → chat.process"),
        ("orphan", "chat.process.dead_letter"),
        ("orphan", "chat.process.delay"),
    ]
    details = {detail for each in found if each.change.startswith("replace") for detail in each.details}
    assert details == {
        Detail(field="type", wanted="direct", found="topic"),
        Detail(field="durable", wanted=True, found=False),
        Detail(field="arguments.x-message-ttl", wanted=300_000, found=None),
        Detail(field="arguments.x-dead-letter-exchange", wanted="dlx", found=""),
        Detail(field="arguments.x-dead-letter-routing-key", wanted="dlq", found=None),
    }


def test_a_difference_can_be_written_as_json_and_read_by_people() -> None:
    way = BindingSpec(source="chat", destination="chat.process", key="#", arguments={"x-match": "all"})
    [found] = plan(WANTED, replace(WANTED, bindings=(*WANTED.bindings, way)))
    assert json.loads(json.dumps(found.plain())) == {
        "change": "unbind",
        "kind": "binding",
        "name": "chat → chat.process",
        "details": [
            {"field": "key", "wanted": None, "found": "#"},
            {"field": "arguments.x-match", "wanted": None, "found": "all"},
        ],
        "why": "",
        "risks": [],
        "mendable": True,
        "binding": {
            "source": "chat", "destination": "chat.process", "destination_type": "queue", "key": "#",
            "arguments": {"x-match": "all"},
        },
    }  # fmt: skip
    assert str(found).startswith("unbind: binding 'chat → chat.process' (key: wanted nothing, found '#'; ")


def test_what_others_have_on_the_same_broker_is_theirs() -> None:
    theirs = Blueprint(
        exchanges=(ExchangeSpec(name="theirs", type="topic"),),
        queues=(QueueSpec(name="theirs"),),
        bindings=(
            BindingSpec(source="chat", destination="theirs", key="chat.process"),
            BindingSpec(source="theirs", destination="chat.process", key="*.chat.process"),
        ),
        policies=(PolicySpec(name="theirs", pattern="^theirs", definition={"max-length": 1}),),
    )
    assert plan(WANTED, WANTED.merged(theirs), Scope(prefixes=("chat.hold.",))) == []


@pytest.mark.parametrize(
    ("default", "found"), [("classic", []), ("quorum", [("replace queue", "chat.process"), ("replace queue", "dlq")])]
)
def test_a_queue_that_says_no_type_has_that_of_its_virtual_host(default: str, found: list[tuple[str, str]]) -> None:
    live = replace(WANTED, queues=tuple(replace(each, type="classic") for each in WANTED.queues))
    assert told(plan(WANTED, live, Scope(default_type=default))) == found


def test_exchanges_that_the_broker_makes_itself_are_there() -> None:
    wanted = Blueprint(
        exchanges=(ExchangeSpec(name="amq.topic", type="topic"),),
        queues=(QueueSpec(name="q"),),
        bindings=(BindingSpec(source="amq.topic", destination="q", key="a"),),
    )
    live = replace(wanted, exchanges=(), bindings=(BindingSpec(source="amq.topic", destination="q", key="b"),))
    assert told(plan(wanted, live)) == [("bind", "amq.topic → q"), ("unbind", "amq.topic → q")]


def test_what_this_app_has_left_is_found_by_name_and_by_its_dead_letters() -> None:
    left = Blueprint(
        queues=(
            QueueSpec(name="shop.hold.v0.100"),
            QueueSpec(name="shop.hold.v1.100"),
            QueueSpec(name="mails", arguments={"x-dead-letter-exchange": "shop.dead.v1"}),
        ),
        policies=(PolicySpec(name="shop.hold.old", pattern="."),),
    )
    scope = Scope(
        prefixes=("shop.hold.",), passing=(r"shop\.hold\.v1\.\d+",), graves=frozenset(("shop.dead.v1",)),
        crowds={"mails": Crowd(messages=3, consumers=1), "shop.hold.v0.100": Crowd(messages=0, consumers=0)},
    )  # fmt: skip
    found = plan(WANTED, WANTED.merged(left), scope)
    assert told(found) == [("orphan", "mails"), ("orphan", "shop.hold.v0.100"), ("orphan", "shop.hold.old")]
    assert [each.is_safe for each in found] == [False, True, True]
    assert "3 messages" in str(found[0].risks[0])


@pytest.mark.parametrize(("others", "left"), [(0, ["taskiq.dead_letter"]), (1, [])])
def test_a_queue_that_got_only_our_dead_letters_is_left_over(others: int, left: list[str]) -> None:
    straight = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "taskiq.dead_letter"}
    live = replace(
        WANTED,
        queues=(
            WANTED.queues[1],
            replace(PROCESS, arguments=straight),
            QueueSpec(name="taskiq.dead_letter"),
            *[QueueSpec(name="theirs", arguments=straight)] * others,
        ),
    )
    found = plan(WANTED, live)
    assert [each.name for each in found if each.change == "orphan"] == left
    kept = replace(WANTED, queues=live.queues[:2])
    assert plan(kept, live) == []


@pytest.mark.parametrize(("others", "left"), [(0, ["taskiq.dead_letter"]), (1, [])])
def test_what_a_library_made_for_all_its_queues_is_left_over_when_none_of_them_is_there(
    others: int, left: list[str]
) -> None:
    straight = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "taskiq.dead_letter"}
    theirs = [QueueSpec(name="theirs", arguments=straight)] * others
    # The queue that told so was replaced, and whoever did that died.
    live = replace(WANTED, queues=(*WANTED.queues, QueueSpec(name="taskiq.dead_letter"), *theirs))
    assert [each.name for each in plan(WANTED, live)] == left


def test_an_exchange_that_others_rely_on_is_made_first() -> None:
    wanted = Blueprint(
        exchanges=(
            ExchangeSpec(name="a", type="topic", arguments={"alternate-exchange": "z"}),
            ExchangeSpec(name="z", type="fanout"),
        )
    )
    assert told(plan(wanted, Blueprint())) == [("create", "z"), ("create", "a")]


def test_what_stands_in_for_something_that_is_not_wanted_any_more_is_left_over() -> None:
    """Nobody would ever finish that replacement, and what is in it would stay there for ever."""
    ours = {"x-dead-letter-exchange": "shop.dead.v1"}
    live = Blueprint(
        exchanges=(ExchangeSpec(name="shop.work.v0.swap.v1", type="direct"),),
        queues=(
            QueueSpec(name="gone.swap.v1", type="quorum", arguments=ours),
            QueueSpec(name="somebody.else.swap.v1", type="quorum"),
        ),
    )
    scope = Scope(
        prefixes=("shop.work.",), graves=frozenset(("shop.dead.v1",)), crowds={"gone.swap.v1": Crowd(messages=3)}
    )
    exchange, queue = plan(Blueprint(), live, scope)
    assert told([exchange, queue]) == [("orphan", "shop.work.v0.swap.v1"), ("orphan", "gone.swap.v1")]
    assert "3 messages" in str(queue.risks[0])


def test_a_queue_of_somebody_else_to_which_dead_letters_went_by_mistake_is_not_left_over() -> None:
    straight = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "orders"}
    wanted = Blueprint(queues=(QueueSpec(name="mail", type="classic"),))
    live = Blueprint(
        exchanges=(ExchangeSpec(name="theirs", type="direct"),),
        queues=(QueueSpec(name="mail", type="classic", arguments=straight), QueueSpec(name="orders", type="classic")),
        bindings=(BindingSpec(source="theirs", destination="orders", key="orders"),),
    )
    crowds = {"orders": Crowd(messages=0, consumers=0)}
    assert told(plan(wanted, live, Scope(crowds=crowds))) == [("replace queue", "mail")]
    unbound = replace(live, bindings=())
    assert told(plan(wanted, unbound, Scope(crowds=crowds))) == [("replace queue", "mail"), ("orphan", "orders")]
