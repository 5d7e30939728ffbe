"""Print the outcome for people."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.lanes.table import print_lanes
from benchmarks.machine import warnings
from benchmarks.measures import Plan
from benchmarks.report import MEASURES, Comparison, Measure, Outcome, by_setting, compare, compared
from benchmarks.sse.table import print_streams

#: Narrower, the figures would break over lines; a file or a pipe has no width of its own.
NARROWEST = 118

MISSING = "-"
SHARING = ("shared", "share_balance", "longest_gap")
#: Not in the table of speeds: told in a table of their own, or found in another column.
ELSEWHERE = (*SHARING, "enqueue")


def print_all(console: Console, facts: Mapping[str, Any], plan: Plan, outcomes: Sequence[Outcome]) -> None:
    """The machine, then for each setting promises, figures and ratios."""
    console.width = max(console.width, NARROWEST)
    told = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in facts.items())
    console.print(
        f"{told}\n{plan.jobs} jobs on files, {plan.seconds:g} s for each way to send to a broker, "
        f"{plan.beats} idle sends; medians of {plan.repeat} interleaved runs"
    )
    for doubt in warnings(dict(facts)):
        console.print(doubt, style="yellow")
    already_promised: set[tuple[str, ...]] = set()
    for setting, group in by_setting(outcomes).items():
        if setting.startswith("sse"):
            print_streams(console, setting, group)
            continue
        if setting.startswith(("lanes", "pipelines")):
            print_lanes(console, setting, group)
            continue
        rows = _promises(group)
        if not already_promised.issuperset(rows):
            console.print(promises(setting, rows))
        already_promised.update(rows)
        print_setting(console, setting, group)


def print_setting(console: Console, setting: str, group: Sequence[Outcome]) -> None:
    """Figures and ratios of one setting."""
    console.print(figures(f"{setting}: speed", group, [one for one in MEASURES if one.key not in ELSEWHERE]))
    together = [outcome for outcome in group if "shared" in outcome.median]
    if together:
        console.print(figures(f"{setting}: four worker processes, one queue", together, _sharing()))
    for ours in compared(group):
        alike, anyone = compare(ours, group, alike=True), compare(ours, group, alike=False)
        if anyone:
            console.print(ratios(setting, ours.contender.label, alike, anyone))


def promises(setting: str, rows: Sequence[tuple[str, ...]]) -> Table:
    """What each contender promises: the reason why figures differ."""
    table = Table("contender", "version", "a job is done", title=f"{setting}: promises")
    for heading in ("sent jobs\nsurvive\npower cuts", "workers", "how"):
        table.add_column(heading)
    for row in rows:
        table.add_row(*row)
    return table


def figures(title: str, outcomes: Sequence[Outcome], measures: Sequence[Measure]) -> Table:
    """One line for each contender; of the measures, those that any of them has."""
    table = Table("contender", title=title)
    measures = [measure for measure in measures if any(measure.key in outcome.median for outcome in outcomes)]
    for measure in measures:
        table.add_column(f"{measure.title}\n{measure.unit}", justify="right")
    for outcome in outcomes:
        cells = [shown(outcome.median.get(measure.key)) for measure in measures]
        table.add_row(outcome.contender.label, *cells, style="bold" if outcome.entry.ours else "")
    return table


def ratios(setting: str, ours: str, alike: Sequence[Comparison], anyone: Sequence[Comparison]) -> Table:
    """How many times better we are than the best other of each measure; told once if all promise alike."""
    table = Table("measure", "figure", title=f"{setting}: {ours} against the others (above 1: it is better)")
    kinds = ["best like it"] if list(alike) == list(anyone) else ["best like it", "best of all"]
    for kind in kinds:
        table.add_column(kind)
        table.add_column("", justify="right")
        table.add_column("ratio", justify="right")
    beside = {comparison.measure.key: comparison for comparison in alike}
    for comparison in anyone:
        measure = comparison.measure
        name = f"{measure.title}, {measure.unit}" if measure.unit else measure.title
        found = (beside.get(measure.key), comparison)[: len(kinds)]
        table.add_row(name, shown(comparison.ours), *(cell for each in found for cell in _cells(each)))
    return table


def shown(value: float | None) -> str:
    """A figure with three digits that count."""
    if value is None:
        return MISSING
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _promises(outcomes: Sequence[Outcome]) -> list[tuple[str, ...]]:
    return [
        (
            outcome.contender.label,
            outcome.version,
            outcome.contender.promise.delivery,
            "yes" if outcome.contender.promise.synced else "no",
            "many" if outcome.contender.promise.shared else "one",
            outcome.contender.promise.note,
        )
        for outcome in outcomes
    ]


def _cells(comparison: Comparison | None) -> tuple[str, str, str]:
    if comparison is None:
        return MISSING, MISSING, MISSING
    return comparison.peer, shown(comparison.theirs), f"{comparison.ratio:.2f}"


def _sharing() -> list[Measure]:
    return [measure for measure in MEASURES if measure.key in SHARING]
