"""`goatherd lanes show`: everything about one lane."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from goatherd.cli.durations import spoken
from goatherd.cli.lane_access import key_argument, opened_lanes
from goatherd.cli.output import Output, with_output
from goatherd.cli.redaction import printable
from goatherd.cli.target import load_app, target_argument
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.desk.lane_looks import LaneJobFacts
    from goatherd.model.lane import LaneState

#: What each condition means.
CONDITIONS = {
    "ready": "its first job may start now",
    "running": "a worker does its first job",
    "waiting": "its first job waits for its time, or its next attempt",
    "held": "its first job was given up; nothing behind it is done until you retry or skip it",
}


@click.command("show")
@target_argument
@key_argument
@click.option("--limit", type=click.IntRange(min=1), default=10, show_default=True, metavar="N", help="Jobs to show.")
@with_output
def show_lane(output: Output, target: str, key: str, limit: int) -> None:
    """Show a lane: who has it, since when and until when, why it is held, and the jobs in it in their order.

    KEY is its key as lists show it, post_id=7, or in full, comments/post_id=7. Arguments named in the setting `redact`
    (by default password, token, secret) are shown as ***.

    \b
    Example:
      goatherd lanes show shop:app post_id=7
    """
    app = load_app(target)
    state, jobs = asyncio.run(_read(app, key, limit))
    if output.json:
        from goatherd.desk.lane_looks import LaneLook

        facts = LaneLook(state=state, head=jobs[0] if jobs else None, job=None).facts()
        output.write_json({**vars(facts), "jobs": jobs})
    else:
        _print(output, target, state, jobs)


async def _read(app: Goatherd, key: str, limit: int) -> tuple[LaneState, Sequence[LaneJobFacts]]:
    from goatherd.desk.lane_finding import find_lane
    from goatherd.desk.lane_looks import job_facts

    async with opened_lanes(app) as operations:
        state = await find_lane(app, operations, key)
        return state, [job_facts(app, job) for job in await operations.jobs(state.key, limit)]


def _print(output: Output, target: str, state: LaneState, jobs: Sequence[LaneJobFacts]) -> None:
    """One fact a line, never cut, so that ids can be copied; then what waits."""
    from goatherd.cli.lane_tables import job_table

    lines = _lines(state, jobs)
    width = max(map(len, lines))
    for name, value in lines.items():
        click.echo(f"{click.style(name.ljust(width), bold=True)}  {printable(value)}".rstrip())
    if state.burial is not None and state.burial.traceback:
        click.echo(f"\n{printable(state.burial.traceback.rstrip())}")
    click.echo()
    output.console().print(job_table(jobs))
    if state.length > len(jobs):
        click.echo(f"… and {state.length - len(jobs):,} more: --limit")
    click.echo(f"\n{_advice(target, state)}")


def _lines(state: LaneState, jobs: Sequence[LaneJobFacts]) -> dict[str, str]:
    from goatherd.model.lane import shown

    lines: dict[str, Any] = {
        "lane": shown(state.key),
        "full key": state.key,
        "state": f"{state.condition}: {CONDITIONS[state.condition]}",
        "jobs": f"{state.length:,}",
        "queue": state.queue,
    }
    if state.worker is not None:
        lines["worker"] = state.worker
    lines["since"] = _told(state.since)
    if state.until is not None:
        until = _told(state.until)
        lines["until"] = f"{until}, unless the worker says that it lives" if state.condition == "running" else until
    if state.deaths:
        lines["deaths"] = f"{state.deaths} (workers that were lost while they had it)"
    if state.burial is None and jobs and jobs[0].failures:
        lines["failed"] = f"{counted(jobs[0].failures, 'attempt')} so far"
    if state.burial is not None:
        lines["error"] = f"{state.burial.error_type}: {' '.join(state.burial.message.split())}"
        lines["reason"] = state.burial.reason
        lines["attempts"] = str(state.burial.attempts)
    return lines


def _advice(target: str, state: LaneState) -> str:
    from goatherd.model.lane import shown

    where = f"{target} {shlex.quote(shown(state.key))}"
    match state.condition:
        case "held" | "waiting":
            return f"Try it again now: goatherd lanes retry {where}\nGo on without it: goatherd lanes skip {where}"
        case "running":
            return f"If its worker hangs: goatherd lanes unblock {where}"
    return "It is done as soon as a worker is free; are there any? goatherd queues list " + target


def _told(when: float) -> str:
    import time

    from goatherd.model.envelope import moment

    away = when - time.time()
    distance = f"in {spoken(away)}" if away > 0 else f"{spoken(-away)} ago"
    return f"{moment(when).astimezone():%Y-%m-%d %H:%M:%S %Z}, {distance}"
