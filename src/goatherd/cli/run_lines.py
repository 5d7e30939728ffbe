"""What is said of each step beside its place in the drawing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from goatherd.cli.durations import spoken
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.desk.run_looks import StepView

#: The columns, and the side on which their text stands.
HEADINGS = {"step": "left", "state": "left", "items": "right", "time": "right", "failures": "right", "worker": "left"}

COLOURS = {"done": "", "failed": "red", "running": "green", "compensating": "yellow", "ready": "", "waiting": "dim"}
COLOURS |= {"skipped": "dim", "new": "dim"}


def cells_of(step: StepView, now: float) -> dict[str, str | None]:
    """By heading; None where there is nothing to say."""
    look = step.look
    cells: dict[str, str | None] = dict.fromkeys(HEADINGS)
    cells |= {"step": step.name, "state": step.state}
    if look is None:
        return cells
    counts = (step.code is not None and step.code.is_map) or look.total > 1
    if counts and look.state != "waiting":
        cells["items"] = f"{look.done:,}/{look.total:,}"
    if look.started_at is not None:
        cells["time"] = spoken(max(0.0, (look.ended_at or now) - look.started_at))
    if look.failures:
        cells["failures"] = f"{look.failures:,}"
    if look.worker:
        more = f" +{look.running - 1:,}" if look.running > 1 else ""
        cells["worker"] = f"{look.worker}{more}"
    return cells


def notes_of(step: StepView) -> Iterator[Text]:
    """What does not fit into a column: a line for each."""
    look = step.look
    if look is None:
        yield Text("not in this run: the code has it since later", "dim")
        return
    if step.code is None:
        yield Text("not in the code: nobody does it any more" if _open(step) else "not in the code any more", "dim")
    counts = [
        f"{look.skipped:,} left out" if look.skipped else "",
        f"{look.failed:,} failed" if look.failed and look.total > 1 else "",
        f"{look.compensating:,} to be stood in for" if look.compensating and look.total > 1 else "",
        f"{counted(look.deaths, 'worker')} lost" if look.deaths else "",
    ]
    if any(counts):
        yield Text(", ".join(filter(None, counts)), "yellow")
    if look.trouble is not None:
        trouble = look.trouble
        yield Text.assemble((trouble.error_type, "red"), f": {trouble.message}" if trouble.message else "")


def _open(step: StepView) -> bool:
    return step.look is not None and step.look.state not in ("done", "skipped", "failed")
