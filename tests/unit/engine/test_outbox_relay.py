"""The relay goes on, whatever its peers do."""

import asyncio
import logging
from collections.abc import AsyncIterator, Collection, Sequence

import pytest

from goatherd.engine import outbox_relay
from goatherd.engine.outbox_relay import OutboxRelay
from goatherd.errors import SettingsError, Unavailable
from goatherd.model.message import LANE, Message
from goatherd.model.outbox import OutboxJob, OutboxRow
from goatherd.model.statement import Statement
from goatherd.ports.outbox import SendRows


def job(id: str, lane: str | None = None) -> OutboxJob:
    return OutboxJob(message=Message(id=id, queue="mail", body=b"", headers={LANE: lane} if lane else {}))


class HandOutbox:
    """Satisfies `Outbox`: what is in it, and how often it is away."""

    def __init__(self) -> None:
        self.rows: list[OutboxRow] = []
        self.away = 0
        self.looks = 0
        self.looked = asyncio.Event()

    def put(self, *jobs: OutboxJob) -> None:
        self.rows += [OutboxRow(place=len(self.rows) + n, job=each) for n, each in enumerate(jobs)]

    def statement(self, jobs: Sequence[OutboxJob]) -> Statement:
        return Statement("", ())

    async def look(self) -> tuple[bool, bool]:
        self.looks += 1
        self.looked.set()
        if self.away:
            self.away -= 1
            raise Unavailable("the database is away")
        return any(row.job.shard is None for row in self.rows), any(row.job.shard is not None for row in self.rows)

    async def relay(self, limit: int, send: SendRows) -> int:
        return await self._send([row for row in self.rows if row.job.shard is None][:limit], send)

    async def relay_lanes(self, limit: int, send: SendRows) -> int:
        return await self._send([row for row in self.rows if row.job.shard is not None][:limit], send)

    async def waiting(self) -> int:
        return len(self.rows)

    async def close(self) -> None: ...

    async def _send(self, rows: Sequence[OutboxRow], send: SendRows) -> int:
        sent = await send(rows) if rows else ()
        self.rows = [row for row in self.rows if row.place not in sent]
        return len(rows)


class HandPost:
    """In the place of `OutboxPost`."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.away = 0
        self.changed = asyncio.Event()

    async def send_loose(self, rows: Sequence[OutboxRow]) -> Collection[int]:
        if self.away:
            self.away -= 1
            raise Unavailable("the broker is away")
        self.sent += [row.job.message.id for row in rows]
        self.changed.set()
        return {row.place for row in rows}

    send_laned = send_loose

    async def until(self, *ids: str) -> None:
        async with asyncio.timeout(10):
            while not set(ids) <= set(self.sent):
                self.changed.clear()
                await self.changed.wait()


class Stage:
    def __init__(self) -> None:
        self.outbox, self.post = HandOutbox(), HandPost()
        self.opened = 0
        self.trouble: list[Exception] = []
        self.relay = OutboxRelay(self.open, self.post)  # type: ignore[arg-type]

    async def open(self) -> HandOutbox:
        self.opened += 1
        if self.trouble:
            raise self.trouble.pop(0)
        return self.outbox


@pytest.fixture
async def stage(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    monkeypatch.setattr(outbox_relay, "IDLE", 0.02)
    monkeypatch.setattr(outbox_relay, "AWAY", 0.05)
    stage = Stage()
    yield stage
    await stage.relay.close()
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "goatherd outbox relay"]


async def test_what_comes_is_sent_all_the_time(stage: Stage) -> None:
    stage.relay.stay()
    stage.outbox.put(job("a"), job("b", "mail/to=1"))
    await stage.post.until("a", "b")
    stage.outbox.put(job("c"))
    await stage.post.until("c")
    assert stage.post.sent == ["a", "b", "c"]


async def test_stores_that_are_away_are_tried_until_they_are_back(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    stage.trouble = [Unavailable("no connection"), Unavailable("no connection")]
    stage.outbox.away, stage.post.away = 2, 2
    stage.outbox.put(job("a"))
    with caplog.at_level(logging.INFO, "goatherd.outbox"):
        stage.relay.stay()
        await stage.post.until("a")
        async with asyncio.timeout(10):
            while "The outbox is emptied again" not in caplog.messages:
                stage.outbox.looked.clear()
                await stage.outbox.looked.wait()
    assert sum("cannot be emptied" in message for message in caplog.messages) == 1, "it is said once"


async def test_a_fault_of_ours_does_not_end_it(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    stage.trouble = [RuntimeError("oops")]
    stage.outbox.put(job("a"))
    stage.relay.stay()
    await stage.post.until("a")
    assert "this is a fault of Goatherd" in caplog.text


async def test_settings_that_are_wrong_end_it_with_a_word(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    stage.trouble = [SettingsError(["the schema is old"])]
    stage.relay.stay()
    async with asyncio.timeout(10):
        while [task for task in asyncio.all_tasks() if task.get_name() == "goatherd outbox relay"]:
            await asyncio.sleep(0)
    assert "not emptied by this process" in caplog.text
    assert "the schema is old" in caplog.text


async def test_one_who_has_written_looks_for_a_while(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox_relay, "WHILE", 0.2)
    await stage.relay.expect()
    stage.outbox.put(job("a"))
    await stage.post.until("a")
    async with asyncio.timeout(10):
        while [task for task in asyncio.all_tasks() if task.get_name() == "goatherd outbox relay"]:
            await asyncio.sleep(0.01)
    looks = stage.outbox.looks
    await stage.relay.expect()
    async with asyncio.timeout(10):
        while stage.outbox.looks == looks:
            stage.outbox.looked.clear()
            await stage.outbox.looked.wait()


async def test_what_was_just_committed_is_sent_when_the_app_is_closed(stage: Stage) -> None:
    await stage.relay.expect()
    stage.outbox.put(job("a"))
    await stage.relay.close()
    assert stage.post.sent == ["a"]


async def test_workers_are_called_after_the_commit(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox_relay, "RINGS", (0.01, 0.02))
    rung: list[Sequence[str]] = []
    twice = asyncio.Event()

    def ring(queues: Sequence[str]) -> None:
        rung.append(queues)
        if len(rung) == 2:
            twice.set()

    stage.relay.ring_soon(ring, ["mail"])
    async with asyncio.timeout(10):
        await twice.wait()
    stage.relay.ring_soon(ring, ["mail"])
    await stage.relay.close()
    assert rung == [["mail"], ["mail"]]
