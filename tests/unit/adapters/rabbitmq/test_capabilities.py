"""What the versions of RabbitMQ can do."""

from typing import Any

import pytest

from goatherd.adapters.rabbitmq.capabilities import capabilities, in_words

MEBIBYTE = 1024 * 1024


def told_by(version: str) -> dict[str, Any]:
    """How such a broker introduces itself."""
    return {"product": "RabbitMQ", "version": version, "capabilities": {"publisher_confirms": True}}


@pytest.mark.parametrize(
    ("version", "priorities", "timeout_by_queue", "delivery_limit", "mebibytes"),
    [
        ("3.10.8", 1, False, None, 128),
        ("3.11.28", 1, False, None, 128),
        ("3.12.0", 1, True, None, 128),
        ("3.13.7", 1, True, None, 128),
        ("4.0.1", 2, True, 20, 16),
        ("4.2.0", 2, True, 20, 16),
        ("4.3.0-rc.1", 32, True, 20, 16),
        ("5.0.0", 32, True, 20, 16),
    ],
)
def test_each_version_can_do_what_its_release_notes_say(
    version: str, priorities: int, timeout_by_queue: bool, delivery_limit: int | None, mebibytes: int
) -> None:
    found = capabilities(told_by(version))
    assert found.quorum_priorities == priorities
    assert found.consumer_timeout_by_queue == timeout_by_queue
    assert found.default_delivery_limit == delivery_limit
    assert found.largest_message == mebibytes * MEBIBYTE
    assert found.confirms
    assert found.supported


@pytest.mark.parametrize(("version", "parts"), [("3.10.8", (3, 10, 8)), ("4.1", (4, 1, 0)), ("4.2.0+1", (4, 2, 0))])
def test_a_version_is_a_tuple_that_can_be_compared(version: str, parts: tuple[int, ...]) -> None:
    assert capabilities(told_by(version)).version == parts


@pytest.mark.parametrize("server", [{}, {"version": ""}, {"version": None}, {"version": "unknown"}, {"version": 4}])
def test_of_an_unknown_broker_only_the_least_is_expected(server: dict[str, Any]) -> None:
    found = capabilities(server)
    assert (found.version, found.quorum_priorities, found.consumer_timeout_by_queue) == ((), 1, False)
    assert found.largest_message == 16 * MEBIBYTE
    assert not found.confirms
    assert found.supported


def test_a_broker_that_is_too_old_is_told_so() -> None:
    old = capabilities(told_by("3.8.9"))
    assert not old.supported
    assert "older than 3.10" in in_words(old)


def test_people_are_told_in_one_line() -> None:
    assert in_words(capabilities(told_by("4.3.1"))) == (
        "quorum queues with 32 priorities, delivery limit 1000 of our queues (default 20), "
        "consumer time-out set for each queue, messages up to 16 MiB"
    )
