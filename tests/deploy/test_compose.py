"""The Compose file is one that Compose takes, and says what the programs need."""

import json
from dataclasses import fields
from importlib.resources import files

import jsonschema  # type: ignore[import-untyped]
import pytest

from examples.arcade.settings import Settings as ArcadeSettings
from examples.arcade.settings import read_settings
from goatherd.config import Sources
from goatherd.config import read_settings as read_own
from tests.deploy.composed import SECRETS, compose_file, services
from tests.deploy.places import APP, DEPLOY, ROLES, TOP, seconds

SERVERS = ("rabbitmq", "redis", "postgres")
PROGRAMS = (*ROLES, "api")


def test_it_is_as_the_specification_says() -> None:
    schema = json.loads(files("check_jsonschema").joinpath("builtin_schemas/vendor/compose-spec.json").read_text())
    jsonschema.Draft7Validator(schema).validate(compose_file())


def test_every_role_is_there() -> None:
    assert {role: services()[role]["command"][:3] for role in ROLES} == {
        role: ["goatherd", role, APP] for role in ROLES
    }


def test_nothing_starts_before_what_it_needs() -> None:
    found = services()
    for name, service in found.items():
        for needed, how in service.get("depends_on", {}).items():
            one_shot = found[needed].get("restart") == "no"
            wanted = "service_completed_successfully" if one_shot else "service_healthy"
            assert how == {"condition": wanted}, f"{name} needs {needed}"
            assert one_shot or not found[needed].get("healthcheck", {}).get("disable")
    for name in PROGRAMS:
        assert set(found[name]["depends_on"]) >= {*SERVERS, "migrate"}


def test_every_server_says_whether_it_is_well_and_keeps_its_files() -> None:
    kept = set(compose_file()["volumes"])
    for name in SERVERS:
        service = services()[name]
        assert service["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")
        assert service["volumes"][0].partition(":")[0] in kept
        assert seconds(service["stop_grace_period"]) >= 60, "to write what it has in memory"


def test_redis_is_one_that_lanes_can_be_kept_in() -> None:
    flags = services()["redis"]["command"]
    assert dict(zip(flags[1::2], flags[2::2], strict=True)).items() >= {
        ("--appendonly", "yes"), ("--maxmemory-policy", "noeviction"),
    }  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_has_the_time_that_it_may_take_to_end(name: str) -> None:
    service = services()[name]
    told = service["environment"]
    longest = max(float(told["GOATHERD_GRACE_PERIOD"]), float(told["GOATHERD_GATEWAY_DRAIN"]))
    assert seconds(service["stop_grace_period"]) > longest + 35


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_has_no_more_rights_than_it_needs(name: str) -> None:
    service = services()[name]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


def test_nothing_is_open_to_other_machines() -> None:
    ports = [port for service in services().values() for port in service.get("ports", [])]
    assert ports
    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_variables_are_settings(name: str) -> None:
    told = services()[name]["environment"]
    known = {each.metadata["variable"] for each in fields(ArcadeSettings)} | {"HEALTH_URL"}
    assert {each for each in told if not each.startswith("GOATHERD_")} <= known
    keywords = read_settings(told).of_arcade()
    assert set(keywords.values()) == {told[f"ARCADE_{each}_URL"] for each in ("RABBITMQ", "REDIS", "DATABASE")}
    # Raises SettingsError for a name that is none.
    in_force, _ = read_own("arcade", Sources(keywords, told, DEPLOY / "goatherd.toml"))
    assert in_force.grace_period == float(told["GOATHERD_GRACE_PERIOD"])


def test_the_secrets_are_those_of_the_example() -> None:
    lines = (DEPLOY / "example.env").read_text().splitlines()
    named = [line.partition("=") for line in lines if line and not line.startswith("#")]
    assert [(name, value) for name, _, value in named] == [(name, "") for name in SECRETS]
    assert "/deploy/.env" in (TOP / ".gitignore").read_text().splitlines()


def test_what_is_built_is_there() -> None:
    for name in PROGRAMS:
        build = services()[name]["build"]
        assert (DEPLOY / build["context"]).resolve() == TOP
        assert f" AS {build['target']}\n" in (TOP / build["dockerfile"]).read_text()
