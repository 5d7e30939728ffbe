"""What operators did is kept for a while, and forgotten in small batches by those who add to it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from goatherd.engine import kept_audit
from goatherd.engine.kept_audit import PRUNE_EVERY, KeptAudit
from goatherd.errors import Unavailable
from goatherd.model.audit import AuditFilter
from goatherd.model.settings import Settings
from goatherd.ports.audit import AuditTrail
from goatherd.testing.suites.audit_trail import entry
from goatherd.testing.suites.listener_records import Hand
from goatherd.wiring import ControlRecords
from goatherd.wiring.control import open_audit_trail
from tests.conformance.test_uniques import ClockByHand

DAY = 86_400.0


@pytest.fixture
def hand() -> Hand:
    return Hand()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(broker_url=f"sqlite:///{tmp_path}/jobs.db", default_queue="q", audit_days=1)


@pytest.fixture
async def trail(settings: Settings, hand: Hand) -> AsyncIterator[AuditTrail]:
    opened = await open_audit_trail(settings, ClockByHand(hand))
    yield opened
    await opened.close()


async def ids(trail: AuditTrail) -> list[str]:
    return [each.id for each in await trail.find(AuditFilter(), 100)]


async def test_what_is_too_old_goes_when_something_is_added(trail: AuditTrail, hand: Hand) -> None:
    kept = KeptAudit(trail, ClockByHand(hand), DAY)
    await kept.note(entry("old", hand.time))
    hand.time += DAY + 1
    await kept.note(entry("new", hand.time))
    assert await ids(kept) == ["new"]


async def test_batch_by_batch(trail: AuditTrail, hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_audit, "BATCH", 2)
    for number in range(3):
        await trail.note(entry(f"old {number}", hand.time - 2 * DAY + number))
    kept = KeptAudit(trail, ClockByHand(hand), DAY)
    await kept.note(entry("a", hand.time))
    assert await ids(kept) == ["a", "old 2"]
    await kept.note(entry("b", hand.time))
    assert await ids(kept) == ["b", "a"]


async def test_not_with_every_entry(trail: AuditTrail, hand: Hand) -> None:
    kept = KeptAudit(trail, ClockByHand(hand), DAY)
    await kept.note(entry("a", hand.time))
    await trail.note(entry("old", hand.time - 2 * DAY))
    await kept.note(entry("b", hand.time))
    assert await ids(kept) == ["b", "a", "old"]
    hand.time += PRUNE_EVERY
    await kept.note(entry("c", hand.time))
    assert await ids(kept) == ["c", "b", "a"]


async def test_what_cannot_be_forgotten_now_does_no_harm(
    trail: AuditTrail, hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> int:
        raise Unavailable("the store is away")

    monkeypatch.setattr(trail, "prune", away)
    kept = KeptAudit(trail, ClockByHand(hand), DAY)
    await kept.note(entry("a", hand.time))
    assert await ids(kept) == ["a"]


async def test_the_setting_says_for_how_long(settings: Settings, hand: Hand) -> None:
    records = ControlRecords(settings, ClockByHand(hand))
    trail = await records.audit()
    await trail.note(entry("old", hand.time - 1.5 * DAY))
    await trail.note(entry("new", hand.time - 0.5 * DAY))
    hand.time += PRUNE_EVERY
    await trail.note(entry("now", hand.time))
    assert await ids(trail) == ["now", "new"]
    await records.close()
