"""A book of schedules: everything is worked out anew from lists of what happened, whatever that costs."""

from dataclasses import dataclass, field
from typing import Any

from goatherd.model.schedule import Decision, Delay, ScheduleRule


@dataclass
class Version:
    rule: ScheduleRule
    until: float


@dataclass
class Entry:
    """A firing."""

    tick: float
    id: str
    state: str
    triggered: bool
    missed: int
    fired: float
    job: bytes | None
    begun: float | None = None
    ended: float | None = None

    @property
    def is_open(self) -> bool:
        return self.state in ("due", "open")

    @property
    def has_ended(self) -> bool:
        return self.state in ("done", "failed", "cancelled")

    @property
    def over(self) -> float | None:
        return self.fired if self.state in ("missed", "skipped") else self.ended


@dataclass
class Page:
    """A schedule."""

    name: str
    #: In the order in which they appeared.
    versions: list[Version] = field(default_factory=list)
    coded: ScheduleRule | None = None
    chosen: ScheduleRule | None = None
    job: bytes | None = None
    rule: ScheduleRule | None = None
    paused: bool = False
    next_at: float | None = None
    awaits: bool = False
    last_fired: float | None = None
    last_ended: float | None = None
    last_tick: float | None = None
    entries: list[Entry] = field(default_factory=list)
    #: Grows with each change, and when it is forgotten.
    changes: int = 0

    @property
    def exists(self) -> bool:
        return self.coded is not None or self.chosen is not None

    @property
    def fires(self) -> bool:
        return bool(self.versions) or self.job is not None

    @property
    def due(self) -> float | None:
        return None if self.paused or self.awaits or not self.fires else self.next_at or 0.0

    def count(self, *states: str) -> int:
        return sum(entry.state in states for entry in self.entries)

    def in_force(self) -> ScheduleRule | None:
        return self.chosen or self.coded or self.rule

    def use(self) -> None:
        """Another rule is worked out anew."""
        if self.in_force() != self.rule:
            self.rule = self.in_force()
            self.next_at, self.awaits = None, False


class Book:
    """All of them."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pages: dict[str, Page] = {}

    def turn(self, now: float) -> None:
        """So late is it: some versions live no more."""
        self.now = now
        for page in self.pages.values():
            before = self._standing(page)
            page.versions = [version for version in page.versions if version.until > now]
            self._count(page, before)

    def declare(self, name: str, rule: ScheduleRule, alive: float) -> None:
        page = self.pages.setdefault(name, Page(name))
        before = self._standing(page)
        for version in page.versions:
            if version.rule == rule:
                version.until = max(version.until, self.now + alive)
                break
        else:
            page.versions.append(Version(rule, self.now + alive))
        self._count(page, before)

    def choose(self, name: str, rule: ScheduleRule, job: bytes | None) -> None:
        page = self.pages.setdefault(name, Page(name))
        if page.exists and (page.chosen, page.job) == (rule, job):
            return
        if not page.exists:
            page.paused, page.next_at, page.awaits = False, None, False
        page.chosen, page.job = rule, job
        page.use()
        page.changes += 1

    def remove(self, name: str) -> bool:
        page = self.pages.get(name)
        if page is None or page.chosen is None:
            return False
        page.chosen = page.job = None
        page.use()
        page.changes += 1
        return True

    def pause(self, name: str, paused: bool) -> bool:
        page = self.pages.get(name)
        if page is None or not page.exists:
            return False
        if page.paused != paused:
            page.paused = paused
            page.changes += 1
            if not paused:
                page.next_at, page.awaits = None, False
        return True

    def decide(self, decision: Decision) -> None:
        """It is known to be heard."""
        page = self.pages[decision.name]
        for new in decision.firings:
            page.last_tick = max(page.last_tick or new.tick, new.tick)
            if self.find(new.id) or any(each.tick == new.tick and not each.triggered for each in page.entries):
                continue
            self._enter(page, new.tick, new.id, new.state, missed=new.missed)
        page.next_at, page.awaits = decision.next_at, decision.next_at is None
        page.changes += 1

    def trigger(self, name: str, id: str) -> Entry | None:
        if found := self.find(id):
            return found[1]
        page = self.pages.get(name)
        if page is None or not page.exists or page.rule is None:
            return None
        tick = round(self.now * 1_000_000)
        while any(each.triggered and each.tick == tick / 1_000_000 for each in page.entries):
            tick += 1
        waits = page.rule.overlap != "allow" and page.count("due", "open", "waiting") > 0
        page.changes += 1
        return self._enter(page, tick / 1_000_000, id, "waiting" if waits else "due", triggered=True)

    def begin(self, id: str, ended: bool) -> None:
        found = self.find(id)
        if found is None or found[1].state != "due":
            return
        page, entry = found
        entry.state, entry.begun, page.last_fired = "open", self.now, self.now
        page.changes += 1
        if ended:
            self.end(id, "done")

    def end(self, id: str, state: Any) -> bool:
        found = self.find(id)
        if found is None:
            return False
        page, entry = found
        if entry.has_ended and entry.state != state:
            entry.state, entry.ended = state, self.now
            page.changes += 1
        if not entry.is_open:
            return False
        entry.state, entry.ended, page.last_ended = state, self.now, self.now
        page.changes += 1
        assert page.rule is not None
        if page.awaits or isinstance(page.rule.timing, Delay):
            page.next_at, page.awaits = None, False
        waiting = [each for each in page.entries if each.state == "waiting"]
        if waiting and (page.rule.overlap == "allow" or not page.count("due", "open")):
            waiting[0].state, page.last_fired = "due", self.now
            return True
        return page.due is not None and page.next_at is None

    def forget(self, older_than: float) -> int:
        forgotten = 0
        for page in self.pages.values():
            ended = [entry for entry in page.entries if entry.has_ended]
            kept = [*page.entries[-1:], *ended[-1:]] if page.exists else []
            old = [
                entry for entry in page.entries
                if entry.over is not None and entry.over <= self.now - older_than
                and not any(entry is each for each in kept)
            ]  # fmt: skip
            page.entries = [entry for entry in page.entries if not any(entry is each for each in old)]
            forgotten += len(old)
            if not page.exists and not page.entries:
                page.last_fired = page.last_ended = page.last_tick = None
                page.changes += 1
        return forgotten

    def find(self, id: str) -> tuple[Page, Entry] | None:
        for page in self.pages.values():
            for entry in page.entries:
                if id and entry.id == id:
                    return page, entry
        return None

    def _enter(
        self, page: Page, tick: float, id: str, state: str, *, triggered: bool = False, missed: int = 0
    ) -> Entry:
        job = page.job if state in ("due", "waiting") else None
        entry = Entry(tick, id, state, triggered, missed, self.now, job)
        page.entries.append(entry)
        if state == "due":
            page.last_fired = self.now
        return entry

    @staticmethod
    def _standing(page: Page) -> tuple[object, ...]:
        return page.coded, page.rule, page.fires

    def _count(self, page: Page, before: tuple[object, ...]) -> None:
        if page.versions:
            page.coded = page.versions[-1].rule
        page.use()
        page.changes += before != self._standing(page)
