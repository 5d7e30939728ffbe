"""The Kubernetes manifests, as they are written."""

from pathlib import Path
from typing import Any

from tests.deploy.places import DEPLOY, documents

KUBERNETES = DEPLOY / "kubernetes"
#: What kustomize itself reads.
OWN = "kustomization.yaml"


def files() -> list[Path]:
    """All but kustomize's own."""
    return [path for path in sorted(KUBERNETES.rglob("*.yaml")) if path.name != OWN]


def of_kind(kind: str) -> dict[str, dict[str, Any]]:
    """Every resource of a kind by its name."""
    found = [each for path in files() for each in documents(path) if each["kind"] == kind]
    return {each["metadata"]["name"]: each for each in found}


def deployment(component: str) -> dict[str, Any]:
    """Of a role, or of the API."""
    return of_kind("Deployment")[f"arcade-{component}"]


def pod(component: str) -> dict[str, Any]:
    """What its pods are like."""
    return dict(deployment(component)["spec"]["template"]["spec"])


def container(component: str) -> dict[str, Any]:
    """The one container of its pods."""
    [found] = pod(component)["containers"]
    return dict(found)


def settings() -> dict[str, str]:
    """What is no secret."""
    lines = (KUBERNETES / "settings.env").read_text().splitlines()
    told = [line.partition("=") for line in lines if line and not line.startswith("#")]
    return {name: value for name, _, value in told}


def secrets() -> dict[str, dict[str, str]]:
    """The example's, by their names."""
    return {name: dict(each["stringData"]) for name, each in of_kind("Secret").items()}
