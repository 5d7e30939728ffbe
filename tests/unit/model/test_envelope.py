import contextlib
import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from goatherd.model import envelope
from goatherd.model.envelope import Envelope, FromTheFuture, Unparsable, moment, timestamp

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
texts = st.text(st.characters(exclude_categories=["Cs"]))
moments = st.datetimes(timezones=st.just(UTC))


@given(
    task_id=texts,
    step=texts,
    attempt=st.integers(1, 2**63 - 1),
    trace_id=texts,
    created_at=st.none() | moments,
    deadline=st.just(msgspec.UNSET) | moments,
    arguments=st.dictionaries(texts, json_values, max_size=3),
)
def test_what_is_written_is_read_again(arguments: dict[str, Any], **members: Any) -> None:
    written = Envelope(payload=msgspec.Raw(json.dumps(arguments).encode()), **members)
    read = envelope.decode(envelope.encode(written))
    assert json.loads(bytes(read.payload)) == arguments
    assert {name: getattr(read, name) for name in members} == members


def test_an_envelope_looks_on_the_wire_as_the_contract_says() -> None:
    written = Envelope(
        task_id="0199", step="send_mail", trace_id="t", created_at=datetime(2026, 1, 31, 9, tzinfo=UTC),
        payload=msgspec.Raw(b'{"to":"a@b.c"}'),
    )  # fmt: skip
    assert json.loads(envelope.encode(written)) == {
        "v": 1,
        "task_id": "0199",
        "step": "send_mail",
        "attempt": 1,
        "trace_id": "t",
        "created_at": "2026-01-31T09:00:00Z",
        "payload": {"to": "a@b.c"},
    }


def test_a_foreign_envelope_needs_only_id_step_and_payload() -> None:
    read = envelope.decode(b'{"task_id": "7f3c", "step": "asr", "payload": {"audio_key": "a.wav"}}')
    assert (read.v, read.attempt, read.trace_id, read.created_at) == (1, 1, "", None)
    assert read.deadline is msgspec.UNSET


def test_a_foreign_envelope_may_have_members_that_are_unknown_here() -> None:
    read = envelope.decode(b'{"task_id": "7", "step": "asr", "speaker": {"id": 3}, "payload": {}, "deadline": null}')
    assert (read.task_id, read.deadline) == ("7", None)


@pytest.mark.parametrize("left_out", ["task_id", "step", "payload"])
def test_an_envelope_without_what_makes_a_job_is_unparsable(left_out: str) -> None:
    members = {"task_id": "7", "step": "asr", "payload": {}}
    del members[left_out]
    with pytest.raises(Unparsable, match=left_out):
        envelope.decode(json.dumps(members).encode())


@pytest.mark.parametrize(
    "body",
    [
        b'{"v": 2, "task_id": "7", "step": "asr", "payload": {}}',
        b'{"v": 2, "job": {"id": "7"}, "arguments": []}',
        b'{"v": 99, "task_id": 7}',
    ],
)
def test_a_newer_version_is_told_from_garbage(body: bytes) -> None:
    with pytest.raises(FromTheFuture, match="upgrade this worker"):
        envelope.decode(body)


@given(st.binary() | st.text().map(str.encode) | json_values.map(lambda value: json.dumps(value).encode()))
@example(b"[" * 100_000)
@example(b'{"task_id": "7", "step": "s", "payload": ' + b"[" * 100_000)
@example(b'{"v": ' + b"[" * 100_000)
@example(b'{"v": ' + b"9" * 5000 + b"}")
@example(b'{"task_id": "7", "step": "s", "attempt": 1e999, "payload": {}}')
@example(b'{"task_id": "7", "step": "s", "payload": {"name": "\xff"}}')
@example(b'{"task_id": "7", "step": "s", "payload": {}, "\xff": 1}')
@example(b'{"task_id": "\\ud800", "step": "s", "payload": {}}')
def test_garbage_is_called_garbage_and_raises_nothing_else(body: bytes) -> None:
    with pytest.raises((Unparsable, FromTheFuture)):
        envelope.decode(body)


@given(st.data())
def test_a_broken_envelope_raises_nothing_else_either(data: st.DataObject) -> None:
    members = data.draw(st.fixed_dictionaries({"task_id": json_values, "step": json_values, "payload": json_values}))
    members |= data.draw(st.dictionaries(st.sampled_from(["v", "attempt", "created_at", "deadline"]), json_values))
    body = bytearray(json.dumps(members).encode())
    for _ in range(data.draw(st.integers(0, 3))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(Unparsable, FromTheFuture):
        envelope.decode(bytes(body))


def test_other_members_stay_as_they_are_when_one_is_changed() -> None:
    body = b'{"task_id": "7", "speaker": {"id": 3.10}, "attempt": 1, "payload": {"a": 1}}'
    changed = envelope.with_members(body, {"attempt": 2})
    assert b'"speaker":{"id": 3.10}' in changed
    assert json.loads(changed) == {**json.loads(body), "attempt": 2}


@given(st.floats(allow_nan=False))
def test_every_time_can_be_written_even_one_beyond_the_calendar(when: float) -> None:
    assert moment(when).tzinfo is UTC


@given(st.datetimes() | st.datetimes(timezones=st.just(timezone(timedelta(hours=23, minutes=59)))))
def test_every_time_from_the_wire_can_be_counted(when: datetime) -> None:
    assert moment(timestamp(when)).tzinfo is UTC


def test_a_time_without_a_zone_is_taken_as_utc() -> None:
    assert timestamp(datetime(1970, 1, 1)) == 0  # noqa: DTZ001 - a stranger may leave the zone out
