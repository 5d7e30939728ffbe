"""A schedule as it is on record, or else as the code says, and what follows from its rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from goatherd.desk.schedule_facts import FiringFacts, ScheduleFacts, ScheduleHealth, firing_facts, time_of
from goatherd.model.schedule import Cron, Delay
from goatherd.model.timing import described, jitter_of, next_tick

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.schedule import ScheduleRule, ScheduleState
    from goatherd.ports.schedules import ScheduleOperations

#: Seconds after its time from which on a schedule is late: some scheduler should have fired it long ago.
LATE = 60.0

#: What programs are told of a schedule at the command line.
_TOLD = ("name", "when", "rule", "origin", "on_record", "paused", "next_at", "open", "waiting", "last", "last_end")


@dataclass(frozen=True, kw_only=True)
class Coming:
    """One tick to come."""

    tick: float
    #: With its jitter.
    due: float


@dataclass(frozen=True, kw_only=True)
class ScheduleLook:
    """One schedule; it has no state if no scheduler has run since it was declared."""

    name: str
    rule: ScheduleRule
    state: ScheduleState | None

    @property
    def when(self) -> str:
        """Its times, in words."""
        return described(self.rule)

    @property
    def origin(self) -> str:
        """Who wants it."""
        return "code" if self.state is None else self.state.origin

    @property
    def paused(self) -> bool:
        """Whether it fires no more for now."""
        return self.state is not None and self.state.paused

    @property
    def after_end(self) -> bool:
        """Whether its times depend on the ends of runs."""
        return isinstance(self.rule.timing, Delay)

    @property
    def zone(self) -> str:
        """In which its times are meant."""
        return self.rule.timing.tz if isinstance(self.rule.timing, Cron) else "UTC"

    def next_at(self, now: float) -> float | None:
        """When it is due; None if it is paused or gone, never comes, or depends on the end of a run."""
        if self.paused or self.origin == "gone":
            return None
        if self.state is not None and self.state.next_at is not None:
            return self.state.next_at
        coming = self.coming(now, 1)
        return coming[0].due if coming else None

    def coming(self, now: float, count: int) -> list[Coming]:
        """The next ticks by its rule, however many are worked on, paused or not."""
        found: list[Coming] = []
        tick = next_tick(self.rule, now)
        while tick is not None and len(found) < count:
            found.append(Coming(tick=tick, due=tick + jitter_of(self.name, self.rule, tick)))
            tick = next_tick(self.rule, tick)
        return found

    def health(self, now: float) -> ScheduleHealth:
        """Whether somebody should look at it."""
        state = self.state
        if state is None:
            return "new"
        if state.origin == "gone":
            return "gone"
        if state.paused:
            return "paused"
        if state.next_at is not None and state.next_at + self.rule.jitter < now - LATE:
            return "late"
        return "failing" if state.last_end is not None and state.last_end.state == "failed" else "well"

    def facts(self, now: float, *, task: str | None = None) -> ScheduleFacts:
        """All of it, plain; `task` is the app's own whose runs its ticks are."""
        import msgspec

        state = self.state
        return ScheduleFacts(
            name=self.name,
            when=self.when,
            rule=msgspec.to_builtins(self.rule),
            origin=self.origin,
            on_record=state is not None,
            paused=self.paused,
            health=self.health(now),
            zone=self.zone,
            after_end=self.after_end,
            next_at=time_of(self.next_at(now)),
            open=0 if state is None else state.open,
            waiting=0 if state is None else state.waiting,
            last=_firing(self, "last"),
            last_end=_firing(self, "last_end"),
            task=task,
        )

    def as_json(self, now: float) -> dict[str, Any]:
        """For programs at the command line."""
        facts = self.facts(now)
        return {name: getattr(facts, name) for name in _TOLD}


def _firing(look: ScheduleLook, which: str) -> FiringFacts | None:
    firing = None if look.state is None else getattr(look.state, which)
    return None if firing is None else firing_facts(firing)


async def look_at_schedules(app: Goatherd, operations: ScheduleOperations) -> list[ScheduleLook]:
    """All that are on record or declared, by name; raises Unavailable, SettingsError or DefinitionError."""
    declared = {each.name: each.rule for each in app.declared_schedules()}
    recorded = {state.name: state for state in await operations.list()}
    found = []
    for name in sorted({*declared, *recorded}):
        state = recorded.get(name)
        rule = declared[name] if state is None else state.rule
        found.append(ScheduleLook(name=name, rule=rule, state=state))
    return found
