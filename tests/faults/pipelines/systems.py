"""What the crash run puts to the test: pipelines in one file, and pipelines on RabbitMQ and PostgreSQL."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import apsw
import pika
import psycopg

from goatherd import Goatherd
from goatherd.events import Done
from goatherd.model.run_record import RunFilter
from scripts.servers.management import Management
from scripts.servers.postgres import Postgres
from tests.faults.pipelines import drive
from tests.faults.pipelines.copies import open_with_copies
from tests.faults.pipelines.crash_run import Plan
from tests.faults.pipelines.effects import EFFECTS, FENCELESS, Effect, make_place, read_effects
from tests.faults.pipelines.judge import Evidence, Recorded, Unit

#: More than any run has.
MOST_RUNS = 10_000
#: Seconds until the end of a run is told.
PATIENCE = 60.0
#: Of a step as a whole.
_WHOLE = -1


class Pipelines:
    """The part that is the same for all; satisfies `System`."""

    def __init__(self, effects: str, urls: Mapping[str, str], plan: Plan) -> None:
        at_once = ("--concurrency", str(plan.concurrency))
        self.command: Sequence[str] = ("-m", "goatherd", "worker", f"{drive.__name__}:app", *at_once, "--json")
        named = {f"GOATHERD_{name.upper()}": url for name, url in urls.items()}
        self.environment: Mapping[str, str] = {
            **named, "GOATHERD_LEASE": str(plan.lease), EFFECTS: effects, drive.LASTS: str(plan.lasts),
            drive.TELL_AGAIN: str(plan.tell_again or ""), **({} if plan.fenced else {FENCELESS: "1"}),
        }  # fmt: skip
        self._effects = effects
        self._app = Goatherd(drive.APP, lease=plan.lease, **urls)  # type: ignore[arg-type]  # they are URLs by their names
        self._app.opener = open_with_copies
        self._drive = drive.declare(self._app)
        self._goats = 0
        self._runs: list[str] = []

    async def __aenter__(self) -> Self:
        make_place(self._effects)
        await self._app.__aenter__()
        self._operations = (await self._app.session().records()).operations
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._app.__aexit__(None, None, None)

    async def begin(self, runs: int, goats: int) -> None:
        self._goats = goats
        for number in range(runs):
            run = await self._drive.options(id=f"run-{number}").start(drive.Herd(goats))
            self._runs.append(run.id)

    async def done(self) -> float:
        made = len(set(await self._read_effects())) / len(self._wanted())
        if made < 1.0 or await self._operations.find(RunFilter(state="running"), 1):
            return min(made, 0.999)
        return 0.999 if await self._operations.find(RunFilter(state="failed"), 1) else 1.0

    async def visit(self) -> int:
        """Let those be tried again that died too often, as bad luck has it."""
        failed = await self._operations.find(RunFilter(state="failed"), MOST_RUNS)
        for run in failed:
            assert run.trouble is not None
            assert run.trouble.error_type == "WorkerDied", run.trouble
            await self._app.session().runs.retry(run.id)
        return len(failed)

    async def restart(self) -> None:
        """There is no server."""

    async def evidence(self) -> Evidence:
        found = await self._operations.find(RunFilter(), MOST_RUNS)
        ends = {run.id: run.state for run in found}
        results, told = {}, {}
        for name in [run for run in self._runs if ends.get(run) == "done"]:
            run = self._app.run(name, self._drive)
            results[name] = _named(name, await run.result(timeout=PATIENCE))
            told[name] = sum([isinstance(event, Done) async for event in run.events()])
        letters = await (await self._app.session().records()).steps.letters(MOST_RUNS)
        return Evidence(
            runs=self._runs,
            ends=ends,
            results=results,
            wanted=frozenset(self._wanted()),
            records=self._read_records(),
            effects=await self._read_effects(),
            told=told,
            left=[letter.id for letter in letters],
        )

    async def _read_effects(self) -> list[Effect]:
        return await asyncio.to_thread(read_effects, self._effects)

    def _wanted(self) -> list[Unit]:
        whole = [f"step/{run}/{step}" for run in self._runs for step in ("gather", "count", "pen", "close")]
        return whole + [f"step/{run}/shear/{goat}" for run in self._runs for goat in range(self._goats)]

    def _read_records(self) -> dict[Unit, Recorded]:
        raise NotImplementedError


class PipelinesInFile(Pipelines):
    """Everything in one SQLite file."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self._path = folder / "goatherd.db"
        urls = {"broker_url": f"sqlite:///{self._path}"}
        super().__init__(str(folder / "effects.db"), urls, plan)

    async def wipe(self) -> int:
        return await asyncio.to_thread(self._delete_messages)

    def _delete_messages(self) -> int:
        with closing(self._opened()) as connection:
            connection.execute("DELETE FROM job")
            return connection.changes()

    def _read_records(self) -> dict[Unit, Recorded]:
        with closing(self._opened()) as connection:
            sql = "SELECT run.name, unit.step, item, unit.state, settled, unit.ended FROM run_unit unit "
            return _recorded(connection.execute(f"{sql} JOIN run ON run.id = unit.run").fetchall())

    def _opened(self) -> apsw.Connection:
        connection = apsw.Connection(str(self._path))
        connection.set_busy_timeout(30_000)
        return connection


