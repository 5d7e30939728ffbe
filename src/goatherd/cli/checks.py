"""What `goatherd doctor` looks at, each with what was found and how to mend it."""

from __future__ import annotations

import asyncio
import os
import platform
import re
import shutil
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from importlib import metadata

from goatherd.app import Goatherd
from goatherd.cli.alert_checks import alert_checks
from goatherd.cli.check import Check, warning, well, wrong
from goatherd.cli.durations import spoken
from goatherd.cli.gateway_checks import gateway_checks
from goatherd.cli.holding_checks import holding_checks, seen_limits
from goatherd.cli.kept_checks import DEADLINE, failures, kept_checks
from goatherd.cli.machine_checks import machine_checks
from goatherd.cli.output import without_password
from goatherd.cli.run_checks import pipeline_faults
from goatherd.cli.server_checks import server_checks
from goatherd.cli.topology_access import Looked
from goatherd.cli.topology_checks import lost_letters, seen_topology, topology_checks
from goatherd.cli.wording import counted
from goatherd.errors import GoatherdError, SettingsError, TopologyMismatch
from goatherd.model.topology import QueueState
from goatherd.ports.records import WorkerRecord
from goatherd.roles import make_catalogue

#: Free bytes on the disk below which it is a warning, and below which it is wrong.
LITTLE_SPACE, NO_SPACE = 1_000_000_000, 50_000_000
#: The RabbitMQ that the tests run on is one of these or later.
OLDEST_BROKER = (3, 10)


async def examine(app: Goatherd, target: str) -> AsyncIterator[Check]:
    """Every check in turn; those that need what failed before are left out."""
    yield well(
        "program", f"Goatherd {metadata.version('goatherd')}, Python {platform.python_version()}, app {app.name!r}"
    )
    try:
        settings = app.settings
    except SettingsError as error:
        for problem in error.problems:
            yield wrong("settings", problem, "Correct it in the environment, in goatherd.toml or in Goatherd(...).")
        return
    yield well("settings", f"jobs are in {without_password(settings.broker_url)}")
    faults = list(_task_faults(app))
    for fault in faults:
        yield fault
    if faults:
        return
    if app.tasks:
        yield well("tasks", f"{counted(len(app.tasks), 'task')}: {', '.join(sorted(app.tasks))}")
    async for check in _all_else(app, target):
        yield check


async def _all_else(app: Goatherd, target: str) -> AsyncIterator[Check]:
    told: set[str] = set()
    # Each server is asked for itself, so that one that is away hides nothing of the others.
    for part in (_store(app, target), server_checks(app), alert_checks(app)):
        async for check in part:
            # Whoever needs a server that is away says so.
            if check.state != "wrong" or check.found not in told:
                yield check
            told.add(check.found)
    for check in (*gateway_checks(app), *machine_checks(app.settings)):
        yield check


def _task_faults(app: Goatherd) -> Iterator[Check]:
    if not app.tasks and not app.pipelines:
        yield wrong("tasks", f"the app {app.name!r} has no tasks", "Add one with @app.task.")
    yield from pipeline_faults(app)
    for task in app.tasks.values():
        try:
            _ = task.definition
        except GoatherdError as error:
            yield wrong("tasks", str(error))


async def _store(app: Goatherd, target: str) -> AsyncIterator[Check]:
    seen = await seen_topology(app)
    try:
        async with AsyncExitStack() as life:
            async with asyncio.timeout(DEADLINE):
                await life.enter_async_context(app)
                ports = app.session().ports
                facts = await ports.checks.check()
                limits = seen_limits(ports.operations, seen.survey if isinstance(seen, Looked) else None)
                holding = list(holding_checks(app.settings, app.definitions(), app.contracts(), limits))
                if not any(check.state == "wrong" for check in holding):
                    # It would refuse those, and nothing else would be looked at.
                    make_catalogue(app, app.session())
                workers, queues = await ports.workers.workers(), await ports.operations.queues()
            kept = await kept_checks(app, target)
    except (TimeoutError, GoatherdError) as error:
        for check in (*failures(error, target), *_seen_all_the_same(seen, error, app, target)):
            yield check
        return
    for check in (
        _health(facts),
        *_space(facts),
        _workers(workers, queues, app.settings.lease, target),
        *_missing(app, queues),
        *_queues(queues, target),
        *holding,
        *kept,
        _dead(queues, facts, target),
        *topology_checks(seen, target, makes=app.settings.declare == "create"),
    ):
        yield check


def _seen_all_the_same(
    seen: Looked | Check | None, error: TimeoutError | GoatherdError, app: Goatherd, target: str
) -> Iterator[Check]:
    """What was seen of the broker before the app could not be opened, perhaps because of another server."""
    if not isinstance(seen, Looked):
        return
    if isinstance(error, TopologyMismatch):
        # That it differs is told.
        yield from lost_letters(seen, target)
    else:
        yield from topology_checks(seen, target, makes=app.settings.declare == "create")


