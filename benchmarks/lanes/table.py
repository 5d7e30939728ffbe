"""Print what contenders with keys did: figures, and the ratios that matter."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.lanes.pairs import Pair, pairs_in
from benchmarks.report import MEASURES, Outcome

TITLES = {
    "lanes": "lanes: 1,000 keys, and the same jobs without keys",
    "lanes_postgres": "lanes: 1,000 keys on one PostgreSQL",
    "pipelines": "pipelines: recorded steps, and jobs of others in the same PostgreSQL",
    "lanes_keys": "lanes: one job for each of very many keys, in two halves, and what the store holds",
}


def print_lanes(console: Console, setting: str, group: Sequence[Outcome]) -> None:
    """Figures and ratios of one setting."""
    from benchmarks.table import figures

    kind = TITLES[setting].partition(":")[0]
    console.print(figures(TITLES[setting], group, MEASURES))
    if setting != "lanes_keys":
        console.print(_promises(kind, group))
    pairs = pairs_in(setting, group)
    if pairs:
        console.print(_ratios(kind, pairs))


def _promises(kind: str, group: Sequence[Outcome]) -> Table:
    table = Table("contender", "version", "a job is done", "in order", "how", title=f"{kind}: promises")
    for outcome in group:
        promise = outcome.contender.promise
        order = "yes" if getattr(outcome.contender, "keeps_order", False) else "no"
        table.add_row(outcome.contender.label, outcome.version, promise.delivery, order, promise.note)
    return table


def _ratios(kind: str, pairs: Sequence[Pair]) -> Table:
    table = Table("of", "to", title=f"{kind}: drain, ratios")
    for heading in ("ratio", "at least"):
        table.add_column(heading, justify="right")
    for pair in pairs:
        goal = f"{pair.goal:g}" if pair.goal else ""
        table.add_row(pair.ours.contender.label, pair.theirs.contender.label, f"{pair.ratio:.2f}", goal)
    return table
