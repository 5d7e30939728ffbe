"""One virtual host as TaskIQ left it, messages in it, and two who apply the chat's definition: the first one dies."""

import asyncio
import json
import multiprocessing
import signal
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from goatherd.model.blueprint import Blueprint
from goatherd.model.definitions_json import write_definitions
from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host
from tests.acceptance.topology.ground import Ground, live_on, take_all
from tests.faults.topology import mortal

#: Messages that wait, and that are published after the death.
WAITING, LATER = 12, 6
#: Seconds for one who applies.
PATIENCE = 100.0

#: Processes that have imported everything already, so that a life costs little.
LIVES = multiprocessing.get_context("forkserver")
LIVES.set_forkserver_preload(
    [mortal.__name__, "yaml", *(f"goatherd.adapters.rabbitmq.{name}" for name in ("plumbing", "scope", "wanted"))]
)


#: (0, 0): nobody dies. (3, 0): after the third step. (0, 3): in its middle.
Moment: TypeAlias = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What it came to."""

    #: How each of them ended, in order.
    exit_codes: list[int | None]
    #: What the last one changed, in order.
    steps: list[str]
    live: Blueprint
    #: Accepted messages, and those that were there in the end.
    sent: set[str]
    found: Counter[str]

    @property
    def lost(self) -> set[str]:
        """Accepted, and not there."""
        return self.sent - self.found.keys()


async def play_all(
    before: Blueprint, folder: Path, moments: Sequence[Moment], *, at_once: int, by_command: bool = False
) -> Mapping[Moment, Outcome]:
    """Some at the same time, each in a virtual host of its own."""
    places = asyncio.Semaphore(at_once)

    async def one(after: int, within: int) -> Outcome:
        async with places:
            try:
                return await play(before, folder, dies_after=after, dies_within=within, by_command=by_command)
            except Exception as error:
                error.add_note(f"It died after step {after}, or within step {within}.")
                raise

    async with asyncio.TaskGroup() as group:
        played = {moment: group.create_task(one(*moment), name=f"death {moment}") for moment in moments}
    return {moment: task.result() for moment, task in played.items()}


def left_by(library: Callable[[Ground, int], list[str]], folder: Path) -> Blueprint:
    """What somebody makes on a broker."""
    with management().virtual_host() as virtual_host:
        ground = Ground(virtual_host, folder)
        library(ground, 0)
        return ground.live()


def check(outcome: Outcome, whole: Outcome) -> None:
    """One died, and another came to the same end as if nobody had."""
    assert outcome.exit_codes == [-signal.SIGKILL, mortal.MENDED], outcome.exit_codes
    assert not outcome.lost, outcome.lost
    assert outcome.found.keys() == outcome.sent, outcome.found.keys() - outcome.sent
    assert outcome.live == whole.live, outcome.live


async def play(
    before: Blueprint, folder: Path, *, dies_after: int = 0, dies_within: int = 0, by_command: bool = False
) -> Outcome:
    """Without a number nobody dies. Whoever goes on does so as the command line, or for less."""
    with management().virtual_host() as virtual_host:
        definitions = write_definitions(replace(before, vhost=virtual_host))
        await asyncio.to_thread(management().ask, "POST", "definitions", json.loads(definitions))
        url = with_virtual_host(amqp_url(), virtual_host)
        told = folder / virtual_host
        app, process = mortal.chat_at(url, management().url)
        async with app:
            sent = await app.send_many([process.job(f"waiting {number}") for number in range(WAITING)])
            codes = []
            if dies_after or dies_within:
                codes.append(await live_once(url, told, dies_after, dies_within))
            async with asyncio.TaskGroup() as group:
                later = [group.create_task(process.send(f"later {number}")) for number in range(LATER)]
                codes.append(await (go_on(virtual_host, folder) if by_command else live_once(url, told)))
            sent += [task.result() for task in later]
        found = await asyncio.to_thread(take_all, url, "chat.process")
        live = replace(live_on(management(), virtual_host), vhost="")
    steps = json.loads(told.read_text()) if told.exists() else []
    return Outcome(exit_codes=codes, steps=steps, live=live, sent=set(sent), found=found)


async def go_on(virtual_host: str, folder: Path) -> int:
    """The command line, to the end."""
    ground = Ground(virtual_host, folder)
    # As the one that died.
    ground.environment["GOATHERD_DECLARE"] = "create"
    await asyncio.to_thread(ground.apply)
    return mortal.MENDED


async def live_once(url: str, told: Path, dies_after: int = 0, dies_within: int = 0) -> int | None:
    """One who applies, in a process of its own; its exit code."""
    process = LIVES.Process(target=mortal.run, args=(url, management().url, told, dies_after, dies_within))
    process.start()
    try:
        await asyncio.to_thread(process.join, PATIENCE)
    finally:
        process.kill()
        process.join()
    return process.exitcode
