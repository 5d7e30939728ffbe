"""Run the contenders side by side and print what came out: `python -m benchmarks --help`."""

import asyncio
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from benchmarks.machine import describe
from benchmarks.measures import Plan, Sample, measure
from benchmarks.processes import StepFailed
from benchmarks.report import Outcome, as_json
from benchmarks.settings import Entry, chosen
from benchmarks.table import print_all

#: On the disk of the checkout: the system's temporary folder may be memory, where a sync costs nothing.
FOLDER = Path("build/benchmarks")
QUICK = Plan(jobs=500, repeat=1, beats=30)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--only", multiple=True, metavar="NAME", help="A contender, or all whose name begins so; may be given often."
)
@click.option("--jobs", type=click.IntRange(min=100), help=f"Jobs to send and to drain.  [default: {Plan.jobs}]")
@click.option("--repeat", type=click.IntRange(min=1), help=f"Interleaved repetitions.  [default: {Plan.repeat}]")
@click.option("--quick", is_flag=True, help="A short run to see that everything works; its figures mean little.")
@click.option("--json", "file", type=click.Path(allow_dash=True), help="Write everything here too; '-' is stdout.")
@click.option("--folder", type=click.Path(path_type=Path), default=FOLDER, show_default=True, help="Where files go.")
def main(
    only: tuple[str, ...], jobs: int | None, repeat: int | None, quick: bool, file: str | None, folder: Path
) -> None:
    """Measure Goatherd and its peers in one run, each in processes of its own."""
    try:
        entries = chosen(only)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--only") from error
    usual = QUICK if quick else Plan()
    plan = Plan(jobs=jobs or usual.jobs, repeat=repeat or usual.repeat, beats=usual.beats)
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    facts = describe(folder)
    console = Console(stderr=file == "-")
    try:
        outcomes = asyncio.run(run(entries, plan, folder, console))
    except StepFailed as error:
        raise click.ClickException(str(error)) from error
    print_all(console, facts, plan, outcomes)
    if file is not None:
        with click.open_file(file, "w", encoding="utf-8") as stream:
            json.dump(as_json(facts, plan, outcomes), stream, indent=1, ensure_ascii=False)


async def run(entries: Sequence[Entry], plan: Plan, folder: Path, console: Console) -> list[Outcome]:
    """Every contender once, then every contender again: what disturbs the machine for a while disturbs all."""
    contenders = {entry: entry.load() for entry in entries}
    samples: dict[Entry, list[Sample]] = {entry: [] for entry in entries}
    with Progress(console=console, transient=True) as progress:
        bar = progress.add_task("", total=len(entries) * plan.repeat)
        for number in range(plan.repeat):
            for entry in _turned(entries, number):
                progress.update(bar, description=f"{contenders[entry].label}, run {number + 1} of {plan.repeat}")
                with tempfile.TemporaryDirectory(dir=folder) as room:
                    samples[entry].append(await measure(entry, contenders[entry], Path(room), plan))
                progress.advance(bar)
    return [Outcome(entry=entry, contender=contenders[entry], samples=samples[entry]) for entry in entries]


def _turned(entries: Sequence[Entry], by: int) -> list[Entry]:
    """Another first contender in each repetition, so that nobody always follows the same neighbour."""
    first = by % len(entries)
    return [*entries[first:], *entries[:first]]


if __name__ == "__main__":
    main()
