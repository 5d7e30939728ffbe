"""One schedule that cannot be followed here does not stop the others."""

import logging
from collections.abc import Sequence
from typing import Any

import pytest

from goatherd.engine.ticker import Ticker
from goatherd.model.schedule import Cron, Decision, DueSchedule, Firing, Rate, ScheduleLook, ScheduleRule, Timing


def due(name: str, timing: Timing) -> DueSchedule:
    rule = ScheduleRule(timing=timing)
    return DueSchedule(name=name, rule=rule, rev=1, next_at=None, open=0, waiting=0)


class Store:
    """Has two schedules; a decision is all it keeps."""

    def __init__(self) -> None:
        self.decided: dict[str, Decision] = {}
        self._all = [due("abroad", Cron("@daily", "Atlantis/Capital")), due("here", Rate(60))]

    async def declare(self, declared: Any, alive: float) -> None: ...

    async def look(self, names: Sequence[str], limit: int) -> ScheduleLook:
        left = tuple(each for each in self._all if each.name not in self.decided)
        return ScheduleLook(now=1.8e9, due=left, firings=(), next_at=1.8e9 + 60)

    async def decide(self, decisions: Sequence[Decision]) -> Sequence[bool]:
        self.decided |= {decision.name: decision for decision in decisions}
        return [True] * len(decisions)

    async def forget(self, older_than: float, limit: int) -> int:
        return 0


async def test_a_schedule_in_a_zone_that_is_not_known_here_is_left_to_others(caplog: pytest.LogCaptureFixture) -> None:
    async def begin(firing: Firing) -> bool:
        raise AssertionError(firing)

    store = Store()
    ticker = Ticker(store, [], begin, kept_for=1)  # type: ignore[arg-type]
    with caplog.at_level(logging.ERROR):
        # It is not looked at again at once, but when the next one is due.
        assert await ticker.round() == 60
        assert await ticker.round() == 60
    assert list(store.decided) == ["here"]
    [told] = [record.getMessage() for record in caplog.records]
    assert "abroad is left to other schedulers" in told
    assert "'Atlantis/Capital'" in told
