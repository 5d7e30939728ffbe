"""The command `goatherd demo`."""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from goatherd.cli.demo.stage import Checked, SceneFailed, Stage


@click.command()
@click.option("--once", is_flag=True, help="Play without pauses and end with a summary; exit 1 if a promise broke.")
def demo(once: bool) -> None:
    """See what Goatherd does, in a minute, with nothing to install.

    Plays scenes on one SQLite file in a temporary folder, with real worker processes, and checks each promise:
    send, retry, dead letter and replay, delay, and a worker killed in the middle.

    \b
    Examples:
      goatherd demo            at a pace to read along
      goatherd demo --once     as fast as it goes, for scripts
    """
    console = Console()
    with tempfile.TemporaryDirectory(prefix="goatherd-demo-", ignore_cleanup_errors=True) as folder:
        stage_folder = Path(folder).resolve()
        _forget_the_users_settings(stage_folder)
        failed = asyncio.run(_play(stage_folder, console, pace=0.0 if once else 0.8))
    if failed is not None:
        console.print(f"[red]✗[/] {failed}", highlight=False)
        sys.exit(1)


def _forget_the_users_settings(folder: Path) -> None:
    """The demo plays in its own folder, whatever this program's environment and goatherd.toml say."""
    for name in [name for name in os.environ if name.startswith("GOATHERD_")]:
        del os.environ[name]
    os.environ["GOATHERD_BROKER_URL"] = f"sqlite:///{folder}/demo.db"
    os.chdir(folder)


async def _play(folder: Path, console: Console, pace: float) -> str | None:
    """Play all scenes; returns what broke, or None."""
    from goatherd.cli.demo.scenes import SCENES
    from goatherd.cli.demo.shop import app

    stage = Stage(folder, console, pace=pace)
    async with app:
        try:
            for scene in SCENES:
                await scene(stage)
        except SceneFailed as error:
            return str(error)
        finally:
            await stage.close()
    console.print(_summary(stage.checked))
    console.print(
        "Everything above ran on one SQLite file. Write your own: save a task in [cyan]app.py[/], "
        "then [cyan]goatherd dev app:app[/].",
        highlight=False,
    )
    return None


def _summary(checked: list[Checked]) -> Table:
    table = Table(title=f"{len(checked)} promises, all kept", title_justify="left")
    table.add_column("scene", style="bold")
    table.add_column("promise")
    table.add_column("shown", style="green")
    for row in checked:
        table.add_row(row.scene, row.promise, row.shown)
    return table
