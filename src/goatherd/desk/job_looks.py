"""What events, history, records of runs and dead letters tell of a job, put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from goatherd.desk.job_facts import JobFacts, JobKind, JobSource, decoded
from goatherd.desk.letter_facts import LetterLine
from goatherd.desk.run_facts import run_facts
from goatherd.desk.run_looks import run_input
from goatherd.desk.schedule_facts import time_of
from goatherd.model.envelope import moment
from goatherd.model.job_record import NOTHING_KNOWN, JobRecord
from goatherd.model.job_state import JobState
from goatherd.model.lane import shown
from goatherd.model.redaction import redacted
from goatherd.model.run_record import RunLook

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: Bytes of a result that are shown.
LONGEST_RESULT = 200_000


@dataclass(frozen=True, kw_only=True)
class JobLook:
    """All that was found of a job; None where nothing was."""

    id: str
    state: JobState | None
    record: JobRecord | None
    run: RunLook | None
    letter: LetterLine | None
    #: Who could not be asked, and why.
    troubles: tuple[str, ...] = ()

    @property
    def source(self) -> JobSource | None:
        """Who knows best how it stands: the newest word counts."""
        if self.state is not None:
            return "events"
        if self.run is not None:
            return "run"
        if self.record is not None:
            return "history"
        return None if self.letter is None else "letter"

    @property
    def standing(self) -> JobState:
        """How it stands, by who knows best."""
        if self.state is not None:
            return self.state
        if self.run is not None:
            return _state_of(self.run, self.record)
        if self.record is not None:
            return self.record.state
        assert self.letter is not None, "otherwise nothing is known of it"
        return JobState(
            epoch="",
            seq=0,
            status="expired" if self.letter.reason == "expired" else "failed",
            attempt=self.letter.attempts,
            error=self.letter.error_type,
            message=self.letter.message,
            closed=True,
        )


def job_facts(app: Goatherd, look: JobLook) -> JobFacts:
    """All of it, plain."""
    source, state = look.source, look.standing
    assert source is not None, "something is known of it"
    hidden = app.settings.redact
    size = len(state.result or b"")
    return JobFacts(
        id=look.id,
        source=source,
        **_about(app, look),
        status=state.status,
        attempt=state.attempt,
        stage=state.stage,
        percent=state.progress,
        **_times(look, state),
        has_result=state.result is not None,
        result=redacted(decoded(state.result), hidden) if size <= LONGEST_RESULT else None,
        result_size=size,
        error=state.error,
        message=state.message,
        traceback=state.traceback,
        watchable=look.state is not None,
        open=not state.closed,
        run=None if look.run is None else run_facts(look.run.summary),
        letter=look.letter,
        troubles=look.troubles,
    )


def _about(app: Goatherd, look: JobLook) -> Mapping[str, Any]:
    """What it is, by who knows it: the history, unless whoever wrote it did not tell; its run; its dead letter."""
    about = NOTHING_KNOWN if look.record is None else look.record.about
    kind: JobKind = about.kind
    task, queue, lane, key = about.task, about.queue, about.key, shown(about.key) if about.key else ""
    arguments = decoded(about.arguments)
    if look.run is not None:
        pipeline = look.run.summary.pipeline
        kind = "tick" if pipeline in app.ticks else "run"
        task, arguments = task or pipeline, run_input(app, look.run)
    elif look.letter is not None and not task:
        letter = look.letter
        kind = "letter" if look.source == "letter" else kind
        task, queue, key = letter.task or "", letter.queue, letter.key or ""
        arguments = None if letter.arguments is None else decoded(letter.arguments.encode())
    return {"kind": kind, "task": task, "queue": queue, "key": key, "lane": lane, "arguments": arguments}


def _times(look: JobLook, state: JobState) -> Mapping[str, Any]:
    """When it was accepted, when its newest attempt began, and when it ended."""
    record, run = look.record, look.run
    created = None if record is None else moment(record.created)
    started = None if record is None else time_of(record.started_at)
    ended = None if record is None or not state.closed else time_of(record.ended_at)
    if run is not None:
        created = moment(run.summary.created)
        ended = time_of(run.summary.ended_at) if state.closed else None
    elif record is None and look.letter is not None:
        created, ended = look.letter.created_at, look.letter.failed_at
    return {"created_at": created, "started_at": started, "ended_at": ended}


def _state_of(run: RunLook, record: JobRecord | None) -> JobState:
    """How a run stands by its records; its result is told by the history alone."""
    summary, trouble = run.summary, run.summary.trouble
    same = record is not None and record.state.closed and record.state.status == summary.state
    return JobState(
        epoch="",
        seq=0,
        status=summary.state,
        result=record.state.result if same and record is not None else None,
        error="" if trouble is None else trouble.error_type,
        message="" if trouble is None else trouble.message,
        traceback="" if trouble is None else trouble.traceback,
        closed=summary.state != "running",
    )
