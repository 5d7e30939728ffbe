"""What clients send and get."""

from typing import Annotated, TypeAlias

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field

ChatId: TypeAlias = Annotated[str, Path(pattern=r"^[\w-]{1,64}$", description="chosen by the client")]
JobId: TypeAlias = Annotated[str, Path(pattern=r"^[\w-]{1,64}$")]


class Location(BaseModel):
    """Where the user is."""

    latitude: float = Field(ge=-90, le=90)
    longitude: float = Field(ge=-180, le=180)


class Message(BaseModel):
    """A question."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    message: str = Field(min_length=1, max_length=10_000)
    user_id: str | None = Field(None, min_length=1, max_length=200)
    image_url: str | None = Field(None, pattern="^(https?://|data:image/)", max_length=700_000)
    user_location: Location | None = None
    model: str | None = Field(None, min_length=1, max_length=200)


class Text(BaseModel):
    """A text to be added to the documents, in Markdown."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    name: str = Field(min_length=1, max_length=100)
    text: str = Field(min_length=1, max_length=500_000)


class Accepted(BaseModel):
    """Where a job can be watched and stopped."""

    job_id: str
    stream_url: str
    stream_token: str
    cancel_url: str | None = None


class Exchange(BaseModel):
    """A question, and how far its answer is; one that is still written can be watched."""

    job_id: str
    asked_at: float
    message: str
    status: str
    answer: str
    #: The documents that the answer is from, and who wrote it; of one that is whole.
    sources: list[str] = []
    provider: str = ""
    #: Why there is no answer.
    error: str = ""
    stream: Accepted | None = None


class About(BaseModel):
    """Who answers here."""

    provider: str
    #: None if no language model is at work.
    model: str | None


class Conversation(BaseModel):
    """All of one chat, the oldest first."""

    messages: list[Exchange]
