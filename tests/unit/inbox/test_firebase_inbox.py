"""Commands from a double of Firebase become jobs, or dead letters."""

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from examples.arcade.firebase_double import FirebaseDouble
from goatherd import Context, Goatherd, Inbox, Retry
from goatherd.engine import intake
from goatherd.engine.dead_letters import DeadLetterOffice
from goatherd.model.command import Command, job_id_of
from tests.interop.stage import Told, letters_of

PATH = "commands/prod"


@pytest.fixture
async def double() -> AsyncIterator[FirebaseDouble]:
    async with FirebaseDouble() as served:
        yield served


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "TAKE_OVER_EVERY", 0.1)


@pytest.fixture
def app(tmp_path: Path) -> Goatherd:
    return Goatherd("arcade", broker_url=f"sqlite:///{tmp_path}/jobs.db", retry=Retry(0), lease=1)


@pytest.fixture
def commands(app: Goatherd, double: FirebaseDouble) -> Inbox:
    return app.inbox(f"firebase+{double.url}/{PATH}", route="type")


@pytest.fixture
def told(commands: Inbox) -> Told:
    told = Told()

    @commands.on("start_machine")
    async def start_machine(ctx: Context, user_id: str, data: dict[str, int]) -> None:
        told((ctx.job_id, user_id))
        if not data:
            raise ValueError("no machine")

    return told


def start(user: str) -> dict[str, object]:
    return {"type": "start_machine", "user_id": user, "data": {"machine": 7}}


async def emptied(double: FirebaseDouble) -> None:
    async with asyncio.timeout(20):
        while double.get(PATH) is not None:
            await asyncio.sleep(0.01)


async def test_commands_are_done_and_gone(app: Goatherd, commands: Inbox, double: FirebaseDouble, told: Told) -> None:
    early = double.push(PATH, start("ann"))
    async with app.serve("worker", "scheduler"):
        assert await told.next() == (job_id_of(commands.name, early), "ann")
        late = double.push(PATH, start("bob"))
        assert await told.next() == (job_id_of(commands.name, late), "bob")
        await emptied(double)


async def test_what_cannot_be_done_is_a_dead_letter_and_in_nobodys_way(
    app: Goatherd, double: FirebaseDouble, told: Told
) -> None:
    letters = letters_of(app)
    double.put(
        PATH,
        {
            "a": {"type": "stop_machine", "user_id": "ann"},
            "b": "start_machine",
            "c": {"type": "start_machine", "user_id": 7, "data": {"x": 1}},
            "d": {"type": "start_machine", "data": {"x": 1}},
            "e": start("bob"),
        },
    )
    async with app.serve("worker", "scheduler"):
        assert (await told.next())[1] == "bob"
        found = [await letters.next() for _ in range(4)]
        await emptied(double)
    reasons = sorted((letter.task, letter.reason, letter.message) for letter in found)
    assert [(task, reason) for task, reason, _ in reasons] == [
        ("inbox.unhandled", "gave_up"),
        ("inbox.unhandled", "gave_up"),
        ("start_machine", "invalid"),
        ("start_machine", "invalid"),
    ]
    messages = " ".join(message for _, _, message in reasons)
    for part in ("no JSON object", "type 'stop_machine'", "user_id: Expected `str`", "user_id: missing"):
        assert part in messages


async def test_one_that_nobody_took_is_done_once_there_is_a_handler(
    app: Goatherd, commands: Inbox, double: FirebaseDouble, told: Told
) -> None:
    letters = letters_of(app)
    key = double.push(PATH, {"type": "stop_machine", "user_id": "ann"})
    async with app.serve("worker", "scheduler"):
        letter = await letters.next()

    @commands.on("stop_machine")
    async def stop_machine(ctx: Context, user_id: str) -> None:
        told((ctx.job_id, user_id, "stopped"))

    async with app.serve("worker"):
        office = DeadLetterOffice(app.session().ports.dead_letters, app.format_of)
        assert await office.replay_one(letter.id)
        assert await told.next() == (job_id_of(commands.name, key), "ann", "stopped")


