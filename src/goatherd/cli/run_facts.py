"""Runs and their steps as people and programs want to see them: what is on record beside what the code says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from goatherd.cli.redaction import redacted
from goatherd.model.envelope import moment

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.pipeline import PipelineDefinition, StepDefinition
    from goatherd.model.run_record import RunLook, RunSummary, StepLook, Trouble

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class StepFacts:
    """A step of a run: what is on record of it, and what the code says; after a deploy one of them may be missing."""

    name: str
    look: StepLook | None
    code: StepDefinition | None

    @property
    def after(self) -> tuple[str, ...]:
        """The steps before it; only the code knows them."""
        return () if self.code is None else self.code.before

    @property
    def state(self) -> str:
        """In one word."""
        look = self.look
        if look is None:
            return "new"
        if look.phase == "compensate" and look.state in ("ready", "running"):
            return "compensating"
        if look.state != "spread":
            return look.state
        # Of a step that is done item by item, one wants to know what holds it up, or whether somebody is at it.
        if look.failed:
            return "failed"
        if look.running:
            return "running"
        return "compensating" if look.compensating else "ready"

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        told: dict[str, Any] = {"step": self.name, "in_code": self.code is not None, "after": self.after}
        if self.code is not None:
            told |= {"queue": self.code.task.queue, "map": self.code.is_map, "remote": self.code.remote}
        if self.look is None:
            return told | {"state": None}
        kept = {name: value for name, value in msgspec.structs.asdict(self.look).items() if name != "name"}
        times = {name: _time(kept[name]) for name in ("started_at", "ended_at")}
        return told | kept | times | {"trouble": _trouble(self.look.trouble)}


def steps_of(look: RunLook, code: PipelineDefinition | None) -> list[StepFacts]:
    """All steps: those of the code in their order, then those that only the run has."""
    recorded = {step.name: step for step in look.steps}
    declared = dict(code.steps) if code is not None else {}
    names = [*declared, *(name for name in recorded if name not in declared)]
    return [StepFacts(name=name, look=recorded.get(name), code=declared.get(name)) for name in names]


def short_run(run: str) -> str:
    """How a run is called in lists: the end of an id that we made, which is random; one that a user chose, in full."""
    return run[-12:] if _UUID.fullmatch(run) else run


def summary_json(summary: RunSummary) -> dict[str, Any]:
    """A run in one line, for programs."""
    return {
        "run": summary.id,
        "pipeline": summary.pipeline,
        "state": summary.state,
        "created_at": moment(summary.created),
        "ended_at": _time(summary.ended_at),
        "steps_done": summary.steps_done,
        "steps_total": summary.steps,
        "now_at": summary.now_at,
        "trouble": _trouble(summary.trouble),
    }


def look_json(app: Goatherd, look: RunLook, steps: Sequence[StepFacts]) -> dict[str, Any]:
    """A run with its input, without secrets, and its steps."""
    told = summary_json(look.summary)
    return told | {"input": run_input(app, look), "steps": [step.as_json() for step in steps]}


def run_input(app: Goatherd, look: RunLook) -> Any:
    """What the run was started with, without secrets."""
    return redacted(msgspec.json.decode(look.input), app.settings.redact)


def _time(seconds: float | None) -> Any:
    return None if seconds is None else moment(seconds)


def _trouble(trouble: Trouble | None) -> dict[str, Any] | None:
    return None if trouble is None else msgspec.structs.asdict(trouble)
