"""What a URL says, and what is told about one that is wrong."""

import pytest

from goatherd.adapters.postgres.address import read_address
from goatherd.errors import SettingsError

SECRET = "s3cr3t"


def problems(url: str) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        read_address(url)
    assert SECRET not in str(caught.value)
    return list(caught.value.problems)


def test_what_is_not_said_is_left_to_the_driver() -> None:
    address = read_address("postgresql://")
    assert address.parameters == {"application_name": "goatherd"}
    assert (address.connection_timeout, address.pool_size) == (5.0, 5)


def test_everything_can_be_said() -> None:
    address = read_address(
        f"postgres://ada:{SECRET}%40%2F@db.example:7000/the%20shop?sslmode=require&connection_timeout=1.5&pool_size=9"
        f"&application_name=till"
    )
    assert address.parameters == {
        "user": "ada", "password": f"{SECRET}@/", "host": "db.example", "port": "7000", "dbname": "the shop",
        "sslmode": "require", "application_name": "till",
    }  # fmt: skip
    assert (address.connection_timeout, address.pool_size) == (1.5, 9)


def test_several_servers_are_listed() -> None:
    address = read_address("postgresql://one:7000,two,[::1]:7001/shop?target_session_attrs=read-write")
    assert (address.parameters["host"], address.parameters["port"]) == ("one,two,::1", "7000,5432,7001")
    assert str(address) == "postgresql://one:7000,two:5432,::1:7001/shop"


def test_a_socket_is_named_by_its_folder() -> None:
    address = read_address("postgresql:///shop?host=/run/postgresql")
    assert (address.parameters["host"], address.parameters["dbname"]) == ("/run/postgresql", "shop")
    assert str(address) == "postgresql:///run/postgresql/shop"


def test_an_address_shows_no_password() -> None:
    address = read_address(f"postgresql://ada:{SECRET}@db:7000/shop", "records")
    assert SECRET not in repr(address)
    assert str(address) == "postgresql://db:7000/shop"
    assert address.variable == "GOATHERD_RECORDS_URL"


@pytest.mark.parametrize(
    ("url", "told"),
    [
        (f"postgresql://ada:{SECRET}/x@db/shop", "its port is no number from 1 to 65535"),
        (f"postgresql://ada:p@[{SECRET}/shop", "its host cannot be read"),
        ("postgresql://db/shop?sslmod=require", "?sslmod=, which is not known"),
        (f"postgresql://db/shop?password={SECRET}", "?password=, which is not known"),
        ("postgresql://db/shop?sslkey=/nowhere/key", "sslkey=/nowhere/key, which cannot be read"),
        ("postgresql://db/shop?connection_timeout=soon", "connection_timeout='soon'; it must be a number above 0"),
        ("postgresql://db/shop?pool_size=0", "pool_size='0'; it must be a number above 0"),
    ],
)
def test_what_is_wrong_is_told_without_secrets(url: str, told: str) -> None:
    [problem] = problems(url)
    assert told in problem
    assert problem.startswith("the lanes URL")


def test_every_mistake_is_told() -> None:
    assert len(problems("postgresql://db:x/shop?a=1&pool_size=-1")) == 3
