"""What a job is, and its arguments, are for the history: no browser and no program that watches it is told."""

import msgspec
import pytest

from goatherd import Goatherd
from goatherd.events import seen
from goatherd.model.event import Entry, Event, Position, Queued, Started, encode
from goatherd.model.ids import new_id
from goatherd.ports.events import Events
from goatherd.testing.suites.event_store import Author, by_platform, done
from goatherd.web.ai_sdk import AiSdk
from goatherd.web.native import Native
from goatherd.web.openai import OpenAi
from tests.unit.web.conftest import Visit

HIDDEN = ("hidden-argument", "hidden-task", "hidden-queue", "hidden-key")
TOLD = {
    "task": "hidden-task",
    "queue": "hidden-queue",
    "key": "hidden-key",
    "arguments": msgspec.Raw(b'{"x":"hidden-argument"}'),
    "what": "run",
}


def entry(event: Event, seq: int, kind: str) -> Entry:
    return Entry(position=Position("aa", seq), kind=kind, body=encode(event))  # type: ignore[arg-type]


@pytest.mark.parametrize("query", [{}, {"last_event_id": "earliest"}, {"format": "ai-sdk"}, {"format": "openai"}])
async def test_a_browser_is_not_told_the_arguments(
    visit: Visit, events: Events, job: str, query: dict[str, str]
) -> None:
    await by_platform(events, job, Queued(attempt=0, at=1.0, **TOLD))  # type: ignore[arg-type]
    author = Author(events, job)
    await author.start()
    await author.say("Hello")
    visitor = await visit(query).until(lambda visitor: b"Hello" in visitor.body)
    await author.write(done())
    await visitor.over()
    assert visitor.status == 200
    assert b"Hello" in visitor.body
    assert not [word for word in HIDDEN if word.encode() in visitor.body]


def test_frames_are_the_same_bytes_with_and_without_them() -> None:
    plain: list[Event] = [Queued(attempt=0, at=1.0), Started(attempt=1, at=2.0, worker="w")]
    told: list[Event] = [
        Queued(attempt=0, at=1.0, **TOLD),  # type: ignore[arg-type]
        Started(attempt=1, at=2.0, worker="w", **TOLD),  # type: ignore[arg-type]
    ]
    plain_log, told_log = (
        [entry(queued, 1, "queued"), entry(started, 2, "started")] for queued, started in (plain, told)
    )
    assert plain_log != told_log
    assert Native().entries(plain_log) == Native().entries(told_log) != []
    assert AiSdk("job").entries("a", plain_log) == AiSdk("job").entries("a", told_log)
    assert OpenAi("job", "m").entries("o+", plain_log) == OpenAi("job", "m").entries("o+", told_log)


def test_a_watching_program_sees_what_it_saw() -> None:
    for plain, told, kind in (
        (Queued(attempt=0, at=1.0), Queued(attempt=0, at=1.0, **TOLD), "queued"),  # type: ignore[arg-type]
        (
            Started(attempt=1, at=2.0, worker="w"),
            Started(attempt=1, at=2.0, worker="w", **TOLD),  # type: ignore[arg-type]
            "started",
        ),
    ):
        assert seen(entry(told, 1, kind)) == seen(entry(plain, 1, kind))


async def test_a_started_job_is_introduced_to_the_history_alone(app: Goatherd, events: Events) -> None:
    @app.task
    async def mail(to: str, token: str) -> None: ...

    id = new_id()
    async with app:
        run = await mail.options(id=id).start("hidden-argument", token="secret")
        async for event in run.events():
            assert "hidden-argument" not in repr(event)
            break
        reading = await events.read(id, Position("", 0))
    assert reading is not None
    first = reading.entries[0].event()
    assert isinstance(first, Queued)
    assert (first.task, first.queue) == ("mail", app.settings.default_queue)
    assert msgspec.json.decode(first.arguments) == {"to": "hidden-argument", "token": "***"}
