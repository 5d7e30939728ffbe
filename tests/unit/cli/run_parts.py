"""Runs and steps as the records have them, with something in every field."""

from types import SimpleNamespace
from typing import Any

from goatherd.desk.run_looks import StepView
from goatherd.model.run_record import RunSummary, StepLook, Trouble

NOW = 1_800_000_000.0
NOTHING: dict[str, Any] = {
    **dict.fromkeys(("done", "skipped", "failed", "compensating", "running", "failures", "deaths"), 0),
    **dict.fromkeys(("started_at", "ended_at")),
    "phase": "do",
    "total": 1,
}


def step_look(name: str, state: Any, **known: Any) -> StepLook:
    """A step on record."""
    return StepLook(name=name, state=state, **(NOTHING | known))


def step_code(*before: str, is_map: bool = False) -> Any:
    """A step in the code, as far as a drawing wants to know it."""
    task = SimpleNamespace(queue="work")
    return SimpleNamespace(before=before, is_map=is_map, over=before[0] if is_map else None, task=task, remote=False)


def step(name: str, state: Any, *before: str, is_map: bool = False, **known: Any) -> StepView:
    """A step that both know."""
    return StepView(name=name, look=step_look(name, state, **known), code=step_code(*before, is_map=is_map))


def trouble(message: str = "no fonts") -> Trouble:
    return Trouble(error_type="ValueError", message=message, traceback="Traceback: here")


def summary(run: str = "video-7", state: Any = "running", **known: Any) -> RunSummary:
    told: dict[str, Any] = {
        "pipeline": "dub",
        "created": NOW - 90,
        "ended_at": None,
        "steps_done": 1,
        "steps": 3,
    } | known
    return RunSummary(id=run, state=state, **told)
