"""Commands pour in while everything around them fails."""

import asyncio
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.inbox.program import effects, make_app
from tests.interop.stage import stored_letters

ROOT = Path(__file__).parents[3]
#: One of ten cannot be done, each in its own way.
KINDS = ("go",) * 36 + ("fail", "unknown", "wrong", "junk")


@dataclass
class Siege:
    """One run."""

    folder: Path
    environment: Mapping[str, str]
    seed: int
    deaths: Counter[str] = field(default_factory=Counter)
    #: What was put at the source, by its number.
    put: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self._names = 0

    def next_command(self) -> Any:
        """What another program puts there."""
        n, kind = len(self.put), self.chance.choice(KINDS)
        self.put[n] = kind
        if kind == "junk":
            return f"junk {n}"
        return {"type": "go", "n": f"n{n}"} if kind == "wrong" else {"type": kind, "n": n}

    def wanted(self, kind: str) -> set[int]:
        """The numbers of one kind."""
        return {n for n, of in self.put.items() if of == kind}

    @asynccontextmanager
    async def garrison(self, *roles: str) -> AsyncIterator[list["Post"]]:
        """One process for each role, each started again when it dies."""
        posts = [Post(self, role) for role in roles]
        async with asyncio.TaskGroup() as group:
            keeping = [group.create_task(post.keep(), name=f"keeper of {post.role}") for post in posts]
            try:
                await asyncio.gather(*(post.ready.wait() for post in posts))
                yield posts
            finally:
                for task in keeping:
                    task.cancel()

    def variables(self) -> dict[str, str]:
        """For the next process."""
        self._names += 1
        seed = f"{self.seed} {self._names}"
        return {**os.environ, **self.environment, "EFFECTS": f"{self.folder}/effects.db", "SEED": seed}

    async def at_rest(self, is_empty: Callable[[], Awaitable[bool]], deadline: float) -> "Outcome":
        """Return when all is done, or what there is by then."""
        app = make_app()
        outcome = Outcome(set(), {}, Counter(), 0)
        async with app:
            try:
                async with asyncio.timeout(deadline):
                    while not (outcome.is_whole(self) and await is_empty()):
                        await asyncio.sleep(0.2)
                        outcome = self._outcome(await stored_letters(app))
            except TimeoutError:
                # Whoever judges it sees what is missing.
                return outcome
        return outcome

    def _outcome(self, letters: Sequence[Any]) -> "Outcome":
        connection = effects(f"{self.folder}/effects.db")
        rows: list[Any] = connection.execute("SELECT n, times FROM effect").fetchall()
        connection.close()
        return Outcome(
            effects={n for n, _ in rows},
            letters={_number(letter): (letter.task, letter.reason) for letter in letters},
            doubles=Counter(n for n, _ in rows) - Counter({n for n, _ in rows}),
            repeats=sum(times for _, times in rows) - len(rows),
        )


def _number(letter: Any) -> int:
    arguments = letter.arguments
    told = arguments.get("command", arguments.get("n"))
    if isinstance(told, dict):
        told = told["n"]
    return told if isinstance(told, int) else int(str(told).removeprefix("junk ").removeprefix("n"))


@dataclass(frozen=True)
class Outcome:
    """What became of all."""

    effects: set[int]
    letters: dict[int, tuple[str, str]]
    #: Commands that had two effects.
    doubles: Counter[int]
    #: Attempts that found the effect made.
    repeats: int

    def is_whole(self, siege: Siege) -> bool:
        """Whether something became of every command."""
        return len(self.effects) + len(self.letters) >= len(siege.put)

    def judge(self, siege: Siege) -> None:
        """All that is promised."""
        assert self.effects == siege.wanted("go"), "not done, or done although it could not be"
        assert not self.doubles, "these had two effects"
        unhandled, invalid = ("inbox.unhandled", "gave_up"), ("go", "invalid")
        meant = {"fail": ("fail", "failed"), "unknown": unhandled, "junk": unhandled, "wrong": invalid}
        wanted = {n: meant[kind] for n, kind in siege.put.items() if kind != "go"}
        assert set(self.letters.items()) - set(wanted.items()) == set(), "dead letters that nobody wants"
        assert set(wanted.items()) - set(self.letters.items()) == set(), "lost, or done"


class Post:
    """A program that lives, dies and lives again for as long as the run goes on."""

    def __init__(self, siege: Siege, role: str) -> None:
        self._siege = siege
        self.role = role
        self.ready = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None

    async def keep(self) -> None:
        """Count its deaths."""
        with (self._siege.folder / f"{self.role}.log").open("ab") as log:
            self._process = process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tests.faults.inbox.program", self.role),
                cwd=ROOT,
                env=self._siege.variables(),
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        assert process.stdout is not None
        try:
            async for word in process.stdout:
                if word == b"died\n":
                    self._siege.deaths[self.role] += 1
                else:
                    self.ready.set()
            raise AssertionError(f"the {self.role} has ended; see {self._siege.folder}/{self.role}.log")
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()

    def kill(self) -> None:
        """kill -9."""
        if self._process is not None and self._process.returncode is None and self.ready.is_set():
            self._process.send_signal(signal.SIGUSR1)
