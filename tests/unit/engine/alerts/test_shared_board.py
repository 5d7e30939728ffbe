"""A board that all share, and what becomes of alerts while it is away."""

import asyncio
import logging

import pytest

from goatherd.engine.alerts.memory import MemoryBoard
from goatherd.engine.alerts.shared_board import SharedBoard
from goatherd.engine.alerts.telling import Tell
from goatherd.engine.alerts.watch import AlertWatch
from goatherd.errors import Unavailable
from goatherd.model.alert import Alert
from goatherd.model.alert_board import Board, Outlook, Sighting
from goatherd.model.alert_rules import Rules
from goatherd.ports.alerts import AlertBoard, BoardLook
from tests.unit.engine.stage import HandClock

LAG = Outlook(
    sightings=(Sighting(kind="lag", subject="mail", message="3 jobs wait"),), kinds=frozenset({"lag"})
)  # fmt: skip
NOTHING = Outlook(kinds=frozenset({"lag"}))


class Weather(MemoryBoard):
    """A board that can be away."""

    away = False

    async def look(self) -> BoardLook:
        if self.away:
            raise Unavailable("It is away.")
        return await super().look()


class Office:
    """Schedulers that share a board, and what they told."""

    def __init__(self) -> None:
        self.clock = HandClock()
        self.board = Weather(self.clock)
        self.told: list[str] = []
        self.seen = NOTHING

    def scheduler(self, name: str, tell: Tell | None = None) -> AlertWatch:
        async def open_board() -> AlertBoard:
            return self.board

        async def look() -> Outlook:
            return self.seen

        async def note(alert: Alert) -> None:
            self.told.append(f"{name} {'firing' if alert.resolved_at is None else 'resolved'}")

        rules = Rules(sinks=("pager",), every=3600.0, quiet=60.0)
        shared = SharedBoard(open_board, self.clock)
        return AlertWatch(shared, look, {"pager": tell or note}, rules, every=0.01)


async def test_what_one_has_told_no_other_tells() -> None:
    office = Office()
    one, other = office.scheduler("one"), office.scheduler("other")
    office.seen = LAG
    for _ in range(3):
        await one.round()
        await other.round()
    assert (office.told, one.open_alerts, other.open_alerts) == (["one firing"], 1, 1)
    office.seen = NOTHING
    office.clock.advance(61)
    await asyncio.gather(other.round(), one.round())
    assert len(office.told) == 2


async def test_while_the_board_is_away_everybody_tells_and_then_knows_what_was_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    office = Office()
    one, other = office.scheduler("one"), office.scheduler("other")
    office.seen, office.board.away = LAG, True
    for _ in range(2):
        await one.round()
        await other.round()
    assert office.told == ["one firing", "other firing"]
    office.board.away = False
    for _ in range(2):
        await one.round()
        await other.round()
    assert len(office.told) == 2
    office.seen = NOTHING
    office.clock.advance(61)
    await one.round()
    await other.round()
    assert office.told[2:] == ["one resolved"]
    assert caplog.text.count("Each scheduler tells alerts for itself now") == 2
    assert caplog.text.count("Schedulers share again which alerts were told") == 2


async def test_what_was_told_before_the_board_went_away_is_not_told_again() -> None:
    office = Office()
    one = office.scheduler("one")
    office.seen = LAG
    await one.round()
    office.board.away = True
    await one.round()
    assert office.told == ["one firing"]


async def test_what_a_scheduler_was_telling_when_it_died_is_told_by_another() -> None:
    office = Office()
    begun = asyncio.Event()

    async def hang(_alert: Alert) -> None:
        begun.set()
        await asyncio.Event().wait()

    dying = asyncio.create_task(office.scheduler("one", hang).round())
    office.seen = LAG
    async with asyncio.timeout(20):
        await begun.wait()
    dying.cancel()
    await asyncio.wait([dying])
    other = office.scheduler("other")
    await other.round()
    assert office.told == []
    office.clock.advance(60)
    await other.round()
    assert office.told == ["other firing"]


async def test_two_who_decide_at_once_take_turns() -> None:
    office = Office()

    async def open_board() -> AlertBoard:
        return office.board

    class Slow(Weather):
        async def look(self) -> BoardLook:
            look = await super().look()
            await asyncio.sleep(0)
            return look

    office.board = Slow(office.clock)
    boards = [SharedBoard(open_board, office.clock) for _ in range(5)]

    def add(number: int) -> object:
        def decide(board: Board, _now: float) -> tuple[Board, None]:
            [*before] = board.notices
            seen = Board.read(
                b'{"notices": [{"kind": "lag", "subject": "%d", "message": "", "since": 0, "seen": 0}]}' % number
            )
            return Board((*before, *seen.notices)), None

        return decide

    await asyncio.gather(*(board.change(add(number)) for number, board in enumerate(boards)))  # type: ignore[arg-type]
    text = (await office.board.look()).text
    assert {notice.subject for notice in Board.read(text).notices} == set("01234")


async def test_a_look_that_fails_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    office = Office()
    looked = asyncio.Semaphore(0)

    async def open_board() -> AlertBoard:
        return office.board

    async def look() -> Outlook:
        looked.release()
        raise RuntimeError("a fault")

    rules = Rules(sinks=(), every=0.0, quiet=60.0)
    watch = AlertWatch(SharedBoard(open_board, office.clock), look, {}, rules, every=0.001)
    watch.start()
    async with asyncio.timeout(20):
        for _ in range(3):
            await looked.acquire()
    await watch.stop()
    assert "this is a fault of Goatherd" in caplog.text
