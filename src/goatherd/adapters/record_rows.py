"""A job's record as a row, in the same order on every database, without the columns by which it is found."""

from collections.abc import Sequence
from typing import Any

import msgspec

from goatherd.model.job_record import JobRecord
from goatherd.model.job_state import JobState

_STATE = JobState.__struct_fields__
#: In the order of the rows.
COLUMNS = (*_STATE, "at", "queued_at", "started_at", "ended_at")


def row_of(record: JobRecord) -> tuple[Any, ...]:
    """A record as it is kept."""
    state = msgspec.structs.astuple(record.state)
    return (*state, record.at, record.queued_at, record.started_at, record.ended_at)


def record_in(job: str, row: Sequence[Any]) -> JobRecord:
    """A record that was kept."""
    fields: dict[str, Any] = dict(zip(_STATE, row, strict=False))
    fields["closed"] = bool(fields["closed"])
    at, queued_at, started_at, ended_at = row[len(_STATE) :]
    return JobRecord(
        job=job, state=JobState(**fields), at=at, queued_at=queued_at, started_at=started_at, ended_at=ended_at
    )
