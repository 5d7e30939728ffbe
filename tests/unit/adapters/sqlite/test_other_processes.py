"""Real processes on one file: killed, frozen, continued."""

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from goatherd.testing.suites.receiver import eventually, message, receiving
from goatherd.wiring import Ports
from tests.unit.adapters.sqlite.clients import QUEUE, client, holder


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder whose path has room for the name of a socket, as pytest's own have not."""
    with TemporaryDirectory() as name:
        yield Path(name)


async def test_a_killed_process_is_noticed_and_only_what_it_ran_has_a_death(short_path: Path) -> None:
    path = short_path / "jobs.db"
    async with client(path) as here, holder(path) as there:
        await here.broker.publish([message(QUEUE, b"run"), message(QUEUE, b"wait")])
        assert [await there.line(), await there.line()] == ["run 0", "wait 0"]
        received = await receiving(here, QUEUE)
        there.send(signal.SIGKILL)
        killed = time.monotonic()
        again = {delivery.message.body: delivery.deaths for delivery in await received.take(2)}
        assert again == {b"run": 1, b"wait": 0}
        # A second between two looks, and as much again for a slow machine.
        assert time.monotonic() - killed < 3


async def test_the_files_of_a_killed_process_are_cleared_away(short_path: Path) -> None:
    path = short_path / "jobs.db"
    async with client(path) as here:
        async with holder(path) as there:
            await here.broker.publish([message(QUEUE, b"run")])
            await there.line()
            assert sorted(file.suffix for file in (short_path / "jobs.db.d").iterdir()) == [".bell", ".run"]
        received = await receiving(here, QUEUE)
        here.broker.ack(await received.next())
    assert list((short_path / "jobs.db.d").iterdir()) == []


async def test_a_process_that_was_killed_while_all_were_away_is_noticed_by_the_next(short_path: Path) -> None:
    path = short_path / "jobs.db"
    async with client(path) as here:
        await here.broker.publish([message(QUEUE, b"run")])
    async with holder(path) as there:
        await there.line()
    async with client(path) as here:
        assert (await (await receiving(here, QUEUE)).next()).deaths == 1


async def test_a_frozen_process_loses_its_jobs_and_goes_on_under_a_new_id(short_path: Path) -> None:
    path = short_path / "jobs.db"
    async with client(path, lease=1) as here, holder(path, "1") as there:
        await here.broker.publish([message(QUEUE, b"run"), message(QUEUE, b"wait")])
        assert [await there.line(), await there.line()] == ["run 0", "wait 0"]
        received = await receiving(here, QUEUE)
        [before] = await workers_with_pid(here, there.pid, 1)
        there.send(signal.SIGSTOP)
        again = {delivery.message.body: delivery.deaths for delivery in await received.take(2)}
        assert again == {b"run": 1, b"wait": 0}
        await workers_with_pid(here, there.pid, 0)
        there.send(signal.SIGCONT)
        [after] = await workers_with_pid(here, there.pid, 1)
        assert after != before
        # What it still holds it has lost: nothing that was given to others comes to it again.
        for delivery in received.received:
            here.broker.ack(delivery)
        await here.close()


async def test_a_machine_that_slept_does_not_make_everybody_look_dead(short_path: Path) -> None:
    path = short_path / "jobs.db"
    async with holder(path, "2") as first, holder(path, "2") as second, client(path) as observer:
        await observer.broker.publish([message(QUEUE, b"run")] * 3)
        for there in (first, second):
            assert await there.line() == "run 0"
        before = [await workers_with_pid(observer, there.pid, 1) for there in (first, second)]
        # Both sleep for longer than the lease, as on a laptop with its lid closed, and wake together.
        for there in (first, second):
            there.send(signal.SIGSTOP)
        await asyncio.sleep(2.5)
        for there in (first, second):
            there.send(signal.SIGCONT)
        await heard_of_all_again(observer)
        # Each looks for the dead every half second; none may be found.
        await asyncio.sleep(0.7)
        assert before == [await workers_with_pid(observer, there.pid, 1) for there in (first, second)]


async def heard_of_all_again(ports: Ports) -> None:
    async def heard() -> bool | None:
        return all(worker.silent < 1 for worker in await ports.workers.workers()) or None

    await eventually(heard, "both workers to be heard again")


async def workers_with_pid(ports: Ports, pid: int, count: int) -> list[str]:
    async def found() -> list[str] | None:
        names = [worker.id for worker in await ports.workers.workers() if worker.pid == pid]
        return names if len(names) == count else None

    return await eventually(found, f"{count} workers with pid {pid}")


OPENER = """
import sys
from pathlib import Path
from goatherd.adapters.sqlite.database import Database

print("ready", flush=True)
sys.stdin.readline()
for number in range(150):
    database = Database(Path(sys.argv[1]) / f"{number}.db")
    database.open()
    database.close()
"""


def test_processes_that_make_and_leave_the_same_files_wait_for_each_other(tmp_path: Path) -> None:
    """The first makes the file, and the last tidies up: both lock the others out, and SQLite does not ask to wait."""
    command = [sys.executable, "-c", OPENER, str(tmp_path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    openers = [subprocess.Popen(command, **pipes) for _ in range(6)]  # type: ignore[call-overload]
    for opener in openers:
        opener.stdout.readline()
    for opener in openers:
        opener.stdin.write("go\n")
        opener.stdin.flush()
    assert [opener.communicate(timeout=50)[1] for opener in openers] == [""] * 6
