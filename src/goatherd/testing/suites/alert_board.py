"""The suite of the board of alerts: every adapter passes it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, ClassVar

import pytest
import pytest_asyncio

from goatherd.ports.alerts import AlertBoard
from goatherd.testing.suites.listener_records import Hand


class AlertBoardSuite:
    """Subclass it as Test…, give it `store` and `open(store, now)`."""

    # Written here, so that the suite runs in both modes of pytest-asyncio.
    pytestmark: ClassVar[pytest.MarkDecorator] = pytest.mark.asyncio

    async def open(self, store: Any, now: Callable[[], float], app: str = "suite") -> AlertBoard:
        """A client of the store for an app, whose time is told by `now`."""
        raise NotImplementedError

    @pytest.fixture
    def hand(self) -> Hand:
        return Hand()

    @pytest_asyncio.fixture
    async def board(self, store: Any, hand: Hand) -> AsyncIterator[AlertBoard]:
        opened = await self.open(store, hand)
        yield opened
        await opened.close()

    async def test_nothing_is_on_a_new_board(self, board: AlertBoard, hand: Hand) -> None:
        look = await board.look()
        assert (look.rev, look.text) == (0, b"")
        assert look.now == pytest.approx(hand.time)

    async def test_what_was_written_is_seen_by_others(self, store: Any, hand: Hand, board: AlertBoard) -> None:
        assert await board.write(0, b"one")
        other = await self.open(store, hand)
        look = await other.look()
        assert (look.rev, look.text) == (1, b"one")
        assert await other.write(1, b"\x00\xfftwo")
        assert (await board.look()).text == b"\x00\xfftwo"
        await other.close()

    @pytest.mark.parametrize("rev", [0, 2, 99])
    async def test_who_has_not_seen_the_newest_is_not_heard(self, board: AlertBoard, rev: int) -> None:
        assert await board.write(0, b"one")
        assert not await board.write(rev, b"two")
        look = await board.look()
        assert (look.rev, look.text) == (1, b"one")

    async def test_on_a_new_board_nobody_can_have_seen_anything(self, board: AlertBoard) -> None:
        assert not await board.write(3, b"one")
        assert (await board.look()).rev == 0

    async def test_of_many_at_once_one_is_heard(self, store: Any, hand: Hand) -> None:
        boards = [await self.open(store, hand) for _ in range(4)]
        for rev in range(3):
            heard = await asyncio.gather(*(board.write(rev, b"%d" % who) for who, board in enumerate(boards)))
            assert sum(heard) == 1
            look = await boards[0].look()
            assert (look.rev, look.text) == (rev + 1, b"%d" % heard.index(True))
        for board in boards:
            await board.close()

    async def test_another_app_has_a_board_of_its_own(self, store: Any, hand: Hand, board: AlertBoard) -> None:
        other = await self.open(store, hand, "another")
        assert await board.write(0, b"one")
        assert (await other.look()).rev == 0
        assert await other.write(0, b"two")
        assert (await board.look()).text == b"one"
        await other.close()

    async def test_closing_twice_is_no_harm(self, store: Any, hand: Hand) -> None:
        board = await self.open(store, hand)
        await board.close()
        await board.close()
