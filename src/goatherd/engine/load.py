"""How much a worker takes on."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Load:
    """How much a worker takes on."""

    #: Queues with the number of jobs to hold from each.
    prefetch: dict[str, int]
    #: What tasks with many queues are known as.
    patterns: tuple[str, ...] = ()
    concurrency: int
    grace_period: float
    #: Jobs to hold from one that is taken from later on.
    held: int = 1
