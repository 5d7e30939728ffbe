"""Whatever dies and whenever: what was committed is sent, and what was not is not."""

import asyncio
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw
import psycopg
import pytest

from goatherd import Context
from scripts.servers.addresses import postgres_url
from scripts.servers.postgres import Postgres, ensure_postgres
from tests.faults.outbox_lives import WRITERS, make_app

pytestmark = [pytest.mark.servers("postgres"), pytest.mark.xdist_group("postgres")]

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """With the user's own table, which says what was committed."""
    with psycopg.connect(postgres_url(), autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS lives_case (place bigserial PRIMARY KEY, app text, job text, lane int)"
        )
        yield tmp_path
        connection.execute("DELETE FROM lives_case WHERE app = %s", (app_name(tmp_path),))


def app_name(folder: Path) -> str:
    return make_app(folder, postgres_url()).name


@dataclass(frozen=True)
class Ledger:
    """What was committed, and what was published, with the order of each lane."""

    committed: Counter[str]
    published: Counter[str]
    lanes: dict[int, list[str]]
    sent_in_lanes: dict[int, list[str]]

    @property
    def repeats(self) -> int:
        return sum(self.published.values()) - len(self.published)


def read(folder: Path) -> Ledger:
    with psycopg.connect(postgres_url()) as connection:
        cases = connection.execute(
            "SELECT job, lane FROM lives_case WHERE app = %s ORDER BY place", (app_name(folder),)
        ).fetchall()
    file = apsw.Connection(f"{folder}/jobs.db")
    loose = [id for (id,) in file.execute("SELECT id FROM job")]
    in_lanes: dict[int, list[str]] = {writer: [] for writer in range(WRITERS)}
    for key, id in file.execute("SELECT key, lane_job.id FROM lane_job JOIN lane ON lane.id = lane ORDER BY seq"):
        in_lanes[int(key.rpartition("=")[2])].append(id)
    file.close()
    return Ledger(
        committed=Counter(job for job, _ in cases),
        published=Counter([*loose, *(id for ids in in_lanes.values() for id in ids)]),
        lanes={writer: [job for job, lane in cases if lane == writer] for writer in range(WRITERS)},
        sent_in_lanes=in_lanes,
    )


async def live(folder: Path, seed: int, cases: int, deadline: float) -> Counter[str]:
    """Let the program live and die; returns how its cases ended."""
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.faults.outbox_lives", str(folder), postgres_url(), str(seed), str(cases)),
        cwd=ROOT,
    )
    try:
        async with asyncio.timeout(deadline):
            assert await program.wait() == 0
    finally:
        if program.returncode is None:
            program.kill()
            await program.wait()
    return Counter((folder / "outcomes").read_text().splitlines())


def check(ledger: Ledger) -> None:
    assert ledger.committed.keys() - ledger.published.keys() == set(), "these were committed and never sent"
    assert ledger.published.keys() - ledger.committed.keys() == set(), "these were sent and never committed"
    assert ledger.sent_in_lanes == ledger.lanes, "a lane has each job once, in the order of the transactions"


@pytest.mark.timeout(120)
async def test_a_few_hundred_cases(folder: Path) -> None:
    outcomes = await live(folder, seed=8, cases=250, deadline=100)
    ledger = read(folder)
    check(ledger)
    assert outcomes["killed"] >= 3
    assert outcomes["committed"] >= 60
    assert outcomes["rolled back"] >= 30


@pytest.mark.chaos
@pytest.mark.timeout(1800)
async def test_ten_thousand_cases(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = await live(folder, seed=2026, cases=10_000, deadline=1700)
    ledger = read(folder)
    with capsys.disabled():
        print(f"\n{dict(outcomes)}, {ledger.repeats} sent twice")  # noqa: T201 - the figures of a long run are for a person
    check(ledger)
    assert outcomes["killed"] >= 50


# --- a server of one's own ------------------------------------------------------------------------------


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Postgres]:
    ensure_postgres()
    (tmp_path / "postgres").mkdir()
    with Postgres(tmp_path / "postgres") as server:
        yield server


#: Commits, and is gone before its relay could look.
COMMIT_AND_DIE = """
import asyncio, os, signal, sys
from pathlib import Path
import psycopg
from tests.faults.outbox_lives import make_app

async def main():
    app = make_app(Path(sys.argv[1]), sys.argv[2])
    app.task(name="note", remote=True)(note)
    async with app:
        async with await psycopg.AsyncConnection.connect(sys.argv[2]) as connection:
            app.session().relay._round = asyncio.Event().wait
            await app.tasks["note"].options(within=connection, id="orphan").send()
            await connection.commit()
            os.kill(os.getpid(), signal.SIGKILL)

async def note(): ...

asyncio.run(main())
"""


@pytest.mark.xdist_group("own postgres")
async def test_a_relay_goes_on_after_the_death_of_a_sender_and_of_the_server(server: Postgres, tmp_path: Path) -> None:
    app = make_app(tmp_path, server.url)
    done: dict[str, asyncio.Event] = {}

    @app.task(name="note")
    async def note(ctx: Context) -> None:
        done[ctx.job_id].set()

    async def commit() -> asyncio.Event:
        async with await psycopg.AsyncConnection.connect(server.url) as connection:
            job = note.options(within=connection).job()
            event = done[job.id] = asyncio.Event()
            await app.send_many([job])
        return event

    async with app.serve("worker"), asyncio.timeout(60):
        orphan = done["orphan"] = asyncio.Event()
        died = await asyncio.create_subprocess_exec(
            sys.executable, "-c", COMMIT_AND_DIE, str(tmp_path), server.url, cwd=ROOT
        )
        assert await died.wait() == -9
        await orphan.wait()
        await (await commit()).wait()
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        await (await commit()).wait()
