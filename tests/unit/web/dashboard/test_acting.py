"""What operators do is done within a deadline and is on record, or it is not done."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from goatherd import Goatherd
from goatherd.desk.errors import NotNow
from goatherd.errors import CallTimeout, Unavailable
from goatherd.model.audit import AuditEntry, AuditFilter
from goatherd.ports.audit import AuditTrail
from goatherd.web.control import acting
from goatherd.web.control.acting import act
from goatherd.web.control.visitor import NotAllowed, Visitor

ADA = Visitor(name="ada", role="operator", by="proxy", address="10.0.0.1")


@pytest.fixture
async def opened(app: Goatherd) -> AsyncIterator[Goatherd]:
    async with app:
        yield app


async def entries(app: Goatherd) -> list[AuditEntry]:
    return list(await (await app.session().control_records.audit()).find(AuditFilter(), 10))


async def well() -> str:
    return "well"


async def test_secrets_are_not_in_the_details(opened: Goatherd) -> None:
    details = {"arguments": {"to": "a@b.c", "password": "hunter2", "deep": [{"token": "abc"}]}}
    assert await act(ADA, opened, "letter.replay", "7", well, details) == "well"
    [entry] = await entries(opened)
    told = json.loads(entry.details)["arguments"]
    assert told == {"to": "a@b.c", "password": "***", "deep": [{"token": "***"}]}


async def test_what_failed_is_on_record_too(opened: Goatherd) -> None:
    async def badly() -> None:
        raise NotNow("It is running.")

    async def no_answer() -> None:
        raise CallTimeout("x", "No answer.")

    async def wrong() -> None:
        raise KeyError("hunter2")

    with pytest.raises(NotNow):
        await act(ADA, opened, "a", "x", badly)
    with pytest.raises(CallTimeout):
        await act(ADA, opened, "b", "x", no_answer)
    with pytest.raises(KeyError):
        await act(ADA, opened, "c", "x", wrong)
    outcomes = {entry.action: entry.outcome for entry in await entries(opened)}
    assert outcomes == {"a": "failed: It is running.", "b": "failed: No answer.", "c": "failed: KeyError"}


async def test_it_does_not_take_for_ever(opened: Goatherd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acting, "DEADLINE", 0.01)
    with pytest.raises(Unavailable, match="look whether it was done"):
        await act(ADA, opened, "a", "x", asyncio.Event().wait)
    [entry] = await entries(opened)
    assert entry.outcome.startswith("not known: no answer")


async def test_who_stops_the_dashboard_does_not_stop_the_record(opened: Goatherd) -> None:
    begun = asyncio.Event()

    async def long() -> None:
        begun.set()
        await asyncio.Event().wait()

    doing = asyncio.create_task(act(ADA, opened, "a", "x", long))
    await begun.wait()
    doing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await doing
    [entry] = await entries(opened)
    assert entry.outcome == "not known: the dashboard was stopped"


async def test_viewers_change_nothing_and_leave_no_trace(opened: Goatherd) -> None:
    done = []

    async def doing() -> None:
        done.append(True)

    with pytest.raises(NotAllowed):
        await act(Visitor(name="bob", role="viewer", by="proxy"), opened, "a", "x", doing)
    assert (done, await entries(opened)) == ([], [])


class Away:
    """An audit trail whose store cannot be asked, or not any more."""

    def __init__(self, trail: AuditTrail, *, from_the_start: bool) -> None:
        self._trail, self._from_the_start = trail, from_the_start

    async def find(self, choice: AuditFilter, limit: int, before: object = None) -> list[AuditEntry]:
        if self._from_the_start:
            raise Unavailable("The store is away.")
        return []

    async def note(self, entry: AuditEntry) -> None:
        raise Unavailable("The store is away.")


@pytest.mark.parametrize("from_the_start", [True, False])
async def test_what_cannot_be_noted_is_not_done(
    opened: Goatherd, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, from_the_start: bool
) -> None:
    records = opened.session().control_records
    away = Away(await records.audit(), from_the_start=from_the_start)

    async def audit() -> Away:
        return away

    monkeypatch.setattr(records, "audit", audit)
    if from_the_start:
        with pytest.raises(Unavailable, match="Nothing was done"):
            await act(ADA, opened, "a", "x", well)
    else:
        # It was there when it was asked, and is gone now; all that is left is the log.
        assert await act(ADA, opened, "a", "x", well) == "well"
        assert "missing in the audit log" in caplog.text


async def test_what_came_of_it_is_on_record(opened: Goatherd) -> None:
    async def three() -> int:
        return 3

    await act(ADA, opened, "queue.purge", "mail", three, {"seen": 4}, came_to=lambda many: {"deleted": many})
    [entry] = await entries(opened)
    assert (json.loads(entry.details), entry.outcome) == ({"seen": 4, "deleted": 3}, "done")


async def test_what_could_not_be_written_down_is_not_done(opened: Goatherd) -> None:
    done = []

    async def doing() -> None:
        done.append(True)

    with pytest.raises(UnicodeEncodeError):
        await act(ADA, opened, "letter.replay", "7", doing, {"arguments": {"to": "\ud800"}})
    assert (done, await entries(opened)) == ([], [])


async def test_very_long_details_are_cut(opened: Goatherd) -> None:
    await act(ADA, opened, "letter.replay", "7", well, {"arguments": {"text": "ä" * 100_000}})
    [entry] = await entries(opened)
    assert len(entry.details) < 2 * acting.LONGEST_DETAILS
    assert json.loads(entry.details)["cut"].startswith('{"arguments":{"text":"ää')
