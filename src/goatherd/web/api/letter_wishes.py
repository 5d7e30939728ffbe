"""Which dead letters are meant, as requests say it."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Depends
from pydantic import Field, model_validator

from goatherd.desk.letter_facts import LetterChoice
from goatherd.desk.letter_shares import Share
from goatherd.web.api.asking import Body, Chosen, Moment, Time, Word

MOST = 1_000_000

Count = Annotated[int | None, Field(ge=1, le=MOST, description="The oldest so many.")]
Percent = Annotated[int | None, Field(ge=1, le=100, description="The oldest so many of a hundred.")]


def choice_in(
    *,
    queue: Chosen = None,
    task: Chosen = None,
    error: Chosen = None,
    group: Chosen = None,
    failed_before: Moment = None,
) -> LetterChoice:
    """What a query says."""
    return LetterChoice(queue=queue, task=task, error=error, group=group, failed_before=failed_before)


Choice = Annotated[LetterChoice, Depends(choice_in)]


class LetterWish(Body):
    """Which dead letters are meant: those that fit all that is said, and of these so many, a percentage, or all."""

    queue: Word | None = None
    task: Word | None = None
    error: Word | None = Field(None, description="A part of the error's type or message.")
    group: Word | None = Field(None, description="The id of a group.")
    failed_before: Time | None = Field(
        None, description="The `at` of what was looked at before: what died later, nobody has seen."
    )
    count: Count = None
    percent: Percent = None
    all: bool = Field(False, description="Has to be true where neither `count` nor `percent` is given.")

    @model_validator(mode="after")
    def _say_how_many(self) -> "LetterWish":
        if sum((self.count is not None, self.percent is not None, self.all)) != 1:
            raise ValueError("say how many are meant: one of count, percent, and all")
        return self

    @property
    def choice(self) -> LetterChoice:
        """Which."""
        return LetterChoice(
            queue=self.queue, task=self.task, error=self.error, group=self.group, failed_before=self.failed_before
        )

    @property
    def share(self) -> Share:
        """How many of them."""
        return Share(count=self.count, percent=self.percent)

    def told(self) -> dict[str, Any]:
        """For the audit log."""
        said = asdict(self.choice) | asdict(self.share)
        return {name: value for name, value in said.items() if value is not None}