class PipelinesOnServers(Pipelines):
    """Messages on RabbitMQ, records on PostgreSQL; what is told of runs is in a file, for it is not the subject."""

    def __init__(
        self, folder: Path, plan: Plan, broker_url: str, management: Management, server: Postgres
    ) -> None:  # fmt: skip
        self._management = management
        self._broker_url = broker_url
        self._host = urlsplit(broker_url).path.removeprefix("/")
        self._server = server
        urls = {
            "broker_url": broker_url, "records_url": server.url, "events_url": f"sqlite:///{folder}/events.db",
        }  # fmt: skip
        super().__init__(server.url, urls, plan)

    async def wipe(self) -> int:
        return await asyncio.to_thread(self._delete_queues)

    def _delete_queues(self) -> int:
        """With all that is in them; not those that a process made for itself alone."""
        names = [each["name"] for each in self._management.ask("GET", f"queues/{self._host}") if not each["exclusive"]]
        with closing(pika.BlockingConnection(pika.URLParameters(self._broker_url))) as connection:
            channel = connection.channel()
            return sum(channel.queue_delete(name).method.message_count for name in names)

    async def restart(self) -> None:
        await asyncio.to_thread(self._server.kill)
        await asyncio.to_thread(self._server.start)

    def _read_records(self) -> dict[Unit, Recorded]:
        with psycopg.connect(self._server.url) as connection:
            sql = "SELECT run, step, item, state, settled, ended FROM goatherd.run_unit WHERE app = %s"
            return _recorded(connection.execute(sql, (drive.APP,)).fetchall(), 1e6)


def _recorded(rows: Iterable[Any], parts_of_second: float = 1) -> dict[Unit, Recorded]:
    return {
        _unit(run, step, item): Recorded(state=state, token=token, ended=(ended or 0) / parts_of_second)
        for run, step, item, state, token, ended in rows
    }


def _unit(run: str, step: str, item: int) -> Unit:
    return f"step/{run}/{step}" if item == _WHOLE else f"step/{run}/{step}/{item}"


def _named(run: str, report: drive.Report) -> dict[Unit, int]:
    """The attempts that the result of a run names; a goat that was counted twice, or not at all, is seen as well."""
    named = {_unit(run, step, _WHOLE): token for step, token in report.marks.items()}
    assert [goat.number for goat in report.goats] == list(range(len(report.goats))), "the list is not whole"
    for goat in report.goats:
        assert goat.marks.keys() == {"gather", "count", "wash", "shear"}, goat
        named |= {_unit(run, step, goat.number): goat.marks[step] for step in ("wash", "shear")}
        assert goat.marks["gather"] == report.marks["gather"]
        named[_unit(run, "count", _WHOLE)] = goat.marks["count"]
    return named
