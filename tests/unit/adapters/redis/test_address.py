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


def test_sentinels_are_listed_and_the_servers_named() -> None:
    address = read_address(f"redis+sentinel://ada:{SECRET}@one:7000,two,[::1]:7001/goats/3?sentinel_password={SECRET}2")
    assert address.watchmen is not None
    assert address.watchmen.places == (("one", 7000), ("two", 26379), ("::1", 7001))
    assert (address.watchmen.service, address.watchmen.password) == ("goats", f"{SECRET}2")
    assert (address.user, address.password, address.database, address.tls) == ("ada", SECRET, 3, None)
    assert SECRET not in repr(address)
    assert str(address) == "redis+sentinel://one:7000,two:26379,::1:7001/goats/3"


def test_sentinels_may_be_reached_by_tls_only() -> None:
    address = read_address("rediss+sentinel://one/goats")
    assert address.tls is not None
    assert address.database == 0
    assert str(address) == "rediss+sentinel://one:26379/goats/0"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("redis://a", "redis://a:6379/5", True),
        ("redis://a", "redis://b", False),
        ("redis://a", "redis://a:7000", False),
        ("redis+sentinel://a,b/goats", "redis+sentinel://b,a/goats/2?sentinel_password=x", True),
        ("redis+sentinel://a/goats", "redis+sentinel://a/sheep", False),
        ("redis+sentinel://a:6379/goats", "redis://a", False),
    ],
)
def test_whether_two_urls_are_one_server(one: str, other: str, *, same: bool) -> None:
    assert read_address(one).is_same_server(read_address(other)) is same
    assert read_address(other).is_same_server(read_address(one)) is same


def test_mistakes_are_told_of_the_setting_they_are_in() -> None:
    with pytest.raises(SettingsError, match="the live URL has verify=, which only rediss"):
        read_address("redis://cache?verify=none", "live")
    assert read_address("redis://cache", "live").variable == "GOATHERD_LIVE_URL"


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
        ("redis://cache?sentinel_password=x", "which only …+sentinel:// uses"),
        ("redis+sentinel://one,two", "names no servers"),
        ("redis+sentinel://one:x,two/goats", "its port is no number"),
        ("redis+sentinel://one/goats/x", "the number of a database"),
        ("rediss://cache?verify=maybe", "must be peer"),
        ("rediss://cache?cafile=/nowhere/ca.pem", "cannot be read"),
    ],
)
def test_a_mistake_is_told(url: str, told: str) -> None:
    [problem] = problems(url)
    assert told in problem


def test_every_mistake_is_told_at_once() -> None:
    assert len(problems("redis://cache/x?colour=red&connection_timeout=x")) == 3
