"""The databases of an app are brought to the schema of this version."""

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest

from scripts.servers.addresses import postgres_url
from tests.acceptance.cli.brokers import embedded
from tests.acceptance.cli.stage import Stage

pytestmark = embedded


@pytest.fixture
def database(stage: Stage) -> Iterator[str]:
    """An empty database, which the app has its lanes in."""
    name = f"migrate_{uuid4().hex}"
    with psycopg.connect(postgres_url(), autocommit=True) as operator:
        operator.execute(f"CREATE DATABASE {name}".encode())
        url = postgres_url().rpartition("/")[0] + f"/{name}"
        stage.environment["GOATHERD_LANES_URL"] = url
        yield url
        stage.close()
        operator.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.mark.servers("postgres")
def test_what_was_done_is_said_and_so_is_that_there_is_nothing_to_do(stage: Stage, database: str) -> None:
    shown = database.rpartition("@")[2]
    first = stage.run("migrate", "shop:app").stdout.splitlines()
    assert first[0].startswith(f"postgresql://{shown} has schema ")
    assert first[1:3] == ["  0001 store", "  0002 lanes"]
    again = stage.run("migrate", "shop:app").stdout
    assert again.startswith(f"postgresql://{shown} is up to date: schema ")
    [told] = stage.json("migrate", "shop:app")
    assert (told["database"], told["applied"]) == (f"postgresql://{shown}", [])


@pytest.mark.servers("postgres")
def test_the_sql_is_printed_and_not_run(stage: Stage, database: str) -> None:
    script = stage.run("migrate", "shop:app", "--sql").stdout
    assert script == stage.run("migrate", "shop:app", "--sql").stdout
    with psycopg.connect(database, autocommit=True) as owner:
        owner.execute(script.encode())
    assert stage.run("migrate", "shop:app", "--sql").stdout.startswith("-- postgresql://")
    assert "is up to date" in stage.run("migrate", "shop:app").stdout


def test_an_app_without_such_a_database_needs_nothing(stage: Stage) -> None:
    assert stage.run("migrate", "shop:app").stdout == "Nothing to do: shop:app has nothing in PostgreSQL.\n"
    assert stage.json("migrate", "shop:app") == []


def test_a_database_that_is_away_is_told_without_its_password(stage: Stage) -> None:
    wrong = stage.run("migrate", "shop:app", code=1, GOATHERD_LANES_URL="postgresql://ada:s3cr3t@127.0.0.1:1/shop")
    assert "postgresql://127.0.0.1:1/shop cannot be reached" in wrong.stderr
    assert "s3cr3t" not in wrong.stderr
