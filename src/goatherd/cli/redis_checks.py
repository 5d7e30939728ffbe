"""What `goatherd doctor` says about a Redis: lanes and events are no cache."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from goatherd.cli.check import Check, warning, well, wrong

if TYPE_CHECKING:
    from goatherd.model.server_facts import RedisFacts

#: The part of its memory from which on it is nearly full.
NEARLY_FULL = 0.9
_KEPT = {
    "lanes": "jobs that wait in lanes",
    "events": "events of tracked jobs",
}


def redis_checks(facts: RedisFacts, *, volatile_lanes: bool) -> Iterator[Check]:
    """All that is not as it should be, or that it is."""
    problems = [*_place(facts), *_losses(facts, volatile_lanes=volatile_lanes), *_memory(facts)]
    if problems:
        yield from problems
        return
    used = ", ".join(facts.uses)
    yield well("redis", f"{facts.version} at {facts.server} for {used}, keeps what it is given")


def _place(facts: RedisFacts) -> Iterator[Check]:
    if not facts.primary:
        mend = "Name the primary server in the URL, or let Sentinels find it: redis+sentinel://…"
        yield wrong("redis", f"{facts.server} is a replica, to which nothing can be written", mend)
    if not facts.written:
        mend = "Free its disk and look at its log: it takes nothing more, or forgets it when it ends."
        yield wrong("redis", f"{facts.server} could not write its append-only file", mend)


def _losses(facts: RedisFacts, *, volatile_lanes: bool) -> Iterator[Check]:
    """What it forgets; pub/sub has nothing to lose."""
    kept = [use for use in facts.uses if use in _KEPT]
    if not kept:
        return
    told = " and ".join(_KEPT[use] for use in kept)
    if facts.appends is False:
        mend = f"{_set(facts, 'appendonly yes')}, so that it is so after a restart."
        found = f"{facts.server} has no append-only file (AOF): when it ends, it forgets {told}"
        yield _weighed(found, mend, kept, volatile_lanes=volatile_lanes)
    if facts.most_memory and facts.eviction not in (None, "noeviction"):
        mend = f"{_set(facts, 'maxmemory-policy noeviction')}; caches go on a server of their own."
        found = f"{facts.server} throws keys away when its memory is full ({facts.eviction}), also {told}"
        yield _weighed(found, mend, kept, volatile_lanes=volatile_lanes)
    if facts.appends is None or facts.eviction is None:
        mend = "Let the user run INFO, or see for yourself that appendonly is yes and maxmemory-policy noeviction."
        yield warning("redis", f"{facts.server} does not tell whether it keeps {told}", mend)


def _set(facts: RedisFacts, setting: str) -> str:
    """What changes it now, and for ever; servers that Sentinels find have no one address."""
    client = f"redis-cli -u {facts.server}" if "+sentinel" not in facts.server else "redis-cli"
    return f"`{client} CONFIG SET {setting}`, and `{setting}` in redis.conf"


def _weighed(found: str, mend: str, kept: Sequence[str], *, volatile_lanes: bool) -> Check:
    """A lane that is lost is lost jobs, and no worker takes such a server, unless somebody said that he knows."""
    return wrong("redis", found, mend) if "lanes" in kept and not volatile_lanes else warning("redis", found, mend)


def _memory(facts: RedisFacts) -> Iterator[Check]:
    if facts.most_memory and facts.memory > NEARLY_FULL * facts.most_memory:
        found = f"{facts.server} uses {_mb(facts.memory)} of the {_mb(facts.most_memory)} that it may (maxmemory)"
        mend = (
            "Give it more (CONFIG SET maxmemory), keep events for a shorter time (GOATHERD_EVENT_TTL), or add workers."
        )
        yield warning("redis", found, mend)


def _mb(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
