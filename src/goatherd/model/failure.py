"""Why a step of a pipeline failed for good, as its stand-in is told."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why a step or item failed for good."""

    step: str
    #: The item's number, from 0; None for a step that is done as a whole.
    item: int | None
    error_type: str
    message: str
    attempts: int
