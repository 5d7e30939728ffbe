import contextlib
import json
import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goatherd.model.envelope import FromTheFuture, Unparsable
from goatherd.model.formats import FORMATS, Format, Stamp
from goatherd.model.message import DEATHS, FAILURES, REFUSALS, count_of
from tests.unit.model.samples import NOW, delivery

NATIVE, PLAIN, TASKIQ = FORMATS["native"], FORMATS["plain"], FORMATS["taskiq"]
STAMP = Stamp(job_id="j1", task="send_mail", trace_id="t1", created=NOW, deadline=NOW + 30)

every_format = pytest.mark.parametrize("layout", FORMATS.values(), ids=FORMATS)


@every_format
def test_a_worker_reads_what_a_sender_wrote(layout: Format) -> None:
    body, headers = layout.encode(STAMP, b'{"to":"a@b.c"}')
    work = layout.decode(delivery(body, headers=headers, id="j1", expires=NOW + 30))
    assert (work.job_id, work.attempt, work.created, work.deadline) == ("j1", 1, NOW, NOW + 30)
    assert bytes(work.payload) == b'{"to":"a@b.c"}'
    assert work.task == (None if layout.name == "plain" else "send_mail")


@every_format
@given(body=st.binary())
def test_garbage_is_unparsable_and_nothing_worse(layout: Format, body: bytes) -> None:
    with contextlib.suppress(Unparsable, FromTheFuture):
        layout.decode(delivery(body))


@every_format
def test_nesting_without_end_and_broken_text_are_unparsable(layout: Format) -> None:
    for body in (b"[" * 100_000, b'{"args": ' + b"[" * 100_000, b'{"kwargs": {"a": "\xff"}, "task_name": "t"}', b""):
        with pytest.raises(Unparsable):
            layout.decode(delivery(body))


@every_format
@given(told=st.integers() | st.floats() | st.text())
def test_a_header_that_is_no_count_harms_nothing(layout: Format, told: float | str) -> None:
    body, headers = layout.encode(STAMP, b"{}")
    work = layout.decode(delivery(body, headers={**headers, FAILURES: told}))
    assert 0 <= work.failures <= 1_000_000


@every_format
def test_a_count_travels_with_the_message(layout: Format) -> None:
    body, headers = layout.encode(STAMP, b"{}")
    assert layout.decode(delivery(body, headers={**headers, FAILURES: 2})).attempt == 3


def test_counts_of_all_kinds_are_read_alike() -> None:
    headers = {DEATHS: 2, REFUSALS: math.inf, FAILURES: -4, "gh-other": "many"}
    assert [count_of(headers, name) for name in (DEATHS, REFUSALS, FAILURES, "gh-other", "gh-none")] == [
        2,
        1_000_000,
        0,
        0,
        0,
    ]


# --- native ----------------------------------------------------------------------------------------------------


def test_a_foreign_envelope_tells_its_attempt() -> None:
    body = b'{"task_id": "7", "step": "asr", "attempt": 3, "trace_id": "t", "payload": {}}'
    work = NATIVE.decode(delivery(body))
    assert (work.job_id, work.task, work.attempt, work.trace_id) == ("7", "asr", 3, "t")


@pytest.mark.parametrize("attempt", ["0", "-5", "1" + "0" * 30])
def test_an_attempt_that_cannot_be_is_bounded(attempt: str) -> None:
    body = b'{"task_id": "7", "step": "asr", "attempt": %s, "payload": {}}' % attempt.encode()
    assert 1 <= NATIVE.decode(delivery(body)).attempt <= 1_000_001


def test_a_foreign_envelope_without_times_takes_them_from_the_broker() -> None:
    work = NATIVE.decode(delivery(b'{"task_id": "7", "step": "asr", "payload": {}}', expires=NOW + 5))
    assert (work.created, work.deadline, work.trace_id) == (NOW, NOW + 5, "7")


def test_a_foreign_envelope_with_an_empty_id_takes_the_message_id() -> None:
    assert NATIVE.decode(delivery(b'{"task_id": "", "step": "asr", "payload": {}}', id="m7")).job_id == "m7"


def test_the_next_attempt_is_told_and_all_else_is_kept() -> None:
    body = b'{"task_id": "7", "step": "asr", "speaker": 3, "payload": {"a": 1}}'
    following = NATIVE.for_attempt(body, 2)
    assert json.loads(following) == {**json.loads(body), "attempt": 2}


