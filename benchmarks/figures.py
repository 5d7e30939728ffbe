"""From raw records to figures. Nothing here reads a clock."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from statistics import median
from typing import TypeAlias

#: The moment a job started and the moment it was sent, in nanoseconds.
Marks: TypeAlias = Sequence[Sequence[int]]

SECOND = 1_000_000_000

#: Lists of latencies in a sample, and how their percentiles are called.
LATENCIES = {
    "latencies": "idle", "call_latencies": "call", "live_latencies": "live", "resume_latencies": "resume",
}  # fmt: skip


def percentile(values: Sequence[float], percent: float) -> float:
    """The value that so many per cent of the values do not exceed (nearest rank)."""
    if not values:
        raise ValueError("there is no percentile of nothing")
    rank = max(1, ceil(percent / 100 * len(values)))
    return sorted(values)[rank - 1]


def span_seconds(of_workers: Sequence[Marks]) -> float:
    """From the first start in any worker to the last."""
    moments = [started for marks in of_workers for started, _ in marks]
    return (max(moments) - min(moments)) / SECOND


def latencies_ms(marks: Marks) -> list[float]:
    """From sending to start, without the jobs that only warmed up."""
    return [(started - sent) / 1_000_000 for started, sent in marks if sent]


def share_balance(counts: Sequence[int]) -> float:
    """The smallest share over the largest: 1 is perfectly fair, 0 means that one got nothing."""
    return min(counts) / max(counts)


def gaps(of_workers: Sequence[Marks]) -> list[float]:
    """For each worker, the longest time without a start while others had work, in seconds."""
    everything = [started for marks in of_workers for started, _ in marks]
    first, last = min(everything), max(everything)
    longest = []
    for marks in of_workers:
        moments = [first, *sorted(started for started, _ in marks), last]
        longest.append(max(later - earlier for earlier, later in pairwise(moments)) / SECOND)
    return longest


def summarise(samples: Sequence[dict[str, float | list[float]]]) -> dict[str, float]:
    """The median of every figure over the repetitions; percentiles are of all latencies together."""
    summary: dict[str, float] = {}
    for name in dict.fromkeys(name for sample in samples for name in sample):
        values = [sample[name] for sample in samples if name in sample]
        numbers = [value for value in values if isinstance(value, float | int)]
        if numbers:
            summary[name] = median(numbers)
    for name, told in LATENCIES.items():
        latencies = [latency for sample in samples for latency in _list(sample.get(name))]
        if latencies:
            summary[f"{told}_p50"] = percentile(latencies, 50)
            summary[f"{told}_p99"] = percentile(latencies, 99)
    return summary


def times_better(ours: float, theirs: float, *, more_is_better: bool) -> float:
    """How many times better our figure is; below 1 means theirs is."""
    better, worse = (ours, theirs) if more_is_better else (theirs, ours)
    return better / worse if worse else float("inf")


def _list(value: float | list[float] | None) -> list[float]:
    return value if isinstance(value, list) else []
