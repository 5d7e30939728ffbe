"""What a thread is told when the I/O thread did not answer in time."""

from collections.abc import Callable, Sequence
from typing import Any

from goatherd.errors import CallTimeout, Unavailable
from goatherd.sync.errand import Errand


def not_accepted(errand: Errand[Any], jobs: Sequence[str] = ()) -> Callable[[str], Unavailable]:
    """For a verb that sends."""

    def error(why: str) -> Unavailable:
        if not errand.started:
            return Unavailable(f"{why} Nothing was sent.", jobs=jobs)
        return Unavailable(f"{why} It is not known whether it was accepted: send again with the same id=.", jobs=jobs)

    return error


def no_reply(errand: Errand[Any], job_id: str) -> Callable[[str], Unavailable | CallTimeout]:
    """For a verb that waits for an answer."""

    def error(why: str) -> Unavailable | CallTimeout:
        if not errand.started:
            return Unavailable(f"{why} Nothing was sent.", jobs=[job_id])
        return CallTimeout(job_id, f"{why} The job may have been done.")

    return error
