"""PostgreSQL's errors in our words."""

import asyncio
import random

import psycopg
from psycopg import errors

from goatherd.adapters.postgres.address import Address
from goatherd.errors import GoatherdError, SettingsError, Unavailable

#: Answers that another connection, or the same server a little later, would not give.
_PASSING = (
    errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow, errors.TooManyConnections,
    errors.DeadlockDetected, errors.SerializationFailure, errors.ReadOnlySqlTransaction, errors.IdleSessionTimeout,
    errors.IdleInTransactionSessionTimeout,
)  # fmt: skip
#: What our own tables and functions are missed with.
_NO_SCHEMA = (errors.UndefinedFunction, errors.UndefinedTable, errors.InvalidSchemaName, errors.UndefinedColumn)
#: Seconds between two tries: the first and the longest.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.02, 1.0


def passes(error: BaseException) -> bool:
    """Whether an error is no verdict about what was asked; one without a code is of the connection."""
    if isinstance(error, _PASSING):
        return True
    code = getattr(error, "sqlstate", None)
    return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError | OSError) and (
        code is None or code.startswith("08")
    )


async def pause_before(attempt: int) -> None:
    """Wait before the next try, so that not everyone comes at once."""
    longest = min(LONGEST_PAUSE, SHORTEST_PAUSE * 2**attempt)
    await asyncio.sleep(random.uniform(longest / 2, longest))


def refused(error: BaseException, address: Address) -> GoatherdError:
    """The error to raise when the database cannot be used from the start."""
    if isinstance(error, errors.InvalidPassword | errors.InvalidAuthorizationSpecification) or _is_about_login(error):
        told = f"{address} does not accept the user or the password of {address.variable}; check both ({_told(error)})"
        return SettingsError([told])
    if isinstance(error, errors.InvalidCatalogName) or "does not exist" in str(error):
        told = f"{address} has no such database; create it, or correct {address.variable} ({_told(error)})"
        return SettingsError([told])
    return away(error, address)


def away(error: BaseException | None, address: Address) -> Unavailable:
    """The error to raise when the server did not answer in time."""
    why = f" ({_told(error)})" if error is not None and str(error) else ""
    return Unavailable(
        f"{address} cannot be reached or does not answer{why}. Check that the server runs and that "
        f"{address.variable} is right, then try again: what was done all the same is not done twice."
    )


def in_our_words(error: BaseException, address: Address) -> Unavailable:
    """The error to raise instead of an answer that is an error."""
    if isinstance(error, errors.QueryCanceled | errors.LockNotAvailable):
        if address.which != "lanes":
            return Unavailable(f"{address} took too long; is it overloaded? Try again ({_told(error)}).")
        return Unavailable(
            f"{address} took too long. If a transaction of another program has put a job into the same lane and is "
            f"still open, end it: jobs of one lane are taken in the order of commits. Then try again ({_told(error)})."
        )
    if isinstance(error, errors.DiskFull | errors.OutOfMemory | errors.ConfigurationLimitExceeded):
        return Unavailable(
            f"{address} has no room left, so nothing was written. Free some space; what was accepted before is safe, "
            f"and workers go on by themselves ({_told(error)})."
        )
    if isinstance(error, errors.InsufficientPrivilege):
        return Unavailable(
            f"{address} does not allow this user what is needed: USAGE of the schema goatherd, and SELECT, INSERT, "
            f"UPDATE and DELETE on its tables and USAGE of its sequences ({_told(error)})."
        )
    if isinstance(error, _NO_SCHEMA):
        return Unavailable(
            f"{address} has not what this version needs; run `goatherd migrate MODULE:APP` ({_told(error)})."
        )
    return Unavailable(f"{address} refused what was asked: {_told(error)}. Nothing was written.")


def unknown_outcome(error: BaseException, address: Address) -> Unavailable:
    """The error to raise when it may have been done or not, and doing it twice would be wrong."""
    return Unavailable(
        f"The connection to {address} was lost before its answer came ({_told(error)}), so nobody knows whether it was "
        f"done. Look first, then try again."
    )


def _is_about_login(error: BaseException) -> bool:
    return "password authentication failed" in str(error) or "no password supplied" in str(error)


def _told(error: BaseException) -> str:
    """The first line of what the driver says, which has no secrets in it."""
    return str(error).strip().split("\n", 1)[0].rstrip(".") or type(error).__name__
