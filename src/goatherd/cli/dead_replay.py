"""`goatherd dead replay`: put dead letters back to work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from goatherd.cli.dead_actions import Chosen, act, check_choice, choose
from goatherd.cli.dead_returned import replayed_told
from goatherd.cli.letter_choice import Choice, choice_options
from goatherd.cli.output import Output, agree, with_output
from goatherd.cli.target import load_app, target_argument

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.desk.letter_edits import Edited
    from goatherd.engine.dead_letters import DeadLetterOffice
    from goatherd.engine.lane_returns import Returned
    from goatherd.model.dead_letter import DeadLetter


@click.command()
@target_argument
@click.argument("letters", nargs=-1, metavar="[LETTER]...")
@click.option("--all", "everything", is_flag=True, help="All dead letters.")
@choice_options
@click.option("--edit", is_flag=True, help="Change the arguments of one letter in your editor ($EDITOR) first.")
@click.option("--arguments", metavar="JSON", help="""Give one letter these arguments instead: '{"to": "a@b.c"}'.""")
@click.option("--yes", is_flag=True, help="Do not ask.")
@with_output
def replay(output: Output, target: str, letters: Sequence[str], choice: Choice, **how: Any) -> None:
    """Put dead letters back onto their queues, as new jobs with all their attempts ahead of them.

    Those of tasks with a key go to the end of their lane, and you are told how many are before them there: what was
    behind them has gone on. Other arguments may have another key, and so another lane.

    Say which: by LETTER (see goatherd dead show), by filters, or --all. By default you are asked first, with the
    number of letters. Each letter is gone only when its job is back on the queue, so nothing is lost if this is
    interrupted: run it again for the rest.

    \b
    Examples:
      goatherd dead replay shop:app --task send_mail --error ConnectionError
      goatherd dead replay shop:app 4f2a9c01d3e7 --edit
      goatherd dead replay shop:app --all --yes
    """
    check_choice(letters, choice, everything=how["everything"])
    edited = how["edit"] or how["arguments"] is not None
    if edited and (len(letters) != 1 or (how["edit"] and how["arguments"] is not None)):
        raise click.UsageError("--edit or --arguments is for one letter; name it.")
    app = load_app(target)
    chosen = choose(app, letters, choice)
    change = _other_arguments(app, chosen.ids[0], how["arguments"]) if edited else None
    back = 0
    returned: Sequence[Returned] = ()
    if chosen.count:
        agree(f"Put {chosen.told()} back to work?{_where(chosen)}", yes=how["yes"])
        back, returned = act(app, chosen.count, lambda office: _replaying(office, chosen, change))
    if output.json:
        output.write_json({"matched": chosen.count, "replayed": back, "lanes": returned})
    else:
        output.say(replayed_told(back, returned) if chosen.count else "No dead letters match.")


def _where(chosen: Chosen) -> str:
    if not chosen.ordered:
        return ""
    some = "It goes" if chosen.count == 1 else "All go" if chosen.ordered == chosen.count else f"{chosen.ordered:,} go"
    return f" {some} to the end of {'its lane' if chosen.count == 1 else 'their lanes'}."


def _other_arguments(app: Goatherd, letter_id: str, given: str | None) -> Edited:
    from goatherd.cli.editing import checked, edit, read_object
    from goatherd.desk.letter_office import find_letter, office_of

    async def get() -> DeadLetter:
        async with app:
            return await find_letter(office_of(app), letter_id)

    letter = asyncio.run(get())
    if given is not None:
        return checked(app, letter, read_object(given))
    return edit(app, letter)


async def _replaying(office: DeadLetterOffice, chosen: Chosen, change: Edited | None) -> AsyncIterator[int]:
    if not chosen.ids:
        async for done in office.replay(chosen.wanted, chosen.limit):
            yield done
        return
    done = 0
    for letter in chosen.ids:
        if change is None:
            done += await office.replay_one(letter)
        else:
            done += await office.replay_one(letter, change.arguments, change.lane)
        yield done
