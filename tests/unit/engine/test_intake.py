"""How commands are taken in, with a source and records that do as they are told."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextvars import ContextVar
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from goatherd import Goatherd
from goatherd.engine import intake
from goatherd.engine.intake import Intake, Intent
from goatherd.errors import SettingsError, Unavailable
from goatherd.model.command import Command
from goatherd.model.job import AnyJob
from goatherd.ports.inbox import InboxRecords

PATIENCE = 20.0

#: Such as the span that is current.
request: ContextVar[str] = ContextVar("request", default="none")


class Source:
    """Gives what it is told to give; an exception is raised."""

    def __init__(self) -> None:
        self.next: asyncio.Queue[Any] = asyncio.Queue()
        self.asked: list[float] = []
        self.removed: list[str] = []
        self.refusals: list[Exception] = []
        self.closed = False

    def give(self, *keys: str, body: bytes = b"{}") -> None:
        self.next.put_nowait([Command(key=key, body=body) for key in keys])

    async def commands(self) -> AsyncGenerator[Sequence[Command], None]:
        self.asked.append(asyncio.get_running_loop().time())
        while True:
            told = await self.next.get()
            if isinstance(told, Exception):
                raise told
            if told is None:
                return
            yield told

    async def remove(self, keys: Sequence[str]) -> None:
        if self.refusals:
            raise self.refusals.pop(0)
        self.removed += keys

    async def close(self) -> None:
        self.closed = True


class Stage:
    """An intake on real records, which sends to a list."""

    def __init__(self, app: Goatherd, records: InboxRecords) -> None:
        self.source = Source()
        self.records = records
        self.sent: asyncio.Queue[str] = asyncio.Queue()
        self.outages = 0
        #: The key of a command that cannot be sent.
        self.poison = ""
        self._app = app
        #: What was said where the intake was started, as it is seen where it sends.
        self.heard: set[str] = set()
        intent = Intent(inbox="suite", job_of=self._job_of, send_many=self._send, hold=1.0, kept_for=60.0)
        self.intake = Intake(self.source, records, intent)

    def _job_of(self, command: Command) -> AnyJob:
        return self._app.tasks["note"].options(id=command.key).job(text=command.body.decode())

    async def _send(self, jobs: Sequence[AnyJob]) -> None:
        if self.outages:
            self.outages -= 1
            raise Unavailable("the broker is away")
        if self.poison in [job.id for job in jobs]:
            raise ValueError("it is too large")
        self.heard.add(request.get())
        for job in jobs:
            self.sent.put_nowait(job.id)

    async def next(self) -> str:
        return await asyncio.wait_for(self.sent.get(), PATIENCE)

    async def finished(self, *keys: str) -> None:
        """Return when all of them are sent and removed."""
        async with asyncio.timeout(PATIENCE):
            while True:
                known = await self.records.store("suite", [Command(key=key, body=b"{}") for key in keys], 1.0)
                if all(each.sent and each.removed for each in known):
                    return
                await asyncio.sleep(0.02)


@pytest.fixture
async def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    monkeypatch.setattr(intake, "TAKE_OVER_EVERY", 0.05)
    app = Goatherd("suite", broker_url=f"sqlite:///{tmp_path}/jobs.db")

    @app.task
    async def note(text: str) -> None: ...

    async with app:
        made = Stage(app, await app.session().recurring.inbox())
        made.intake.start()
        yield made
        await made.intake.stop()
        assert made.source.closed


async def test_more_than_a_batch(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "BATCH", 3)
    stage.source.give(*"abcdefgh")
    assert [await stage.next() for _ in range(8)] == list("abcdefgh")
    await stage.finished(*"abcdefgh")
    assert sorted(stage.source.removed) == list("abcdefgh")


async def test_commands_are_counted_by_how_far_they_came(stage: Stage) -> None:
    assert stage.intake.counts == {"stored": 0, "sent": 0, "removed": 0}
    stage.source.give(*"abc")
    stage.source.give(*"de")
    async with asyncio.timeout(PATIENCE):
        # On a slow machine one may be taken over and removed twice.
        while min(stage.intake.counts.values()) < 5:
            await asyncio.sleep(0.02)
    assert stage.intake.counts["stored"] == 5


async def test_one_that_is_given_again_is_not_sent_again(stage: Stage) -> None:
    stage.source.give("a")
    stage.source.give("a", "b")
    stage.source.give("b", "a")
    assert [await stage.next(), await stage.next()] == ["a", "b"]
    stage.source.give("c")
    assert await stage.next() == "c"


async def test_a_broker_that_is_away_is_waited_for(stage: Stage) -> None:
    stage.outages = 3
    stage.source.give("a")
    assert await stage.next() == "a"
    await stage.finished("a")


@pytest.mark.parametrize("refusal", [Unavailable("away"), SettingsError(["read only"])])
async def test_one_that_cannot_be_removed_is_sent_and_removed_later(stage: Stage, refusal: Exception) -> None:
    stage.source.refusals = [refusal, refusal]
    stage.source.give("a")
    assert await stage.next() == "a"
    await stage.finished("a")
    assert stage.source.removed == ["a"]
    assert stage.sent.empty()


async def test_a_source_that_is_lost_again_and_again_is_asked_less_and_less_often(stage: Stage) -> None:
    for loss in (Unavailable("away"), None, Unavailable("away")):
        stage.source.next.put_nowait(loss)
    stage.source.give("a")
    assert await stage.next() == "a"
    gaps = [later - earlier for earlier, later in pairwise(stage.source.asked)]
    assert len(gaps) == 3
    for gap, pause in zip(gaps, (0.2, 0.4, 0.8), strict=True):
        assert gap >= pause / 2


async def test_how_long_to_wait_is_said_by_the_source(stage: Stage) -> None:
    stage.source.next.put_nowait(Unavailable("busy", retry_after=1.5))
    stage.source.give("a")
    assert await stage.next() == "a"
    assert stage.source.asked[1] - stage.source.asked[0] >= 1.5


async def test_what_is_wrong_is_known_until_it_is_heard_again(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "REFUSED_PAUSE", 0.05)
    stage.source.next.put_nowait(SettingsError(["no entry"]))

    def standing() -> tuple[str | None, bool]:
        return stage.intake.trouble, stage.intake.refused

    async with asyncio.timeout(PATIENCE):
        while standing()[0] is None:
            await asyncio.sleep(0.01)
    assert standing()[1]
    stage.source.give("a")
    assert await stage.next() == "a"
    assert standing() == (None, False)


async def test_one_that_cannot_be_sent_at_all_keeps_no_other_back(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    stage.poison = "b"
    stage.source.give(*"abc")
    assert [await stage.next(), await stage.next()] == ["a", "c"]
    await stage.finished("a", "c")
    assert "The command b of suite cannot be sent; it is tried again" in caplog.text
    stage.source.give("d")
    assert await stage.next() == "d"
    stage.poison = ""
    assert await stage.next() == "b"


async def test_records_that_are_away_are_told_of_once(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tries = 0

    async def away(*_: object) -> None:
        nonlocal tries
        tries += 1
        raise Unavailable("The disk is full.")

    monkeypatch.setattr(stage.records, "take_over", away)
    async with asyncio.timeout(PATIENCE):
        while tries < 5:
            await asyncio.sleep(0.02)
    assert caplog.text.count("cannot be looked for now: The disk is full.") == 1


async def test_commands_have_nothing_to_do_with_what_was_going_on_when_listening_began(stage: Stage) -> None:
    await stage.intake.stop()
    told = request.set("the first")
    again = Stage(stage._app, stage.records)
    again.intake.start()
    request.reset(told)
    again.source.give("a")
    assert await again.next() == "a"
    await again.intake.stop()
    assert again.heard == {"none"}
