"""Other arguments for a dead letter, checked like those of a new job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from goatherd.desk.arguments import check_on_queue, job_by_name
from goatherd.errors import InvalidArguments
from goatherd.listening import Listener
from goatherd.model.redaction import HIDDEN, left_hidden

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.dead_letter import DeadLetter


@dataclass(frozen=True, kw_only=True)
class Edited:
    """Other arguments, and the lane to which the job belongs with them."""

    arguments: Mapping[str, Any]
    #: Its full key; None if there is none, or if it is not known here.
    lane: str | None
    #: What whoever edits should know.
    note: str = ""


def checked(app: Goatherd, letter: DeadLetter, arguments: dict[str, Any]) -> Edited:
    """The same arguments, once they fit the letter's task; raises InvalidArguments."""
    hidden = app.settings.redact
    if (unknown := [*left_hidden(arguments, hidden)]) and not any(left_hidden(letter.arguments, hidden)):
        told = f"it is hidden ({HIDDEN}), and what it was is not known in this place; write it"
        raise InvalidArguments(letter.task or "", dict.fromkeys(unknown, told))
    task = app.tasks.get(letter.task or "")
    if task is None:
        # Done by another program, which checks them itself.
        return Edited(arguments=arguments, lane=None, note=_stays_in_lane(letter))
    if isinstance(task, Listener):
        check_on_queue(task, letter.queue, arguments)
        return Edited(arguments=arguments, lane=None)
    whole_body = task.definition.signature.whole_body
    job = task.job(arguments) if whole_body else job_by_name(task, arguments)
    return Edited(arguments=arguments, lane=job.lane)


def _stays_in_lane(letter: DeadLetter) -> str:
    if letter.key is None:
        return ""
    told = f"{letter.task} is no task of this app, so its job goes back to lane {letter.key}"
    return f"{told}, whatever its arguments say now."
