"""The words of a job's record as one text, for a database that takes it apart at the spaces."""

from typing import cast

from goatherd.model.job_marks import marks_of
from goatherd.model.job_record import JobRecord
from goatherd.model.job_state import JobState, Status
from goatherd.model.job_words import words_of


def text_of(record: JobRecord) -> str:
    """All that a job is found by."""
    return " ".join([*words_of(record), *marks_of(record)])


def words_of_former(job: str, status: str, error: str, message: str) -> str:
    """The same of a record of a former version, which did not know what the job was."""
    state = JobState(epoch="", seq=0, status=cast(Status, status), error=error, message=message)
    return text_of(JobRecord(job=job, state=state, at=0.0, created=0.0))
