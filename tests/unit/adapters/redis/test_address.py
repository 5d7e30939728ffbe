"""What a URL says, and what is told about one that is wrong."""

from pathlib import Path

import pytest

from goatherd.adapters.redis.address import read_address
from goatherd.errors import SettingsError

SECRET = "s3cr3t"


def problems(url: str) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        read_address(url)
    assert SECRET not in str(caught.value)
    return list(caught.value.problems)


def test_everything_has_a_default() -> None:
    address = read_address("redis://")
    assert (address.host, address.port, address.database) == ("localhost", 6379, 0)
    assert (address.user, address.password, address.tls) == (None, None, None)


def test_everything_can_be_said() -> None:
    address = read_address(f"redis://ada:{SECRET}%40%2F@cache.example:7000/3?connection_timeout=1.5")
    assert (address.host, address.port, address.database) == ("cache.example", 7000, 3)
    assert (address.user, address.password, address.connection_timeout) == ("ada", f"{SECRET}@/", 1.5)


def test_a_password_alone_is_of_the_default_user() -> None:
    address = read_address(f"redis://:{SECRET}@cache")
    assert (address.user, address.password) == (None, SECRET)


def test_an_address_shows_no_password() -> None:
    address = read_address(f"rediss://ada:{SECRET}@[::1]:7000/3")
    assert SECRET not in repr(address)
    assert str(address) == "rediss://::1:7000/3"


def test_tls_checks_the_server_unless_told_otherwise(tmp_path: Path) -> None:
    authority = tmp_path / "ca.pem"
    authority.write_text("…")
    checked = read_address(f"rediss://cache?cafile={authority}").tls
    assert checked is not None
    assert (checked["ssl_cert_reqs"], checked["ssl_check_hostname"]) == ("required", True)
    assert checked["ssl_ca_certs"] == str(authority)
    trusting = read_address("rediss://cache?verify=none").tls
    assert trusting is not None
    assert (trusting["ssl_cert_reqs"], trusting["ssl_check_hostname"]) == ("none", False)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("redis://cache/x", "the number of a database"),
        ("redis://cache/-1", "the number of a database"),
        ("redis://cache:http/0", "its port is no number"),
        (f"redis://ada:{SECRET}@cache:99999/0", "its port is no number"),
        (f"redis://ada:p@x:{SECRET}/0", "its port is no number"),
        (f"redis://ada:{SECRET}@[::1", "its host cannot be read"),
        ("redis://cache?connection_timeout=soon", "must be a number of seconds"),
        ("redis://cache?connection_timeout=0", "must be a number of seconds"),
        ("redis://cache?colour=red", "?colour=, which is not known"),
        ("redis://cache?verify=none", "which only rediss:// uses"),
        ("rediss://cache?verify=maybe", "must be peer"),
        ("rediss://cache?cafile=/nowhere/ca.pem", "cannot be read"),
    ],
)
def test_a_mistake_is_told(url: str, told: str) -> None:
    [problem] = problems(url)
    assert told in problem


def test_every_mistake_is_told_at_once() -> None:
    assert len(problems("redis://cache/x?colour=red&connection_timeout=x")) == 3
