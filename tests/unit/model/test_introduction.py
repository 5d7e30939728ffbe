"""What a job's first event tells of it: enough to find it by, and no secrets."""

import msgspec
import pytest

from goatherd.model.envelope import Envelope
from goatherd.model.envelope import encode as enveloped
from goatherd.model.event import Entry, Position, Queued, Started, encode
from goatherd.model.introduction import LARGEST_SHOWN, Introduction, introduced, introduced_by, shown_arguments
from goatherd.model.message import LANE, Message

HIDDEN = ("password", "token")


@pytest.mark.parametrize(
    ("payload", "shown"),
    [
        (b'{"to":"a","password":"x"}', b'{"to":"a","password":"***"}'),
        (b'{"who":{"token":{"a":1}},"n":[{"token":2}]}', b'{"who":{"token":"***"},"n":[{"token":"***"}]}'),
        (b"[1,2]", b"[1,2]"),
        (b"null", b"null"),
        (b"", b""),
        (b"{broken", b""),
        (b"\xff", b""),
        (b"[" * 5000, b""),
    ],
)
def test_arguments_are_shown_without_secrets(payload: bytes, shown: bytes) -> None:
    assert shown_arguments(payload, HIDDEN) == shown


def test_large_arguments_are_cut() -> None:
    long = {"text": "x" * 5000, "id": 7, "lines": list(range(2000)), "none": None, "password": "y" * 5000}
    shown = msgspec.json.decode(shown_arguments(msgspec.json.encode(long), HIDDEN))
    assert shown == {"text": "x" * 100 + "…", "id": 7, "lines": "…", "none": None, "password": "***"}
    many = {f"name_{n}": "x" * 90 for n in range(60)}
    assert msgspec.json.decode(shown_arguments(msgspec.json.encode(many), ())) == dict.fromkeys(many, "…")
    countless = {f"name_{n}": 1 for n in range(5000)}
    assert msgspec.json.decode(shown_arguments(msgspec.json.encode(countless), ())) == "…"
    assert shown_arguments(msgspec.json.encode(["x" * 5000]), ()) == '"…"'.encode()
    for told in (long, many, countless):
        assert len(shown_arguments(msgspec.json.encode(told), ())) <= LARGEST_SHOWN


def test_an_event_without_it_is_written_as_ever() -> None:
    assert encode(Queued(attempt=0, at=1.5)) == b'{"kind":"queued","attempt":0,"at":1.5}'
    assert encode(Started(attempt=1, at=1.5, worker="w")) == b'{"kind":"started","attempt":1,"at":1.5,"worker":"w"}'


def test_an_event_with_it_is_read_again() -> None:
    it = introduced(Introduction(task="mail", queue="slow", key="k", what="tick"), b'{"token":"x"}', HIDDEN)
    body = encode(Queued(attempt=0, at=1.0, **it.members()))
    read = Entry(position=Position("aa", 1), kind="queued", body=body).event()
    assert isinstance(read, Queued)
    assert (read.task, read.queue, read.key, read.what) == ("mail", "slow", "k", "tick")
    assert bytes(read.arguments) == b'{"token":"***"}'


def test_a_message_tells_of_the_job_in_it() -> None:
    body = enveloped(Envelope(task_id="j", step="mail", payload=msgspec.Raw(b'{"to":"a","token":"x"}')))
    told = introduced_by(Message(id="j", queue="slow", body=body, task="mail", headers={LANE: "k"}), HIDDEN)
    assert (told["task"], told["queue"], told["key"], told["what"]) == ("mail", "slow", "k", "job")
    assert bytes(told["arguments"]) == b'{"to":"a","token":"***"}'
    plain = introduced_by(Message(id="j", queue="slow", body=b'{"to":"a"}', task="mail"), HIDDEN)
    assert bytes(plain["arguments"]) == b'{"to":"a"}'
    run = introduced_by(Message(id="r", queue="", body=b'{"url":1}', task="dub"), HIDDEN)
    assert (run["task"], run["what"], bytes(run["arguments"])) == ("dub", "run", b'{"url":1}')
