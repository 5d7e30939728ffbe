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
    checked, unchecked = read_address("amqps://h"), read_address("amqps://h?verify=none")
    assert checked.nodes == [("h", 5671)]
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
        ("amqps://h?verify=no", "verify='no'"),
        ("amqps://h?cafile=/nowhere/ca.pem", "/nowhere/ca.pem"),
        ("amqps://h?certfile=/nowhere/mine.pem", "/nowhere/mine.pem"),
        ("amqp://h:99999", "h:99999"),
    ],
)
def test_a_mistake_is_named_with_its_value(url: str, mistake: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_address(url)
    assert mistake in str(caught.value)


def test_a_heartbeat_of_zero_is_none() -> None:
    assert read_address("amqp://h?heartbeat=0").heartbeat == 0


@pytest.mark.parametrize(("path", "virtual_host"), [("", "/"), ("/", "/"), ("/%2F", "/"), ("/shop", "shop")])
def test_the_virtual_host_is_the_path(path: str, virtual_host: str) -> None:
    assert read_address(f"amqp://h{path}").virtual_host == virtual_host


def test_an_address_is_shown_as_a_url_without_secrets() -> None:
    assert str(read_address("amqp://ada:secret@a,b:7/shop?heartbeat=3")) == "amqp://a:5672,b:7/shop"
    assert str(read_address("amqps://h")) == "amqps://h:5671/"
