"""`goatherd listeners restart`: have the listener of a queue started anew."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from goatherd.cli.listener_access import opened_listeners
from goatherd.cli.output import Failed, Output, with_output
from goatherd.cli.target import load_app, target_argument
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd


@click.command()
@target_argument
@click.argument("queue")
@with_output
def restart(output: Output, target: str, queue: str) -> None:
    """Have every worker that listens to QUEUE start that listener anew, also one in quarantine.

    Jobs that it has taken go on undisturbed. Workers hear of it within 10 s.

    \b
    Example:
      goatherd listeners restart shop:app matching-pvp-7
    """
    app = load_app(target)
    workers = asyncio.run(_restart(app, queue, target))
    if output.json:
        output.write_json({"queue": queue, "workers": workers})
    else:
        output.say(f"{counted(workers, 'worker')} will start the listener of {queue} anew within 10 s.")


async def _restart(app: Goatherd, queue: str, target: str) -> int:
    from goatherd.desk.errors import NotThere
    from goatherd.desk.listeners import restart_by

    try:
        async with opened_listeners(app) as records:
            return await restart_by(records, queue)
    except NotThere as error:
        raise Failed(f"{error} `goatherd listeners list {target}` shows those there are.") from error
