"""`goatherd queues`: how the queues stand, and what operators may do to them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from goatherd.cli.lazy import Entry, LazyGroup
from goatherd.cli.output import Failed, Output, agree, with_output
from goatherd.cli.target import load_app, target_argument
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.topology import QueueState

queues = LazyGroup(
    "queues",
    {
        "list": Entry("goatherd.cli.queues:list_queues", "Show every queue: what waits, what runs, who takes from it."),
        "pause": Entry("goatherd.cli.queues:pause", "Let workers take nothing more from a queue."),
        "resume": Entry("goatherd.cli.queues:resume", "Let workers take from a queue again."),
        "purge": Entry("goatherd.cli.queues:purge", "Delete every job that waits in a queue."),
    },
    help="""See, pause, resume and purge the queues of an app.

    \b
    Examples:
      goatherd queues list shop:app --watch
      goatherd queues pause shop:app mail
    """,
)

queue_argument = click.argument("queue")

#: Listeners whose queues are looked for; of one queue there may be several.
MOST_LISTENED = 100_000


@click.command("list")
@target_argument
@click.argument("queue", required=False)
@click.option("--watch", is_flag=True, help="Show it anew every second until Ctrl-C.")
@with_output
def list_queues(output: Output, target: str, queue: str | None, watch: bool) -> None:
    """Show every queue of the store, or one.

    \b
    ready      may start now             consumers  workers that take from it
    delayed    wait for their time       oldest     wait of the oldest ready job
    running    in a worker's hands       dead       dead letters: goatherd dead

    \b
    Examples:
      goatherd queues list shop:app
      goatherd queues list shop:app mail --watch
      goatherd queues list shop:app --json
    """
    app = load_app(target)
    if watch:
        from goatherd.cli.queue_table import watch_queues

        with suppress(KeyboardInterrupt):  # the way to end it
            asyncio.run(watch_queues(app, queue, output))
        return
    states = asyncio.run(_states(app, queue))
    if output.json:
        output.write_json(states)
        return
    from goatherd.cli.queue_table import queue_table

    output.console().print(queue_table(states))


@click.command()
@target_argument
@queue_argument
@with_output
def pause(output: Output, target: str, queue: str) -> None:
    """Let workers take nothing more from a queue; what runs goes on, and senders go on sending.

    Every worker follows within a second or two. It stays paused, also when workers start anew, until you resume it.

    \b
    Example:
      goatherd queues pause shop:app mail
    """
    asyncio.run(_set_paused(load_app(target), queue, paused=True))
    if output.json:
        output.write_json({"queue": queue, "paused": True})
    else:
        output.say(f"Queue {queue!r} is paused. To go on: goatherd queues resume {target} {queue}")


@click.command()
@target_argument
@queue_argument
@with_output
def resume(output: Output, target: str, queue: str) -> None:
    """Let workers take from a paused queue again; nothing happens to one that is not paused.

    \b
    Example:
      goatherd queues resume shop:app mail
    """
    asyncio.run(_set_paused(load_app(target), queue, paused=False))
    if output.json:
        output.write_json({"queue": queue, "paused": False})
    else:
        output.say(f"Queue {queue!r} is open.")


@click.command()
@target_argument
@queue_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@with_output
def purge(output: Output, target: str, queue: str, yes: bool) -> None:
    """Delete every job that waits in a queue, ready and delayed; they cannot be brought back.

    Running jobs and dead letters stay. By default you are asked first, with the number of jobs.

    \b
    Example:
      goatherd queues purge shop:app mail
    """
    app = load_app(target)
    [state] = asyncio.run(_states(app, queue))
    waiting = state.ready + (state.delayed or 0)
    if waiting:
        agree(f"Delete {counted(waiting, 'waiting job')} of queue {queue!r} for good?", yes=yes)
    dropped = asyncio.run(_purge(app, queue))
    if output.json:
        output.write_json({"queue": queue, "deleted": dropped})
    else:
        output.say(f"Deleted {counted(dropped, 'job')} of queue {queue!r}.")


async def _states(app: Goatherd, queue: str | None) -> Sequence[QueueState]:
    async with app:
        return await read_states(app, queue)


async def read_states(app: Goatherd, queue: str | None) -> Sequence[QueueState]:
    """The queues of an open app's store, or the one that is named; raises Failed."""
    # Queues of listeners come and go, so that a broker need not know of them what it is not asked for.
    also = await _listened(app) if queue is None else [queue]
    states = await app.session().ports.operations.queues(also)
    if queue is None:
        return states
    chosen = [state for state in states if state.name == queue]
    if not chosen:
        raise Failed(f"There is no queue {queue!r}. There are {', '.join(state.name for state in states) or 'none'}.")
    return chosen


async def _listened(app: Goatherd) -> Sequence[str]:
    """The queues to which workers listen now because data wants it."""
    if not app.listener_book.listened():
        return ()
    from goatherd.errors import Unavailable

    try:
        records = await app.session().recurring.listeners()
        return sorted({row.queue for row in await records.find(limit=MOST_LISTENED) if not row.is_source})
    except Unavailable as error:
        click.echo(f"Queues of listeners are not shown: {error}", err=True)
        return ()


async def _set_paused(app: Goatherd, queue: str, *, paused: bool) -> None:
    async with app:
        await read_states(app, queue)
        controls = app.session().ports.controls
        await (controls.pause(queue) if paused else controls.resume(queue))


async def _purge(app: Goatherd, queue: str) -> int:
    async with app:
        return await app.session().ports.operations.purge(queue)
