"""Run the contenders side by side and print what came out: `python -m benchmarks --help`."""

import asyncio
import json
from pathlib import Path

import click
from rich.console import Console

from benchmarks.machine import describe
from benchmarks.measures import Plan
from benchmarks.plot import svg
from benchmarks.processes import StepFailed
from benchmarks.report import as_json
from benchmarks.running import gather, run
from benchmarks.settings import Entry, chosen
from benchmarks.surroundings import surroundings
from benchmarks.table import print_all
from scripts.servers.install import NoServer

#: On the disk of the checkout: the system's temporary folder may be memory, where a sync costs nothing.
FOLDER = Path("build/benchmarks")
USUAL, QUICK = Plan(), Plan(jobs=500, seconds=0.1, repeat=1, beats=30, crowd=1000, keys=10_000)


def _entries(_context: click.Context, _parameter: click.Parameter, words: tuple[str, ...]) -> list[Entry]:
    try:
        return chosen(words)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--only", "entries", multiple=True, metavar="NAME", callback=_entries,
    help="A contender, or all whose name, or setting and name, begins so; may be given often.",
)  # fmt: skip
@click.option("--jobs", type=click.IntRange(min=100), help=f"Jobs for each step on files.  [default: {USUAL.jobs}]")
@click.option(
    "--seconds", type=click.FloatRange(min=0.05), help=f"For each way to send to a broker.  [default: {USUAL.seconds}]"
)
@click.option("--repeat", type=click.IntRange(min=1), help=f"Interleaved repetitions.  [default: {USUAL.repeat}]")
@click.option(
    "--keys", type=click.IntRange(min=100), help=f"Distinct keys at once in lanes on Redis.  [default: {USUAL.keys}]"
)
@click.option("--quick", is_flag=True, help="A short run to see that everything works; its figures mean little.")
@click.option(
    "--json", "file", type=click.Path(allow_dash=True),
    help="Everything that was measured; '-' is stdout.  [default: benchmarks.json in the folder]",
)  # fmt: skip
@click.option(
    "--svg", "picture", type=click.Path(path_type=Path), help="A plot.  [default: benchmarks.svg in the folder]"
)
@click.option("--folder", type=click.Path(path_type=Path), default=FOLDER, show_default=True, help="Where files go.")
def main(  # noqa: PLR0913 - one parameter for each option
    *,
    entries: list[Entry],
    jobs: int | None,
    seconds: float | None,
    repeat: int | None,
    keys: int | None,
    quick: bool,
    file: str | None,
    picture: Path | None,
    folder: Path,
) -> None:
    """Measure Goatherd and its peers in one run, each in processes of its own."""
    usual = QUICK if quick else USUAL
    plan = Plan(
        jobs=jobs or usual.jobs,
        seconds=seconds or usual.seconds,
        repeat=repeat or usual.repeat,
        beats=usual.beats,
        crowd=usual.crowd,
        keys=keys or usual.keys,
    )
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    facts = describe(folder)
    console = Console(stderr=file == "-")
    present = gather(entries, folder)
    try:
        with surroundings(present.contenders, folder) as around:
            facts |= around.facts()
            outcomes = asyncio.run(run(present, plan, folder, around, console))
    except NoServer as error:
        raise click.ClickException(f"{error} Without it: --only sqlite") from error
    except StepFailed as error:
        raise click.ClickException(str(error)) from error
    print_all(console, facts, plan, outcomes)
    for absence in present.absences:
        console.print(absence, style="yellow")
    picture = picture or folder / "benchmarks.svg"
    picture.write_text(svg(outcomes), encoding="utf-8")
    file = file or str(folder / "benchmarks.json")
    with click.open_file(file, "w", encoding="utf-8") as stream:
        json.dump(as_json(facts, plan, outcomes), stream, indent=1, ensure_ascii=False)
    console.print(f"Plot: {picture}\nEverything: {file}", highlight=False, soft_wrap=True)


if __name__ == "__main__":
    main()
