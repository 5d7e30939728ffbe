"""`goatherd send`: a job from the shell."""

from __future__ import annotations

import asyncio
import difflib
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from goatherd.cli.durations import Duration, Moment
from goatherd.cli.output import Output, with_output
from goatherd.cli.target import load_app, target_argument
from goatherd.desk.arguments import job_by_name
from goatherd.errors import InvalidArguments

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.job import Job
    from goatherd.task import Task


@click.command()
@target_argument
@click.argument("task")
@click.argument("arguments", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--delay", type=Duration(), help="Not before so long from now: 90s, 1h30m.")
@click.option("--at", type=Moment(), help="Not before this time: 2030-01-31T09:00 (here), 2030-01-31T09:00Z.")
@click.option("--deadline", type=Duration(), help="Nobody wants it after so long: it is then not started any more.")
@click.option("--id", help="The job's id.  [default: a new one]")
@click.option("--priority", type=click.IntRange(0, 9), help="From 0 to 9, the highest is done first.")
@click.option("--call", "wait", is_flag=True, help="Wait for the result and print it as JSON, until the deadline.")
@click.option("--watch", is_flag=True, help="Track it, and show its stages and its text until it has ended.")
@with_output
def send(
    output: Output, *, target: str, task: str, arguments: Sequence[str], wait: bool, watch: bool, **options: Any
) -> int:
    """Send one job and print its id; it is stored safely when the command returns.

    A VALUE is read as JSON where it is JSON (5, true, null, [1, 2], {"a": 1}), otherwise as text. The arguments are
    checked against the task before anything is sent. By default the job may start at once and is done whenever a
    worker gets to it.

    \b
    Examples:
      goatherd send shop:app greet name=Ada
      goatherd send shop:app send_mail to=a@b.c 'tags=["new"]' --delay 1h30m
      goatherd send shop:app greet name=Ada --call
      goatherd send shop:app summarise url=https://example.org --watch
    """
    if options["delay"] is not None and options["at"] is not None:
        raise click.UsageError("Give --delay or --at, not both: each says when the job may start.")
    if wait and (options["delay"] is not None or options["at"] is not None):
        raise click.UsageError("A call is made now: leave out --delay and --at, or leave out --call.")
    if wait and watch:
        raise click.UsageError("Give --call or --watch, not both: each waits for the end in its own way.")
    app = load_app(target)
    job = make_job(find_task(app, task), _pairs(arguments), options)
    if wait:
        click.echo(asyncio.run(_call(app, job)))
        return 0
    if watch:
        return _watch(output, app, job)
    listeners = asyncio.run(_send(app, job))
    queue = job.definition.queue
    if output.json:
        output.write_json({"id": job.id, "task": job.definition.name, "queue": queue})
        return 0
    click.echo(job.id)
    if not listeners and sys.stderr.isatty():
        click.echo(f"No worker takes from queue {queue!r} now. Start one: goatherd worker {target}", err=True)
    return 0


def find_task(app: Goatherd, name: str) -> Task[..., Any]:
    """The task of that name; raises UsageError with the nearest one."""
    if name in app.tasks:
        return app.tasks[name]
    near = difflib.get_close_matches(name, app.tasks, n=1)
    instead = f" Did you mean {near[0]!r}?" if near else ""
    known = ", ".join(sorted(app.tasks)) or "none"
    raise click.UsageError(f"The app {app.name!r} has no task {name!r}.{instead} Its tasks: {known}.")


def make_job(task: Task[..., Any], given: Mapping[str, str], options: Mapping[str, Any]) -> Job[Any]:
    """Check the arguments; one that fits only as the text that was typed (a postcode, say) is taken as text."""
    chosen = task.options(**options)
    read = {name: _read(text) for name, text in given.items()}
    try:
        return job_by_name(chosen, read)
    except InvalidArguments as error:
        as_typed = {name: given[name] if name in error.problems else value for name, value in read.items()}
        try:
            return job_by_name(chosen, as_typed)
        except InvalidArguments:
            raise error from None


async def _send(app: Goatherd, job: Job[Any]) -> int:
    """Send it; returns how many workers take from its queue."""
    async with app:
        await app.send_many([job])
        states = await app.session().ports.operations.queues([job.definition.queue])
        return sum(state.consumers for state in states if state.name == job.definition.queue)


async def _call(app: Goatherd, job: Job[Any]) -> str:
    """Call it; returns the result as JSON."""
    async with app:
        result = await app.session().call(job)
    return job.definition.signature.encode_result(result).decode()


def _watch(output: Output, app: Goatherd, job: Job[Any]) -> int:
    from goatherd.cli.following import follow

    async def watch() -> bool:
        async with app:
            job_id = await app.session().start(job)
            click.echo(job_id, err=True)
            return await follow(app.run(job_id), output)

    try:
        return 0 if asyncio.run(watch()) else 1
    except KeyboardInterrupt:
        click.echo(f"\nNo longer watched; job {job.id} goes on.", err=True)
        return 1


def _pairs(arguments: Sequence[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if not equals or not name:
            raise click.UsageError(f"{argument!r} is no argument; write NAME=VALUE, for example name=Ada.")
        if name in pairs:
            raise click.UsageError(f"The argument {name!r} is given twice.")
        pairs[name] = value
    return pairs


def _read(text: str) -> Any:
    import msgspec

    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return text
