"""Whatever is in the dead-letter queue can be read as a dead letter."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goatherd.adapters.rabbitmq.graves import letter_headers, read_letter
from goatherd.adapters.rabbitmq.properties import Properties
from goatherd.model.dead_letter import Burial, StoredLetter

NOW = 1_800_000_000.0
DIED = datetime(2026, 1, 31, 9, tzinfo=UTC)


def read(headers: dict[str, Any], body: bytes = b"{}", key: str = "mail", **more: Any) -> StoredLetter:
    return read_letter(Properties(headers=headers, **more), body, key, NOW)


def death(queue: str, reason: str, **more: Any) -> dict[str, Any]:
    """What the broker notes, the latest death first."""
    return {"x-death": [{"queue": queue, "reason": reason, "time": DIED, "count": 1}, *more.get("before", [])]}


def test_our_own_letters_come_back_as_they_were_written() -> None:
    burial = Burial(reason="failed", error_type="KeyError", message="'x'", traceback="…", attempts=4, failed_at=NOW)
    headers = {"tenant": "north"} | letter_headers(burial, "mail", NOW - 60)
    letter = read(headers, b"bytes", message_id="job-7", type="send_mail")
    assert letter.burial == burial
    assert (letter.accepted, letter.original.queue, letter.original.body) == (NOW - 60, "mail", b"bytes")
    assert (letter.original.id, letter.original.task, dict(letter.original.headers)) == (
        "job-7",
        "send_mail",
        {"tenant": "north"},
    )
    assert letter.id == headers["gh-letter"]


@pytest.mark.parametrize(
    ("told", "reason", "text"),
    [
        ("expired", "expired", "time to live"),
        ("maxlen", "rejected", "full queue"),
        ("rejected", "rejected", "a consumer rejected it"),
        ("delivery_limit", "crashed", "delivered so often"),
        ("news of 5.x", "rejected", "news of 5.x"),
    ],
)
def test_the_broker_s_reasons_are_told_in_our_words(told: str, reason: str, text: str) -> None:
    letter = read(death("mail", told), key="whatever")
    assert (letter.burial.reason, letter.original.queue) == (reason, "mail")
    assert text in letter.burial.message
    assert letter.burial.failed_at == DIED.timestamp()


def test_a_delayed_message_whose_queue_is_gone_died_on_its_way() -> None:
    headers = death("shop.hold.v1.200", "expired") | {"gh-due": 1}
    letter = read(headers, key="200.mail.of.the.north")
    assert (letter.original.queue, letter.burial.error_type) == ("mail.of.the.north", "QueueDeleted")


def test_only_the_last_death_counts() -> None:
    held = {"queue": "shop.hold.v1.200", "reason": "expired", "time": DIED, "count": 1}
    letter = read(death("mail", "rejected", before=[held]) | {"gh-due": 1}, key="200.mail")
    assert (letter.original.queue, letter.burial.reason, letter.burial.error_type) == ("mail", "rejected", "Rejected")


def test_marks_of_death_are_not_sent_out_again() -> None:
    headers = death("mail", "expired") | {"x-first-death-queue": "mail", "x-last-death-reason": "expired", "own": 1}
    assert dict(read(headers).original.headers) == {"own": 1}


def test_a_letter_without_any_id_gets_the_same_one_each_time() -> None:
    one, same = read(death("mail", "expired"), b"one"), read(death("mail", "expired"), b"one")
    other = read(death("mail", "expired"), b"other")
    assert one.id == same.id != other.id
    assert one.id


@given(
    st.dictionaries(
        st.one_of(
            st.sampled_from(
                ("gh-letter", "gh-dead-queue", "gh-dead-reason", "gh-dead-at", "gh-dead-attempts", "gh-dead-accepted")
            ),
            st.sampled_from(("x-death", "gh-due", "gh-expires", "gh-failures")),
            st.text(max_size=10),
        ),
        st.recursive(
            st.one_of(st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.text(max_size=10), st.datetimes()),
            lambda inner: st.one_of(
                st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)
            ),
            max_leaves=6,
        ),
        max_size=8,
    ),
    st.binary(max_size=20),
    st.text(max_size=20),
)
def test_no_stranger_s_headers_can_hide_the_letters(headers: dict[str, Any], body: bytes, key: str) -> None:
    letter = read(headers, body, key)
    assert letter.original.body == body
    assert letter.id
