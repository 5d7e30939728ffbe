"""`goatherd listeners list`: which queues are listened to, by whom, and why one is not."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from goatherd.cli.listener_access import opened_listeners
from goatherd.cli.output import Output, with_output
from goatherd.cli.target import load_app, target_argument
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.listener import ListenerRow


@click.command("list")
@target_argument
@click.option("--unhealthy", is_flag=True, help="Only listeners that should take jobs and do not.")
@click.option("--pattern", metavar="PATTERN", help="Only those of this pattern: 'matching-pvp-{}'.")
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True, metavar="N", help="At most N.")
@with_output
def list_listeners(output: Output, target: str, unhealthy: bool, pattern: str | None, limit: int) -> None:
    """Show the listeners of all workers that live, those that ail first.

    \b
    running  it takes jobs     starting     it has not taken jobs yet
    down     tried again soon  quarantined  keeps failing: tried once a minute

    Workers tell of a change at once, and otherwise every 10 s.

    \b
    Examples:
      goatherd listeners list shop:app --unhealthy
      goatherd listeners list shop:app --pattern 'matching-pvp-{}' --json
    """
    app = load_app(target)
    found = asyncio.run(_find(app, unhealthy=unhealthy, pattern=pattern, limit=limit))
    if output.json:
        output.write_json([as_json(row) for row in found])
    elif not found:
        output.say("No listener matches." if unhealthy or pattern else _nobody(app, target))
    else:
        _print(output, target, found, limit)


async def _find(app: Goatherd, *, unhealthy: bool, pattern: str | None, limit: int) -> Sequence[ListenerRow]:
    async with opened_listeners(app) as records:
        return await records.find(pattern=pattern, unhealthy=unhealthy, limit=limit)


def as_json(row: ListenerRow) -> dict[str, Any]:
    """For programs."""
    import msgspec

    return {
        "queue": row.queue,
        "pattern": row.pattern,
        "process": row.process,
        "silent": round(row.silent, 3),
        "healthy": row.standing.healthy,
        **msgspec.structs.asdict(row.standing),
    }


def _nobody(app: Goatherd, target: str) -> str:
    if not app.listener_book.listened():
        return f"The app {app.name!r} has no listeners; app.listeners(...) declares them."
    return f"No worker listens now. Start one: goatherd worker {target}"


def _print(output: Output, target: str, found: Sequence[ListenerRow], limit: int) -> None:
    from goatherd.cli.listener_table import listener_table

    output.console().print(listener_table(found))
    more = " There may be more: --limit." if len(found) == limit else ""
    click.echo(f"\n{counted(len(found), 'listener')}.{more}")
    down = [row for row in found if row.standing.condition in ("down", "quarantined") and not row.is_source]
    if down:
        click.echo(f"To try one again now:\n  goatherd listeners restart {target} {down[0].queue}")
