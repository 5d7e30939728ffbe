"""The command `goatherd demo`."""

import asyncio
import logging
import os
import sys
import tempfile
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from goatherd.app import Goatherd
from goatherd.cli.demo.stage import Checked, SceneFailed, Stage
from goatherd.cli.output import Failed, without_password
from goatherd.engine.dead_letters import DeadLetterOffice
from goatherd.errors import GoatherdError
from goatherd.model.dead_letter import LetterFilter


@click.command()
@click.option("--once", is_flag=True, help="Play without pauses and end with a summary; exit 1 if a promise broke.")
@click.option("--broker", metavar="URL", help="Play on this broker, for example amqp://localhost.")
def demo(once: bool, broker: str | None) -> None:
    """See what Goatherd does, in a minute, with nothing to install.

    Plays scenes on one SQLite file in a temporary folder, with real processes, and checks each promise: send, call,
    retry, dead letter and replay, delay, order by key, a pipeline, a schedule, a tally, listeners, a worker killed in
    the middle, and a text that is streamed live. The dashboard is open beside them, at an address that is printed, and
    stays until you press Ctrl-C. With --broker the same scenes play on a RabbitMQ, in queues of this app alone.

    \b
    Examples:
      goatherd demo            at a pace to read along
      goatherd demo --once     as fast as it goes, for scripts
    """
    console = Console()
    with tempfile.TemporaryDirectory(prefix="goatherd-demo-", ignore_cleanup_errors=True) as folder:
        stage_folder = Path(folder).resolve()
        _forget_the_users_settings(stage_folder, broker)
        _keep_the_log_off_the_stage(stage_folder)
        try:
            failed = asyncio.run(_play(stage_folder, console, once=once))
        except KeyboardInterrupt:
            # The way to end it.
            return
        except GoatherdError as error:
            raise Failed(str(error)) from error
    if failed is not None:
        console.print(f"[red]✗[/] {failed}", highlight=False)
        sys.exit(1)


def _forget_the_users_settings(folder: Path, broker: str | None) -> None:
    """The demo plays in its own folder, whatever this program's environment and goatherd.toml say."""
    for name in [name for name in os.environ if name.startswith("GOATHERD_")]:
        del os.environ[name]
    os.environ["GOATHERD_BROKER_URL"] = broker or f"sqlite:///{folder}/demo.db"
    os.chdir(folder)


def _keep_the_log_off_the_stage(folder: Path) -> None:
    """What Goatherd itself says stands with what the workers say, for the last words of a scene that failed."""
    logging.getLogger("goatherd").addHandler(logging.FileHandler(folder / Stage.LOG, delay=True))


async def _play(folder: Path, console: Console, *, once: bool) -> str | None:
    """Play all scenes; returns what broke, or None."""
    from goatherd.cli.demo.dashboard import open_dashboard
    from goatherd.cli.demo.scenes import SCENES
    from goatherd.cli.demo.shop import app

    stage = Stage(folder, console, pace=0.0 if once else 0.8)
    os.environ[Stage.JOURNAL] = str(stage.journal)
    async with app:
        await _clear_the_stage(app)
        try:
            await open_dashboard(stage)
            for scene in SCENES:
                await scene(stage)
            _take_a_bow(app, console, stage)
            if stage.dashboard is not None and not once:
                console.print(f"The dashboard stays at [bold]{stage.dashboard}[/] until you press Ctrl-C.")
                await asyncio.Event().wait()
        except SceneFailed as error:
            return str(error)
        finally:
            await stage.close()
    return None


def _take_a_bow(app: Goatherd, console: Console, stage: Stage) -> None:
    console.print(_summary(stage.checked))
    where = (
        without_password(app.settings.broker_url) if app.settings.broker_url.startswith("amqp") else "one SQLite file"
    )
    console.print(
        f"Everything above ran on {where}. Write your own: save a task in [cyan]app.py[/], "
        "then [cyan]goatherd dev app:app[/].",
        highlight=False,
    )


async def _clear_the_stage(app: Goatherd) -> None:
    """A broker may still have what a demo left that was stopped in the middle."""
    await app.session().ports.operations.purge(app.name)
    letters = DeadLetterOffice(app.session().ports.dead_letters, app.format_of)
    async for _ in letters.discard(LetterFilter()):
        pass


def _summary(checked: list[Checked]) -> Table:
    table = Table(title=f"{len(checked)} promises, all kept", title_justify="left")
    table.add_column("scene", style="bold")
    table.add_column("promise")
    table.add_column("shown", style="green")
    for row in checked:
        table.add_row(row.scene, row.promise, row.shown)
    return table
