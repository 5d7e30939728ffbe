"""Each safeguard of the event path, and how it is taken out of a running program."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from goatherd.model.event import Entry, Position


def no_gap_repair() -> None:
    """An event that does not follow on the last one is no reason to read the log."""
    from goatherd.engine.hub import Hub

    def wake(self: Hub, entries: Sequence[Entry]) -> None:
        self.heard_at = self._around.clock.now()
        ring = self.ring
        if ring is None or not entries:
            self.look_soon()
            return
        top = ring.top
        all(map(ring.add_heard, entries))
        if ring.top is not top:
            self.closed = ring.ends
            self._tell()

    Hub.wake = wake  # type: ignore[method-assign]


def no_look_on_silence() -> None:
    """Silence is no reason to read the log."""
    from goatherd.engine.subscriptions import Subscriptions

    Subscriptions._is_silent = lambda *_: False  # type: ignore[method-assign]


def no_position_check() -> None:
    """Whatever is told is handed out, whether it follows on the last event or not."""
    from goatherd.engine.ring import Ring

    def add_heard(self: Ring, entry: Entry) -> bool:
        self.add(entry)
        return True

    Ring.add_heard = add_heard  # type: ignore[method-assign]
    Ring.after = _after_by_seq  # type: ignore[method-assign]


def _after_by_seq(self: Any, position: Position) -> Any:
    """In a ring with holes a place cannot be found by counting."""
    from goatherd.engine.ring import NOTHING, cut

    if position.seq < self._before.seq:
        return None
    following = [entry for entry in self._entries if entry.position.seq > position.seq]
    return cut(following) if following else NOTHING


def read_before_subscribe() -> None:
    """The log is read first, and only then the store is asked to call."""
    from goatherd.engine.hub import Hub
    from goatherd.engine.subscriptions import Subscriptions

    opened = Hub.open
    follow = Subscriptions.follow

    async def unopened(self: Hub) -> None:
        return

    async def late(self: Subscriptions, job_id: str, *arguments: Any, **options: Any) -> Any:
        follower = await follow(self, job_id, *arguments, **options)
        # What a busy machine takes between two steps.
        await asyncio.sleep(0.05)
        await opened(follower.hub)
        return follower

    Hub.open = unopened  # type: ignore[method-assign]
    Subscriptions.follow = late  # type: ignore[method-assign]


def in_append(old: str, new: str) -> Callable[[], None]:
    """Another script for appends."""

    def change() -> None:
        from goatherd.adapters.redis import scripts

        source = scripts.APPEND.source
        assert source.count(old.encode()) == 1, f"append.lua has not {old!r} once"
        scripts.APPEND.source = source.replace(old.encode(), new.encode())
        scripts.APPEND.digest = hashlib.sha1(scripts.APPEND.source, usedforsecurity=False).hexdigest()

    return change


ABLATIONS: dict[str, Callable[[], None]] = {
    "gap repair": no_gap_repair,
    "look on silence": no_look_on_silence,
    "position check": no_position_check,
    "subscribe before read": read_before_subscribe,
    "fencing": in_append("if over then", "if false then"),
    "text void on a new attempt": in_append("if voids == '1' then", "if false then"),
    "idempotent producer": in_append("written = tonumber(known.number)", "written = number - 1"),
}