async def test_a_removal_that_fails_is_tried_again_and_the_command_is_done_once(
    app: Goatherd, double: FirebaseDouble, told: Told, caplog: pytest.LogCaptureFixture
) -> None:
    double.mischief.concerns = lambda request: request.method in ("DELETE", "PATCH")
    double.mischief.refuse = 2
    double.push(PATH, start("ann"))
    async with app.serve("worker", "scheduler"):
        assert (await told.next())[1] == "ann"
        await emptied(double)
        double.push(PATH, start("bob"))
        assert (await told.next())[1] == "bob"
    assert "could not be removed" in caplog.text


async def test_what_a_dead_process_left_behind_is_done(
    app: Goatherd, commands: Inbox, double: FirebaseDouble, told: Told
) -> None:
    """It had stored and removed the command, and died before it sent the job."""
    async with app:
        records = await app.session().recurring.inbox()
        await records.store(
            commands.name,
            [Command(key="k", body=b'{"type": "start_machine", "user_id": "ann", "data": {"a": 1}}')],
            0.1,
        )
    async with app.serve("worker", "scheduler"):
        assert await told.next() == (job_id_of(commands.name, "k"), "ann")


async def test_two_processes_do_each_once(app: Goatherd, double: FirebaseDouble, told: Told, tmp_path: Path) -> None:
    twin = Goatherd("arcade", broker_url=f"sqlite:///{tmp_path}/jobs.db")
    inbox = twin.inbox(f"firebase+{double.url}/{PATH}", route="type")

    @inbox.on("start_machine")
    async def start_machine(ctx: Context, user_id: str, data: dict[str, int]) -> None: ...

    async with app.serve("worker", "scheduler"), twin.serve("scheduler"):
        names = [f"user {number}" for number in range(100)]
        for name in names:
            double.push(PATH, start(name))
        done = sorted([(await told.next())[1] for _ in names])
        assert done == sorted(names)
        await emptied(double)
        double.push(PATH, start("last"))
        assert (await told.next())[1] == "last"


async def test_two_commands_under_one_key_are_two_jobs(
    app: Goatherd, commands: Inbox, double: FirebaseDouble, told: Told
) -> None:
    async with app.serve("worker", "scheduler"):
        ids = []
        for user in ("ann", "bob"):
            double.put(f"{PATH}/fixed", start(user))
            id, done_for = await told.next()
            assert done_for == user
            ids.append(id)
            await emptied(double)
        assert ids[0] == job_id_of(commands.name, "fixed") != ids[1]


async def test_it_comes_back_after_every_loss(
    app: Goatherd, double: FirebaseDouble, told: Told, caplog: pytest.LogCaptureFixture
) -> None:
    async with app.serve("worker", "scheduler"):
        for fault in (double.cut, double.end_streams, double.revoke):
            double.push(PATH, start("before"))
            assert (await told.next())[1] == "before"
            fault()
            double.push(PATH, start("after"))
            assert (await told.next())[1] == "after"
    assert "was lost" in caplog.text


async def test_one_that_refuses_us_is_told_as_an_error_and_asked_again(
    app: Goatherd,
    commands: Inbox,
    double: FirebaseDouble,
    told: Told,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(intake, "REFUSED_PAUSE", 0.05)
    double.mischief.refuse, double.mischief.status = 1_000_000, 403
    double.push(PATH, start("ann"))
    async with app.serve("worker", "scheduler"):
        async with asyncio.timeout(20):
            while (health := await app.health()).ready:
                await asyncio.sleep(0.01)
        assert any(commands.name in reason and "answers 403" in reason for reason in health.reasons)
        double.mischief.refuse = 0
        assert (await told.next())[1] == "ann"
        assert (await app.health()).ready
    assert {record.levelno for record in caplog.records if "takes no commands" in record.message} == {logging.ERROR}
