"""Who is compared with whom: what order costs, and what it costs others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.report import Outcome

#: In each setting: one of ours, who it is compared with, and how many times as fast it means to be; 0 for no goal.
PAIRS: dict[str, tuple[tuple[str, str, float], ...]] = {
    "lanes": (
        ("goatherd_redis", "unkeyed_rabbitmq", 0.3),
        ("goatherd_postgres", "unkeyed_rabbitmq", 0.0),
        ("goatherd_sqlite", "unkeyed_sqlite", 0.0),
        ("goatherd_redis", "plain", 3.0),
    ),
    "lanes_postgres": (("goatherd_postgres", "procrastinate", 5.0),),
    "pipelines": (
        ("goatherd_postgres", "procrastinate", 3.0),
        ("goatherd_postgres", "pgqueuer", 1.5),
        ("goatherd_batches", "pgqueuer", 1.5),
    ),
}


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two that drained the same jobs."""

    ours: Outcome
    theirs: Outcome
    goal: float

    @property
    def ratio(self) -> float:
        """How many times as fast ours drained."""
        return self.ours.median["drain"] / self.theirs.median["drain"]


def pairs_in(setting: str, group: Sequence[Outcome]) -> list[Pair]:
    """Those of the setting that were measured."""
    here = {outcome.entry.name: outcome for outcome in group}
    return [
        Pair(ours=here[ours], theirs=here[theirs], goal=goal)
        for ours, theirs, goal in PAIRS.get(setting, ())
        if ours in here and theirs in here
    ]


def as_json(setting: str, group: Sequence[Outcome]) -> list[dict[str, Any]]:
    """The same for programs."""
    return [
        {
            "of": pair.ours.entry.name,
            "to": pair.theirs.entry.name,
            "measure": "drain",
            "ratio": round(pair.ratio, 3),
            "goal": pair.goal or None,
        }
        for pair in pairs_in(setting, group)
    ]
