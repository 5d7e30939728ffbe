"""One repetition of everything that is measured of a contender in its setting."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.contender import AnyContender, Client, Contender, Dialogue
from benchmarks.dashboard.contender import HistoryStore
from benchmarks.lanes.contender import Ordered
from benchmarks.measures import Plan, Sample, dialogue, drain, fill, idle, one_of_each, share
from benchmarks.observability.measures import cost
from benchmarks.programs import ask
from benchmarks.settings import Entry
from benchmarks.sse.contender import Gateway

#: The contender is of the kind that meets in the setting.
Round: TypeAlias = Callable[[Entry, Any, Path, Plan], Awaitable[Sample]]

#: Messages that a bare client may have unconfirmed, and unacknowledged.
UNCONFIRMED, PREFETCH = 4000, 400


async def measure(entry: Entry, contender: AnyContender, room: Path, plan: Plan) -> Sample:
    """The round of the contender's setting, in an empty folder."""
    sample = await ROUNDS[entry.setting](entry, contender, room, plan)
    rates = [rate for way in ("one_by_one", "at_once", "batch") if isinstance(rate := sample.get(way), float)]
    return {**sample, "enqueue": max(rates)} if rates else sample


async def on_files(entry: Entry, contender: Contender, room: Path, plan: Plan) -> Sample:
    """With workers that share a queue, which is where files are weak."""
    single, many, quiet = (_folder(room, name) for name in ("single", "many", "quiet"))
    alone = await fill(entry, single, ["one_by_one"], plan.jobs)
    drained = await drain(entry, single, alone.jobs)
    together = await fill(entry, many, ["at_once", "batch"], plan.jobs)
    shared: Sample = {}
    if contender.promise.shared and together.jobs:
        shared = await share(entry, many, together.jobs)
    return alone.sample | drained | shared | together.sample | await idle(entry, quiet, plan.beats)


async def on_broker(entry: Entry, contender: Contender, room: Path, plan: Plan) -> Sample:
    """One queue filled in every way, emptied by one worker, which then waits for single jobs."""
    return await one_of_each(entry, _folder(room, "queue"), ["one_by_one", "at_once", "batch"], plan)


async def calls(entry: Entry, contender: Dialogue, room: Path, plan: Plan) -> Sample:
    """One process that asks, one that answers."""
    return await dialogue(entry, _folder(room, "queue"), plan)


async def bare(entry: Entry, client: Client, room: Path, plan: Plan) -> Sample:
    """Single things to a broker, each by a process of its own."""
    program = client.program(room.parent)
    # As many as the floor does in about that time.
    count = int(MESSAGES_PER_SECOND * plan.seconds)
    sample: Sample = {}
    for step, window in (("publish", UNCONFIRMED), ("consume", PREFETCH)):
        took = await ask(program, room, client.queue_type, step, count, window)
        sample[step] = count / took["seconds"]
        sample[f"{step}_cpu"] = took["cpu_seconds"] * 1_000_000 / count
    pings = await ask(program, room, client.queue_type, "ping", plan.beats, PREFETCH)
    return {**sample, "latencies": pings["latencies"]}


async def streams(entry: Entry, gateway: Gateway, room: Path, plan: Plan) -> Sample:
    """One server, many clients: what an event and what a client costs it."""
    from benchmarks.sse.measures import costs

    return await costs(entry, gateway, room, plan)


async def stream_clients(entry: Entry, gateway: Gateway, room: Path, plan: Plan) -> Sample:
    """What clients see of a server: how soon, beside others, and when they come back."""
    from benchmarks.sse.measures import service_to_clients

    return await service_to_clients(entry, gateway, room, plan)


async def lanes(entry: Entry, contender: Ordered, room: Path, plan: Plan) -> Sample:
    """Jobs with keys, and the same without: one that sends, one worker."""
    from benchmarks.lanes.measures import MORE, ordered

    return await ordered(entry, contender, _folder(room, "lanes"), MORE * plan.jobs, plan)


async def few_lanes(entry: Entry, contender: Ordered, room: Path, plan: Plan) -> Sample:
    """The same with fewer jobs, beside one that takes long for them."""
    from benchmarks.lanes.measures import ordered

    return await ordered(entry, contender, _folder(room, "lanes"), plan.jobs, plan)


async def recorded(entry: Entry, contender: Ordered, room: Path, plan: Plan) -> Sample:
    """Work that is put down in a database, piece by piece."""
    from benchmarks.lanes.measures import ordered

    return await ordered(entry, contender, _folder(room, "pipelines"), 2 * plan.jobs, plan)


async def many_lanes(entry: Entry, contender: Ordered, room: Path, plan: Plan) -> Sample:
    """One job for each of very many keys."""
    from benchmarks.lanes.measures import many_keys

    jobs = plan.keys if entry.name == "goatherd_redis" else plan.keys // 10
    return await many_keys(entry, _folder(room, "lanes"), jobs)


async def history(entry: Entry, contender: HistoryStore, room: Path, plan: Plan) -> Sample:
    """A history of very many jobs, written and searched."""
    from benchmarks.dashboard.measures import searched

    return await searched(contender, _folder(room, "history"), plan.keys)


MESSAGES_PER_SECOND = 30_000

ROUNDS: dict[str, Round] = {
    "sqlite": on_files,
    "rabbitmq": on_broker,
    "rabbitmq_classic": on_broker,
    "rabbitmq_rpc": calls,
    "sse": streams,
    "sse_clients": stream_clients,
    "lanes": lanes,
    "lanes_postgres": few_lanes,
    "lanes_keys": many_lanes,
    "pipelines": recorded,
    "observability": cost,
    "dashboard": history,
    "rabbitmq_bare": bare,
    "rabbitmq_bare_classic": bare,
}


def _folder(room: Path, name: str) -> Path:
    folder = room / name
    folder.mkdir()
    return folder
