"""Commands from Firebase with the scheduler killed at every step, the worker killed, and the database failing."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.arcade.firebase_double import FirebaseDouble
from scripts.servers.addresses import amqp_url, management, postgres_url
from scripts.servers.management import with_virtual_host
from tests.faults.inbox.siege import Outcome, Post, Siege

PATH = "commands/prod"


class Attack:
    """What goes wrong at the database and with workers."""

    def __init__(self, siege: Siege, double: FirebaseDouble) -> None:
        self._siege = siege
        self._double = double

    async def pour(self, count: int, posts: list[Post]) -> None:
        """Put commands there, with a fault after some of them."""
        chance, double = self._siege.chance, self._double
        while len(self._siege.put) < count:
            for _ in range(chance.randint(5, 25)):
                if len(self._siege.put) < count:
                    double.push(PATH, self._siege.next_command())
            await chance.choice([self._cut, self._end, self._refuse, self._forget, self._stall, self._revoke])()
            if chance.random() < 0.15:
                chance.choice(posts).kill()
            await asyncio.sleep(chance.uniform(0.0, 0.2))
        double.mischief.go_on()

    async def _cut(self) -> None:
        self._double.cut()

    async def _end(self) -> None:
        self._double.end_streams()

    async def _revoke(self) -> None:
        self._double.revoke()

    async def _refuse(self) -> None:
        self._double.mischief.refuse = self._siege.chance.randint(1, 4)

    async def _forget(self) -> None:
        self._double.mischief.forget = 3

    async def _stall(self) -> None:
        self._double.mischief.stall()
        await asyncio.sleep(self._siege.chance.uniform(0.0, 0.3))
        self._double.mischief.go_on()


async def besiege(siege: Siege, double: FirebaseDouble, count: int, deadline: float) -> Outcome:
    async def is_empty() -> bool:
        return double.get(PATH) is None

    async with siege.garrison("scheduler", "scheduler", "worker") as posts:
        await Attack(siege, double).pour(count, posts)
        return await siege.at_rest(is_empty, deadline)


def environment(double: FirebaseDouble, **more: str) -> dict[str, str]:
    return {"INBOX_URL": f"firebase+{double.url}/{PATH}", **more}


def settle(siege: Siege, outcome: Outcome, double: FirebaseDouble, fewest_deaths: int) -> None:
    outcome.judge(siege)
    assert double.get(PATH) is None, "left at the source"
    assert siege.deaths["scheduler"] >= fewest_deaths


@pytest.fixture
def embedded(tmp_path: Path) -> dict[str, str]:
    return {"GOATHERD_BROKER_URL": f"sqlite:///{tmp_path}/jobs.db"}


@pytest.fixture
def on_servers() -> Iterator[dict[str, str]]:
    with management().virtual_host() as name:
        url = with_virtual_host(amqp_url(), name)
        yield {"GOATHERD_BROKER_URL": url, "GOATHERD_RECORDS_URL": postgres_url()}


async def run(
    folder: Path, settings: dict[str, str], count: int, deadline: float, monkeypatch: pytest.MonkeyPatch
) -> str:
    """One run, judged; what is to be told of it."""
    async with FirebaseDouble(keep_alive=1.0) as double:
        variables = {**environment(double), **settings}
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        siege = Siege(folder, variables, seed=count)
        outcome = await besiege(siege, double, count, deadline)
        settle(siege, outcome, double, fewest_deaths=1)
        return f"{count} commands, {dict(siege.deaths)} deaths, {outcome.repeats} done again in vain"


@pytest.mark.timeout(180)
async def test_some_commands(tmp_path: Path, embedded: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    await run(tmp_path, embedded, 200, 150, monkeypatch)


@pytest.mark.chaos
@pytest.mark.servers("rabbitmq", "postgres")
@pytest.mark.timeout(180)
async def test_some_commands_on_servers(
    tmp_path: Path, on_servers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    await run(tmp_path, on_servers, 150, 150, monkeypatch)


@pytest.mark.chaos
@pytest.mark.timeout(3600)
async def test_ten_thousand_commands(
    tmp_path: Path, embedded: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = await run(tmp_path, embedded, 10_000, 1800, monkeypatch)
    with capsys.disabled():
        print(f"\n{told}")  # noqa: T201 - the figures of a long run are for a person


@pytest.mark.chaos
@pytest.mark.servers("rabbitmq", "postgres")
@pytest.mark.timeout(3600)
async def test_ten_thousand_commands_on_servers(
    tmp_path: Path, on_servers: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = await run(tmp_path, on_servers, 10_000, 1800, monkeypatch)
    with capsys.disabled():
        print(f"\n{told}")  # noqa: T201 - the same
