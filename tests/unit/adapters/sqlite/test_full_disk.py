"""A disk that is full: nothing accepted is lost, and work goes on by itself when there is room again."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from goatherd.errors import Unavailable
from goatherd.testing.suites.receiver import Receiver, eventually, message, receiving
from goatherd.wiring import Ports
from tests.unit.adapters.sqlite.clients import QUEUE, client


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(tmp_path)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("a small disk can only be mounted by root")
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


def fill(disk: Path) -> None:
    with (disk / "filler").open("wb", buffering=0) as filler:
        for size in (65536, 4096, 1):
            try:
                while True:
                    filler.write(b"x" * size)
            except OSError:
                continue


def make_room(disk: Path) -> None:
    (disk / "filler").unlink()


async def publish_until_full(ports: Ports) -> tuple[int, Unavailable]:
    """How many more were accepted, and what the first that was not was told."""
    accepted = 0
    while True:
        sent = message(QUEUE, b"x" * 20_000)
        try:
            await ports.broker.publish([sent])
        except Unavailable as error:
            refused = error
            break
        accepted += 1
    assert refused.jobs == (sent.id,)
    return accepted, refused


async def test_a_publish_is_refused_and_what_was_accepted_is_safe(disk: Path) -> None:
    async with client(disk / "jobs.db") as ports:
        await ports.broker.publish([message(QUEUE)])
        fill(disk)
        accepted, error = await publish_until_full(ports)
        assert str(error).startswith(f"The disk that holds {disk}/jobs.db is full")
        make_room(disk)
        await ports.broker.publish([message(QUEUE)])
        received = await receiving(ports, QUEUE)
        await received.take(accepted + 2)
        await received.gets_nothing()


async def test_a_worker_waits_for_room_and_goes_on(disk: Path) -> None:
    async with client(disk / "jobs.db") as ports:
        received = await receiving(ports, QUEUE)
        await ports.broker.publish([message(QUEUE, b"before")])
        before = await received.next()
        fill(disk)
        await publish_until_full(ports)
        ports.broker.ack(before)
        await until_state(ports, "down")
        make_room(disk)
        await until_state(ports, "up")
        await ports.broker.publish([message(QUEUE, b"after")])
        while (await received.next()).message.body != b"after":
            continue


async def test_a_worker_cannot_start_without_room(disk: Path) -> None:
    async with client(disk / "jobs.db") as ports:
        fill(disk)
        await publish_until_full(ports)
        with pytest.raises(Unavailable, match="is full"):
            await ports.broker.consume(QUEUE, 1, Receiver())
        assert list((disk / "jobs.db.d").iterdir()) == []
        make_room(disk)
        received = await receiving(ports, QUEUE)
        await ports.broker.publish([message(QUEUE)])
        await received.next()


async def until_state(ports: Ports, state: str) -> None:
    async def reached() -> bool | None:
        return ports.broker.state == state or None

    await eventually(reached, f"the broker to be {state}")
