"""What `goatherd topology apply` did, what it left alone, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from goatherd.cli.drift_report import print_drift
from goatherd.cli.topology_access import broker_of, tell_unseen
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.cli.apply_choice import Choice
    from goatherd.cli.output import Output
    from goatherd.cli.topology_access import Looked
    from goatherd.engine.topology.progress import Applied
    from goatherd.model.difference import Difference


def tell_nothing_to_do(output: Output, app: Goatherd, looked: Looked, target: str) -> None:
    """The broker is as it should be already."""
    if output.json:
        output.write_json(_as_json([], [], []))
        return
    click.echo(f"Nothing to do: {broker_of(app)} is as {target} wants it.")
    tell_unseen(looked.survey)


def tell_dry_run(output: Output, looked: Looked, choice: Choice) -> None:
    """What would be done, and what not."""
    todo, refused = choice.would_do(looked.differences), choice.refused(looked.differences)
    left = [each for each in looked.differences if each not in todo]
    if output.json:
        output.write_json({"would_do": _plain(todo), **_as_json([], refused, looked.differences)})
        return
    tell_unseen(looked.survey)
    for reason in _reasons(left, refused, choice):
        click.echo(reason)
    click.echo(f"Nothing was changed. Without --dry-run: {counted(len(todo), 'change')}.")


def tell_applied(output: Output, applied: Applied, looked: Looked, target: str, choice: Choice) -> None:
    """What was done and what is left, with what to do about it."""
    if output.json:
        output.write_json(_as_json(applied.done, applied.refused, applied.left))
        return
    done = f"Done: {counted(len(applied.done), 'change')}."
    if not applied.left:
        click.echo(f"{done} The broker is as {target} wants it.")
        tell_unseen(looked.survey)
        return
    click.echo(f"{done} This is left:\n")
    print_drift(applied.left)
    tell_unseen(looked.survey)
    for reason in _reasons(applied.left, applied.refused, choice):
        click.echo(reason)


def _reasons(left: Sequence[Difference], refused: Sequence[Difference], choice: Choice) -> Iterator[str]:
    """Why each that is left was left, and how to go on."""
    if refused:
        yield f"{counted(len(refused), 'change')} refused: see to what the notes say, or add --allow-loss."
    stuck = [each for each in left if not each.mendable]
    if stuck:
        yield f"{counted(len(stuck), 'difference')} cannot be mended from here: the notes say who can."
    others = [each for each in left if each not in refused and each not in stuck]
    if not others:
        return
    if choice.only:
        yield f"{counted(len(others), 'other')} not named by --only, or waiting for those."
    elif refused or stuck or all(each.change == "shadowed" for each in others):
        yield f"{counted(len(others), 'other')} will go when the rest is mended."
    else:
        yield "Somebody else changes the broker meanwhile: run it again, and find out who if that does not help."


def _as_json(
    done: Sequence[Difference], refused: Sequence[Difference], left: Sequence[Difference]
) -> dict[str, list[dict[str, Any]]]:
    return {"done": _plain(done), "refused": _plain(refused), "left": _plain(left)}


def _plain(differences: Sequence[Difference]) -> list[dict[str, Any]]:
    return [each.plain() for each in differences]
