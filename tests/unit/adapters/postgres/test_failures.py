"""Which errors pass, and what is told about those that do not."""

import psycopg
import pytest
from psycopg import errors

from goatherd.adapters.postgres.address import read_address
from goatherd.adapters.postgres.failures import away, in_our_words, passes, refused
from goatherd.errors import SettingsError, Unavailable

ADDRESS = read_address("postgresql://ada:s3cr3t@db/shop")


@pytest.mark.parametrize(
    "error",
    [
        psycopg.OperationalError("server closed the connection"), psycopg.InterfaceError("the connection is closed"),
        OSError("no route"), errors.AdminShutdown(), errors.CannotConnectNow(), errors.TooManyConnections(),
        errors.DeadlockDetected(), errors.ReadOnlySqlTransaction(), errors.ConnectionFailure(),
        errors.IdleInTransactionSessionTimeout(),
    ],
)  # fmt: skip
def test_some_errors_pass(error: Exception) -> None:
    assert passes(error)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (errors.QueryCanceled("canceling"), "end it: jobs of one lane"),
        (errors.DiskFull("could not extend file"), "Free some space"),
        (errors.InsufficientPrivilege("permission denied"), "USAGE of the schema goatherd"),
        (errors.UndefinedFunction("no function"), "goatherd migrate MODULE:APP"),
        (errors.NumericValueOutOfRange("too much\nLINE 1"), "refused what was asked: too much. Nothing"),
    ],
)
def test_others_are_told(error: Exception, told: str) -> None:
    assert not passes(error)
    explained = in_our_words(error, ADDRESS)
    assert isinstance(explained, Unavailable)
    assert told in str(explained)
    assert "s3cr3t" not in str(explained)


def test_lanes_are_not_spoken_of_where_there_are_none() -> None:
    records = read_address("postgresql://db/shop", "records")
    assert "overloaded" in str(in_our_words(errors.QueryCanceled("canceling"), records))


def test_settings_are_blamed_for_what_is_theirs() -> None:
    for error in (errors.InvalidPassword("no"), psycopg.OperationalError("password authentication failed")):
        assert isinstance(refused(error, ADDRESS), SettingsError)
    nowhere = psycopg.OperationalError('database "shop" does not exist')
    assert "create it" in str(refused(nowhere, ADDRESS))
    assert isinstance(refused(psycopg.OperationalError("refused"), ADDRESS), Unavailable)
    assert "GOATHERD_LANES_URL" in str(away(None, ADDRESS))
