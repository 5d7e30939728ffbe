"""A library made everything before the operator did, and nobody noticed: it is seen, and mended under traffic."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from scripts.servers.management import Management
from scripts.servers.rabbitmq import SHOVEL, RabbitMQ, ensure_rabbitmq
from tests.acceptance.topology.accidents import NEW, OLD, Told, is_the_apps_own, told
from tests.acceptance.topology.ground import Ground

pytestmark = [
    pytest.mark.servers("rabbitmq", "taskiq"), pytest.mark.xdist_group("accidents"), pytest.mark.timeout(300),
]  # fmt: skip

#: Messages that TaskIQ itself sent, and how many of ours come every second.
OF_TASKIQ, RATE = 200, 200.0


@dataclass(frozen=True, kw_only=True)
class Library:
    """Somebody who makes things on a broker."""

    let_in: Callable[[Ground, int], list[str]]
    accidents: list[Told]
    #: Messages that wait.
    waiting: int


LIBRARIES = {
    "0.4.4": Library(let_in=Ground.let_old_taskiq_in, accidents=OLD, waiting=5_000),
    "0.6": Library(let_in=Ground.let_new_taskiq_in, accidents=NEW, waiting=1_000),
}


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
def test_what_taskiq_made_is_mended_under_traffic(ground: Ground, library: Library) -> None:
    play(ground, library)
    # It makes nothing, and would not start if anything differed.
    assert ground.program("asker") == "offline"


@pytest.fixture
def shovelling(tmp_path: Path) -> Iterator[Ground]:
    """A broker that moves messages by itself."""
    ensure_rabbitmq()
    with (
        RabbitMQ(tmp_path / "broker", plugins=SHOVEL) as broker,
        Management(broker.management_url).virtual_host() as virtual_host,
    ):
        yield Ground(virtual_host, tmp_path, broker)


@pytest.mark.chaos
@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
def test_the_same_where_the_broker_moves_messages_by_itself(shovelling: Ground, library: Library) -> None:
    play(shovelling, library)


def play(ground: Ground, library: Library) -> None:
    """Somebody makes everything otherwise, and it is mended while messages wait and come."""
    of_taskiq = library.let_in(ground, OF_TASKIQ)
    waiting = library.waiting - OF_TASKIQ
    with ground.publishing(waiting, RATE) as publisher:
        differences = ground.plan(code=2)
        # The plan names these and no other; besides, the chat has never been here, and all of its own is missing.
        assert told(each for each in differences if not is_the_apps_own(each)) == sorted(library.accidents)
        assert all(not each["risks"] and each["mendable"] for each in differences)
        began = time.monotonic()
        ground.apply()
        took = time.monotonic() - began
        accepted, refused = publisher.end()
    assert refused == []
    assert len(accepted) - waiting >= RATE * took
    assert ground.take_all().keys() == {*of_taskiq, *accepted}
    assert ground.plan(code=0) == []
    gone = {name for change, _, name, _ in library.accidents if change == "orphan"}
    assert not gone & {each.name for each in ground.live().queues}
