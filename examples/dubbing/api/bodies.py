"""What clients send and get."""

from typing import Annotated, TypeAlias

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field

#: What a client may call a task; it is part of keys and of addresses.
TASK_ID = r"^[\w-]{1,64}$"

TaskId: TypeAlias = Annotated[str, Path(pattern=TASK_ID)]
ChosenId: TypeAlias = Annotated[str, Query(alias="id", pattern=r"^[\w-]{0,64}$")]
Language: TypeAlias = Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]
Speaker: TypeAlias = Annotated[str, Field(max_length=60, pattern=r"^[\w+-]*$")]


class NewTask(BaseModel):
    """A video that is in the store already."""

    model_config = ConfigDict(extra="forbid")

    source_video_key: str = Field(min_length=1, max_length=500)
    source_language: Language = "en"
    target_language: Language = "es"
    speaker_id: Speaker = ""
    #: Sent twice with the same, it is one task.
    id: str = Field("", pattern=r"^[\w-]{0,64}$")


class Accepted(BaseModel):
    """A task that will be done."""

    id: str


class Attempt(BaseModel):
    """An attempt at a step."""

    step: str
    attempt: int
    #: The first segment of a batch; -1 where the step is done as a whole.
    item: int
    #: running, succeeded, failed, or lost.
    state: str
    worker: str
    timeout_seconds: float
    error: str
    started_at: float
    ended_at: float | None


class SegmentRow(BaseModel):
    """What is said between two seconds, in both languages."""

    idx: int
    start_seconds: float
    end_seconds: float
    src_text: str
    mt_text: str | None
    tts_audio_key: str | None
    tts_params_json: str | None
    #: Why it could not be spoken.
    error: str


class Task(BaseModel):
    """A task as it stands."""

    id: str
    #: queued, running, done or failed.
    state: str
    source_video_key: str
    output_video_key: str
    source_language: str
    target_language: str
    error: str
    created_at: float
    ended_at: float | None
    steps: list[Attempt] = []
    segments: list[SegmentRow] = []
