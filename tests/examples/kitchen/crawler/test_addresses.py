"""Which addresses may be visited."""

from ipaddress import ip_address

import pytest

from examples.kitchen.crawler.addresses import Addresses, AddressRefused, literal_address, look_up
from tests.examples.kitchen.crawler.stage import NAME, standing_for

PUBLIC = ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
OWN = ["127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "::1", "fd12::1"]
NEVER = [
    *("0.0.0.0", "100.64.0.1", "169.254.1.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1"),
    *("224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "fe80::1", "fe80::1%2", "fec0::1", "ff02::1", "100::1"),
    *("2001:db8::1", "2001:0:4136:e378::1", "2002:7f00:1::1", "3fff::1", "::127.0.0.1", "5f00::1"),
]
METADATA = ["169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254"]
DRESSED = ["::ffff:127.0.0.1", "::ffff:a00:1", "64:ff9b::7f00:1", "64:ff9b::10.0.0.1"]


@pytest.mark.parametrize("address", PUBLIC)
def test_the_public_internet_is_open(address: str) -> None:
    assert not Addresses().refuses(ip_address(address))


@pytest.mark.parametrize("address", [*OWN, *NEVER, *METADATA, *DRESSED])
def test_everything_else_is_refused(address: str) -> None:
    assert Addresses().refuses(ip_address(address))


@pytest.mark.parametrize("address", [*OWN, *DRESSED])
def test_one_s_own_networks_can_be_allowed(address: str) -> None:
    assert not Addresses(allow_private=True).refuses(ip_address(address))


@pytest.mark.parametrize("address", [*NEVER, *METADATA, "::ffff:169.254.169.254"])
def test_the_rest_is_refused_even_then(address: str) -> None:
    assert Addresses(allow_private=True).refuses(ip_address(address))


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("0", "0.0.0.0"),
        ("::1", "::1"),
        ("localhost", None),
        ("127.0.0.1.example", None),
        ("", None),
        ("bücher.example", None),
    ],
)
def test_an_address_is_known_in_every_spelling(host: str, address: str | None) -> None:
    assert literal_address(host) == (address and ip_address(address))


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "::ffff:127.0.0.1"])
async def test_no_spelling_slips_through(host: str) -> None:
    with pytest.raises(AddressRefused):
        await Addresses().of(host)
    assert Addresses().refuses_literal(host)


async def test_a_name_is_judged_by_what_it_stands_for() -> None:
    assert await Addresses(resolve=standing_for("8.8.8.8", "8.8.4.4")).of(NAME) == ["8.8.8.8", "8.8.4.4"]
    with pytest.raises(AddressRefused, match=r"kitchen\.test is 10\.0\.0\.7, which is not"):
        await Addresses(resolve=standing_for("10.0.0.7")).of(NAME)


async def test_one_bad_address_among_good_ones_is_enough() -> None:
    with pytest.raises(AddressRefused):
        await Addresses(resolve=standing_for("8.8.8.8", "::1")).of(NAME)


async def test_the_operating_system_s_look_up_is_judged_too() -> None:
    with pytest.raises(AddressRefused):
        await Addresses().of("localhost")
    assert await Addresses(allow_private=True).of("127.0.0.1") == ["127.0.0.1"]


@pytest.mark.parametrize("host", ["a..b", "x" * 64 + ".example"])
async def test_what_cannot_be_a_name_is_not_known(host: str) -> None:
    with pytest.raises(OSError, match=r".+"):
        await look_up(host)
