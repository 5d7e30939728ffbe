"""Workers are scaled on the lag of the queues that they take from, and on nothing else."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from scripts.servers.addresses import node_packages
from scripts.servers.node import node
from tests.deploy.manifests import of_kind, secrets
from tests.deploy.wanted import wanted_topology

SCALED = of_kind("ScaledObject")["arcade-worker"]
SIGNED_IN = of_kind("TriggerAuthentication")["arcade-rabbitmq"]
#: KEDA passes on the members of a trigger's metadata as they are; these are the documented ones of RabbitMQ's.
TRIGGER_MEMBERS = {
    "host", "hostFromEnv", "protocol", "mode", "value", "activationValue", "queueName", "vhostName", "useRegex",
    "operation", "pageSize", "timeout", "excludeUnacknowledged", "unsafeSsl", "metricName",
}  # fmt: skip
#: The documented members of a ScaledObject that may be said here; a schema of KEDA's lets others pass.
MEMBERS = {
    "spec": {
        "scaleTargetRef", "pollingInterval", "cooldownPeriod", "minReplicaCount", "maxReplicaCount", "fallback",
        "advanced", "triggers",
    },
    "fallback": {"failureThreshold", "replicas"},
    "advanced": {"horizontalPodAutoscalerConfig"},
    "horizontalPodAutoscalerConfig": {"behavior"},
    "behavior": {"scaleDown", "scaleUp"},
    "scaleDown": {"stabilizationWindowSeconds", "policies", "selectPolicy"},
    "scaleTargetRef": {"name"},
}  # fmt: skip
_CHECK = """
import { ScaledObject, TriggerAuthentication } from "@kubernetes-models/keda/keda.sh/v1alpha1";
import { readFileSync } from "node:fs";

const kinds = { ScaledObject, TriggerAuthentication };
for (const each of JSON.parse(readFileSync(0, "utf8"))) new kinds[each.kind](each).validate();
"""


def trigger() -> dict[str, Any]:
    [found] = SCALED["spec"]["triggers"]
    return dict(found)


def validated(*resources: dict[str, Any]) -> str:
    """What KEDA's own schemas have against them; empty if nothing."""
    # Node looks for packages beside the script.
    script = Path(node_packages()) / f"keda-{uuid4().hex}.mjs"
    script.write_text(_CHECK)
    try:
        done = subprocess.run(
            [node(), str(script)], input=json.dumps(resources), capture_output=True, text=True, check=False, timeout=50
        )
    finally:
        script.unlink()
    assert (done.returncode == 0) == (done.stderr == "")
    return done.stderr


@pytest.mark.servers("node")
def test_they_are_as_kedas_schemas_say() -> None:
    assert validated(SCALED, SIGNED_IN) == ""


@pytest.mark.servers("node")
def test_a_mistake_would_be_seen() -> None:
    wrong = {**SCALED, "spec": {**SCALED["spec"], "minReplicaCount": "two"}}
    assert "minReplicaCount must be integer" in validated(wrong)


def test_no_member_is_misspelt() -> None:
    def check(name: str, part: dict[str, Any]) -> None:
        assert set(part) <= MEMBERS[name], name
        for each, inner in part.items():
            if isinstance(inner, dict):
                check(each, inner)

    check("spec", SCALED["spec"])
    assert set(trigger()["metadata"]) <= TRIGGER_MEMBERS
    assert set(trigger()) == {"type", "metadata", "authenticationRef"}


def test_it_scales_the_workers_and_signs_in_with_a_secret() -> None:
    assert SCALED["spec"]["scaleTargetRef"]["name"] in of_kind("Deployment")
    assert trigger()["authenticationRef"]["name"] == SIGNED_IN["metadata"]["name"]
    for reference in SIGNED_IN["spec"]["secretTargetRef"]:
        assert secrets()[reference["name"]][reference["key"]].startswith("http://")


def test_all_queues_of_workers_count_and_no_others() -> None:
    pattern = re.compile(trigger()["metadata"]["queueName"])
    from_rows = [
        "queue-game-mode-type-pool-1", "matching-pvp-2", "matching-pvp-multi-3", "machine-start-4",
    ]  # fmt: skip
    waiting_for_a_reason = ["arcade.dead.v1", "arcade.hold.v1.1000", "arcade.reply.v1.0", "comments", "my-prize-1"]
    taken_from = [queue.name for queue in wanted_topology().queues if queue.name not in waiting_for_a_reason]
    assert [name for name in (*taken_from, *from_rows) if not pattern.search(name)] == []
    assert [name for name in waiting_for_a_reason if pattern.search(name)] == []
