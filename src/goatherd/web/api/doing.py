"""What is answered when something was done."""

from typing import Self

from pydantic import BaseModel, Field


class Done(BaseModel):
    """It was done, and is in the audit log."""

    action: str = Field(description="As the audit log has it.", examples=["queue.pause"])
    target: str
    count: int | None = Field(None, description="How many things it was done to, where that matters.")

    @classmethod
    def of(cls, action: str, target: str, count: int | None = None) -> Self:
        """To one thing, or to so many."""
        return cls(action=action, target=target, count=count)
