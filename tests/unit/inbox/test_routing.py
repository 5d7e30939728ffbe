"""Which handler a command goes to, and with what."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from goatherd import Goatherd, Inbox, Retry
from goatherd.errors import DefinitionError
from goatherd.inbox import UNHANDLED
from goatherd.model.command import Command, job_id_of

URL = "firebase+https://db.firebaseio.com/commands/prod?auth=s3cret"


@pytest.fixture
def app(tmp_path: Path) -> Goatherd:
    return Goatherd("arcade", broker_url=f"sqlite:///{tmp_path}/jobs.db")


@pytest.fixture
def inbox(app: Goatherd) -> Inbox:
    made = app.inbox(URL, route="type")

    @made.on("start", retry=Retry(2), timeout=5)
    async def start(user: str, data: dict[str, int], speed: int = 1) -> None: ...

    @made.on("log")
    def note(type: str, command: str = "") -> None: ...

    return made


def given(inbox: Inbox, body: bytes) -> tuple[str, Any]:
    job = inbox.job_of(Command(key="k", body=body))
    assert (job.id == job_id_of(inbox.name, "k")) == (job.definition.name != UNHANDLED)
    return job.definition.name, msgspec.json.decode(job.payload)


def test_a_handler_gets_what_it_names(inbox: Inbox) -> None:
    body = b'{"type": "start", "user": "ann", "data": {"a": 1.50}, "other": null}'
    assert given(inbox, body) == ("start", {"user": "ann", "data": {"a": 1.5}})
    assert given(inbox, b'{"type": "log"}') == ("note", {"type": "log"})


def test_members_go_on_as_they_were_written(inbox: Inbox) -> None:
    job = inbox.job_of(Command(key="k", body=b'{"type": "start", "user": 123456789012345678901234567890.10}'))
    assert job.payload == b'{"user":123456789012345678901234567890.10}'


def test_the_options_of_a_handler(app: Goatherd, inbox: Inbox) -> None:
    definition = app.tasks["start"].definition
    assert (definition.retry.retries, definition.timeout) == (2, 5.0)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'{"type": "stop"}', "no handler for commands of type 'stop'; there are handlers for 'log', 'start'"),
        (b'{"user": "ann"}', "its member 'type' is no text but None"),
        (b'{"type": 7}', "its member 'type' is no text but 7"),
        (b'{"type": ["start"]}', "its member 'type' is no text but ['start']"),
        (b'"start"', "the command is no JSON object"),
        (b"[]", "the command is no JSON object"),
        (b'{"type": ', "the command is no JSON: Input data was truncated"),
        (b'{"type": "\xff"}', "the command is no JSON: 'utf-8'"),
        (b"", "the command is no JSON: Input data was truncated"),
        (b"[" * 100_000, "the command is no JSON"),
    ],
)
def test_what_no_handler_takes_is_shown_with_the_reason(inbox: Inbox, body: bytes, why: str) -> None:
    name, payload = given(inbox, body)
    assert name == UNHANDLED
    assert payload["why"].startswith(why)
    assert (payload["inbox"], payload["key"]) == (inbox.name, "k")
    assert "s3cret" not in str(payload)
    try:
        assert payload["command"] == msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        assert payload["command"] == body.decode(errors="backslashreplace")


def test_the_rest_goes_to_the_handler_of_any_type(inbox: Inbox) -> None:
    @inbox.on()
    async def rest(command: dict[str, Any], /) -> None: ...

    assert given(inbox, b'{"type": "stop", "a": 1}') == ("rest", {"command": {"type": "stop", "a": 1}})
    assert given(inbox, b'{"type": 7}') == ("rest", {"command": {"type": 7}})
    assert given(inbox, b'{"type": "log"}') == ("note", {"type": "log"})
    assert given(inbox, b"7")[0] == UNHANDLED


def test_without_a_route_all_go_to_one_handler(app: Goatherd) -> None:
    inbox = app.inbox(URL)
    assert given(inbox, b'{"a": 1}')[1]["why"].startswith("no handler takes commands of any type")

    @inbox.on()
    async def all_of_them(a: int) -> None: ...

    assert given(inbox, b'{"a": 1, "b": 2}') == ("all_of_them", {"a": 1})
    with pytest.raises(DefinitionError, match="no route= that says"):
        inbox.on("start")


def test_a_function_says_the_type(app: Goatherd) -> None:
    def kind(command: Mapping[str, Any]) -> str:
        told: str = command["header"]["kind"]
        return told

    inbox = app.inbox(URL, route=kind)

    @inbox.on("go")
    async def go(n: int) -> None: ...

    assert given(inbox, b'{"header": {"kind": "go"}, "n": 1}') == ("go", {"n": 1})
    assert given(inbox, b'{"n": 1}')[1]["why"] == "the inbox's route raised KeyError: 'header'"
    assert given(inbox, b'{"header": {"kind": 1}}')[1]["why"].startswith("the inbox's route is no text but 1")


def test_mistakes_of_the_program(app: Goatherd, inbox: Inbox) -> None:
    with pytest.raises(DefinitionError, match="type 'start' have two handlers: 'start' and 'again'"):

        @inbox.on("start")
        async def again() -> None: ...

    with pytest.raises(DefinitionError, match="has two inboxes on firebase"):
        app.inbox(URL.replace("s3cret", "other"))
    with pytest.raises(DefinitionError, match="has no handler"):
        app.inbox("redis://localhost/0?list=a").check()
    with pytest.raises(DefinitionError, match="route=7"):
        app.inbox("redis://localhost/0?list=b", route=7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("https://db/c?auth=s3cret", "begins with https://"),
        ("me:s3cret@db", "is no URL"),
        ("firebase+https://[s3cret", "cannot be read"),
    ],
)
def test_addresses_that_are_none_are_told_without_secrets(app: Goatherd, url: str, told: str) -> None:
    with pytest.raises(DefinitionError, match=told) as raised:
        app.inbox(url)
    assert "s3cret" not in str(raised.value)


def test_no_secret_is_shown(app: Goatherd) -> None:
    for url, shown in (
        (URL, "firebase+https://db.firebaseio.com/commands/prod"),
        ("redis://me:s3cret@host:1/0?list=c&sentinel_password=s3cret", "redis://host:1/0?list=c"),
        ("firebase+http://127.0.0.1:9000/c/?ns=games&auth=s3cret", "firebase+http://127.0.0.1:9000/c?ns=games"),
    ):
        assert app.inbox(url).name == shown
    assert "s3cret" not in repr(app.inboxes)
