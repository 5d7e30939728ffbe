"""What is an app's own, and what only looks so."""

from dataclasses import replace

from goatherd.adapters.rabbitmq.scope import scope_of
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, QueueSpec
from goatherd.model.difference import Crowd
from goatherd.model.drift import plan
from goatherd.model.survey import Survey
from goatherd.model.topology import Queue


def test_what_the_app_left_is_found_and_what_comes_and_goes_is_not() -> None:
    wanted = Blueprint(
        exchanges=(ExchangeSpec(name="shop.work.v1", type="direct"),),
        queues=(QueueSpec(name="shop"), QueueSpec(name="contract")),
        bindings=(BindingSpec(source="shop.work.v1", destination="shop", key="shop"),),
    )
    live = Blueprint(
        exchanges=(
            *wanted.exchanges,
            ExchangeSpec(name="shop.due.v0", type="topic"),
            ExchangeSpec(name="shop.work.v0", type="direct"),
            ExchangeSpec(name="shop.window", type="topic"),
        ),
        bindings=wanted.bindings,
        queues=(
            *wanted.queues,
            QueueSpec(name="shop.reply.v1.host-1-abc"),
            QueueSpec(name="shop.hold.v1.5000"),
            QueueSpec(name="shop.hold.v0.5000"),
            QueueSpec(name="shop.paused.v1"),
            QueueSpec(name="shop.window"),
            QueueSpec(name="mails", arguments={"x-dead-letter-exchange": "shop.dead.v1"}),
            QueueSpec(name="theirs", arguments={"x-dead-letter-exchange": "workshop.dead.v1"}),
        ),
    )
    seen = Survey(blueprint=live, crowds={"mails": Crowd(messages=0, consumers=0)}, default_type="quorum")
    scope = scope_of("shop", [Queue(name="shop"), Queue(name="contract", contract=True)], seen)
    left = ["shop.due.v0", "shop.work.v0", "mails", "shop.hold.v0.5000"]
    assert [each.name for each in plan(wanted, live, scope)] == left
    assert scope.default_type == "quorum"
    transient = replace(live, queues=tuple(replace(each, durable=False) for each in wanted.queues))
    replaced = {each.name: each.is_safe for each in plan(wanted, transient, scope) if each.kind == "queue"}
    assert replaced == {"shop": True, "contract": False}


def test_where_others_answer_is_not_ours_alone() -> None:
    answers = Queue(name="shop.step-answers", open_to_others=True)
    scope = scope_of("shop", [Queue(name="mail"), answers], Survey(blueprint=Blueprint()))
    assert scope.ours_alone == {"mail", "shop.work.v1", "shop.dead.v1", "shop.hold.v1", "shop.due.v1"}


def test_one_that_is_taken_from_one_at_a_time_has_an_order() -> None:
    queues = [Queue(name="steps", contract=True, prefetch=1), Queue(name="mail", contract=True, prefetch=2)]
    many = Queue(name="match-eu", contract=True, one_of_many=True)
    scope = scope_of("shop", [*queues, many], Survey(blueprint=Blueprint()))
    assert (scope.ordered, scope.unguarded) == ({"steps"}, {"match-eu"})
