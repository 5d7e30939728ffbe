"""Processes of a coin run, and what became of the coins."""

import asyncio
import os
import random
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from uuid import uuid4

import msgspec

from goatherd import Goatherd
from goatherd.errors import Unavailable
from goatherd.scheduling import make_flushers
from goatherd.wiring import OpenLanes
from tests.faults.lanes.pen import ROOT
from tests.faults.tallies.accounts import ACCOUNTS, make_accounts, read_accounts
from tests.faults.tallies.gifts import Gift, Plan
from tests.faults.watching import until

APP = "tests.faults.tallies.coins:app"
FLUSHER = ("-m", "tests.faults.tallies.flusher")
WORKER = ("-m", "goatherd", "worker", APP, "--json")
#: Seconds until a process is dead, and until all is done when faults have stopped.
PATIENCE = 90.0


class Crowd:
    """One store, and all who use it."""

    def __init__(self, folder: Path, plan: Plan, lanes_url: str | None = None, every: float = 0.2) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self.plan = plan
        name, url = f"coins-{uuid4().hex[:8]}", f"sqlite:///{folder}/jobs.db"
        self._accounts = folder / "accounts.db"
        make_accounts(self._accounts)
        self._environment = {
            **os.environ, "GOATHERD_BROKER_URL": url, "GOATHERD_LANES_URL": lanes_url or url, "GOATHERD_LEASE": "1",
            "COINS_APP": name, "COINS_EVERY": str(every), "COINS_UP": str(folder), ACCOUNTS: str(self._accounts),
        }  # fmt: skip
        self.app = Goatherd(name, broker_url=url, lanes_url=lanes_url or url, lease=1)
        self.gifts = self.app.tally("gifts")
        self.gifts.flush(every=every)(apply_gifts)
        self.kills = 0

    async def give(self, gifts: Sequence[Gift]) -> None:
        """Each twice, as by one who has not heard the answer."""
        for _ in range(2):
            await asyncio.gather(*(self.gifts.add(gift.streamer, gift.coins, id=gift.id) for gift in gifts))

    @asynccontextmanager
    async def process(self, *command: str, dies: str = "") -> AsyncIterator[asyncio.subprocess.Process]:
        """Killed at the end, if it is not dead by then."""
        with (self._folder / "processes.log").open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                sys.executable, *command, cwd=ROOT, env={**self._environment, "COINS_DIES": dies},
                stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        try:
            yield process
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()

    async def dies(self, moment: str, patience: float | None = PATIENCE) -> None:
        """Somebody flushes, and dies at that moment, which comes only when there is something to flush."""
        async with self.process(*FLUSHER, dies=moment) as doomed, asyncio.timeout(patience):
            assert await doomed.wait() == -signal.SIGKILL, f"{moment}: {self.said()}"
        self.kills += 1

    async def always(self, command: Sequence[str], chance: random.Random, lives: tuple[float, float]) -> None:
        """There is one all the time, who is killed again and again, some seconds after it is up."""
        while True:
            async with self.process(*command) as victim:
                await self._is_up(victim)
                try:
                    async with asyncio.timeout(chance.uniform(*lives)):
                        await victim.wait()
                except TimeoutError:
                    self.kills += 1
                else:
                    # It found no store.
                    await asyncio.sleep(0.2)

    async def viewers(self, share: int, shares: int, chance: random.Random) -> None:
        """Give a share of the gifts; killed some times on the way, and then left to finish."""
        command = ("-m", "tests.faults.tallies.viewers", msgspec.json.encode(asdict(self.plan)).decode())
        for life in range(1000):
            async with self.process(*command, str(share), str(shares)) as viewers:
                await self._is_up(viewers)
                try:
                    async with asyncio.timeout(chance.uniform(1, 5) if life < 3 else None):
                        if await viewers.wait() == 0:
                            return
                except TimeoutError:
                    self.kills += 1
        raise AssertionError(f"the viewers do not come to an end: {self.said()}")

    async def _is_up(self, process: asyncio.subprocess.Process) -> None:
        """Killed before, it would have done nothing."""
        up = self._folder / f"up-{process.pid}"
        await until(lambda: up.exists() or process.returncode is not None, "a process to be up", PATIENCE)

    async def rest(self) -> None:
        """Nobody is killed any more, and all that is left is done, with totals that are made of it here."""
        flushers = make_flushers(self.app, self.app.session())
        for flusher in flushers:
            flusher.start()
        try:
            await until(self._is_over, f"the end; {self.said()}", PATIENCE)
        finally:
            for flusher in flushers:
                await flusher.stop()

    async def _is_over(self) -> bool:
        session = self.app.session()
        try:
            if await (await session.recurring.tallies()).waiting("gifts") != (0, 0):
                return False
            return not await self._lanes_left(await session.lanes())
        except Unavailable:
            return False

    async def _lanes_left(self, opened: OpenLanes) -> bool:
        """As an operator does: those are tried again whose workers died too often, as bad luck has it."""
        for lane in await opened.operations.find(condition="held", limit=1000):
            assert lane.burial is not None
            assert lane.burial.reason == "crashed", lane.burial
            await opened.operations.retry(lane.key)
        # All of them: one alone may be done while it is looked at, though others are left.
        return bool(await opened.operations.find(limit=1000))

    def check(self) -> int:
        """Every coin is with its streamer, once and in order; tells in how many totals they came."""
        wanted: dict[str, int] = {}
        for gift in self.plan.made():
            wanted[gift.streamer] = wanted.get(gift.streamer, 0) + gift.coins
        received = read_accounts(self._accounts)
        got = {streamer: sum(each.totals) for streamer, each in received.items()}
        wrong = {each: (got.get(each, 0), wanted.get(each, 0)) for each in wanted.keys() | got.keys()}
        assert not {each: told for each, told in wrong.items() if told[0] != told[1]}, "received, and given"
        assert sum(wanted.values()) == self.plan.coins
        for streamer, each in received.items():
            assert each.seqs == sorted(set(each.seqs)), f"{streamer} was not in order: {each.seqs}"
            assert each.batches == sorted(set(each.batches)), f"{streamer} was not in order: {each.batches}"
            assert min(each.totals) > 0
        return sum(len(each.totals) for each in received.values())

    def said(self) -> str:
        return (self._folder / "processes.log").read_text(errors="replace")[-3000:]


async def apply_gifts(streamer: str, total: int) -> None:
    """Stands for the task of this name."""
    raise NotImplementedError