def test_a_job_afresh_is_a_first_attempt_without_its_deadline() -> None:
    body, _ = NATIVE.encode(STAMP, b'{"to":"a"}')
    afresh = json.loads(NATIVE.afresh(NATIVE.for_attempt(body, 4)))
    assert (afresh["attempt"], afresh["payload"], "deadline" in afresh) == (1, {"to": "a"}, False)
    assert json.loads(NATIVE.afresh(body, b'{"to":"b"}'))["payload"] == {"to": "b"}


@pytest.mark.parametrize("body", [b"nonsense", b'{"v": 2, "task_id": "7", "step": "s", "payload": {}}'])
def test_what_cannot_be_read_cannot_be_made_afresh(body: bytes) -> None:
    with pytest.raises((Unparsable, FromTheFuture)):
        NATIVE.afresh(body, b"{}")


# --- plain -----------------------------------------------------------------------------------------------------


def test_a_plain_body_is_the_arguments_and_nothing_else() -> None:
    assert PLAIN.encode(STAMP, b'{"user_input":"soup"}') == (b'{"user_input":"soup"}', {})


@pytest.mark.parametrize("body", [b"[1, 2]", b'"soup"', b"7", b"null"])
def test_a_plain_body_may_be_any_json(body: bytes) -> None:
    assert bytes(PLAIN.decode(delivery(body)).payload) == body


def test_a_plain_message_without_an_id_is_given_one() -> None:
    work = PLAIN.decode(delivery(b"{}", id=""))
    assert len(work.job_id) == 36
    assert work.trace_id == work.job_id


# --- taskiq ----------------------------------------------------------------------------------------------------


def test_a_taskiq_message_has_the_layout_of_its_own_formatter() -> None:
    body, headers = TASKIQ.encode(STAMP, b'{"message":"hi"}')
    assert json.loads(body) == {
        "task_id": "j1",
        "task_name": "send_mail",
        "labels": {},
        "labels_types": {},
        "args": [],
        "kwargs": {"message": "hi"},
    }
    assert headers == {"task_id": "j1", "task_name": "send_mail"}


def test_a_taskiq_message_may_have_arguments_by_position() -> None:
    body = b'{"task_id":"7","task_name":"chat.process","labels":{},"args":["s1",{"a":1}],"kwargs":{"model":"m"}}'
    work = TASKIQ.decode(delivery(body))
    assert [bytes(raw) for raw in work.positional] == [b'"s1"', b'{"a":1}']
    assert bytes(work.payload) == b'{"model":"m"}'


def test_a_taskiq_body_with_only_arguments_takes_the_rest_from_the_headers() -> None:
    headers = {"task_id": "7", "task_name": "chat.process"}
    work = TASKIQ.decode(delivery(b'{"args": [], "kwargs": {"job_id": "7"}}', headers=headers))
    assert (work.job_id, work.task) == ("7", "chat.process")


def test_the_body_wins_over_the_headers() -> None:
    body = b'{"task_id":"7","task_name":"chat.process","args":[],"kwargs":{}}'
    work = TASKIQ.decode(delivery(body, headers={"task_id": "8", "task_name": "other"}))
    assert (work.job_id, work.task) == ("7", "chat.process")


def test_a_taskiq_message_that_names_no_task_is_unparsable() -> None:
    with pytest.raises(Unparsable, match="neither its body nor its headers name a task"):
        TASKIQ.decode(delivery(b'{"args": [], "kwargs": {}}'))


def test_labels_of_a_taskiq_message_survive_other_arguments() -> None:
    body = b'{"task_id":"7","task_name":"t","labels":{"max_retries":5},"args":[1],"kwargs":{},"more":1}'
    changed = json.loads(TASKIQ.afresh(body, b'{"a":2}'))
    assert changed == {**json.loads(body), "args": [], "kwargs": {"a": 2}}
    assert TASKIQ.afresh(body) == body


def test_raw_arguments_are_not_decoded_before_their_task_is_known() -> None:
    work = TASKIQ.decode(delivery(b'{"task_name":"t","args":[],"kwargs":{"n": 1.10}}'))
    assert isinstance(work.payload, msgspec.Raw)
    assert bytes(work.payload) == b'{"n": 1.10}'
