"""What clients send and get."""

from typing import Annotated, Literal, TypeAlias

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field

PostId: TypeAlias = Annotated[int, Path(ge=1, le=2**53)]
CommentId: TypeAlias = Annotated[str, Path(pattern=r"^[\w-]{1,64}$")]
Who: TypeAlias = Annotated[str, Path(min_length=1, max_length=40, pattern=r"^[^/\x00-\x1f]+$")]
Author: TypeAlias = Annotated[str, Field(min_length=1, max_length=40)]
Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=2_000)]
#: Comments that may be sent at once.
MOST = 500


class Body(BaseModel):
    """Whatever is sent."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class NewPost(Body):
    """A post."""

    title: str = Field(min_length=1, max_length=100)
    body: str = Field("", max_length=2_000)


class NewComment(Body):
    """A comment on the post in the path."""

    author: Author
    text: Text


class CommentOn(NewComment):
    """A comment on any post."""

    post_id: int = Field(ge=1, le=2**53)


class Many(Body):
    """Comments on several posts, in the order in which they are to be written."""

    comments: list[CommentOn] = Field(min_length=1, max_length=MOST)


class Edit(Body):
    """What a comment is to say instead."""

    text: Text


class Liked(Body):
    """Whether somebody likes a post."""

    liked: bool


class Closed(Body):
    """Whether a post takes no more comments."""

    closed: bool


class Order(Body):
    """What an operator wants to be done with the comment that a post waits for."""

    do: Literal["retry", "skip"]


class Accepted(BaseModel):
    """A comment that will be written: the how-many-th that was submitted to its post."""

    id: str
    post_id: int
    number: int


class AllAccepted(BaseModel):
    """The same of several."""

    accepted: list[Accepted]


class Entry(BaseModel):
    """A comment, from its submission on."""

    id: str
    number: int
    author: str
    text: str
    #: waiting, writing, retrying, held, skipped, refused (the post was closed), or done.
    state: str
    tries: int
    #: Why it was not written.
    told: str
    worker: str
    #: When its latest attempt began and when it was written; seconds since the epoch.
    begun: float | None
    ended: float | None
    #: Where it stands under the post, if it was written.
    place: int | None
    edits: int
    version: int


class Post(BaseModel):
    """A post, and comments that were asked for."""

    id: int
    title: str
    body: str
    likes: int
    closed: bool
    #: Comments that were written, and that wait to be.
    written: int
    waiting: int
    version: int
    entries: list[Entry] = []


class Posts(BaseModel):
    """All of them."""

    posts: list[Post]
