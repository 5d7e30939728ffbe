"""How the end of a job on a queue is told to those who watch it."""

from goatherd.model.dead_letter import Burial
from goatherd.model.event import Failed


def end_of(burial: Burial, at: float, attempt: int = 0) -> Failed:
    """The last event of a job that is a dead letter."""
    return Failed(
        attempt=attempt,
        at=at,
        reason="expired" if burial.reason == "expired" else "failed",
        error=burial.error_type,
        message=burial.message,
        traceback=burial.traceback,
    )
