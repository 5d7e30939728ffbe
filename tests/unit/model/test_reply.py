"""The answer to a call on the wire: what was written is read, and nothing that a stranger writes can hang or escape."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from inspect import signature as python_signature
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goatherd.errors import JobFailed
from goatherd.model import reply
from goatherd.model.signature import Signature

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)  # fmt: skip
texts = st.text(st.characters(exclude_categories=["Cs"]))


@dataclass
class Picky:
    """Its own code fails in a way of its own."""

    number: int

    def __post_init__(self) -> None:
        if self.number < 0:
            raise KeyError("picky")


def returning(kind: Any) -> Signature:
    def task() -> None: ...

    return Signature("ask", list(python_signature(task).parameters.values()), {}, kind)


ANYTHING, NUMBER = returning(Any), returning(int)


@given(values)
def test_a_result_comes_back_whole(value: Any) -> None:
    body = reply.of_result("j", ANYTHING.encode_result(value))
    assert reply.read("j", body, ANYTHING, bare=False) == value
    assert reply.read("j", ANYTHING.encode_result(value), ANYTHING, bare=True) == value


@given(values)
def test_an_answer_is_an_object_that_any_program_can_read(value: Any) -> None:
    assert json.loads(reply.of_result("j 🐐", ANYTHING.encode_result(value))) == {
        "v": 1, "task_id": "j 🐐", "result": value,
    }  # fmt: skip


@given(texts, texts, texts)
def test_a_failure_comes_back_whole(error_type: str, message: str, traceback: str) -> None:
    body = reply.of_failure("j", error_type, message, traceback)
    assert json.loads(body) == {
        "v": 1, "task_id": "j", "error": {"type": error_type, "message": message, "traceback": traceback},
    }  # fmt: skip
    with pytest.raises(JobFailed) as caught:
        reply.read("the one asked for", body, ANYTHING, bare=False)
    error = caught.value
    assert (error.error_type, error.message, error.traceback) == (error_type, message, traceback)
    assert error.job_id == "the one asked for"


@given(st.binary() | values.map(lambda value: json.dumps(value).encode()), st.booleans())
def test_nothing_but_a_result_or_a_failure_comes_out(body: bytes, bare: bool) -> None:
    # Whatever else it raises escapes and fails the test.
    with suppress(JobFailed):
        assert isinstance(reply.read("j", body, NUMBER, bare=bare), int)


@pytest.mark.parametrize(
    "body",
    [
        '{"result": 7}',
        '{"task_id": "j", "result": 7, "error": null}',
        '{"v": 1, "result": 7, "more": [1, {"a": null}]}',
    ],
)
def test_a_stranger_may_leave_out_what_is_not_needed_and_add_what_we_do_not_know(body: str) -> None:
    assert reply.read("j", body.encode(), NUMBER, bare=False) == 7


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'{"v": 1, "task_id": "j"}', "neither a result nor an error"),
        (b'{"v": 2, "task_id": "j", "result": 7}', "version 2, but this program reads up to 1"),
        (b'{"result": "7"}', "Expected `int`, got `str`"),
        (b'{"error": "no"}', "Expected `object"),
        (b'{"error": {"type": "ValueError"}}', "missing required field `message`"),
        (b"", "truncated"),
        (b"\xff\xfe", "malformed"),
        (b"[" * 100_000, ""),
    ],
)
def test_an_answer_that_cannot_be_read_says_why(body: bytes, why: str) -> None:
    with pytest.raises(JobFailed) as caught:
        reply.read("j", body, NUMBER, bare=False)
    assert caught.value.error_type == "InvalidReply"
    assert "the answer is not what 'ask' returns" in caught.value.message
    assert why in caught.value.message


@pytest.mark.parametrize("write", [lambda body: body, lambda body: reply.of_result("j", body)])
def test_a_type_that_fails_in_its_own_way_is_a_failure_of_the_answer(write: Callable[[bytes], bytes]) -> None:
    picky, body = returning(Picky), write(b'{"number": -1}')
    with pytest.raises(JobFailed, match="picky") as caught:
        reply.read("j", body, picky, bare=not body.startswith(b'{"v"'))
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), [1.0, float("-inf")], {"a": {"b": float("nan")}}])
def test_a_number_that_json_has_not_is_not_written_as_null(odd: Any) -> None:
    with pytest.raises(ValueError, match="NaN and infinite numbers"):
        ANYTHING.encode_result(odd)
