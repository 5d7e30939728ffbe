"""A task with many queues is sent to, called and started like any other; its first argument is the queue."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest

from goatherd import Context, Goatherd, Retry
from goatherd.errors import InvalidArguments, TopologyMismatch
from goatherd.model.dead_letter import LetterFilter
from goatherd.testing import testing
from tests.unit.listeners.hall import Wants, listening


@dataclass
class Player:
    id: int
    rating: float = 0.0


@pytest.fixture
def app(tmp_path: Path) -> Goatherd:
    return Goatherd("arcade", broker_url=f"sqlite:///{tmp_path}/jobs.db", retry=Retry(0))


async def names() -> list[int]:
    return [1, 7]


async def test_the_name_is_in_the_queue_and_not_in_the_message(app: Goatherd) -> None:
    @app.listeners("match-{}", names, format="plain")
    async def join(setting: int, player: Player, /) -> None: ...

    @app.listeners("pool-{}", ["a"])
    async def fill(name: str, count: int = 1, *, note: str) -> None: ...

    job = join.job(7, Player(3))
    assert (job.definition.queue, job.payload) == ("match-7", b'{"id":3,"rating":0.0}')
    job = fill.job("a", note="x")
    assert (job.definition.queue, job.payload) == ("pool-a", b'{"note":"x"}')
    assert fill.job(name="b", count=2, note="x").definition.queue == "pool-b"  # type: ignore[call-arg]
    assert list(app.tasks) == ["join", "fill"]
    assert join.definition.signature.names == ("setting", "player")


async def test_wrong_arguments_are_told_before_anything_is_sent(app: Goatherd) -> None:
    @app.listeners("match-{}", names)
    async def join(setting: int, player: Player, /) -> None: ...

    @app.listeners("pool-{}", ["a"])
    async def fill(name: str, count: int) -> None: ...

    for wrong in (
        lambda: join.job("7", Player(1)),  # type: ignore[arg-type]
        lambda: join.job(True, Player(1)),
        lambda: join.job([7], Player(1)),  # type: ignore[arg-type]
        lambda: join.job(7),  # type: ignore[call-arg]
        join.job,
        lambda: join.job(7, Player(1), 2),  # type: ignore[call-arg]
        lambda: join.job(player=Player(1), setting=7),  # type: ignore[call-arg]
        lambda: fill.job("a", name="b", count=1),  # type: ignore[call-arg]
        lambda: fill.job("a"),  # type: ignore[call-arg]
        lambda: fill.job(count=1),  # type: ignore[call-arg]
        lambda: fill.job("", 1),
        lambda: fill.job("a#b", 1),
        lambda: fill.job("a", 1, more=2),  # type: ignore[call-arg]
    ):
        with pytest.raises(InvalidArguments):
            wrong()
    # A number that was taken before does not let its truth in.
    join.job(1, Player(1))
    with pytest.raises(InvalidArguments):
        join.job(True, Player(1))


async def test_every_verb_reaches_the_function_with_its_name(app: Goatherd) -> None:
    @app.listeners("match-{}", names, format="plain")
    async def join(setting: int, player: Player, /) -> str:
        return f"{setting!r} {player.id}"

    @app.listeners("{}", ["gold", "silver"], retry=Retry(1))
    def prize(queue: str, user: int, what: str = "cup") -> str:
        return f"{queue} {user} {what}"

    @app.listeners("told-{}", ["x"])
    async def tell(ctx: Context, name: str, text: str) -> str:
        return f"{ctx.queue} {name} {text}"

    async with listening(app):
        assert await join.call(7, Player(5)) == "7 5"
        assert await prize.call("gold", user=3) == "gold 3 cup"
        assert await tell.options(deadline=20).call("x", "hi") == "told-x x hi"
        run = await tell.start("x", "again")
        assert await run.result(timeout=20) == "told-x x again"
        assert await app.run(run.id, of=tell).result(timeout=20) == "told-x x again"
        run = await join.options(id="mine").start(1, Player(6))
        assert await run.result(timeout=20) == "1 6"
    assert await join(1, Player(2)) == "1 2"
    assert prize("gold", 1) == "gold 1 cup"


async def test_the_queue_is_made_by_whoever_needs_it_first(app: Goatherd) -> None:
    done: list[tuple[int, int]] = []

    @app.listeners("match-{}", names)
    async def join(setting: int, player: int) -> None:
        done.append((setting, player))

    async with app:
        await join.send(7, 1)
        ids = await app.send_many(join.job(number, number) for number in range(50, 60))
        assert len(ids) == 10
        found = {state.name: state.ready for state in await app.session().ports.operations.queues()}
        assert found["match-7"] == found["match-55"] == 1
        assert "match-{}" not in found
    async with testing(app) as herd:
        await join.send(4, 2)
        await join.options(delay=30).send(9, 3)
        await herd.drain()
        assert [job.state for job in herd.jobs(join)] == ["done", "queued"]
        await herd.advance(31)
        assert [job.state for job in herd.jobs(join)] == ["done", "done"]
    assert done == [(4, 2), (9, 3)]


async def test_a_queue_with_another_contract_is_refused(app: Goatherd) -> None:
    other = Goatherd("other", broker_url=app.settings.broker_url)
    other.queue("match-7", max_length=5)

    @app.listeners("match-{}", names)
    async def join(setting: int) -> None: ...

    async with other, app:
        with pytest.raises(TopologyMismatch, match="match-7"):
            await join.send(7)
        await join.send(8)


async def test_unique_jobs_of_two_names_are_two(app: Goatherd) -> None:
    @app.listeners("match-{}", names)
    async def join(setting: int, player: int) -> None: ...

    async with app:
        once = join.options(unique="until_done")
        first = await once.send(1, 5)
        assert await once.send(2, 5) != first
        assert await once.send(1, 5) == first


async def test_a_dead_letter_says_its_queue_and_is_replayed_there(app: Goatherd) -> None:
    broken = asyncio.Event()
    told: list[str] = []
    done = asyncio.Event()

    @app.listeners("match-{}", names, format="plain")
    async def join(setting: int, player: Player, /) -> None:
        if not broken.is_set():
            raise RuntimeError(f"{setting} is broken")
        done.set()

    heard = asyncio.Event()

    @app.on_dead_letter
    async def tell(letter: object) -> None:
        told.append(f"{letter.queue} {letter.arguments}")  # type: ignore[attr-defined]
        heard.set()

    async with listening(app):
        await join.send(7, Player(1))
        async with asyncio.timeout(20):
            await heard.wait()
        assert told == ["match-7 {'id': 1, 'rating': 0.0}"]
        from goatherd.engine.dead_letters import DeadLetterOffice

        office = DeadLetterOffice(app.session().ports.dead_letters, app.format_of)
        [letter] = [each async for each in office.find(LetterFilter())]
        assert (letter.queue, letter.message) == ("match-7", "7 is broken")
        broken.set()
        assert await office.replay_one(letter.id)
        async with asyncio.timeout(20):
            await done.wait()


async def test_a_call_that_is_given_up_is_stopped(app: Goatherd) -> None:
    begun, stopped = asyncio.Event(), asyncio.Event()

    @app.listeners("match-{}", names)
    async def join(setting: int) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.set()
            raise

    async with listening(app):
        asking = asyncio.create_task(join.call(7))
        async with asyncio.timeout(20):
            await begun.wait()
            asking.cancel()
            await stopped.wait()
        begun.clear()
        stopped.clear()
        run = await join.start(1)
        async with asyncio.timeout(20):
            await begun.wait()
            # Whoever knows nothing but the id does not know the queue.
            await app.run(run.id).cancel()
            await stopped.wait()


async def test_format_and_queue_are_known_for_every_name(app: Goatherd) -> None:
    app.queue("match-9", format="plain", max_length=3)

    @app.task(queue="match-own")
    async def own() -> None: ...

    @app.listeners("match-{}", names, format="plain")
    async def join(setting: int, player: Player, /) -> None: ...

    @app.listeners("{}", ["gold"])
    async def prize(name: str) -> None: ...

    wants = Wants()

    @app.listeners("match-{}-late", wants.source)
    async def late(setting: int) -> None: ...

    assert app.format_of("match-7").name == "plain"
    assert app.format_of("gold").name == "native"
    assert app.format_of("match-own").name == "native"
    assert app.format_of("match-7-late").name == "native"
    assert app.format_of("elsewhere").name == "native"
    assert app.queue_in_use("match-7").type == "classic"
    assert app.queue_in_use("match-9").max_length == 3
    assert [queue.name for queue in app.contracts()] == ["match-9", "match-own", "gold"]
