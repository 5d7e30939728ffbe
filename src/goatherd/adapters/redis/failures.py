"""Redis's errors in our words."""

import asyncio
import random

from redis import exceptions

from goatherd.adapters.redis.address import Address
from goatherd.errors import GoatherdError, SettingsError, Unavailable

#: What means that the connection is of no use any more; everything that was on its way is sent again on another.
LOST = (exceptions.ConnectionError, exceptions.TimeoutError, exceptions.InvalidResponse, OSError)
#: Answers that another connection, or the same server a little later, would not give.
_PASSING = (exceptions.ReadOnlyError, exceptions.NoScriptError, exceptions.ClusterDownError, exceptions.TryAgainError)
#: What a user of the server must be allowed.
_NEEDED_BY_LANES = (
    "what lanes need: EVALSHA, SCRIPT LOAD, SUBSCRIBE and PUBLISH, and the commands of hashes, sorted sets and "
    "strings, on all keys and channels that begin with the app's name in braces"
)
_NEEDED_BY_EVENTS = (
    "what events need: EVALSHA, SCRIPT LOAD, INFO, UNLINK and SUBSCRIBE, and the commands of hashes, sorted sets, "
    "streams and strings, on all keys and channels with the prefixes of the settings"
)
#: What is not done twice when it is tried again, what to do when the server is full, and what must be allowed.
_WORDS = {
    "lanes": (
        "what was done all the same is not done twice",
        "let more workers empty the lanes",
        _NEEDED_BY_LANES,
    ),
    "inbox": (
        "commands stay there until they are taken",
        "have more workers take commands",
        "what an inbox needs: EVALSHA, SCRIPT LOAD, INFO, and the commands of its list or stream and of hashes",
    ),
}
_WORDS_OF_EVENTS = (
    "events that were written all the same are not written twice",
    "keep events for a shorter time (GOATHERD_EVENT_TTL)",
    _NEEDED_BY_EVENTS,
)
#: Seconds between two tries to connect: the first and the longest.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.05, 2.0


def passes(error: BaseException) -> bool:
    """Whether an answer is no verdict about what was asked."""
    return isinstance(error, (*LOST, *_PASSING)) or str(error).startswith(("BUSY ", "MASTERDOWN", "LOADING"))


async def pause_before(attempt: int) -> None:
    """Wait before the next try to connect, so that not everyone comes at once."""
    longest = min(LONGEST_PAUSE, SHORTEST_PAUSE * 2**attempt)
    await asyncio.sleep(random.uniform(longest / 2, longest))


def refused(error: BaseException, address: Address) -> GoatherdError:
    """The error to raise when the server cannot be used from the start."""
    if isinstance(error, exceptions.AuthenticationError | exceptions.AuthorizationError):
        told = f"{address} does not accept the user or the password of {address.variable}; check both"
        return SettingsError([told])
    if "SELECT" in str(error) or "DB index" in str(error):
        return SettingsError([f"{address} has no database {address.database}; end {address.variable} in /0"])
    return away(error, address)


def away(error: BaseException | None, address: Address) -> Unavailable:
    """The error to raise when the server did not answer in time."""
    why = f" ({_told(error)})" if error is not None and str(error) else ""
    again, _, _ = _WORDS.get(address.which, _WORDS_OF_EVENTS)
    return Unavailable(
        f"{address} cannot be reached or does not answer{why}. Check that the server runs and that "
        f"{address.variable} is right, then try again: {again}."
    )


def in_our_words(error: BaseException, address: Address) -> Unavailable:
    """The error to raise instead of an answer that is an error."""
    _, instead, needed = _WORDS.get(address.which, _WORDS_OF_EVENTS)
    if isinstance(error, exceptions.OutOfMemoryError):
        return Unavailable(
            f"{address} has no memory left, so nothing was written. Give it more (maxmemory), or {instead}."
        )
    if isinstance(error, exceptions.NoPermissionError):
        return Unavailable(f"{address} does not allow this user {needed} ({_told(error)}).")
    return Unavailable(f"{address} refused what was asked: {_told(error)}. Nothing was written.")


def unknown_outcome(error: BaseException | None, address: Address) -> Unavailable:
    """The error to raise when it may have been done or not, and doing it twice would be wrong."""
    why = f" ({_told(error)})" if error is not None and str(error) else ""
    return Unavailable(
        f"{address} was lost before its answer came{why}, so nobody knows whether it was done. What is asked with an "
        f"id= can be asked again."
    )


def _told(error: BaseException) -> str:
    return str(error).rstrip(".") or type(error).__name__
