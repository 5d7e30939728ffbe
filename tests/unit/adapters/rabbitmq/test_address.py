"""Everything that a broker URL says, and every mistake in it at once."""

import pytest

from goatherd.adapters.rabbitmq.address import read_address
from goatherd.errors import SettingsError


def test_the_shortest_url_means_guest_on_the_usual_port() -> None:
    address = read_address("amqp://localhost")
    assert (address.nodes, address.virtual_host, address.user, address.tls) == (
        [("localhost", 5672)],
        "/",
        "guest",
        None,
    )


def test_a_full_url_is_read_with_its_escapes() -> None:
    address = read_address("amqp://us%40er:p%2Fw@a:1,b,[::1]:3/my%2Fhost?heartbeat=30&connection_timeout=2.5")
    assert address.nodes == [("a", 1), ("b", 5672), ("::1", 3)]
    assert (address.user, address.password, address.virtual_host) == ("us@er", "p/w", "my/host")
    assert (address.heartbeat, address.connection_timeout) == (30, 2.5)


def test_the_password_is_never_shown() -> None:
    address = read_address("amqp://ada:topsecret@localhost/shop")
    assert "topsecret" not in repr(address) + str(address)


def test_amqps_verifies_unless_told_otherwise() -> None:
    checked, unchecked = read_address("amqps://localhost"), read_address("amqps://localhost?verify=none")
    assert checked.nodes == [("localhost", 5671)]
    assert checked.tls is not None
    assert checked.tls.check_hostname
    assert unchecked.tls is not None
    assert not unchecked.tls.check_hostname


def test_every_mistake_is_told_at_once() -> None:
    with pytest.raises(SettingsError) as caught:
        read_address("amqp://u:secret@h:port/v?heartbeat=often&hartbeat=3")
    assert len(caught.value.problems) == 3
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "mistake"),
    [
        ("amqp://h?heartbeat=inf", "heartbeat='inf'"),
        ("amqp://h?heartbeat=nan", "heartbeat='nan'"),
        ("amqp://h?heartbeat=-1", "heartbeat='-1'"),
        ("amqp://h?connection_timeout=soon", "connection_timeout='soon'"),
        ("amqp://h?cafile=ca.pem", "cafile=, which only amqps:// uses"),
        ("amqp://h?verify=none", "verify=, which only amqps:// uses"),
        ("amqps://localhost?verify=no", "verify='no'"),
        ("amqps://localhost?cafile=/nowhere/ca.pem", "/nowhere/ca.pem"),
        ("amqps://localhost?certfile=/nowhere/mine.pem", "/nowhere/mine.pem"),
        ("amqp://h:99999", "h:99999"),
        ("amqp://g:p@[::1", "cannot be read"),
    ],
)
def test_a_mistake_is_named_with_its_value(url: str, mistake: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_address(url)
    assert mistake in str(caught.value)


def test_a_heartbeat_of_zero_is_none() -> None:
    assert read_address("amqp://localhost?heartbeat=0").heartbeat == 0


@pytest.mark.parametrize(("path", "virtual_host"), [("", "/"), ("/", "/"), ("/%2F", "/"), ("/shop", "shop")])
def test_the_virtual_host_is_the_path(path: str, virtual_host: str) -> None:
    assert read_address(f"amqp://localhost{path}").virtual_host == virtual_host


def test_an_address_is_shown_as_a_url_without_secrets() -> None:
    assert str(read_address("amqp://ada:secret@a,b:7/shop?heartbeat=3")) == "amqp://a:5672,b:7/shop"
    assert str(read_address("amqps://localhost")) == "amqps://localhost:5671/"


@pytest.mark.parametrize(
    "url", ["amqp://rabbit.example.org", "amqps://guest:guest@10.0.0.7/shop", "amqp://localhost,h"]
)
def test_guest_is_refused_on_a_broker_that_is_not_local(url: str) -> None:
    with pytest.raises(SettingsError, match=r"as guest on .*not this machine.*Make a user there"):
        read_address(url)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "[::1]", "rabbit.localhost"])
def test_guest_may_use_a_broker_on_this_machine(host: str) -> None:
    assert read_address(f"amqp://{host}").user == "guest"


def test_the_reason_does_not_tell_the_password() -> None:
    with pytest.raises(SettingsError) as caught:
        read_address("amqp://guest:topsecret@h")
    assert "topsecret" not in str(caught.value)
