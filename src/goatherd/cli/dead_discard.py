"""`goatherd dead discard`: delete dead letters for good."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

import click

from goatherd.cli.dead_actions import Chosen, act, check_choice, choose
from goatherd.cli.letter_choice import Choice, choice_options
from goatherd.cli.output import Output, agree, with_output
from goatherd.cli.target import load_app, target_argument
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.engine.dead_letters import DeadLetterOffice


@click.command()
@target_argument
@click.argument("letters", nargs=-1, metavar="[LETTER]...")
@click.option("--all", "everything", is_flag=True, help="All dead letters.")
@choice_options
@click.option("--yes", is_flag=True, help="Do not ask.")
@with_output
def discard(output: Output, target: str, letters: Sequence[str], everything: bool, choice: Choice, yes: bool) -> None:
    """Delete dead letters; they cannot be brought back.

    Say which: by LETTER (see goatherd dead show), by filters, or --all. By default you are asked first, with the
    number of letters.

    \b
    Examples:
      goatherd dead discard shop:app --older-than 30d
      goatherd dead discard shop:app 4f2a9c01d3e7 --yes
    """
    check_choice(letters, choice, everything=everything)
    app = load_app(target)
    chosen = choose(app, letters, choice)
    gone = 0
    if chosen.count:
        agree(f"Delete {chosen.told()} for good?", yes=yes)
        gone, _ = act(app, chosen.count, lambda office: _discarding(office, chosen))
    if output.json:
        output.write_json({"matched": chosen.count, "discarded": gone})
    else:
        output.say(f"Deleted {counted(gone, 'dead letter')}." if chosen.count else "No dead letters match.")


async def _discarding(office: DeadLetterOffice, chosen: Chosen) -> AsyncIterator[int]:
    if not chosen.ids:
        async for done in office.discard(chosen.wanted, chosen.limit):
            yield done
        return
    done = 0
    for letter in chosen.ids:
        done += await office.discard_one(letter)
        yield done
