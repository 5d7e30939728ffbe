"""The outcome of a run: medians, and Goatherd's ratios to its peers."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

from benchmarks.contender import Named
from benchmarks.figures import summarise, times_better
from benchmarks.measures import Plan, Sample
from benchmarks.settings import Entry


@dataclass(frozen=True, kw_only=True)
class Measure:
    """One column of figures."""

    key: str
    title: str
    unit: str
    more_is_better: bool = True


MEASURES = (
    Measure(key="one_by_one", title="one by one", unit="jobs/s"),
    Measure(key="at_once", title="64 at once", unit="jobs/s"),
    Measure(key="batch", title="batch", unit="jobs/s"),
    Measure(key="enqueue", title="best way to send", unit="jobs/s"),
    Measure(key="publish", title="publish", unit="msg/s"),
    Measure(key="publish_cpu", title="its CPU", unit="µs/msg", more_is_better=False),
    Measure(key="consume", title="consume", unit="msg/s"),
    Measure(key="consume_cpu", title="its CPU", unit="µs/msg", more_is_better=False),
    Measure(key="fill", title="fill", unit="jobs/s"),
    Measure(key="drain", title="drain", unit="jobs/s"),
    Measure(key="drain_cpu", title="worker CPU", unit="µs/job", more_is_better=False),
    Measure(key="idle_p50", title="idle p50", unit="ms", more_is_better=False),
    Measure(key="idle_p99", title="idle p99", unit="ms", more_is_better=False),
    Measure(key="idle_cpu", title="idle CPU", unit="%", more_is_better=False),
    Measure(key="call_p50", title="one call p50", unit="ms", more_is_better=False),
    Measure(key="call_p99", title="one call p99", unit="ms", more_is_better=False),
    Measure(key="calls", title="100 at once", unit="calls/s"),
    Measure(key="caller_cpu", title="caller CPU", unit="µs/call", more_is_better=False),
    Measure(key="server_cpu", title="server CPU", unit="µs/call", more_is_better=False),
    Measure(key="fan_out", title="fan-out", unit="events/CPU-s"),
    Measure(key="idle_memory", title="idle client", unit="KB", more_is_better=False),
    Measure(key="idle_memory_own", title="its own job", unit="KB", more_is_better=False),
    Measure(key="live_p50", title="live p50", unit="ms", more_is_better=False),
    Measure(key="live_p99", title="live p99", unit="ms", more_is_better=False),
    Measure(key="stalled", title="stalled client", unit="KB", more_is_better=False),
    Measure(key="beside_stalled", title="others' p99", unit="times", more_is_better=False),
    Measure(key="resume_p50", title="come back p50", unit="ms", more_is_better=False),
    Measure(key="resume_p99", title="come back p99", unit="ms", more_is_better=False),
    Measure(key="storm", title="all come back", unit="s", more_is_better=False),
    Measure(key="keys", title="keys", unit=""),
    Measure(key="keys_fill", title="fill", unit="jobs/s"),
    Measure(key="keys_drain", title="drain", unit="jobs/s"),
    Measure(key="size_before", title="before", unit="MB", more_is_better=False),
    Measure(key="size_top", title="half wait", unit="MB", more_is_better=False),
    Measure(key="size_between", title="are done", unit="MB", more_is_better=False),
    Measure(key="size_again", title="others", unit="MB", more_is_better=False),
    Measure(key="size_after", title="all done", unit="MB", more_is_better=False),
    Measure(key="size_each", title="a job", unit="bytes", more_is_better=False),
    Measure(key="noted", title="noted", unit="jobs/s"),
    Measure(key="note_cpu", title="its CPU", unit="µs/job", more_is_better=False),
    Measure(key="list_p50", title="list p50", unit="ms", more_is_better=False),
    Measure(key="list_p95", title="list p95", unit="ms", more_is_better=False),
    Measure(key="search_p50", title="search p50", unit="ms", more_is_better=False),
    Measure(key="search_p95", title="search p95", unit="ms", more_is_better=False),
    Measure(key="dearest_p95", title="dearest search p95", unit="ms", more_is_better=False),
    Measure(key="shared", title="4 workers", unit="jobs/s"),
    Measure(key="share_balance", title="smallest/largest share", unit=""),
    Measure(key="longest_gap", title="longest gap", unit="ms", more_is_better=False),
)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one contender did, over all repetitions."""

    entry: Entry
    contender: Named
    samples: Sequence[Sample]

    @property
    def median(self) -> Mapping[str, float]:
        """Every figure once."""
        return summarise(self.samples)

    @property
    def version(self) -> str:
        """Of the contender's package; empty if it has none."""
        return version(self.contender.package) if self.contender.package else ""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One of our figures beside the best of some peers."""

    measure: Measure
    ours: float
    theirs: float
    peer: str

    @property
    def ratio(self) -> float:
        """How many times better ours is."""
        return times_better(self.ours, self.theirs, more_is_better=self.measure.more_is_better)


def compared(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Those of our own outcomes whose ratios are told; the first if none of them is here."""
    ours = [outcome for outcome in outcomes if outcome.entry.ours]
    return [outcome for outcome in ours if outcome.entry.compared] or ours[:1]


def compare(ours: Outcome, outcomes: Sequence[Outcome], *, alike: bool) -> list[Comparison]:
    """One of our own outcomes against the best peer of each measure; `alike`: of those with a like promise."""
    peers = [
        outcome for outcome in outcomes if not outcome.entry.ours and (outcome.contender.promise.alike or not alike)
    ]
    found = (_best(measure, ours, peers) for measure in MEASURES)
    return [comparison for comparison in found if comparison is not None]


def as_json(facts: Mapping[str, Any], plan: Plan, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Everything that was measured, raw and summed up."""
    from benchmarks.lanes.pairs import as_json as pairs_of

    settings: dict[str, Any] = {}
    for setting, group in by_setting(outcomes).items():
        settings[setting] = {
            "contenders": {outcome.entry.name: _outcome(outcome) for outcome in group},
            "ratios": {
                ours.entry.name: {
                    "to_the_best_like_peer": _ratios(compare(ours, group, alike=True)),
                    "to_the_best_of_all": _ratios(compare(ours, group, alike=False)),
                }
                for ours in compared(group)
            },
            **({"pairs": pairs} if (pairs := pairs_of(setting, group)) else {}),
        }
    units = {measure.key: f"{measure.title} {measure.unit}".strip() for measure in MEASURES}
    return {"machine": dict(facts), "plan": asdict(plan), "measures": units, "settings": settings}


def by_setting(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """Outcomes that may be compared with each other."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.entry.setting, []).append(outcome)
    return groups


def _best(measure: Measure, ours: Outcome, peers: Sequence[Outcome]) -> Comparison | None:
    figures = [(peer.median[measure.key], peer.contender.label) for peer in peers if measure.key in peer.median]
    if not figures or measure.key not in ours.median:
        return None
    theirs, peer = max(figures) if measure.more_is_better else min(figures)
    return Comparison(measure=measure, ours=ours.median[measure.key], theirs=theirs, peer=peer)


def _ratios(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    return {one.measure.key: {"ratio": round(one.ratio, 3), "peer": one.peer} for one in comparisons}


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "label": outcome.contender.label,
        "version": outcome.version,
        "promise": asdict(outcome.contender.promise),
        "median": outcome.median,
        "runs": list(outcome.samples),
    }
