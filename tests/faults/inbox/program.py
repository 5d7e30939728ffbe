"""A scheduler that takes commands in and dies again and again, or a worker that does them.

    INBOX_URL=… EFFECTS=… SEED=… python -m tests.faults.inbox.program scheduler

Each life is a process of its own, forked from this one, which has imported everything and opened nothing. A scheduler
kills itself now and then right before or right after one of its steps: a command is put on record, removed at its
source, sent, and noted as sent. SIGUSR1 kills the life that is, and SIGTERM ends all.
"""

import asyncio
import os
import random
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any, cast

import apsw

from goatherd import Context, Goatherd, Retry, scheduling
from goatherd.adapters.firebase import source
from goatherd.adapters.redis import inbox_list
from goatherd.engine import intake
from goatherd.roles import Role

#: Which part of all steps is the last one.
DEATHS = 0.02


def make_app() -> Goatherd:
    """Its settings are in the environment."""
    app = Goatherd("commands", retry=Retry(0), lease=1, deploy_grace=0)
    inbox = app.inbox(os.environ["INBOX_URL"], route="type")

    @inbox.on("go")
    async def go(ctx: Context, n: int) -> None:
        note(ctx.job_id, n)

    @inbox.on("fail")
    async def fail(n: int) -> None:
        raise ValueError(f"{n} cannot be done")

    return app


def effects(path: str) -> apsw.Connection:
    """What was done: once by the job's id, and how often it was tried."""
    connection = apsw.Connection(path)
    connection.set_busy_timeout(10_000)
    connection.execute(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; "
        "CREATE TABLE IF NOT EXISTS effect (job TEXT PRIMARY KEY, n INTEGER, times INTEGER DEFAULT 1)"
    ).fetchall()
    return connection


def note(job: str, n: int) -> None:
    """The effect of a command."""
    global _open  # noqa: PLW0603 - one for the process, opened when it is needed
    _open = _open or effects(os.environ["EFFECTS"])
    _open.execute(
        "INSERT INTO effect (job, n) VALUES (?, ?) ON CONFLICT (job) DO UPDATE SET times = times + 1", (job, n)
    )


_open: apsw.Connection | None = None


def mortal(step: Callable[..., Any], chance: random.Random) -> Callable[..., Any]:
    """The same step, which may be the last."""

    @wraps(step)
    async def taken(*args: Any, **kwargs: Any) -> Any:
        if chance.random() < DEATHS:
            os.kill(os.getpid(), signal.SIGKILL)
        outcome = await step(*args, **kwargs)
        if chance.random() < DEATHS:
            os.kill(os.getpid(), signal.SIGKILL)
        return outcome

    return taken


class FatefulIntake(intake.Intake):
    """Dies at its steps."""

    def __init__(self, commands: Any, records: Any, intent: intake.Intent) -> None:
        chance = random.Random(os.environ["FATE"])
        for owner, names in ((commands, ("remove",)), (records, ("store", "sent", "removed", "take_over"))):
            for name in names:
                setattr(owner, name, mortal(getattr(owner, name), chance))
        object.__setattr__(intent, "send_many", mortal(intent.send_many, chance))
        super().__init__(commands, records, intent)


def hurry() -> None:
    """All is found soon, for what is tried here is whether it is found."""
    intake.TAKE_OVER_EVERY, intake.LONGEST_PAUSE, intake.BATCH = 0.3, 0.5, 20
    source.READ_EVERY = inbox_list.READ_EVERY = 1.0


async def live(role: Role) -> None:
    """Do it until killed."""
    async with make_app().serve(role):
        tell("ready")
        await asyncio.Event().wait()


def tell(word: str) -> None:
    """Say it to whoever started this."""
    os.write(1, f"{word}\n".encode())


def main(role: Role) -> None:
    """Live and die until told to stop."""
    hurry()
    vars(scheduling)["Intake"] = FatefulIntake
    child = 0

    def kill(*_: object) -> None:
        if child:
            # It may have been killed a moment ago, and be waited for.
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)

    def end(*_: object) -> None:
        kill()
        os._exit(0)

    for life in range(1_000_000):
        os.environ["FATE"] = f"{os.environ['SEED']} {life}"
        child = os.fork()
        if not child:
            asyncio.run(live(role))
        signal.signal(signal.SIGUSR1, kill)
        signal.signal(signal.SIGTERM, end)
        _, status = os.waitpid(child, 0)
        child = 0
        if status != signal.SIGKILL:
            sys.exit(f"the {role} ended by itself: {status}")
        tell("died")


if __name__ == "__main__":
    main(cast("Role", sys.argv[1]))
