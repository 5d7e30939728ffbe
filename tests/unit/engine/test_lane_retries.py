"""The head of a lane that an operator lets be tried again."""

from typing import Any

from goatherd import Goatherd
from goatherd.engine.lane_retries import tried_anew
from goatherd.model.lane import packed, unpacked
from goatherd.model.message import DEATHS, FAILURES, LANE, Message

POST = "comments/post_id=7"


def test_a_job_that_was_given_up_is_tried_as_if_new() -> None:
    content = packed(_asked())
    fresh = unpacked(_read(tried_anew(content, _format_of(), given_up=True)))
    assert dict(fresh.headers) == {LANE: POST}
    assert (fresh.expires, fresh.reply_to, fresh.correlation_id) == (None, "", "")
    assert b"deadline" not in fresh.body
    assert b'"attempt":1' in fresh.body


def test_a_job_that_only_waits_is_still_wanted_by_its_caller() -> None:
    fresh = unpacked(_read(tried_anew(packed(_asked()), _format_of(), given_up=False)))
    assert dict(fresh.headers) == {LANE: POST}
    assert (fresh.expires, fresh.reply_to, fresh.correlation_id) == (9e9, "caller", "c")
    assert b"deadline" in fresh.body
    assert b'"attempt":1' in fresh.body


def test_a_job_that_cannot_be_read_is_left_as_it_is() -> None:
    assert tried_anew(b"\xc1", _format_of(), given_up=True) is None
    garbage = packed(Message(id="m", queue="comments", body=b"garbage", headers={LANE: POST}))
    for given_up in (True, False):
        assert unpacked(_read(tried_anew(garbage, _format_of(), given_up=given_up))).body == b"garbage"


def _asked() -> Message:
    body = b'{"task_id":"7","step":"comment","attempt":4,"deadline":"2250-01-01T00:00:00Z","payload":{}}'
    headers: dict[str, str | int] = {FAILURES: 3, DEATHS: 1, LANE: POST}
    return Message(
        id="7", queue="comments", body=body, headers=headers, expires=9e9, reply_to="caller", correlation_id="c"
    )


def _read(content: bytes | None) -> bytes:
    assert content is not None
    return content


def _format_of() -> Any:
    return Goatherd("shop").format_of
