"""Bells wake workers; without them, workers look for themselves."""

import socket
from collections.abc import Iterable
from pathlib import Path

import pytest

from goatherd.adapters.sqlite.doorbell import Doorbell, Ringer, address_for
from goatherd.testing.suites.receiver import message, receiving
from tests.unit.adapters.sqlite.clients import QUEUE, client


def test_a_bell_hangs_beside_its_file(tmp_path: Path) -> None:
    short = Path("/srv/jobs.db.d")
    assert address_for(short, "a" * 32) == f"/srv/jobs.db.d/{'a' * 32}.bell"


def test_a_path_that_is_too_long_for_a_socket_is_passed_by(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 30)
    first, second = address_for(folder, "a" * 32), address_for(folder, "b" * 32)
    assert first != second
    assert first == address_for(folder, "a" * 32)
    assert not first.startswith(str(folder))
    assert len(first.encode()) <= 104
    Doorbell(first).close()
    assert not Path(first).exists()


async def test_a_worker_far_down_in_the_tree_is_woken_too(tmp_path: Path) -> None:
    path = tmp_path / ("deep" * 20) / ("down" * 20) / "jobs.db"
    async with client(path) as ports:
        received = await receiving(ports, QUEUE)
        await ports.broker.publish([message(QUEUE)])
        await received.next()


def test_a_ring_reaches_its_bell(tmp_path: Path) -> None:
    bell, ringer = Doorbell(str(tmp_path / "a.bell")), Ringer()
    ringer.ring([str(tmp_path / "a.bell")])
    with socket.socket(fileno=socket.dup(bell.fileno())) as listening:
        listening.settimeout(1)
        assert listening.recv(1) == b""
    ringer.close()
    bell.close()


def test_rings_are_forgotten_together(tmp_path: Path) -> None:
    bell, ringer = Doorbell(str(tmp_path / "a.bell")), Ringer()
    for _ in range(1000):
        ringer.ring([str(tmp_path / "a.bell")])
    bell.silence()
    bell.silence()
    ringer.close()
    bell.close()


def test_a_bell_that_is_gone_is_passed_over(tmp_path: Path) -> None:
    bell, ringer = Doorbell(str(tmp_path / "b.bell")), Ringer()
    ringer.ring([str(tmp_path / "gone.bell"), str(tmp_path / "b.bell")])
    ringer.close()
    bell.close()


@pytest.mark.parametrize("together", [True, False], ids=["one client", "two clients"])
async def test_lost_bells_are_made_good_by_looking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: bool
) -> None:
    def lose(self: Ringer, addresses: Iterable[str]) -> None:
        list(addresses)

    monkeypatch.setattr(Ringer, "ring", lose)
    async with client(tmp_path / "jobs.db") as sender, client(tmp_path / "jobs.db") as other:
        received = await receiving(sender if together else other, QUEUE)
        for body in (b"1", b"2", b"3"):
            await sender.broker.publish([message(QUEUE, body)])
            assert (await received.next()).message.body == body
