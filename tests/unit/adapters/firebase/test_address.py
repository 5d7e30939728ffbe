"""What the address of an inbox on Firebase says."""

import sys

import pytest

from goatherd.adapters.firebase.address import read_address
from goatherd.adapters.firebase.tokens import FixedToken, tokens_for
from goatherd.errors import MissingExtra, SettingsError


def test_everything_that_it_says() -> None:
    address = read_address("firebase+https://db.firebaseio.com/commands/a%20b?auth=s3cret&ns=games")
    assert str(address) == "https://db.firebaseio.com/commands/a b?ns=games"
    assert address.auth == "s3cret"
    assert "s3cret" not in repr(address)
    assert address.url("k ü", print="silent") == (
        "https://db.firebaseio.com/commands/a%20b/k%20%C3%BC.json?print=silent&ns=games"
    )


def test_an_emulator() -> None:
    address = read_address("firebase+http://127.0.0.1:9000/commands?ns=games")
    assert address.url() == "http://127.0.0.1:9000/commands.json?ns=games"
    assert address.is_local
    assert not read_address("firebase+http://emulator:9000/commands?ns=games").is_local


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("firebase+https://db/", "names no path"),
        ("firebase+https:///commands", "names no database"),
        ("firebase+https://db/com.mands", "which no key there has"),
        ("firebase+https://db/c?tken=s3cret", "has .tken=, which is not known"),
        ("firebase+https://me:s3cret@db/c", "has a user in its URL"),
        ("firebase+http://db/c", "which is for emulators"),
        ("firebase+https://db:s3cret/c", "cannot be read"),
    ],
)
def test_mistakes_are_told_without_secrets(url: str, problem: str) -> None:
    with pytest.raises(SettingsError, match=problem) as raised:
        read_address(url)
    assert "s3cret" not in str(raised.value)


def test_a_service_account_needs_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "account.json")
    monkeypatch.setitem(sys.modules, "google.auth.transport.requests", None)
    with pytest.raises(MissingExtra, match="pip install 'google-auth"):
        tokens_for(read_address("firebase+https://db/c"))
    assert isinstance(tokens_for(read_address("firebase+https://db/c?auth=x")), FixedToken)
