"""What is measured of one gateway, each with a server and clients in processes of their own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import percentile
from benchmarks.measures import Plan, Sample
from benchmarks.processes import Step, StepFailed, step
from benchmarks.settings import Entry
from benchmarks.sse.contender import Gateway
from benchmarks.sse.service import Service, serving

#: Clients of one job, for fan-out.
CLIENTS = 1000
#: Jobs with one client each, and events a second over all of them, for latency.
JOBS, EVENTS_A_SECOND = 1000, 200
#: How often one client comes back so many tokens behind.
RETURNS, BEHIND = 200, 5000
#: Clients that come back at once, spread over so many jobs.
STORM, STORM_JOBS = 5000, 1000
#: Clients of the job that others stall on, its events a second and the bytes of each.
BESIDE, LOUD, LOUD_BYTES = 50, 100, 4000
#: Clients that stall at once where their memory is measured, because one is too few to see.
STALLED = 20
#: Pairs of measurements with and without a stalled client.
PAIRS = 5
#: Turns that each half of a pair is measured in.
TURNS = 4
#: Seconds for which memory is left to settle.
SETTLE = 0.5
MILLION = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Bench:
    """One gateway in one empty room."""

    entry: Entry
    gateway: Gateway
    room: Path
    plan: Plan

    @asynccontextmanager
    async def server(self) -> AsyncIterator["Running"]:
        """A new server."""
        async with AsyncExitStack() as life:
            service = await life.enter_async_context(serving(self.gateway, self.room))
            yield Running(bench=self, service=service, life=life)


@dataclass(frozen=True, kw_only=True)
class Running:
    """A gateway that serves."""

    bench: Bench
    service: Service
    life: AsyncExitStack

    async def step(self, name: str, *arguments: float) -> Step:
        """Start clients, or whoever makes events; returns when they are ready."""
        bench = self.bench
        running = step(
            bench.entry, name, bench.room, self.service.port, *map(int, arguments), program="benchmarks.sse.child"
        )
        return await self.life.enter_async_context(running)


async def fan_out(bench: Bench) -> Sample:
    """One event to a thousand clients, again and again."""
    async with bench.server() as running:
        clients = await running.step("fan_out", CLIENTS, 4000 * bench.plan.seconds)
        await clients.answer()
        used = running.service.cpu_ns()
        await clients.tell("go")
        answer = await clients.answer()
        used = running.service.cpu_ns() - used
    return {"fan_out": answer["delivered"] / (used / 1e9), "fan_out_rate": answer["delivered"] / answer["seconds"]}


async def memory(bench: Bench, jobs: int = 1) -> float:
    """Kilobytes for each idle connection beyond the first ones, whose memory includes that of warming up."""
    first = bench.plan.crowd // 10
    more = bench.plan.crowd - first
    async with bench.server() as running:
        clients = await running.step("hold", first, more, jobs)
        sizes = []
        for _ in range(2):
            await clients.answer()
            await asyncio.sleep(SETTLE)
            sizes.append(running.service.resident())
            await clients.tell("go")
    return (sizes[1] - sizes[0]) / more / 1024


async def latency(bench: Bench) -> Sample:
    """From the call that appends to the bytes at the client, over many jobs with one client each."""
    async with bench.server() as running:
        maker = await running.step("feed", JOBS, EVENTS_A_SECOND, 6000 * bench.plan.seconds, 0)
        await maker.answer()
        clients = await running.step("listen", JOBS, 1)
        await clients.answer()
        # The first ones warm everybody up.
        for _ in range(2):
            took = await _played(maker, clients)
    return {"live_latencies": [one / MILLION for one in took]}


async def stall(bench: Bench) -> Sample:
    """Clients that read nothing: what they cost, and what the others notice of one."""
    async with bench.server() as running:
        maker = await running.step("feed", 1, LOUD, 1000 * bench.plan.seconds, LOUD_BYTES)
        await maker.answer()
        clients = await running.step("listen", 1, BESIDE)
        await clients.answer()
        for _ in range(2):
            await _played(maker, clients)
        ratios = [await _with_and_without(maker, clients) for _ in range(PAIRS)]
        before = running.service.resident()
        await _anew(maker)
        await _ask(clients, f"stall {STALLED}")
        for _ in range(4 * TURNS):
            await _played(maker, clients)
        grown = running.service.resident() - before
        kernel = sum(sorted(running.service.unsent())[-STALLED:])
    return {"stalled": max(0, grown + kernel) / STALLED / 1024, "beside_stalled": sorted(ratios)[PAIRS // 2]}


async def _with_and_without(maker: Step, clients: Step) -> float:
    """How many times longer the slowest take beside one that stalls; both are measured in short turns."""
    took: dict[bool, list[int]] = {True: [], False: []}
    for turn in range(2 * TURNS):
        # With, without, without, with: what grows or shrinks meanwhile does so for both.
        stalls = turn % 4 in (0, 3)
        await _anew(maker)
        await _ask(clients, "stall 1" if stalls else "took")
        took[stalls] += await _played(maker, clients)
        await _ask(clients, "hasten")
    return percentile(took[True], 99) / percentile(took[False], 99)


async def _anew(maker: Step) -> None:
    """Let the text so far be void: whoever comes gets all of it, and it is longer than any real one."""
    await maker.tell("anew")
    await maker.answer()


async def _played(maker: Step, clients: Step) -> list[int]:
    """Make events for a while; returns the nanoseconds that each took to each client."""
    await maker.tell("go")
    await maker.answer()
    # The last ones are still on their way.
    await asyncio.sleep(0.1)
    took = await _ask(clients, "took")
    if not took:
        raise StepFailed("no event reached a client")
    return took


async def _ask(clients: Step, word: str) -> list[int]:
    await clients.tell(word)
    took: list[int] = (await clients.answer())["took"]
    return took


async def resume(bench: Bench) -> Sample:
    """A client comes back far behind: one frame with all it missed, and it is live."""
    async with bench.server() as running:
        clients = await running.step("resume", RETURNS, BEHIND)
        answer = await clients.answer()
    if set(answer["frames"]) != {1}:
        raise StepFailed(f"what was missed came in {sorted(set(answer['frames']))} frames, not in one")
    return {"resume_latencies": [one / MILLION for one in answer["took"]]}


async def storm(bench: Bench) -> Sample:
    """Everybody comes back at once."""
    clients = min(STORM, bench.plan.crowd)
    async with bench.server() as running:
        crowd = await running.step("storm", clients, min(STORM_JOBS, clients))
        await crowd.answer()
        await crowd.tell("go")
        return {"storm": (await crowd.answer())["seconds"]}


async def costs(entry: Entry, gateway: Gateway, room: Path, plan: Plan) -> Sample:
    """What every gateway can do: one repetition."""
    bench = Bench(entry=entry, gateway=gateway, room=room, plan=plan)
    with gateway.store(room):
        return {**await fan_out(bench), "idle_memory": await memory(bench)}


async def service_to_clients(entry: Entry, gateway: Gateway, room: Path, plan: Plan) -> Sample:
    """What only a gateway can do that keeps events: one repetition."""
    bench = Bench(entry=entry, gateway=gateway, room=room, plan=plan)
    with gateway.store(room):
        sample: Sample = {"idle_memory_own": await memory(bench, jobs=plan.crowd)}
        return sample | await latency(bench) | await stall(bench) | await resume(bench) | await storm(bench)
