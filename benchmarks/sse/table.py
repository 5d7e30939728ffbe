"""Print what gateways did: figures, and for each of ours the ratios to every other."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.figures import times_better
from benchmarks.report import MEASURES, Outcome

#: What everybody has, so that it can be compared.
COMPARED = [measure for measure in MEASURES if measure.key in ("fan_out", "idle_memory")]


def print_streams(console: Console, setting: str, group: Sequence[Outcome]) -> None:
    """What each keeps, and what it was measured at."""
    from benchmarks.table import figures

    console.print(figures(setting.replace("_", ", "), group, MEASURES))
    ours = [outcome for outcome in group if outcome.entry.ours]
    others = [outcome for outcome in group if not outcome.entry.ours]
    if others:
        console.print(_promises(group))
    if ours and others:
        console.print(_ratios(ours, others))


def _promises(group: Sequence[Outcome]) -> Table:
    table = Table("contender", "version", "promise", title="sse: promises")
    for outcome in group:
        table.add_row(outcome.contender.label, outcome.version, outcome.contender.promise.note)
    return table


def _ratios(ours: Sequence[Outcome], others: Sequence[Outcome]) -> Table:
    table = Table("of", "to", title="sse: ratios (above 1: it is better)")
    for measure in COMPARED:
        table.add_column(measure.title, justify="right")
    for mine in ours:
        for theirs in others:
            pairs = [(mine.median[each.key], theirs.median[each.key], each.more_is_better) for each in COMPARED]
            told = [f"{times_better(one, other, more_is_better=more):.2f}" for one, other, more in pairs]
            table.add_row(mine.contender.label, theirs.contender.label, *told)
    return table
