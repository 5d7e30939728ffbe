"""What watchers are called with, whoever speaks on their channel."""

import pytest

from goatherd.adapters.redis.messages import entries_in
from goatherd.model.event import Position


def test_one_line_is_one_event() -> None:
    first, second = entries_in(b'a1-7 token {"text": "x y"}\na1-8 done {}')
    assert (first.position, first.kind, first.body) == (Position("a1", 7), "token", b'{"text": "x y"}')
    assert (second.position, second.kind, second.body) == (Position("a1", 8), "done", b"{}")


@pytest.mark.parametrize("message", [b"", b"hello", b"\xff\xfe x y", b"a1-x token {}", b"a1-7 token {}\n", b"{}"])
def test_a_strangers_message_says_only_that_something_happened(message: bytes) -> None:
    assert entries_in(message) == []
