"""`goatherd dead list`: what died, grouped by error."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import click

from goatherd.cli.letter_choice import Choice, choice_options
from goatherd.cli.output import Output, with_output
from goatherd.cli.target import load_app, target_argument
from goatherd.cli.wording import counted
from goatherd.model.redaction import redacted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.dead_letter import DeadLetter

#: What programs are told of a group.
TOLD = ("task", "reason", "error_type", "message", "count", "oldest", "newest")


@click.command("list")
@target_argument
@choice_options
@click.option("--each", is_flag=True, help="Show single letters instead of groups.")
@with_output
def list_letters(output: Output, target: str, choice: Choice, each: bool) -> None:
    """Show what died: one line for each task and error, the most frequent first.

    Messages that differ only in numbers and ids are one group. --each shows single letters, the oldest first.

    \b
    Examples:
      goatherd dead list shop:app
      goatherd dead list shop:app --task send_mail --older-than 1d --each
    """
    app = load_app(target)
    letters = asyncio.run(_find(app, choice))
    if output.json:
        output.write_json(_facts(app, letters, each=each))
    elif not letters:
        output.say("No dead letters." if choice.is_everything else "No dead letters match.")
    elif each:
        _print_letters(output, target, letters)
    else:
        _print_groups(output, target, letters)


async def _find(app: Goatherd, choice: Choice) -> list[DeadLetter]:
    from goatherd.desk.letter_office import office_of

    async with app:
        return [letter async for letter in office_of(app).find(choice.as_filter(), choice.limit)]


def _facts(app: Goatherd, letters: list[DeadLetter], *, each: bool) -> list[dict[str, Any]]:
    from goatherd.desk.letter_groups import grouped

    if not each:
        return [{name: getattr(group, name) for name in TOLD} for group in grouped(letters)]
    hidden = app.settings.redact
    left_out = ("body", "traceback")
    shown = ({name: value for name, value in vars(letter).items() if name not in left_out} for letter in letters)
    return [facts | {"arguments": redacted(facts["arguments"], hidden)} for facts in shown]


def _print_groups(output: Output, target: str, letters: list[DeadLetter]) -> None:
    from goatherd.cli.letter_tables import group_table
    from goatherd.desk.letter_groups import grouped

    groups = grouped(letters)
    output.console().print(group_table(groups))
    task = f" --task {groups[0].task}" if groups[0].task else ""
    click.echo(
        f"\n{counted(len(letters), 'dead letter')}. To see each, and to put the first line back to work:\n"
        f"  goatherd dead list {target} --each\n"
        f"  goatherd dead replay {target}{task} --error {groups[0].error_type}"
    )


def _print_letters(output: Output, target: str, letters: list[DeadLetter]) -> None:
    from goatherd.cli.letter_tables import letter_table, short_id

    output.console().print(letter_table(letters))
    click.echo(
        f"\n{counted(len(letters), 'dead letter')}. To see all about one:\n"
        f"  goatherd dead show {target} {short_id(letters[-1].id)}"
    )
