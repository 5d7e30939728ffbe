"""A program with transactions that send jobs, which is killed again and again, and goes on.

    python -m tests.faults.outbox_lives FOLDER POSTGRES_URL SEED CASES

Each life is a process of its own, forked from this one, which has imported everything and opened nothing. It dies in
the middle of a transaction, right after a commit, before a relay publishes, or after it has published and before it
has noted that. The last life is left in peace until the outbox is empty.
"""

import asyncio
import os
import random
import signal
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import psycopg

from goatherd import Goatherd
from goatherd.engine.outbox_post import OutboxPost
from goatherd.model.outbox import OutboxRow

WRITERS = 6
#: Cases of one writer in one life at most.
CASES_OF_LIFE = 40
#: Lives that end by a kill, at least.
FEWEST_DEATHS = 3
#: Which part of all decisions is to die, in the transaction, after the commit, before a publish, and after one.
DEATHS = {"inside": 0.004, "committed": 0.004, "before": 0.03, "published": 0.03}


def make_app(folder: Path, url: str) -> Goatherd:
    """Jobs are published into a file, where they stay, for nobody works."""
    app = Goatherd(f"lives-{folder.name}", broker_url=f"sqlite:///{folder}/jobs.db", records_url=url)

    @app.task(name="mail")
    async def mail(text: str) -> None: ...

    @app.task(name="comment", key="post")
    async def comment(post: int, text: str) -> None: ...

    return app


class Fate:
    """Decides what happens, and when this process dies."""

    def __init__(self, seed: str, *, mercy: bool) -> None:
        self.chance = random.Random(seed)
        self._mercy = mercy

    def strike(self, moment: str) -> None:
        if not self._mercy and self.chance.random() < DEATHS[moment]:
            os.kill(os.getpid(), signal.SIGKILL)


class Life:
    def __init__(self, folder: Path, url: str, fate: Fate) -> None:
        self._app = make_app(folder, url)
        self._folder = folder
        self._url = url
        self._fate = fate
        self._watch_posts()

    def _watch_posts(self) -> None:
        """Let this process die around what its relay does."""
        for name in ("send_loose", "send_laned"):
            send: Any = getattr(OutboxPost, name)

            async def watched(post: OutboxPost, rows: Sequence[OutboxRow], send: Any = send) -> Collection[int]:
                self._fate.strike("before")
                sent: Collection[int] = await send(post, rows)
                self._fate.strike("published")
                return sent

            setattr(OutboxPost, name, watched)

    async def live(self, cases: int) -> None:
        async with self._app:
            await asyncio.gather(*(self._write(number, cases) for number in range(WRITERS)))

    async def end(self) -> None:
        """Empty the outbox."""
        async with self._app:
            relay = self._app.session().relay
            outbox = await relay.expect()
            async with asyncio.timeout(60):
                while await outbox.waiting():
                    await asyncio.sleep(0.05)

    async def _write(self, writer: int, cases: int) -> None:
        async with await psycopg.AsyncConnection.connect(self._url) as connection:
            for _ in range(cases):
                await self._case(connection, writer)

    async def _case(self, connection: "psycopg.AsyncConnection[Any]", writer: int) -> None:
        keyed = self._fate.chance.random() < 0.4
        task = self._app.tasks["comment" if keyed else "mail"].options(within=connection)
        job = await (task.send(writer, "x") if keyed else task.send("x"))
        await connection.execute(
            "INSERT INTO lives_case (app, job, lane) VALUES (%s, %s, %s)",
            (self._app.name, job, writer if keyed else None),
        )
        self._fate.strike("inside")
        if self._fate.chance.random() < 0.35:
            await connection.rollback()
            self._count("rolled back")
            return
        await connection.commit()
        self._fate.strike("committed")
        self._count("committed")

    def _count(self, what: str) -> None:
        with (self._folder / "outcomes").open("a") as file:
            file.write(f"{what}\n")


def main(folder: Path, url: str, seed: int, cases: int) -> int:
    """Live until there were so many cases, and some deaths: a relay that is slow sends much at once and dies rarely."""
    random.seed(seed)
    outcomes = folder / "outcomes"
    outcomes.touch()
    for number in range(100_000):
        told = outcomes.read_text().splitlines()
        left = max(cases - len(told), 0 if told.count("killed") >= FEWEST_DEATHS else WRITERS)
        pid = os.fork()
        if pid == 0:
            life = Life(folder, url, Fate(f"{seed} {number}", mercy=left <= 0))
            asyncio.run(life.live(min(CASES_OF_LIFE, left // WRITERS + 1)) if left > 0 else life.end())
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        if os.WIFSIGNALED(status):
            with outcomes.open("a") as file:
                file.write("killed\n")
        elif os.waitstatus_to_exitcode(status) != 0:
            return 1
        if left <= 0:
            return 0
    return 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
