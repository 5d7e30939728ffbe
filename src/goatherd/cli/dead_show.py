"""`goatherd dead show`: everything about one dead letter."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from goatherd.cli.durations import spoken
from goatherd.cli.output import Output, with_output
from goatherd.cli.redaction import printable
from goatherd.cli.target import load_app, target_argument
from goatherd.model.redaction import redacted, shown_body

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.dead_letter import DeadLetter


@click.command("show")
@target_argument
@click.argument("letter")
@with_output
def show_letter(output: Output, target: str, letter: str) -> None:
    """Show a dead letter: its job, arguments, error, traceback and the message as it was on the queue.

    LETTER is its id, the last 6 or more characters of it, or the id of its job. Arguments named in the setting
    `redact` (by default password, token, secret) are shown as ***.

    \b
    Example:
      goatherd dead show shop:app 4f2a9c01d3e7
    """
    app = load_app(target)
    found = asyncio.run(_get(app, letter))
    facts = _facts(app, found)
    if output.json:
        output.write_json(facts)
    else:
        _print(target, facts)


async def _get(app: Goatherd, letter: str) -> DeadLetter:
    from goatherd.desk.letter_office import find_letter, office_of

    async with app:
        return await find_letter(office_of(app), letter)


def _facts(app: Goatherd, letter: DeadLetter) -> dict[str, Any]:
    hidden = app.settings.redact
    return vars(letter) | {"arguments": redacted(letter.arguments, hidden), "body": shown_body(letter.body, hidden)}


def _print(target: str, facts: dict[str, Any]) -> None:
    """One fact a line, never cut, so that ids and JSON can be copied."""
    import msgspec

    from goatherd.desk.letter_facts import REASONS

    lines = {"letter": facts["id"], "job": facts["job_id"], "task": facts["task"] or "?", "queue": facts["queue"]}
    if facts["key"] is not None:
        lines["lane"] = facts["key"]
    lines["reason"] = f"{facts['reason']}: {REASONS[facts['reason']]}"
    lines["error"] = f"{facts['error_type']}: {' '.join(facts['message'].split())}"
    lines["attempts"] = str(facts["attempts"])
    lines["created"], lines["died"] = _told(facts["created_at"]), _told(facts["failed_at"])
    lines["arguments"] = "cannot be read" if facts["arguments"] is None else ""
    for name, value in (facts["arguments"] or {}).items():
        lines[f"  {name}"] = msgspec.json.encode(value).decode()
    lines["message"] = facts["body"]
    width = max(map(len, lines))
    for name, value in lines.items():
        click.echo(f"{click.style(printable(name.ljust(width)), bold=True)}  {printable(value)}".rstrip())
    if facts["traceback"]:
        click.echo(f"\n{printable(facts['traceback'].rstrip())}")
    where = " at the end of its lane" if facts["key"] is not None else ""
    command = f"goatherd dead replay {target} {facts['id'][-12:]}  (--edit to change it first)"
    click.echo(f"\nPut it back to work{where}: {command}")


def _told(moment: datetime) -> str:
    ago = spoken(max(0.0, (datetime.now(UTC) - moment).total_seconds()))
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S %Z}, {ago} ago"
