"""The manifests are what Kubernetes takes, fit together, and give programs what they need."""

import copy
from dataclasses import fields
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import pytest

from examples.arcade.settings import Settings as ArcadeSettings
from goatherd.config import Sources, read_settings
from goatherd.errors import SettingsError
from tests.deploy.composed import services
from tests.deploy.dockerfile import last_said
from tests.deploy.manifests import KUBERNETES, OWN, container, deployment, files, of_kind, pod, secrets, settings
from tests.deploy.places import ROLES, documents

PROGRAMS = (*ROLES, "api")
#: Those that speak to the newest Kubernetes and to the oldest that has `sleep` in preStop without a switch.
VERSIONS = ("1.30", "1.37")
#: Resources of operators, whose schemas are elsewhere: KEDA, RabbitMQ.
ELSEWHERE = ("keda.sh/", "rabbitmq.com/")
RESTRICTED = {
    "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
}  # fmt: skip


@pytest.mark.parametrize("version", VERSIONS)
def test_they_are_as_the_schemas_say(version: str) -> None:
    checked = 0
    for path in files():
        for resource in documents(path):
            if resource["apiVersion"].startswith(ELSEWHERE):
                continue
            kubernetes_validate.validate(resource, version, strict=True)
            checked += 1
    assert checked > len(PROGRAMS)


def test_a_mistake_would_be_seen() -> None:
    wrong = copy.deepcopy(deployment("worker"))
    wrong["spec"]["template"]["spec"]["terminationGracePeriod"] = 60
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSIONS[-1], strict=True)


def test_everything_is_applied_by_a_kustomization() -> None:
    applied = set()
    for path in KUBERNETES.rglob(OWN):
        [told] = documents(path)
        assert set(told) <= {
            "apiVersion", "kind", "namespace", "resources", "configMapGenerator", "labels", "images",
        }  # fmt: skip
        applied |= {path.parent / name for name in told["resources"]}
    assert set(files()) - applied == {KUBERNETES / "secrets.example.yaml", KUBERNETES / "migrate.yaml"}
    assert applied <= set(files())


def test_every_role_is_a_deployment() -> None:
    assert set(of_kind("Deployment")) == {f"arcade-{name}" for name in PROGRAMS}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_command_is_that_of_the_compose_file(name: str) -> None:
    """Which is run against real servers; the arguments follow the image's entry point."""
    without = [each for each in container(name)["args"] if "://" not in each and each != "--cors"]
    assert without == [each for each in services()[name]["command"] if "://" not in each and each != "--cors"]
    assert "command" not in container(name)


@pytest.mark.parametrize("name", PROGRAMS)
def test_labels_lead_to_the_pods(name: str) -> None:
    labels = deployment(name)["spec"]["template"]["metadata"]["labels"]
    assert deployment(name)["spec"]["selector"]["matchLabels"] == labels
    assert of_kind("PodDisruptionBudget")[f"arcade-{name}"]["spec"]["selector"]["matchLabels"] == labels
    assert pod(name)["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"] == labels
    if f"arcade-{name}" in of_kind("Service"):
        assert of_kind("Service")[f"arcade-{name}"]["spec"]["selector"] == labels


def test_what_listens_has_a_service() -> None:
    assert set(of_kind("Service")) == {"arcade-gateway", "arcade-api"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_probes_ask_a_port_on_which_the_program_listens(name: str) -> None:
    listens = {port["name"]: port["containerPort"] for port in container(name)["ports"]}
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert container(name)[probe]["httpGet"]["port"] in listens
    args = container(name)["args"]
    said = args[args.index("--port" if name == "gateway" else "--health-port") + 1] if name != "api" else "8000"
    assert [str(port) for port in listens.values()] == [said]
    assert settings()["ARCADE_PORT"] == "8000"


@pytest.mark.parametrize("name", ROLES)
def test_servers_that_are_away_kill_nobody(name: str) -> None:
    assert container(name)["livenessProbe"]["httpGet"]["path"] == "/livez"
    assert container(name)["readinessProbe"]["httpGet"]["path"] == "/readyz"


@pytest.mark.parametrize(("name", "setting"), [("worker", "GRACE_PERIOD"), ("gateway", "GATEWAY_DRAIN")])
def test_a_program_has_the_time_that_it_may_take_to_end(name: str, setting: str) -> None:
    stopping = container(name).get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
    longest = stopping + float(settings()[f"GOATHERD_{setting}"]) + (35 if name == "worker" else 30)
    assert pod(name)["terminationGracePeriodSeconds"] > longest


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_pod_has_no_more_rights_than_it_needs(name: str) -> None:
    check_rights(pod(name))


def test_nor_has_the_one_that_migrates() -> None:
    [path] = [each for each in files() if each.name == "migrate.yaml"]
    [job] = documents(path)
    check_rights(job["spec"]["template"]["spec"])
    assert job["spec"]["template"]["spec"]["containers"][0]["args"] == services()["migrate"]["command"]


def check_rights(spec: dict[str, Any]) -> None:
    user, group = last_said("examples", "USER").split(":")
    assert spec["securityContext"] == {
        "runAsNonRoot": True, "runAsUser": int(user), "runAsGroup": int(group),
        "seccompProfile": {"type": "RuntimeDefault"},
    }  # fmt: skip
    assert spec["automountServiceAccountToken"] is False
    # Names that begin with GOATHERD_ must be settings, and Kubernetes would make up such names from those of services.
    assert spec["enableServiceLinks"] is False
    for each in spec["containers"]:
        assert each["securityContext"] == RESTRICTED
        assert each["resources"]["requests"].keys() == {"cpu", "memory"}
        assert "memory" in each["resources"]["limits"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_settings_and_secrets_are_there_and_are_settings(name: str) -> None:
    [kustomized] = documents(KUBERNETES / OWN)
    made = {each["name"]: settings() for each in kustomized["configMapGenerator"]} | secrets()
    sources = container(name)["envFrom"]
    told = {key: value for each in sources for ref in each.values() for key, value in made[ref["name"]].items()}
    known = {each.metadata["variable"] for each in fields(ArcadeSettings)}
    assert {each for each in told if not each.startswith("GOATHERD_")} <= known
    toml = KUBERNETES / "goatherd.toml"
    with pytest.raises(SettingsError, match="GOATHERD_SECRET is not usable"):
        read_settings("arcade", Sources({}, told, toml))
    in_force, _ = read_settings("arcade", Sources({}, told | {"GOATHERD_SECRET": "sixteen characters"}, toml))
    assert in_force.secret is not None


def test_the_scaler_alone_says_how_many_workers_there_are() -> None:
    assert "replicas" not in deployment("worker")["spec"]
    assert all(deployment(name)["spec"]["replicas"] >= 2 for name in PROGRAMS if name != "worker")
