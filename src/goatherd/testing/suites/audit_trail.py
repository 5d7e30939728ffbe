"""The suite of the audit trail: every adapter passes it."""

from collections.abc import AsyncIterator
from typing import Any, ClassVar

import msgspec
import pytest
import pytest_asyncio

from goatherd.model.audit import AuditEntry, AuditFilter, AuditPlace
from goatherd.ports.audit import AuditTrail

ALL = AuditFilter()


def entry(id: str, at: float, **fields: Any) -> AuditEntry:
    """Somebody paused a queue."""
    plain: dict[str, Any] = {
        "who": "ada", "role": "operator", "address": "::1", "action": "queue.pause", "target": "mail",
    }  # fmt: skip
    return AuditEntry(**{**plain, **fields}, id=id, at=at)


class AuditTrailSuite:
    """Subclass it as Test…, give it `store` and `open(store, app)`."""

    # Written here, so that the suite runs in both modes of pytest-asyncio.
    pytestmark: ClassVar[pytest.MarkDecorator] = pytest.mark.asyncio

    async def open(self, store: Any, app: str = "suite") -> AuditTrail:
        """A client of the store for an app."""
        raise NotImplementedError

    @pytest_asyncio.fixture
    async def trail(self, store: Any) -> AsyncIterator[AuditTrail]:
        opened = await self.open(store)
        yield opened
        await opened.close()

    async def test_what_was_noted_is_found_by_others(self, store: Any, trail: AuditTrail) -> None:
        noted = entry("a", 1700000000.123456, details=b'{"n": "\\u0000\xc3\xa4"}', outcome="failed: no such queue")
        await trail.note(noted)
        other = await self.open(store)
        assert await other.find(ALL, 10) == [noted]
        await other.close()

    async def test_what_no_store_keeps_does_no_harm(self, trail: AuditTrail) -> None:
        await trail.note(entry("a", 1.0, who="a\0da", target="\0", details=b"\xff\x00"))
        [found] = await trail.find(ALL, 10)
        assert (found.who, found.target, found.details) == ("ada", "", b"\xff\x00")

    async def test_what_no_store_keeps_can_be_looked_for(self, trail: AuditTrail) -> None:
        await trail.note(entry("a", 1.0))
        odd = "none\0 of \ud800 these"
        for choice in (AuditFilter(who=odd), AuditFilter(action=odd), AuditFilter(target=odd), AuditFilter(text=odd)):
            assert await trail.find(choice, 10) == []
        assert len(await trail.find(ALL, 10, AuditPlace(at=2.0, id=odd))) == 1

    async def test_an_entry_is_never_changed(self, trail: AuditTrail) -> None:
        first = entry("a", 1.0)
        await trail.note(first)
        await trail.note(msgspec.structs.replace(first, who="eve", at=2.0))
        assert await trail.find(ALL, 10) == [first]

    async def test_newest_first_page_by_page(self, trail: AuditTrail) -> None:
        # Several of one moment are told apart by their ids.
        noted = [entry(f"{at}{which}", float(at // 2), target=f"{at}") for at in range(6) for which in "xy"]
        for each in noted:
            await trail.note(each)
        wanted = sorted(noted, key=lambda each: (each.at, each.id), reverse=True)
        pages, place = [], None
        while page := await trail.find(ALL, 5, place):
            pages.append(len(page))
            assert list(page) == wanted[: len(page)]
            wanted = wanted[len(page) :]
            place = AuditPlace.of(page[-1])
        assert pages == [5, 5, 2]

    @pytest.mark.parametrize(
        ("choice", "wanted"),
        [
            (AuditFilter(who="ada"), "dba"),
            (AuditFilter(who="ada", action="queue.pause"), "ba"),
            (AuditFilter(target="mail"), "cba"),
            (AuditFilter(since=2.0), "dcb"),
            (AuditFilter(until=3.0), "ba"),
            (AuditFilter(since=2.0, until=3.0), "b"),
            (AuditFilter(text="ÄPFEL"), "b"),
            (AuditFilter(text="Purge"), "d"),
            (AuditFilter(text="eve"), "c"),
            (AuditFilter(text="100%"), "d"),
            (AuditFilter(text="_"), ""),
            (AuditFilter(text="timed out"), "c"),
            (AuditFilter(text="nobody"), ""),
        ],
    )
    async def test_some_can_be_chosen(self, trail: AuditTrail, choice: AuditFilter, wanted: str) -> None:
        await trail.note(entry("a", 1.0))
        await trail.note(entry("b", 2.0, details='{"why": "Äpfel"}'.encode()))
        await trail.note(entry("c", 3.0, who="eve", outcome="It timed out"))
        await trail.note(entry("d", 4.0, action="queue.purge", target="100%"))
        assert "".join(each.id for each in await trail.find(choice, 10)) == wanted

    async def test_old_ones_are_forgotten_in_small_batches(self, trail: AuditTrail) -> None:
        for at in range(5):
            await trail.note(entry(f"{at}", float(at)))
        assert await trail.prune(3.0, 2) == 2
        assert [each.id for each in await trail.find(ALL, 10)] == ["4", "3", "2"]
        assert await trail.prune(3.0, 2) == 1
        assert await trail.prune(3.0, 2) == 0

    async def test_another_app_has_a_trail_of_its_own(self, store: Any, trail: AuditTrail) -> None:
        other = await self.open(store, "another")
        await trail.note(entry("a", 1.0))
        await other.note(entry("a", 2.0))
        assert [each.at for each in await trail.find(ALL, 10)] == [1.0]
        assert await other.prune(9.0, 10) == 1
        assert len(await trail.find(ALL, 10)) == 1
        await other.close()

    async def test_closing_twice_is_no_harm(self, store: Any) -> None:
        trail = await self.open(store)
        await trail.close()
        await trail.close()