def _health(facts: Mapping[str, str]) -> Check:
    told = ", ".join(f"{name} {fact}" for name, fact in facts.items() if name not in ("quick check", "dead letters"))
    if facts.get("state", "").startswith("takes no messages"):
        mend = (
            "Free memory or disk on the broker's machine, or let workers empty its queues; till then nothing is sent."
        )
        return wrong("store", told, mend)
    if _version(facts) < OLDEST_BROKER:
        mend = "Update it: Goatherd is made for RabbitMQ 3.10 and later."
        return warning("store", told, mend)
    found = facts.get("quick check", "ok")
    if found != "ok":
        mend = "Stop all processes that use it, keep a copy, then recover it with the sqlite3 command .recover."
        return wrong("store", f"damaged: {found} ({told})", mend)
    return well("store", told)


def _version(facts: Mapping[str, str]) -> tuple[int, ...]:
    """The broker's version; very new if it is not a broker or does not tell."""
    found = re.match(r"RabbitMQ (\d+)\.(\d+)", facts.get("server", ""))
    return (int(found[1]), int(found[2])) if found else (999,)


def _space(facts: Mapping[str, str]) -> Iterator[Check]:
    if "file" not in facts:
        return
    folder = os.path.dirname(os.path.abspath(facts["file"]))
    free = shutil.disk_usage(folder).free
    told = f"{free / 1e9:,.1f} GB free in {folder}"
    if free < NO_SPACE:
        yield wrong("disk", told, "Free some space: without it no job is accepted.")
    elif free < LITTLE_SPACE:
        yield warning("disk", told, "Free some space soon: without it no job is accepted.")
    else:
        yield well("disk", told)


def _workers(workers: Sequence[WorkerRecord], queues: Sequence[QueueState], lease: float, target: str) -> Check:
    taking = sum(queue.consumers for queue in queues)
    if not workers and taking:
        # A broker tells how many take from a queue, not who they are.
        return well("workers", f"{counted(taking, 'consumer')} on {counted(len(queues), 'queue')}")
    if not workers:
        return warning("workers", "no worker runs, so no job is done", f"Start one: goatherd worker {target}")
    told = ", ".join(f"pid {worker.pid} on {worker.host}" for worker in workers)
    stale = [worker for worker in workers if worker.silent > lease]
    if stale:
        silent = ", ".join(f"pid {worker.pid} on {worker.host} for {spoken(worker.silent)}" for worker in stale)
        mend = "It hangs or is gone. End it if it still runs; a living worker then does its jobs."
        return warning("workers", f"silent: {silent}", mend)
    return well("workers", f"{counted(len(workers), 'worker')}: {told}")


def _missing(app: Goatherd, queues: Sequence[QueueState]) -> Iterator[Check]:
    there = {queue.name for queue in queues}
    for queue in app.contracts():
        if queue.name not in there:
            mend = "Make it on the broker, or set GOATHERD_DECLARE=create to let programs make what is missing."
            yield wrong("queues", f"there is no queue {queue.name}", mend)


def _queues(queues: Sequence[QueueState], target: str) -> Iterator[Check]:
    problems = 0
    for queue in queues:
        if queue.replaced:
            found = f"{queue.name} is being replaced, with {counted(queue.ready, 'waiting job')}"
            yield warning(
                "queues", found, f"Wait for the end of it; if nobody applies it, goatherd topology apply {target}"
            )
        elif queue.paused:
            found = f"{queue.name} is paused, with {counted(queue.ready, 'ready job')}"
            yield warning("queues", found, f"goatherd queues resume {target} {queue.name}")
        elif queue.ready and not queue.consumers:
            age = "" if queue.oldest_age is None else f", the oldest for {spoken(queue.oldest_age)}"
            found = f"{counted(queue.ready, 'job')} ready in {queue.name}, but no worker takes from it{age}"
            yield warning("queues", found, f"goatherd worker {target} --queues {queue.name}")
        else:
            continue
        problems += 1
    if not problems:
        yield well("queues", f"{counted(len(queues), 'queue')}: {', '.join(queue.name for queue in queues)}")


def _dead(queues: Sequence[QueueState], facts: Mapping[str, str], target: str) -> Check:
    # Some stores count them for each queue, others all together.
    dead = sum(queue.dead or 0 for queue in queues) or int(facts.get("dead letters", 0))
    if dead:
        return warning("dead letters", counted(dead, "dead letter"), f"goatherd dead list {target}")
    return well("dead letters", "none")
