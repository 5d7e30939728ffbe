"""The arguments of queues, and what a broker's refusal means."""

import pytest

from goatherd.adapters.rabbitmq.failures import ChannelClosed
from goatherd.adapters.rabbitmq.names import Names
from goatherd.adapters.rabbitmq.topology import mismatch_in, queue_arguments
from goatherd.model.stand_in import pause_mark_of, stand_in_of
from goatherd.model.topology import LONGEST_NAME, Queue

NAMES = Names("shop")


def test_a_contract_names_all_its_arguments() -> None:
    contract = Queue(name="orders", contract=True, ttl=1.5, max_length=3, arguments={"x-max-priority": 5})
    assert queue_arguments(contract, NAMES, "quorum") == {
        "x-message-ttl": 1500,
        "x-max-length": 3,
        "x-max-priority": 5,
    }
    assert queue_arguments(Queue(name="orders", contract=True), NAMES, "quorum") == {}


def test_our_own_queues_always_keep_what_dies() -> None:
    for kind in ("quorum", "classic"):
        arguments = queue_arguments(Queue(name="mail"), NAMES, kind)
        assert arguments["x-dead-letter-exchange"] == "shop.dead.v1"
    assert "x-queue-type" not in queue_arguments(Queue(name="mail"), NAMES, "classic")


def refusal(argument: str, what: str, wanted: str, found: str) -> str:
    """As the broker writes it."""
    told = f"inequivalent arg '{argument}' for {what} in vhost 'x y': received {wanted} but current is {found}"
    return f"PRECONDITION_FAILED - {told}"


def number(value: int) -> str:
    return f"the value '{value}' of type 'signedint'"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            refusal("x-message-ttl", "queue 'orders'", number(300_000), number(60_000)),
            ("queue", "orders", "ttl (x-message-ttl)", 300.0, 60.0),
        ),
        (
            refusal("x-message-ttl", "queue 'orders'", "none", number(60_000)),
            ("queue", "orders", "ttl (x-message-ttl)", None, 60.0),
        ),
        (refusal("durable", "queue 'a b'", "'true'", "'false'"), ("queue", "a b", "durable", "true", "false")),
        (refusal("type", "exchange 'sales'", "'topic'", "'direct'"), ("exchange", "sales", "type", "topic", "direct")),
        (refusal("x-max-length", "queue 'q'", number(3), "none"), ("queue", "q", "x-max-length", 3, None)),
    ],
)
def test_a_difference_is_named_with_both_values(text: str, expected: tuple[object, ...]) -> None:
    told = mismatch_in(ChannelClosed(406, text))
    assert told is not None
    assert (told.kind, told.name, told.argument, told.wanted, told.found) == expected


def test_other_refusals_are_no_difference() -> None:
    assert mismatch_in(ChannelClosed(403, "ACCESS_REFUSED - access to queue 'orders' refused")) is None


def test_every_name_that_we_make_fits() -> None:
    longest = Names("a" * LONGEST_NAME)
    made = [longest.hold_queue(32_000_000_000), longest.dead_queue]
    made += [pause_mark_of("q" * LONGEST_NAME), stand_in_of("q" * LONGEST_NAME)]
    made.append(f"{32_000_000_000}.{'q' * LONGEST_NAME}")
    assert max(len(name) for name in made) <= 255
