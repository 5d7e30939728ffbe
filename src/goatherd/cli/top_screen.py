"""The ways in which `goatherd top` shows itself: once, one after the other, or live with keys."""

from __future__ import annotations

import asyncio
import logging
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console, Group
from rich.live import Live

from goatherd.cli.output import Output
from goatherd.cli.redaction import printable
from goatherd.cli.top_json import top_json
from goatherd.cli.top_keys import ended_by_signal, keys_pressed
from goatherd.cli.top_picture import ORDERS, picture
from goatherd.cli.top_sources import EVERY, PATIENCE

if TYPE_CHECKING:
    from goatherd.cli.top_parts import TopLook, TopParts

#: Lines of a picture that is not for a terminal, where nothing should be cut.
TALL = 10_000


class LastWords(logging.Handler):
    """Keeps what would be logged out of the picture; the last line can be shown in it."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.line = ""
        self._log = logging.getLogger("goatherd")
        self._passed_on = self._log.propagate

    def emit(self, record: logging.LogRecord) -> None:
        """Remember it."""
        self.line = printable(record.getMessage())

    def __enter__(self) -> Self:
        self._log.addHandler(self)
        self._log.propagate = False
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._log.removeHandler(self)
        self._log.propagate = self._passed_on


class Screen:
    """What the keys have changed."""

    def __init__(self) -> None:
        self.order = ORDERS[0]
        self.held: TopLook | None = None
        self.ended = False
        #: Set when there is something new to be shown.
        self.changed = asyncio.Event()

    def press(self, key: str, parts: TopParts) -> None:
        """One key."""
        match key.lower():
            case "q":
                self.ended = True
            case "p":
                self.held = parts.look() if self.held is None else None
            case "s":
                self.order = ORDERS[(ORDERS.index(self.order) + 1) % len(ORDERS)]
            case _:
                return
        self.changed.set()

    @property
    def footer(self) -> str:
        """What the keys do."""
        return f"q quit  p {'go on' if self.held else 'hold'}  s sort (by {self.order})"


async def show_live(parts: TopParts, console: Console, words: LastWords) -> None:
    """Until q or Ctrl-C."""
    screen = Screen()
    with (
        keys_pressed(lambda key: screen.press(key, parts)),
        ended_by_signal(lambda: screen.press("q", parts)),
        Live(console=console, screen=True, auto_refresh=False) as live,
    ):
        while not screen.ended:
            footer = f"{screen.footer}  {words.line}".rstrip()
            size = console.size
            look = screen.held or parts.look()
            lines = picture(look, width=size.width, height=size.height, order=screen.order, footer=footer)
            for line in lines:
                line.no_wrap, line.overflow = True, "ellipsis"
            live.update(Group(*lines), refresh=True)
            screen.changed.clear()
            await _next_second(screen.changed)


async def print_on(parts: TopParts, output: Output, console: Console) -> None:
    """One after the other, until Ctrl-C."""
    await _all_tried(parts, 1)
    while True:
        _print(parts.look(), output, console, one_line=True)
        await asyncio.sleep(EVERY)


async def show_once(parts: TopParts, output: Output, console: Console) -> None:
    """As soon as all was seen twice, for rates need two looks, or could not be seen."""
    await _all_tried(parts, 2)
    _print(parts.look(), output, console, one_line=False)


async def _all_tried(parts: TopParts, looks: int) -> None:
    waiting = [asyncio.create_task(each.tried(looks), name=f"goatherd top {each.name} tried") for each in parts.sources]
    _, late = await asyncio.wait(waiting, timeout=(looks + 1) * (PATIENCE + EVERY))
    for task in late:
        task.cancel()
    await asyncio.gather(*late, return_exceptions=True)


async def _next_second(changed: asyncio.Event) -> None:
    try:
        await asyncio.wait_for(changed.wait(), EVERY)
    except TimeoutError:
        return


def _print(look: TopLook, output: Output, console: Console, *, one_line: bool) -> None:
    if output.json:
        output.write_json(top_json(look), one_line=one_line)
        return
    width = console.width if console.is_terminal else 80
    for line in picture(look, width=width, height=TALL):
        console.print(line, soft_wrap=True)
